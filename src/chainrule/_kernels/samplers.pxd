cimport cython
from libc.stdint cimport uint32_t
from numpy cimport ndarray


@cython.final
cdef class Words:
    cdef object generator
    cdef ndarray block
    cdef const uint32_t *place
    cdef const uint32_t *end
    cdef double kept
    cdef bint has_kept

    cdef int refill(self) except -1
    cdef double uniform(self) except -1
    cdef double normal(self) except? -1
    cpdef finish(self)


cpdef ndarray poisson(object generator, ndarray rates)
cpdef ndarray gamma(object generator, ndarray alphas)
cpdef ndarray binomial(object generator, ndarray counts, ndarray probs)
