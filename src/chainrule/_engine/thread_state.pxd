cdef class State:
    cdef public bint grad_enabled
    cdef public int special
    cdef public long long sequence
    cdef public int depth

cpdef State current()
