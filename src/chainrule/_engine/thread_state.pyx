"""What each thread has of its own: grad mode, the special bits, the sequence counter. Kept in a C thread-local pointer."""

from cpython.ref cimport PyObject

import threading

cdef extern from *:
    """
    #ifdef _MSC_VER
    static __declspec(thread) PyObject *chainrule_thread_state = NULL;
    #else
    static __thread PyObject *chainrule_thread_state = NULL;
    #endif
    """
    PyObject *chainrule_thread_state

owners = threading.local()


cdef class State:
    """The state of one thread."""

    def __init__(self):
        self.grad_enabled = True
        self.special = process.special
        self.sequence = 0
        self.depth = 0


class Process:
    """Special bits that hold for every thread, those that start later included."""

    special = 0


process = Process()


cpdef State current():
    """This thread's state."""
    global chainrule_thread_state
    if chainrule_thread_state == NULL:
        state = State()
        owners.state = state
        chainrule_thread_state = <PyObject *>state
    return <State>chainrule_thread_state
