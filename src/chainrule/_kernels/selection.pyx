"""Sorting and selecting along the last axis with the places the values came from: the loops under sorting.py.

nan counts as the largest value. The plain twin is selection.py.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset
cimport numpy as cnp
from numpy cimport ndarray

cnp.import_array()

cdef extern from "Python.h":
    ctypedef struct PyThreadState:
        pass
    PyThreadState *PyEval_SaveThread()
    void PyEval_RestoreThread(PyThreadState *state)

ctypedef fused real:
    float
    double
    int8_t
    int16_t
    int32_t
    int64_t
    uint8_t

cdef enum:
    KEEP_GIL_BELOW = 50000
    INSERTION = 48


cdef inline bint before(real a, real b, bint descending) noexcept nogil:
    """Whether a belongs strictly before b."""
    if descending:
        return (a > b) | ((a != a) & (b == b))
    return (a < b) | ((b != b) & (a == a))


cdef void insertion_sort(real *values, int64_t *places, Py_ssize_t n, bint descending) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef real value
    for i in range(n):
        value = values[i]
        j = i
        while j > 0 and before(value, values[j - 1], descending):
            values[j] = values[j - 1]
            places[j] = places[j - 1]
            j -= 1
        values[j] = value
        places[j] = i


cdef inline uint64_t key_of(real value, bint descending) noexcept nogil:
    """Bits that order as the values do: -0 as 0, nan last (first when descending)."""
    cdef uint32_t half
    cdef uint64_t key
    if real is float:
        value = value + 0
        memcpy(&half, &value, 4)
        half = ~half if half >> 31 else half | <uint32_t> 0x80000000U
        key = 0xFFFFFFFFU if value != value else half
    elif real is double:
        value = value + 0
        memcpy(&key, &value, 8)
        key = ~key if key >> 63 else key | <uint64_t> 1 << 63
        key = ~<uint64_t> 0 if value != value else key
    else:
        key = <uint64_t> <int64_t> value ^ <uint64_t> 1 << 63
    return ~key if descending else key


cdef void radix_sort(real *values, int64_t *places, uint64_t *keys, uint64_t *spare_keys,
                     int64_t *spare_places, real *spare, Py_ssize_t n, bint descending) noexcept nogil:
    """Byte by byte from the lowest; a byte that all keys share costs nothing."""
    cdef Py_ssize_t counts[8][256]
    cdef Py_ssize_t i, at, total
    cdef int byte, bucket
    cdef uint64_t key
    cdef int64_t *from_places = places
    memset(counts, 0, sizeof(counts))
    memcpy(spare, values, n * sizeof(real))
    for i in range(n):
        key = key_of(values[i], descending)
        keys[i] = key
        places[i] = i
        for byte in range(8):
            counts[byte][(key >> 8 * byte) & 255] += 1
    for byte in range(8):
        if counts[byte][(keys[0] >> 8 * byte) & 255] == n:
            continue
        total = 0
        for bucket in range(256):
            at = counts[byte][bucket]
            counts[byte][bucket] = total
            total += at
        for i in range(n):
            key = keys[i]
            at = counts[byte][(key >> 8 * byte) & 255]
            counts[byte][(key >> 8 * byte) & 255] = at + 1
            spare_keys[at] = key
            spare_places[at] = from_places[i]
        keys, spare_keys = spare_keys, keys
        from_places, spare_places = spare_places, from_places
    if from_places != places:
        memcpy(places, from_places, n * sizeof(int64_t))
    for i in range(n):
        values[i] = spare[places[i]]


cdef int sort_lines(real *values, int64_t *places, Py_ssize_t lines, Py_ssize_t n,
                    bint descending) noexcept nogil:
    """Sort lines of n in place; -1 when memory runs out."""
    cdef Py_ssize_t line
    cdef char *spare
    if n <= INSERTION:
        for line in range(lines):
            insertion_sort(values + line * n, places + line * n, n, descending)
        return 0
    spare = <char *> malloc(n * 32)
    if spare == NULL:
        return -1
    for line in range(lines):
        radix_sort(values + line * n, places + line * n, <uint64_t *> spare, <uint64_t *> (spare + n * 8),
                   <int64_t *> (spare + n * 16), <real *> (spare + n * 24), n, descending)
    free(spare)
    return 0


cdef void select_lines(real *x, real *out, int64_t *places, Py_ssize_t lines, Py_ssize_t n, Py_ssize_t k,
                       bint largest) noexcept nogil:
    """Keep the k best elements of each line in order, inserting each element that beats the last of them."""
    cdef Py_ssize_t line, i, j, held
    cdef real value
    for line in range(lines):
        held = 0
        for i in range(n):
            value = x[i]
            if held == k:
                if not before(value, out[k - 1], largest):
                    continue
                j = k - 1
            else:
                j = held
                held += 1
            while j > 0 and before(value, out[j - 1], largest):
                out[j] = out[j - 1]
                places[j] = places[j - 1]
                j -= 1
            out[j] = value
            places[j] = i
        x += n
        out += k
        places += k


cdef int run(ndarray x, ndarray out, ndarray places, Py_ssize_t k, bint select, bint flag,
             real *kind) except -1:
    cdef Py_ssize_t n = cnp.PyArray_DIM(x, cnp.PyArray_NDIM(x) - 1)
    cdef Py_ssize_t lines = cnp.PyArray_SIZE(x) // n if n else 0
    cdef real *source = <real *> cnp.PyArray_DATA(x)
    cdef real *values = <real *> cnp.PyArray_DATA(out)
    cdef int64_t *at = <int64_t *> cnp.PyArray_DATA(places)
    cdef int failed = 0
    cdef PyThreadState *state = NULL
    if lines * n > KEEP_GIL_BELOW:
        state = PyEval_SaveThread()
    if select:
        select_lines(source, values, at, lines, n, k, flag)
    else:
        failed = sort_lines(values, at, lines, n, flag)
    if state != NULL:
        PyEval_RestoreThread(state)
    if failed:
        raise MemoryError("sort: no memory for a line of keys")
    return 0


cdef int by_type(ndarray x, ndarray out, ndarray places, Py_ssize_t k, bint select, bint flag) except -1:
    cdef int type_num = cnp.PyArray_TYPE(x)
    if type_num == cnp.NPY_FLOAT32:
        return run(x, out, places, k, select, flag, <float *> NULL)
    if type_num == cnp.NPY_FLOAT64:
        return run(x, out, places, k, select, flag, <double *> NULL)
    if type_num == cnp.NPY_INT64:
        return run(x, out, places, k, select, flag, <int64_t *> NULL)
    if type_num == cnp.NPY_INT32:
        return run(x, out, places, k, select, flag, <int32_t *> NULL)
    if type_num == cnp.NPY_INT16:
        return run(x, out, places, k, select, flag, <int16_t *> NULL)
    if type_num == cnp.NPY_INT8:
        return run(x, out, places, k, select, flag, <int8_t *> NULL)
    if type_num == cnp.NPY_UINT8 or type_num == cnp.NPY_BOOL:
        return run(x, out, places, k, select, flag, <uint8_t *> NULL)
    raise TypeError(f"sorting has no loop for arrays of {x.dtype}")


cpdef tuple stable_sort(ndarray x, bint descending):
    """(values, int64 places) of x (…, n) in order along its last axis, equals in the order they stand in."""
    cdef ndarray out = cnp.PyArray_NewCopy(x, cnp.NPY_CORDER)
    cdef ndarray places = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(x), cnp.PyArray_DIMS(x), cnp.NPY_INT64, 0)
    by_type(out, out, places, 0, False, descending)
    return out, places


cpdef tuple first_few(ndarray x, Py_ssize_t k, bint largest):
    """(values, int64 places) of the k largest (smallest) elements along the last axis, best first; for small
    k.
    """
    cdef cnp.npy_intp shape[64]
    cdef int d
    cdef int ndim = cnp.PyArray_NDIM(x)
    cdef ndarray out, places
    x = cnp.PyArray_GETCONTIGUOUS(x)
    for d in range(ndim):
        shape[d] = cnp.PyArray_DIM(x, d)
    shape[ndim - 1] = k
    out = cnp.PyArray_EMPTY(ndim, shape, cnp.PyArray_TYPE(x), 0)
    places = cnp.PyArray_EMPTY(ndim, shape, cnp.NPY_INT64, 0)
    if k:
        by_type(x, out, places, k, True, largest)
    return out, places
