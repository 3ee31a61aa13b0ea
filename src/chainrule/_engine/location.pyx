"""Where a call was made: the first frame outside chainrule, as code object and instruction offset. No traceback is built."""

from cpython.object cimport PyObject

from chainrule._engine.node cimport Node

import chainrule

cdef extern from "Python.h":
    ctypedef struct PyFrameObject
    PyFrameObject *PyEval_GetFrame()
    void *PyFrame_GetCode(PyFrameObject *)
    PyFrameObject *PyFrame_GetBack(PyFrameObject *)
    int PyFrame_GetLasti(PyFrameObject *)
    void Py_DECREF(void *)
    void Py_INCREF(void *)
    void Py_XDECREF(void *)
    Py_ssize_t PyUnicode_Tailmatch(object, object, Py_ssize_t, Py_ssize_t, int) except -1

cdef str package = chainrule.__path__[0]
cdef PyObject *last_code = NULL
cdef bint last_inside = False


cdef bint inside(PyObject *code) except -1:
    """Whether the code belongs to chainrule itself. The last answer is kept: calls come in runs."""
    global last_code, last_inside
    if code != last_code:
        last_inside = PyUnicode_Tailmatch((<object>code).co_filename, package, 0, 1 << 30, -1)
        Py_INCREF(code)
        Py_XDECREF(last_code)
        last_code = code
    return last_inside


cpdef mark(Node node):
    """Note in the node the line that is being executed outside chainrule."""
    cdef PyFrameObject *frame = PyEval_GetFrame()
    cdef PyFrameObject *back
    cdef PyObject *code
    if frame == NULL:
        return
    Py_INCREF(frame)
    while frame != NULL:
        code = <PyObject *>PyFrame_GetCode(frame)
        if not inside(code):
            node.code = <object>code
            node.instruction = PyFrame_GetLasti(frame)
            Py_DECREF(code)
            Py_DECREF(frame)
            return
        Py_DECREF(code)
        back = PyFrame_GetBack(frame)
        Py_DECREF(frame)
        frame = back
