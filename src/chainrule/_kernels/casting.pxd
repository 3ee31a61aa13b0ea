cimport cython
from chainrule._core.dtype cimport dtype, of_array

@cython.locals(source=dtype)
cpdef object cast(object array, dtype target)
cpdef dtype compute_type(dtype d)
@cython.locals(d=dtype)
cpdef object to_compute(object array)
