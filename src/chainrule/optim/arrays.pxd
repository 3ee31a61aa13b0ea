cimport cython
from chainrule._core.dtype cimport dtype as DType
from chainrule._engine.tensor cimport AutogradMeta, Tensor, bump_version
from chainrule._engine.thread_state cimport current

@cython.locals(param=Tensor, beyond=AutogradMeta)
cpdef list with_gradients(object params)

@cython.locals(param=Tensor, grad=Tensor, kind=DType)
cpdef object plain_arrays(object group, object params)

@cython.locals(value=Tensor)
cpdef list state_arrays(object states, object key)

@cython.locals(param=Tensor)
cpdef object mark_changed(object params)
