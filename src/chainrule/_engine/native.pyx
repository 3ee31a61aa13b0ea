"""What Python cannot say of its own objects: a type's dictionary, a tuple emptied in place, reference counts."""

cimport numpy as cnp
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE, PyTuple_SET_ITEM

from cpython.exc cimport PyErr_CheckSignals

from chainrule._core.dtype cimport dtype

cnp.import_array()

cdef extern from "Python.h":
    void PyType_Modified(PyTypeObject *)
    void PyObject_GC_UnTrack(void *)
    Py_ssize_t Py_REFCNT(PyObject *)
    ctypedef struct Typed "PyTypeObject":
        PyObject *tp_dict


class Released:
    """Stands in a node's links for saved values that are gone."""

    def __repr__(self):
        return "<released>"


RELEASED = Released()


cdef object released = RELEASED


def install(type cls, str name, value):
    """Set an attribute of a compiled class. Slot dunders set this way would do nothing: they stand in the class body."""
    (<dict><object>(<Typed *>cls).tp_dict)[name] = value
    PyType_Modified(<PyTypeObject *>cls)


cdef bint plain(object saved):
    """Whether a saved value is a shape, a dtype or a number: kept, since a second walk may need it and it holds nothing."""
    return (type(saved) is tuple or type(saved) is dtype or saved is None or type(saved) is int
            or type(saved) is float or type(saved) is bool)


cpdef tuple without_saved(tuple links, int n_edges):
    """The links with their saved tensors dropped: emptied in place, since a node owns its links alone."""
    cdef Py_ssize_t i
    cdef object old
    for i in range(n_edges, PyTuple_GET_SIZE(links)):
        old = <object>PyTuple_GET_ITEM(links, i)
        if plain(old):
            continue
        Py_INCREF(released)
        PyTuple_SET_ITEM(links, i, released)
        Py_DECREF(old)
    return links


cpdef untrack(tuple links):
    """Take a node's links out of the cyclic collector's lists: collector.pyx shows it what they hold."""
    PyObject_GC_UnTrack(<void *>links)


cpdef bint sole_reference(object tensor, object array):
    """Whether only the engine's two frames hold this gradient: the array may then become a leaf's .grad.

    Counted: the task's variable and the accumulator's for the tensor; the tensor's field and the caller's for the array.
    """
    return (Py_REFCNT(<PyObject *>tensor) <= 3 and Py_REFCNT(<PyObject *>array) <= 2
            and cnp.PyArray_CHKFLAGS(<cnp.ndarray>array, cnp.NPY_ARRAY_OWNDATA | cnp.NPY_ARRAY_WRITEABLE))


cpdef Py_ssize_t address(object array):
    """Where the array's first element is."""
    return <Py_ssize_t>cnp.PyArray_DATA(<cnp.ndarray>array)


cpdef check_signals():
    """Let a pending Ctrl-C raise here: compiled loops give Python no other chance."""
    PyErr_CheckSignals()
