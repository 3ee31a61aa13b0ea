"""Samplers by rejection, which read as many random words as they happen to need: poisson, gamma, binomial.

Flat contiguous float32 or float64 arrays of parameters in, samples of the same dtype out, PyTorch's for the same
words. The generator's lock is the caller's. The plain twin is samplers.py.
"""

from libc.math cimport M_PI, ceil, cos, exp, fabs, floor, lgamma, log, log1p, pow, sin, sqrt
from libc.stdint cimport int64_t, uint32_t, uint64_t
cimport numpy as cnp
from numpy cimport ndarray

cnp.import_array()

cdef extern from "<math.h>" nogil:
    float sqrtf(float x)
    float log1pf(float x)

cdef extern from "<float.h>" nogil:
    float FLT_MIN
    double DBL_MIN

ctypedef fused real:
    float
    double

cdef double[10] TAILS = [
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
    0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287,
]


cdef class Words:
    """The generator's words one by one. finish() gives back what was taken and not read."""

    def __cinit__(self, generator):
        self.generator = generator
        self.place = self.end = NULL
        kept = generator.next_double
        self.has_kept = kept is not None
        if self.has_kept:
            self.kept = kept

    cdef int refill(self) except -1:
        self.block = self.generator.rest()
        self.place = <const uint32_t *>cnp.PyArray_DATA(self.block)
        self.end = self.place + cnp.PyArray_SIZE(self.block)
        return 0

    cdef double uniform(self) except -1:
        cdef uint64_t high, low
        if self.place == self.end:
            self.refill()
        high = self.place[0]
        self.place += 1
        if self.place == self.end:
            self.refill()
        low = self.place[0]
        self.place += 1
        # 53 bits; spelled as a shift, because Cython makes a Python integer of a literal this long
        high = ((high << 32) | low) & (((<uint64_t>1) << 53) - 1)
        return <double><int64_t>high * (1.0 / 9007199254740992.0)

    cdef double normal(self) except? -1:
        if self.has_kept:
            self.has_kept = False
            return self.kept
        cdef double theta = 2.0 * M_PI * self.uniform()
        cdef double radius = sqrt(-2.0 * log1p(-self.uniform()))
        self.kept = radius * sin(theta)
        self.has_kept = True
        return radius * cos(theta)

    cpdef finish(self):
        self.generator.unread(self.end - self.place)
        self.generator.next_double = self.kept if self.has_kept else None


cdef inline double one_poisson(Words words, double rate) except -1:
    cdef double product, limit, root, a, b, u, v, us, k
    if rate == 0:
        return 0
    if rate < 10:
        limit = exp(-rate)
        product = words.uniform()
        k = 0
        while product > limit:
            k += 1
            product *= words.uniform()
        return k
    root = sqrt(rate)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    while True:
        u = words.uniform() - 0.5
        v = words.uniform()
        us = 0.5 - fabs(u)
        k = floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        v = log(v) + log(1.1239 + 1.1328 / (b - 3.4)) - log(a / (us * us) + b)
        if v <= -rate + k * log(rate) - lgamma(k + 1):
            return k


cdef inline double one_gamma(Words words, real alpha) except -1:
    cdef double scale = 1, d, c, x, y, v, u, xx
    if alpha < 1:
        if alpha == 0:
            return 0
        scale = pow(1 - words.uniform(), <real>1 / alpha)
        alpha = alpha + <real>1
    d = alpha - <real>(<float>1 / <float>3)
    c = 1 / sqrt(9 * d)
    while True:
        x = words.normal()
        y = 1 + c * x
        if y <= 0:
            continue
        v = y * y * y
        u = 1 - words.uniform()
        xx = x * x
        if u < 1 - <double><float>0.0331 * xx * xx or log(u) < 0.5 * xx + d * (1 - v + log(v)):
            return scale * d * v


cdef inline double stirling_tail(double k) noexcept:
    if k < 10:
        return TAILS[<int>k]
    cdef double square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)


cdef inline double by_waiting(Words words, real count, real p) except -1:
    cdef double scale = log1pf(-p) if real is float else log1p(-p)
    cdef double tried = 0, found = 0
    while True:
        tried += ceil(log(words.uniform()) / scale)
        if tried > count:
            return found
        found += 1


cdef inline double by_rejection(Words words, real count, real p) except -1:
    cdef real one = 1, k, spread = count * p * (one - p)
    cdef double deviation = sqrtf(spread) if real is float else sqrt(spread)
    cdef double b = 1.15 + 2.53 * deviation
    cdef double a = -0.0873 + 0.0248 * b + 0.01 * p
    cdef double c = <real>(count * p) + 0.5
    cdef double odds = <real>(p / (one - p))
    cdef double m = floor(<real>((count + one) * p))
    cdef double u, v, us, bound
    while True:
        u = words.uniform() - 0.5
        v = words.uniform()
        us = 0.5 - fabs(u)
        k = <real>floor((2 * a / us + b) * u + c)
        if k < 0 or k > count:
            continue
        if us >= 0.07 and v <= 0.92 - 4.2 / b:
            return k
        v = log(v * ((2.83 + 5.1 / b) * deviation) / (a / (us * us) + b))
        bound = (
            (m + 0.5) * log((m + 1) / (odds * (count - m + 1)))
            + (count + one) * log((count - m + 1) / (count - k + one))
            + (k + 0.5) * log(odds * (count - k + one) / (k + one))
            + stirling_tail(m) + stirling_tail(count - m) - stirling_tail(k) - stirling_tail(count - k)
        )
        if v <= bound:
            return k


cdef inline double one_binomial(Words words, real count, real p) except? -1:
    cdef real q
    if count <= 0 or p <= 0:
        return 0
    if p >= 1:
        return count
    if p <= 0.5:
        return by_rejection(words, count, p) if count * p >= 10 else by_waiting(words, count, p)
    if p > 0.5:
        q = <real>(1.0 - p)
        return count - (by_rejection(words, count, q) if count * q >= 10 else by_waiting(words, count, q))
    return p  # NaN


cdef draw_poisson(Words words, real *rates, real *out, Py_ssize_t n):
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = <real>one_poisson(words, rates[i])


cdef draw_gamma(Words words, real *alphas, real *out, Py_ssize_t n, real smallest):
    cdef real sample
    cdef Py_ssize_t i
    for i in range(n):
        sample = <real>one_gamma(words, alphas[i])
        out[i] = smallest if sample < smallest else sample


cdef draw_binomial(Words words, real *counts, real *probs, real *out, Py_ssize_t n):
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = <real>one_binomial(words, counts[i], probs[i])


cdef inline ndarray like(ndarray a):
    cdef cnp.npy_intp shape = cnp.PyArray_SIZE(a)
    return cnp.PyArray_EMPTY(1, &shape, cnp.PyArray_TYPE(a), 0)


cpdef ndarray poisson(object generator, ndarray rates):
    cdef Words words = Words(generator)
    cdef ndarray out = like(rates)
    cdef void *source = cnp.PyArray_DATA(rates)
    cdef void *target = cnp.PyArray_DATA(out)
    if cnp.PyArray_TYPE(rates) == cnp.NPY_FLOAT32:
        draw_poisson(words, <float *>source, <float *>target, cnp.PyArray_SIZE(rates))
    else:
        draw_poisson(words, <double *>source, <double *>target, cnp.PyArray_SIZE(rates))
    words.finish()
    return out


cpdef ndarray gamma(object generator, ndarray alphas):
    cdef Words words = Words(generator)
    cdef ndarray out = like(alphas)
    cdef void *source = cnp.PyArray_DATA(alphas)
    cdef void *target = cnp.PyArray_DATA(out)
    if cnp.PyArray_TYPE(alphas) == cnp.NPY_FLOAT32:
        draw_gamma(words, <float *>source, <float *>target, cnp.PyArray_SIZE(alphas), FLT_MIN)
    else:
        draw_gamma(words, <double *>source, <double *>target, cnp.PyArray_SIZE(alphas), DBL_MIN)
    words.finish()
    return out


cpdef ndarray binomial(object generator, ndarray counts, ndarray probs):
    cdef Words words = Words(generator)
    cdef ndarray out = like(counts)
    cdef void *source = cnp.PyArray_DATA(counts)
    cdef void *chances = cnp.PyArray_DATA(probs)
    cdef void *target = cnp.PyArray_DATA(out)
    if cnp.PyArray_TYPE(counts) == cnp.NPY_FLOAT32:
        draw_binomial(words, <float *>source, <float *>chances, <float *>target, cnp.PyArray_SIZE(counts))
    else:
        draw_binomial(words, <double *>source, <double *>chances, <double *>target, cnp.PyArray_SIZE(counts))
    words.finish()
    return out
