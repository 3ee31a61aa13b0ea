"""What a call of Tensor makes, and the user's own attributes on a tensor: a dictionary that exists only once one is set.

Cython's `cdef dict __dict__` makes it with every object, which costs a tenth of a small op. Here the class gets a
`tp_dictoffset` over a pointer field, and its collector slots are extended to see what hangs there. The constructor is a
slot too; the engine's own tensors, made without arguments, pay next to nothing for it.
"""

from cpython.dict cimport PyDict_Size
from cpython.ref cimport Py_DECREF, PyObject, Py_XDECREF
from cpython.tuple cimport PyTuple_GET_SIZE

from chainrule._engine.tensor cimport Tensor, wrap

import numpy as np

cdef extern from "Python.h":
    ctypedef struct Slots "PyTypeObject"
    ctypedef int (*visitproc)(PyObject *, void *) noexcept
    ctypedef int (*traverseproc)(PyObject *, visitproc, void *) noexcept
    ctypedef int (*inquiry)(PyObject *) noexcept
    ctypedef void (*destructor)(PyObject *) noexcept
    object PyObject_GenericGetDict(object, void *)
    ctypedef PyObject *(*newfunc)(Slots *, PyObject *, PyObject *) except NULL
    ctypedef int (*initproc)(PyObject *, PyObject *, PyObject *) except -1
    void PyObject_GC_UnTrack(void *)
    ctypedef struct Slots "PyTypeObject":
        Py_ssize_t tp_dictoffset
        traverseproc tp_traverse
        inquiry tp_clear
        destructor tp_dealloc
        newfunc tp_new
        initproc tp_init
        void *tp_vectorcall
        const char *tp_name

cdef traverseproc traverse_fields
cdef inquiry clear_fields
cdef destructor free_tensor
cdef Py_ssize_t offset


cdef int traverse(PyObject *o, visitproc visit, void *arg) noexcept:
    cdef PyObject *d = (<PyObject **>(<char *>o + offset))[0]
    cdef int stopped
    if d != NULL:
        stopped = visit(d, arg)
        if stopped:
            return stopped
    return traverse_fields(o, visit, arg)


cdef void drop(PyObject *o) noexcept:
    cdef PyObject **place = <PyObject **>(<char *>o + offset)
    cdef PyObject *d = place[0]
    if d != NULL:
        place[0] = NULL
        Py_XDECREF(d)


cdef int clear(PyObject *o) noexcept:
    drop(o)
    return clear_fields(o)


cdef void dealloc(PyObject *o) noexcept:
    PyObject_GC_UnTrack(o)
    drop(o)
    free_tensor(o)


def make_lazy():
    """Give Tensor its lazy dictionary; before any subclass of it is made."""
    global traverse_fields, clear_fields, free_tensor, offset
    cdef Tensor sample = Tensor.__new__(Tensor)
    cdef Slots *slots = <Slots *><PyObject *>Tensor
    if slots.tp_dictoffset:
        return
    offset = <char *>&sample.attributes - <char *><PyObject *>sample
    traverse_fields = slots.tp_traverse
    clear_fields = slots.tp_clear
    free_tensor = slots.tp_dealloc
    slots.tp_dictoffset = offset
    slots.tp_traverse = traverse
    slots.tp_clear = clear
    slots.tp_dealloc = dealloc


cdef newfunc make_fields
cdef object construct
cdef Tensor unfilled = wrap(np.empty(0, np.float32))


cdef PyObject *new(Slots *cls, PyObject *args, PyObject *kwargs) except NULL:
    cdef PyObject *made = make_fields(cls, args, kwargs)
    cdef bint bare = PyTuple_GET_SIZE(<object>args) == 0 and (kwargs == NULL or PyDict_Size(<object>kwargs) == 0)
    if made == NULL:
        return NULL
    if bare and <PyObject *>cls == <PyObject *>Tensor:
        # Compiled code reads fields unchecked: what its maker never fills must still be a tensor.
        (<Tensor>made).array = unfilled.array
        (<Tensor>made).meta = unfilled.meta
    else:
        try:
            construct(<object>made, <object>args, {} if kwargs == NULL else <object>kwargs)
        except BaseException:
            Py_DECREF(<object>made)
            raise
    return made


cdef int init(PyObject *o, PyObject *args, PyObject *kwargs) except -1:
    # The engine makes tensors without arguments and fills them itself; what is still unfilled here was called by name.
    if (<Tensor>o).array is unfilled.array:
        construct(<object>o, (), {})
    return 0


def construct_with(function):
    """Let a call of Tensor with arguments fill the new object by `function(t, args, kwargs)`; before subclasses are made."""
    global make_fields, construct
    cdef Slots *slots = <Slots *><PyObject *>Tensor
    if construct is None:
        make_fields = slots.tp_new
        slots.tp_new = new
        slots.tp_init = init
        slots.tp_name = b"chainrule.Tensor"
        slots.tp_vectorcall = NULL  # Cython's short way into its own constructor
    construct = function


def dictionary(t):
    """The tensor's own attributes."""
    return PyObject_GenericGetDict(t, NULL)
