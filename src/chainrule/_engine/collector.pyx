"""What the cyclic collector sees of a node.

A node's links are its own: the tuple is taken out of the collector's lists and its elements are visited as if they were
the node's fields, the tensors inside saved inputs too. A recorded call then costs the collector one container.
"""

from cpython.ref cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE

from chainrule._engine.node cimport Node
from chainrule._engine.saved cimport SavedInput

cdef extern from "Python.h":
    ctypedef int (*visitproc)(PyObject *, void *) noexcept
    ctypedef int (*traverseproc)(PyObject *, visitproc, void *) noexcept
    ctypedef struct Slots "PyTypeObject":
        traverseproc tp_traverse
    PyObject *Py_TYPE(PyObject *)

cdef traverseproc traverse_fields = NULL
cdef PyObject *saved_input = <PyObject *>SavedInput


cdef int traverse(PyObject *o, visitproc visit, void *arg) noexcept:
    cdef PyObject *links = <PyObject *>(<Node><void *>o).links
    cdef PyObject *x
    cdef Py_ssize_t i
    cdef int stopped
    if links != <PyObject *>None and links != NULL:
        for i in range(PyTuple_GET_SIZE(<tuple><void *>links)):
            x = <PyObject *>PyTuple_GET_ITEM(<tuple><void *>links, i)
            if Py_TYPE(x) == saved_input:
                x = <PyObject *>(<SavedInput><void *>x).tensor
            stopped = visit(x, arg)
            if stopped:
                return stopped
    return traverse_fields(o, visit, arg)


def show_links():
    """Give Node its extended visit; once."""
    global traverse_fields
    cdef Slots *slots = <Slots *><PyObject *>Node
    if traverse_fields == NULL:
        traverse_fields = slots.tp_traverse
        slots.tp_traverse = traverse
