"""The user's own attributes on a tensor: a dictionary that exists only once one is set.

Cython's `cdef dict __dict__` makes it with every object, which costs a tenth of a small op. Here the class gets a
`tp_dictoffset` over a pointer field, and its collector slots are extended to see what hangs there.
"""

from cpython.ref cimport PyObject, Py_XDECREF

from chainrule._engine.tensor cimport Tensor

cdef extern from "Python.h":
    ctypedef int (*visitproc)(PyObject *, void *) noexcept
    ctypedef int (*traverseproc)(PyObject *, visitproc, void *) noexcept
    ctypedef int (*inquiry)(PyObject *) noexcept
    ctypedef void (*destructor)(PyObject *) noexcept
    object PyObject_GenericGetDict(object, void *)
    void PyObject_GC_UnTrack(void *)
    ctypedef struct Slots "PyTypeObject":
        Py_ssize_t tp_dictoffset
        traverseproc tp_traverse
        inquiry tp_clear
        destructor tp_dealloc

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


def dictionary(t):
    """The tensor's own attributes."""
    return PyObject_GenericGetDict(t, NULL)
