from numpy cimport ndarray

cdef extern from "Python.h":
    ctypedef struct PyThreadState
    PyThreadState *PyEval_SaveThread() nogil
    void PyEval_RestoreThread(PyThreadState *state) nogil

cdef inline PyThreadState *release(Py_ssize_t work) noexcept nogil:
    """Give the interpreter up for a loop long enough to be worth it; regain takes what this returned."""
    return PyEval_SaveThread() if work > 50000 else NULL

cdef inline void regain(PyThreadState *state) noexcept nogil:
    if state != NULL:
        PyEval_RestoreThread(state)

cpdef ndarray floating(object x, str who)
cpdef ndarray row_major(object x, str who)
cpdef ndarray one_segment(object x, str who)
cpdef ndarray same_layout(ndarray x)
