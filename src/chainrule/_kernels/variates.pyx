"""Random words to variates: flat contiguous arrays of uint32 in, flat arrays of float32, float64 or int64 out.

A float32 uniform takes one word, everything in double precision two. The loops themselves are in variates.h;
the plain twin, with the same results bit for bit, is variates.py.
"""

from libc.stdint cimport int64_t, uint32_t
cimport numpy as cnp
from numpy cimport ndarray

cnp.import_array()

ctypedef void (*float_loop)(const uint32_t *, float *, Py_ssize_t, float, float) noexcept nogil
ctypedef void (*double_loop)(const uint32_t *, double *, Py_ssize_t, double, double) noexcept nogil

cdef extern from "variates.h" nogil:
    void uniform_float_loop(const uint32_t *words, float *out, Py_ssize_t n, float low, float high)
    void normal_float_loop(const uint32_t *words, float *out, Py_ssize_t n, float mean, float std)
    void uniform_double_loop(const uint32_t *words, double *out, Py_ssize_t n, double low, double high)
    void normal_double_loop(const uint32_t *words, double *out, Py_ssize_t n, double mean, double std)
    void exponential_loop(const uint32_t *words, double *out, Py_ssize_t n, double rate, double unread)
    void geometric_loop(const uint32_t *words, double *out, Py_ssize_t n, double p, double unread)
    void cauchy_loop(const uint32_t *words, double *out, Py_ssize_t n, double median, double sigma)
    void normal_pairs_loop(const uint32_t *words, double *out, Py_ssize_t n)
    void scale_loop(double *values, Py_ssize_t n, double mean, double std)
    void exp_loop(double *values, Py_ssize_t n)
    void single_loop(const double *values, float *out, Py_ssize_t n)
    void shuffle_loop(const uint32_t *words, int64_t *out, Py_ssize_t n)

cdef enum:
    LONG = 50_000  # elements from which a loop lets other threads run


cdef inline ndarray empty(Py_ssize_t n, int typenum):
    cdef cnp.npy_intp shape = n
    return cnp.PyArray_EMPTY(1, &shape, typenum, 0)


cdef ndarray floats(float_loop loop, ndarray words, double a, double b):
    cdef Py_ssize_t n = cnp.PyArray_SIZE(words)
    cdef ndarray out = empty(n, cnp.NPY_FLOAT32)
    cdef const uint32_t *w = <const uint32_t *>cnp.PyArray_DATA(words)
    cdef float *o = <float *>cnp.PyArray_DATA(out)
    if n < LONG:
        loop(w, o, n, <float>a, <float>b)
    else:
        with nogil:
            loop(w, o, n, <float>a, <float>b)
    return out


cdef ndarray doubles(double_loop loop, ndarray words, double a, double b):
    cdef Py_ssize_t n = cnp.PyArray_SIZE(words) // 2
    cdef ndarray out = empty(n, cnp.NPY_FLOAT64)
    cdef const uint32_t *w = <const uint32_t *>cnp.PyArray_DATA(words)
    cdef double *o = <double *>cnp.PyArray_DATA(out)
    if n < LONG:
        loop(w, o, n, a, b)
    else:
        with nogil:
            loop(w, o, n, a, b)
    return out


cpdef ndarray uniform_float(ndarray words, double low, double high):
    return floats(uniform_float_loop, words, low, high)


cpdef ndarray uniform_double(ndarray words, double low, double high):
    return doubles(uniform_double_loop, words, low, high)


cpdef ndarray normal_float(ndarray words, double mean, double std):
    return floats(normal_float_loop, words, mean, std)


cpdef ndarray normal_double(ndarray words, double mean, double std):
    return doubles(normal_double_loop, words, mean, std)


cpdef ndarray exponential(ndarray words, double rate):
    return doubles(exponential_loop, words, rate, 0)


cpdef ndarray geometric(ndarray words, double p):
    return doubles(geometric_loop, words, p, 0)


cpdef ndarray cauchy(ndarray words, double median, double sigma):
    return doubles(cauchy_loop, words, median, sigma)


cpdef ndarray normal_pairs(ndarray words):
    cdef Py_ssize_t n = cnp.PyArray_SIZE(words) // 2
    cdef ndarray out = empty(n, cnp.NPY_FLOAT64)
    normal_pairs_loop(<const uint32_t *>cnp.PyArray_DATA(words), <double *>cnp.PyArray_DATA(out), n)
    return out


cpdef ndarray scaled(ndarray values, double mean, double std):
    scale_loop(<double *>cnp.PyArray_DATA(values), cnp.PyArray_SIZE(values), mean, std)
    return values


cpdef ndarray exponentiated(ndarray values):
    exp_loop(<double *>cnp.PyArray_DATA(values), cnp.PyArray_SIZE(values))
    return values


cpdef ndarray single(ndarray values):
    cdef Py_ssize_t n = cnp.PyArray_SIZE(values)
    cdef ndarray out = empty(n, cnp.NPY_FLOAT32)
    single_loop(<const double *>cnp.PyArray_DATA(values), <float *>cnp.PyArray_DATA(out), n)
    return out


cpdef ndarray shuffle(ndarray words, Py_ssize_t n):
    cdef ndarray out = empty(n, cnp.NPY_INT64)
    shuffle_loop(<const uint32_t *>cnp.PyArray_DATA(words), <int64_t *>cnp.PyArray_DATA(out), n)
    return out
