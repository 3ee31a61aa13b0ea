"""NumPy's inner loops, called directly.

`Ufunc` takes the loop for a dtype out of a NumPy ufunc and drives it over arrays of any strides: dimensions are merged
where every operand allows it and the loop runs once per remaining row. `matmul` does the same for the matrix product,
whose inner loop is the BLAS call. What has no loop here goes through the ufunc itself.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np

cnp.import_array()
cnp.import_ufunc()

cdef extern from "numpy/ufuncobject.h":
    ctypedef struct PyUFuncObject:
        InnerLoop *functions
        void **data
        int ntypes
        char *types
        int nargs
        int nin

cdef extern from "numpy/arrayobject.h":
    object PyArray_NewLikeArray(cnp.ndarray prototype, cnp.NPY_ORDER order, cnp.dtype descr, int subok)
    int PyArray_CopyInto(cnp.ndarray dest, cnp.ndarray src) except -1
    object PyArray_NewCopy(cnp.ndarray a, cnp.NPY_ORDER order)
    int PyArray_SETITEM(cnp.ndarray a, char *p, object value) except -1

DEF MAX_DIMS = 64
DEF RELEASE_GIL_ABOVE = 50000
DEF ROWS_PER_BLOCK = 128

# Loops that can raise a Python error are left to the ufunc.
CAN_RAISE_FOR_INTEGERS = ("power", "floor_divide", "remainder", "fmod", "divmod", "gcd", "lcm")

cdef struct Walk:
    int nd
    int nop
    cnp.npy_intp dims[MAX_DIMS]
    cnp.npy_intp strides[3][MAX_DIMS]


cdef void merge(Walk *w) noexcept nogil:
    """Drop dimensions of size 1 and join neighbours that every operand walks as one. The last dimension is the inner one."""
    cdef int i, j, k, out = 0
    cdef bint joins
    for i in range(w.nd):
        if w.dims[i] == 1:
            continue
        if out > 0:
            joins = True
            for k in range(w.nop):
                if w.strides[k][out - 1] != w.strides[k][i] * w.dims[i]:
                    joins = False
                    break
            if joins:
                w.dims[out - 1] *= w.dims[i]
                for k in range(w.nop):
                    w.strides[k][out - 1] = w.strides[k][i]
                continue
        w.dims[out] = w.dims[i]
        for k in range(w.nop):
            w.strides[k][out] = w.strides[k][i]
        out += 1
    if out == 0:
        w.dims[0] = 1
        for k in range(w.nop):
            w.strides[k][0] = 0
        out = 1
    w.nd = out


cdef void longest_last(Walk *w) noexcept nogil:
    """A very short inner dimension makes many tiny loop calls: let a much longer one take its place."""
    cdef int i, k, best = w.nd - 1
    cdef cnp.npy_intp t
    if w.dims[w.nd - 1] >= 8:
        return
    for i in range(w.nd - 1):
        if w.dims[i] > w.dims[best]:
            best = i
    if best != w.nd - 1 and w.dims[best] > 4 * w.dims[w.nd - 1]:
        t = w.dims[best]
        w.dims[best] = w.dims[w.nd - 1]
        w.dims[w.nd - 1] = t
        for k in range(w.nop):
            t = w.strides[k][best]
            w.strides[k][best] = w.strides[k][w.nd - 1]
            w.strides[k][w.nd - 1] = t


cdef void drive(Walk *w, char **base, InnerLoop loop, void *data) noexcept nogil:
    """Run the loop over every row of the walk."""
    cdef cnp.npy_intp index[MAX_DIMS]
    cdef cnp.npy_intp steps[3]
    cdef char *args[3]
    cdef char *at[3]
    cdef int k, d, inner = w.nd - 1
    cdef cnp.npy_intp n = w.dims[inner]
    for k in range(w.nop):
        at[k] = base[k]
        steps[k] = w.strides[k][inner]
    for d in range(w.nd):
        index[d] = 0
        if w.dims[d] == 0:
            return
    while True:
        for k in range(w.nop):
            args[k] = at[k]
        loop(args, &n, steps, data)
        d = inner - 1
        while d >= 0:
            index[d] += 1
            for k in range(w.nop):
                at[k] += w.strides[k][d]
            if index[d] < w.dims[d]:
                break
            for k in range(w.nop):
                at[k] -= w.strides[k][d] * w.dims[d]
            index[d] = 0
            d -= 1
        if d < 0:
            return


cdef inline cnp.npy_intp total(Walk *w) noexcept nogil:
    cdef cnp.npy_intp n = 1
    cdef int i
    for i in range(w.nd):
        n *= w.dims[i]
    return n


cdef void by_result(Walk *w) noexcept nogil:
    """Sort the dimensions so that the result (the last operand) is walked in its memory order."""
    cdef int i, j, k, out = w.nop - 1
    cdef cnp.npy_intp dim
    cdef cnp.npy_intp steps[3]
    for i in range(1, w.nd):
        dim = w.dims[i]
        for k in range(w.nop):
            steps[k] = w.strides[k][i]
        j = i
        while j > 0 and w.strides[out][j - 1] < steps[out]:
            w.dims[j] = w.dims[j - 1]
            for k in range(w.nop):
                w.strides[k][j] = w.strides[k][j - 1]
            j -= 1
        w.dims[j] = dim
        for k in range(w.nop):
            w.strides[k][j] = steps[k]


cdef void run(Walk *w, char **base, InnerLoop loop, void *data):
    by_result(w)
    merge(w)
    longest_last(w)
    if total(w) > RELEASE_GIL_ABOVE:
        with nogil:
            drive(w, base, loop, data)
    else:
        drive(w, base, loop, data)


cdef int fill(Walk *w, int k, cnp.ndarray a, int nd) except -1:
    """Strides of operand k, stretched to nd dimensions of w.dims."""
    cdef int i, lead = nd - cnp.PyArray_NDIM(a)
    cdef cnp.npy_intp *dims = cnp.PyArray_DIMS(a)
    cdef cnp.npy_intp *strides = cnp.PyArray_STRIDES(a)
    for i in range(lead):
        w.strides[k][i] = 0
    for i in range(lead, nd):
        w.strides[k][i] = 0 if dims[i - lead] == 1 and w.dims[i] != 1 else strides[i - lead]
    return 0


cdef int broadcast(Walk *w, cnp.ndarray a, cnp.ndarray b) except -1:
    cdef int na = cnp.PyArray_NDIM(a), nb = cnp.PyArray_NDIM(b), nd = na if na > nb else nb, i
    cdef cnp.npy_intp da, db
    w.nd = nd
    for i in range(nd):
        da = cnp.PyArray_DIMS(a)[i - (nd - na)] if i >= nd - na else 1
        db = cnp.PyArray_DIMS(b)[i - (nd - nb)] if i >= nd - nb else 1
        if da == db or db == 1:
            w.dims[i] = da
        elif da == 1:
            w.dims[i] = db
        else:
            raise RuntimeError(
                f"The size of tensor a ({da}) must match the size of tensor b ({db}) at non-singleton dimension {i}"
            )
    return 0


cdef cnp.ndarray allocate(Walk *w, int type_num, bint keep_order):
    """A dense result for the walk; with keep_order its dimensions lie in memory as the operands' do."""
    cdef int order[MAX_DIMS]
    cdef cnp.npy_intp dims[MAX_DIMS]
    cdef int i, j, t, nd = w.nd
    cdef object axes
    cdef bint sorted_ = True
    for i in range(nd):
        order[i] = i
    if keep_order:
        # insertion sort, outermost (largest stride) first; equal or unknown strides keep their place
        for i in range(1, nd):
            j = i
            while j > 0 and smaller(w, order[j - 1], order[j]):
                t = order[j]
                order[j] = order[j - 1]
                order[j - 1] = t
                sorted_ = False
                j -= 1
    if sorted_:
        return cnp.PyArray_EMPTY(nd, w.dims, type_num, 0)
    for i in range(nd):
        dims[i] = w.dims[order[i]]
    axes = [0] * nd
    for i in range(nd):
        axes[order[i]] = i
    return cnp.PyArray_EMPTY(nd, dims, type_num, 0).transpose(axes)


cdef bint smaller(Walk *w, int i, int j) noexcept:
    """Whether dimension i lies inside dimension j in the first operand that can tell."""
    cdef int k
    if w.dims[i] == 1 or w.dims[j] == 1:
        return False
    for k in range(w.nop - 1):
        if w.strides[k][i] == 0 or w.strides[k][j] == 0:
            continue
        if w.strides[k][i] != w.strides[k][j]:
            return w.strides[k][i] < w.strides[k][j]
        if w.dims[i] != w.dims[j]:
            return w.dims[i] > w.dims[j]
    return False


cpdef object plain(object result):
    """A ufunc gives a NumPy scalar for 0-d operands; kernels give arrays."""
    return result if isinstance(result, np.ndarray) else np.asarray(result)


cdef class Ufunc:
    """One NumPy ufunc, element-wise: call, write into an array, reduce."""

    def __init__(self, object ufunc):
        cdef PyUFuncObject *u = <PyUFuncObject *><PyObject *>ufunc
        cdef int i, num
        self.ufunc = ufunc
        self.nin = ufunc.nin
        for i in range(26):
            self.loop[i] = NULL
        for i, signature in enumerate(ufunc.types):
            inputs, _, outputs = signature.partition("->")
            if len(set(inputs)) != 1 or len(outputs) != 1 or inputs[0] in "OMm" or u.functions[i] == NULL:
                continue
            num = np.dtype(inputs[0]).num
            if ufunc.__name__ in CAN_RAISE_FOR_INTEGERS and np.dtype(inputs[0]).kind in "iub":
                continue
            if num < 26 and self.loop[num] == NULL:
                self.loop[num] = u.functions[i]
                self.data[num] = u.data[i]
                self.out_type[num] = np.dtype(outputs[0]).num

    def __reduce__(self):
        return (Ufunc, (self.ufunc,))

    cpdef bint has_loop(self, object np_dtype):
        cdef int num = np_dtype.num
        return num < 26 and self.loop[num] != NULL

    cpdef object call1(self, object x):
        cdef cnp.ndarray a = <cnp.ndarray>x, out
        cdef int t = cnp.PyArray_TYPE(a), nd = cnp.PyArray_NDIM(a), i
        cdef cnp.npy_intp n
        cdef cnp.npy_intp steps[3]
        cdef char *args[3]
        cdef Walk w
        if t >= 26 or self.loop[t] == NULL:
            with np.errstate(all="ignore"):
                return plain(self.ufunc(x))
        if cnp.PyArray_IS_C_CONTIGUOUS(a):
            out = cnp.PyArray_EMPTY(nd, cnp.PyArray_DIMS(a), self.out_type[t], 0)
            n = cnp.PyArray_SIZE(a)
            steps[0] = cnp.PyArray_ITEMSIZE(a)
            steps[1] = cnp.PyArray_ITEMSIZE(out)
            args[0] = <char *>cnp.PyArray_DATA(a)
            args[1] = <char *>cnp.PyArray_DATA(out)
            if n > RELEASE_GIL_ABOVE:
                with nogil:
                    self.loop[t](args, &n, steps, self.data[t])
            elif n:
                self.loop[t](args, &n, steps, self.data[t])
            return out
        w.nop = 2
        w.nd = nd
        for i in range(nd):
            w.dims[i] = cnp.PyArray_DIMS(a)[i]
        fill(&w, 0, a, nd)
        out = allocate(&w, self.out_type[t], True)
        fill(&w, 1, out, nd)
        args[0] = <char *>cnp.PyArray_DATA(a)
        args[1] = <char *>cnp.PyArray_DATA(out)
        run(&w, args, self.loop[t], self.data[t])
        return out

    cpdef object call2(self, object x, object y):
        cdef cnp.ndarray a = <cnp.ndarray>x, b = <cnp.ndarray>y, out, whole
        cdef int t = cnp.PyArray_TYPE(a), nd = cnp.PyArray_NDIM(a), i
        cdef cnp.npy_intp n
        cdef cnp.npy_intp steps[3]
        cdef char *args[3]
        cdef bint same
        cdef Walk w
        if t >= 26 or self.loop[t] == NULL or cnp.PyArray_TYPE(b) != t:
            with np.errstate(all="ignore"):
                return plain(self.ufunc(x, y))
        if cnp.PyArray_IS_C_CONTIGUOUS(a) and cnp.PyArray_IS_C_CONTIGUOUS(b):
            same = nd == cnp.PyArray_NDIM(b)
            if same:
                for i in range(nd):
                    if cnp.PyArray_DIMS(a)[i] != cnp.PyArray_DIMS(b)[i]:
                        same = False
                        break
            if same or cnp.PyArray_NDIM(b) == 0 or nd == 0:
                whole = a if same or nd > 0 else b
                n = cnp.PyArray_SIZE(whole)
                out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(whole), cnp.PyArray_DIMS(whole), self.out_type[t], 0)
                steps[0] = cnp.PyArray_ITEMSIZE(a) if same or nd > 0 else 0
                steps[1] = cnp.PyArray_ITEMSIZE(b) if same or nd == 0 else 0
                steps[2] = cnp.PyArray_ITEMSIZE(out)
                args[0] = <char *>cnp.PyArray_DATA(a)
                args[1] = <char *>cnp.PyArray_DATA(b)
                args[2] = <char *>cnp.PyArray_DATA(out)
                if n > RELEASE_GIL_ABOVE:
                    with nogil:
                        self.loop[t](args, &n, steps, self.data[t])
                elif n:
                    self.loop[t](args, &n, steps, self.data[t])
                return out
        w.nop = 3
        broadcast(&w, a, b)
        fill(&w, 0, a, w.nd)
        fill(&w, 1, b, w.nd)
        out = allocate(&w, self.out_type[t], not (cnp.PyArray_IS_C_CONTIGUOUS(a) and cnp.PyArray_IS_C_CONTIGUOUS(b)))
        fill(&w, 2, out, w.nd)
        args[0] = <char *>cnp.PyArray_DATA(a)
        args[1] = <char *>cnp.PyArray_DATA(b)
        args[2] = <char *>cnp.PyArray_DATA(out)
        run(&w, args, self.loop[t], self.data[t])
        return out

    cpdef object into1(self, object target, object x):
        """Write f(x) into `target`, of x's shape or one x broadcasts to. Overlap is the caller's concern."""
        cdef cnp.ndarray out = <cnp.ndarray>target, a = <cnp.ndarray>x
        cdef int t = cnp.PyArray_TYPE(a), i
        cdef char *args[3]
        cdef Walk w
        if self.ufunc is np.negative and not cnp.PyArray_IS_C_CONTIGUOUS(out):
            # its float loops read wrong elements where source and target step by the same 16 or 64 bytes (NumPy 2.4.6)
            PyArray_CopyInto(out, self.call1(x))
            return target
        if t >= 26 or self.loop[t] == NULL or cnp.PyArray_TYPE(out) != self.out_type[t]:
            with np.errstate(all="ignore"):
                self.ufunc(x, out=target, casting="unsafe")
            return target
        w.nop = 2
        w.nd = cnp.PyArray_NDIM(out)
        for i in range(w.nd):
            w.dims[i] = cnp.PyArray_DIMS(out)[i]
        fits(&w, a)
        fill(&w, 0, a, w.nd)
        fill(&w, 1, out, w.nd)
        args[0] = <char *>cnp.PyArray_DATA(a)
        args[1] = <char *>cnp.PyArray_DATA(out)
        run(&w, args, self.loop[t], self.data[t])
        return target

    cpdef object into2(self, object target, object x, object y):
        """Write f(x, y) into `target`, whose shape both broadcast to. Overlap is the caller's concern."""
        cdef cnp.ndarray out = <cnp.ndarray>target, a = <cnp.ndarray>x, b = <cnp.ndarray>y
        cdef int t = cnp.PyArray_TYPE(a), i
        cdef char *args[3]
        cdef Walk w
        if (t >= 26 or self.loop[t] == NULL or cnp.PyArray_TYPE(b) != t
                or cnp.PyArray_TYPE(out) != self.out_type[t]):
            with np.errstate(all="ignore"):
                self.ufunc(x, y, out=target, casting="unsafe")
            return target
        w.nop = 3
        w.nd = cnp.PyArray_NDIM(out)
        for i in range(w.nd):
            w.dims[i] = cnp.PyArray_DIMS(out)[i]
        fits(&w, a)
        fits(&w, b)
        fill(&w, 0, a, w.nd)
        fill(&w, 1, b, w.nd)
        fill(&w, 2, out, w.nd)
        args[0] = <char *>cnp.PyArray_DATA(a)
        args[1] = <char *>cnp.PyArray_DATA(b)
        args[2] = <char *>cnp.PyArray_DATA(out)
        run(&w, args, self.loop[t], self.data[t])
        return target

    cpdef object reduce(self, object x, tuple axes, bint keepdims):
        """Fold x along `axes` (non-negative, distinct). Float sums are pairwise along every axis.

        The result has x's dtype (or the loop's). add starts at 0, multiply at 1, any other ufunc at the first element,
        so that it must not be empty along the axes.
        """
        cdef cnp.ndarray a = <cnp.ndarray>x, out, flat
        cdef int t = cnp.PyArray_TYPE(a), nd = cnp.PyArray_NDIM(a), i, kept = 0
        cdef bint reduced[MAX_DIMS]
        cdef cnp.npy_intp out_dims[MAX_DIMS]
        cdef cnp.npy_intp out_strides[MAX_DIMS]
        cdef cnp.npy_intp stride
        if t >= 26 or self.loop[t] == NULL or self.out_type[t] != t:
            with np.errstate(all="ignore"):
                return plain(self.ufunc.reduce(x, axis=axes, keepdims=keepdims))
        for i in range(nd):
            reduced[i] = False
        for axis in axes:
            reduced[<int>axis] = True
        for i in range(nd):
            if reduced[i]:
                if keepdims:
                    out_dims[kept] = 1
                    kept += 1
            else:
                out_dims[kept] = cnp.PyArray_DIMS(a)[i]
                kept += 1
        if self.ufunc is np.add:
            out = cnp.PyArray_ZEROS(kept, out_dims, t, 0)
        elif self.ufunc is np.multiply:
            out = cnp.PyArray_EMPTY(kept, out_dims, t, 0)
            out.fill(1)
        else:
            first = x[(*[slice(0, 1) if reduced[i] else slice(None) for i in range(nd)], Ellipsis)]
            out = cnp.PyArray_EMPTY(kept, out_dims, t, 0)
            PyArray_CopyInto(out, first if keepdims else first.reshape([out_dims[i] for i in range(kept)]))
        if cnp.PyArray_SIZE(a) == 0:
            return out
        # strides of the result along the operand's dimensions: 0 where reduced
        stride = cnp.PyArray_ITEMSIZE(out)
        for i in range(nd - 1, -1, -1):
            if reduced[i]:
                out_strides[i] = 0
            else:
                out_strides[i] = stride
                stride *= cnp.PyArray_DIMS(a)[i]
        self.fold(a, out, out_strides)
        return out

    cdef int fold(self, cnp.ndarray a, cnp.ndarray out, cnp.npy_intp *out_strides) except -1:
        """out[kept] = fold of a, walking a in its memory order."""
        cdef Walk w
        cdef int nd = cnp.PyArray_NDIM(a), t = cnp.PyArray_TYPE(a), i, j
        cdef int order[MAX_DIMS]
        cdef cnp.npy_intp *dims = cnp.PyArray_DIMS(a)
        cdef cnp.npy_intp *strides = cnp.PyArray_STRIDES(a)
        cdef cnp.npy_intp n
        cdef char *buffer = NULL
        w.nop = 2
        w.nd = nd
        for i in range(nd):
            j = i
            while j > 0 and strides[order[j - 1]] < strides[i]:
                order[j] = order[j - 1]
                j -= 1
            order[j] = i
        for i in range(nd):
            w.dims[i] = dims[order[i]]
            w.strides[0][i] = strides[order[i]]
            w.strides[1][i] = out_strides[order[i]]
        merge_fold(&w)
        n = w.dims[w.nd - 1]
        if w.nd >= 2 and w.strides[1][w.nd - 1] != 0 and w.strides[1][w.nd - 2] == 0 and w.dims[w.nd - 2] > ROWS_PER_BLOCK:
            buffer = <char *>malloc(64 * n * cnp.PyArray_ITEMSIZE(a))
            if buffer == NULL:
                raise MemoryError()
        if cnp.PyArray_SIZE(a) > RELEASE_GIL_ABOVE:
            with nogil:
                fold_rows(&w, <char *>cnp.PyArray_DATA(a), <char *>cnp.PyArray_DATA(out), self.loop[t],
                          self.data[t], buffer, cnp.PyArray_ITEMSIZE(a))
        else:
            fold_rows(&w, <char *>cnp.PyArray_DATA(a), <char *>cnp.PyArray_DATA(out), self.loop[t],
                      self.data[t], buffer, cnp.PyArray_ITEMSIZE(a))
        free(buffer)
        return 0


cdef void merge_fold(Walk *w) noexcept nogil:
    """merge, but reduced and kept dimensions never join (a kept stride is never 0 here, a reduced one always)."""
    cdef int i, out = 0
    for i in range(w.nd):
        if w.dims[i] == 1:
            continue
        if (out > 0 and w.strides[0][out - 1] == w.strides[0][i] * w.dims[i]
                and w.strides[1][out - 1] == w.strides[1][i] * w.dims[i]
                and (w.strides[1][out - 1] == 0) == (w.strides[1][i] == 0)):
            w.dims[out - 1] *= w.dims[i]
            w.strides[0][out - 1] = w.strides[0][i]
            w.strides[1][out - 1] = w.strides[1][i]
            continue
        w.dims[out] = w.dims[i]
        w.strides[0][out] = w.strides[0][i]
        w.strides[1][out] = w.strides[1][i]
        out += 1
    if out == 0:
        w.dims[0] = 1
        w.strides[0][0] = 0
        w.strides[1][0] = 0
        out = 1
    w.nd = out


cdef void fold_rows(Walk *w, char *a, char *out, InnerLoop loop, void *data, char *buffer, cnp.npy_intp size) noexcept nogil:
    """Odometer over the outer dimensions; each row is folded into one element, or added to a row of the result.

    With a buffer the last two dimensions, (reduced, kept), are folded together in blocks and the blocks pairwise.
    """
    cdef cnp.npy_intp index[MAX_DIMS]
    cdef cnp.npy_intp steps[3]
    cdef char *args[3]
    cdef int d, outer = w.nd - 1 if buffer == NULL else w.nd - 2
    cdef cnp.npy_intp n = w.dims[w.nd - 1]
    cdef bint into_one = w.strides[1][w.nd - 1] == 0
    for d in range(w.nd):
        index[d] = 0
    while True:
        if buffer != NULL:
            fold_blocks(w, a, out, loop, data, buffer, size)
        else:
            args[0] = out
            args[1] = a
            args[2] = out
            steps[0] = 0 if into_one else w.strides[1][w.nd - 1]
            steps[1] = w.strides[0][w.nd - 1]
            steps[2] = steps[0]
            loop(args, &n, steps, data)
        d = outer - 1
        while d >= 0:
            index[d] += 1
            a += w.strides[0][d]
            out += w.strides[1][d]
            if index[d] < w.dims[d]:
                break
            a -= w.strides[0][d] * w.dims[d]
            out -= w.strides[1][d] * w.dims[d]
            index[d] = 0
            d -= 1
        if d < 0:
            return


cdef void fold_blocks(Walk *w, char *a, char *out, InnerLoop loop, void *data, char *buffer, cnp.npy_intp size) noexcept nogil:
    """Fold rows into a row: blocks of ROWS_PER_BLOCK one after another, blocks combined as a binary counter counts.

    The error of a float sum then grows with the logarithm of the number of rows.
    """
    cdef cnp.npy_intp rows = w.dims[w.nd - 2], n = w.dims[w.nd - 1], width = n * size, row = 0, block = 0, i, j, end, bits
    cdef cnp.npy_intp row_step = w.strides[0][w.nd - 2], step = w.strides[0][w.nd - 1], out_step = w.strides[1][w.nd - 1]
    cdef cnp.npy_intp steps[3]
    cdef char *args[3]
    cdef char *top = buffer
    cdef char *source
    cdef int depth = 0
    while row < rows:
        end = row + ROWS_PER_BLOCK if row + ROWS_PER_BLOCK < rows else rows
        top = buffer + depth * width
        source = a + row * row_step
        for i in range(n):
            memcpy(top + i * size, source + i * step, size)
        steps[0] = size
        steps[1] = step
        steps[2] = size
        for j in range(row + 1, end):
            args[0] = top
            args[1] = a + j * row_step
            args[2] = top
            loop(args, &n, steps, data)
        depth += 1
        block += 1
        bits = block
        steps[1] = size
        while bits & 1 == 0:
            args[0] = buffer + (depth - 2) * width
            args[1] = buffer + (depth - 1) * width
            args[2] = args[0]
            loop(args, &n, steps, data)
            depth -= 1
            bits >>= 1
        row = end
    steps[0] = size
    steps[1] = size
    steps[2] = size
    while depth > 1:
        args[0] = buffer + (depth - 2) * width
        args[1] = buffer + (depth - 1) * width
        args[2] = args[0]
        loop(args, &n, steps, data)
        depth -= 1
    args[0] = out
    args[1] = buffer
    args[2] = out
    steps[0] = out_step
    steps[1] = size
    steps[2] = out_step
    loop(args, &n, steps, data)


cdef int fits(Walk *w, cnp.ndarray a) except -1:
    cdef int na = cnp.PyArray_NDIM(a), i
    cdef cnp.npy_intp d
    if na > w.nd:
        raise RuntimeError(
            f"output with shape {list_of(w)} doesn't match the broadcast shape {list(np.shape(a))}"
        )
    for i in range(na):
        d = cnp.PyArray_DIMS(a)[i]
        if d != 1 and d != w.dims[w.nd - na + i]:
            raise RuntimeError(
                f"output with shape {list_of(w)} doesn't match the broadcast shape {list(np.shape(a))}"
            )
    return 0


cdef list list_of(Walk *w):
    cdef int i
    return [w.dims[i] for i in range(w.nd)]


cdef class MatrixProduct:
    """np.matmul's inner loops by type: the BLAS calls."""

    cdef InnerLoop loop[26]
    cdef void *data[26]

    def __init__(self):
        cdef PyUFuncObject *u = <PyUFuncObject *><PyObject *>np.matmul
        cdef int i, num
        for i in range(26):
            self.loop[i] = NULL
        for i, signature in enumerate(np.matmul.types):
            num = np.dtype(signature[0]).num
            if signature[0] in "fdFD" and signature[1] == signature[0]:
                self.loop[num] = u.functions[i]
                self.data[num] = u.data[i]


cdef MatrixProduct product = MatrixProduct()


cdef inline bint blas_can_take(cnp.npy_intp rows, cnp.npy_intp cols, cnp.npy_intp s0, cnp.npy_intp s1,
                               cnp.npy_intp size) noexcept nogil:
    if s1 == size and (s0 >= cols * size or rows == 1) and s0 % size == 0:
        return True
    return s0 == size and (s1 >= rows * size or cols == 1) and s1 % size == 0


cpdef object matmul(object x, object y):
    """The matrix product of the last two axes, as np.matmul; vectors are rows or columns. Result is C-contiguous."""
    cdef cnp.ndarray a = <cnp.ndarray>x, b = <cnp.ndarray>y, out
    cdef int t = cnp.PyArray_TYPE(a), na = cnp.PyArray_NDIM(a), nb = cnp.PyArray_NDIM(b), i, nd = 0
    cdef cnp.npy_intp dims[4]
    cdef cnp.npy_intp steps[9]
    cdef cnp.npy_intp shape[MAX_DIMS]
    cdef char *args[3]
    cdef cnp.npy_intp size = cnp.PyArray_ITEMSIZE(a), work
    cdef cnp.npy_intp *da = cnp.PyArray_DIMS(a)
    cdef cnp.npy_intp *db = cnp.PyArray_DIMS(b)
    cdef cnp.npy_intp *sa = cnp.PyArray_STRIDES(a)
    cdef cnp.npy_intp *sb = cnp.PyArray_STRIDES(b)
    if (t >= 26 or product.loop[t] == NULL or cnp.PyArray_TYPE(b) != t or na == 0 or nb == 0 or na > 3 or nb > 3
            or (na == 3 and nb == 3 and da[0] != db[0])):
        with np.errstate(all="ignore"):
            return plain(np.matmul(np.ascontiguousarray(x) if 0 in x.strides else x,
                                   np.ascontiguousarray(y) if 0 in y.strides else y))
    dims[0] = 1
    dims[1] = da[na - 2] if na > 1 else 1
    dims[2] = da[na - 1]
    dims[3] = db[nb - 1] if nb > 1 else 1
    if db[nb - 2 if nb > 1 else 0] != dims[2]:
        raise RuntimeError(f"matmul: shapes {list(x.shape)} and {list(y.shape)} do not fit: {dims[2]} columns "
                           f"meet {db[nb - 2 if nb > 1 else 0]} rows")
    steps[0] = 0
    steps[1] = 0
    steps[2] = 0
    if na == 3 or nb == 3:
        dims[0] = da[0] if na == 3 else db[0]
        shape[nd] = dims[0]
        nd += 1
        steps[0] = sa[0] if na == 3 else 0
        steps[1] = sb[0] if nb == 3 else 0
    if na > 1:
        shape[nd] = dims[1]
        nd += 1
    if nb > 1:
        shape[nd] = dims[3]
        nd += 1
    if dims[0] == 0 or dims[1] == 0 or dims[2] == 0 or dims[3] == 0:
        return cnp.PyArray_ZEROS(nd, shape, t, 0)
    steps[3] = sa[na - 2] if na > 1 else size * dims[2]
    steps[4] = sa[na - 1]
    steps[5] = sb[nb - 2] if nb > 1 else sb[0]
    steps[6] = sb[nb - 1] if nb > 1 else size
    if not blas_can_take(dims[1], dims[2], steps[3], steps[4], size):
        return matmul(PyArray_NewCopy(a, cnp.NPY_CORDER), y)
    if not blas_can_take(dims[2], dims[3], steps[5], steps[6], size):
        return matmul(x, PyArray_NewCopy(b, cnp.NPY_CORDER))
    out = cnp.PyArray_EMPTY(nd, shape, t, 0)
    steps[8] = size
    steps[7] = size * dims[3]
    steps[2] = steps[7] * dims[1]
    args[0] = <char *>cnp.PyArray_DATA(a)
    args[1] = <char *>cnp.PyArray_DATA(b)
    args[2] = <char *>cnp.PyArray_DATA(out)
    work = dims[0] * dims[1] * dims[2] * dims[3]
    if work > 16 * RELEASE_GIL_ABOVE:
        with nogil:
            product.loop[t](args, dims, steps, product.data[t])
    else:
        product.loop[t](args, dims, steps, product.data[t])
    return out


cpdef object scalar(object value, object np_dtype):
    """A 0-d array holding a Python number; float overflow gives inf, integer overflow raises RuntimeError."""
    cdef int t = np_dtype.num
    cdef cnp.ndarray out
    if t == cnp.NPY_FLOAT or t == cnp.NPY_DOUBLE:
        out = cnp.PyArray_EMPTY(0, NULL, t, 0)
        if t == cnp.NPY_FLOAT:
            (<float *>cnp.PyArray_DATA(out))[0] = <double>value
        else:
            (<double *>cnp.PyArray_DATA(out))[0] = value
        return out
    return checked_scalar(value, np_dtype)


cpdef object wrapping_scalar(object value, object np_dtype):
    """scalar for an operand of an op: integers out of range wrap around, as C casts do."""
    if type(value) is int and np_dtype.kind in "iu":
        bits = 8 * np_dtype.itemsize
        value &= (1 << bits) - 1
        if np_dtype.kind == "i" and value >> (bits - 1):
            value -= 1 << bits
    return scalar(value, np_dtype)


def checked_scalar(value, np_dtype):
    if np_dtype.kind in "iu" and not isinstance(value, (float, complex)):
        limits = np.iinfo(np_dtype)
        if not limits.min <= value <= limits.max:
            raise RuntimeError(f"value cannot be converted to type {np_dtype.name} without overflow")
    with np.errstate(all="ignore"):
        return np.asarray(value).astype(np_dtype)


cpdef bint same_shape(object x, object y):
    cdef cnp.ndarray a = <cnp.ndarray>x, b = <cnp.ndarray>y
    cdef int nd = cnp.PyArray_NDIM(a), i
    if nd != cnp.PyArray_NDIM(b):
        return False
    for i in range(nd):
        if cnp.PyArray_DIMS(a)[i] != cnp.PyArray_DIMS(b)[i]:
            return False
    return True


cpdef bint alike(object x, object y):
    """Same element type and shape."""
    return cnp.PyArray_TYPE(<cnp.ndarray>x) == cnp.PyArray_TYPE(<cnp.ndarray>y) and same_shape(x, y)


cdef bint finite32(const unsigned int *x, cnp.npy_intp n) noexcept nogil:
    cdef unsigned int found = 0
    cdef cnp.npy_intp i
    for i in range(n):
        found |= (x[i] & 0x7F800000) == 0x7F800000
    return not found


cdef bint finite64(const unsigned long long *x, cnp.npy_intp n) noexcept nogil:
    cdef unsigned long long found = 0
    cdef unsigned long long exponent = (<unsigned long long>0x7FF) << 52
    cdef cnp.npy_intp i
    for i in range(n):
        found |= (x[i] & exponent) == exponent
    return not found


cpdef bint all_finite(object x) except -1:
    """Whether no element is infinite or nan: read off the exponent bits."""
    cdef cnp.ndarray a = <cnp.ndarray>x
    cdef int t = cnp.PyArray_TYPE(a)
    if cnp.PyArray_IS_C_CONTIGUOUS(a):
        if t == cnp.NPY_FLOAT:
            return finite32(<unsigned int *>cnp.PyArray_DATA(a), cnp.PyArray_SIZE(a))
        if t == cnp.NPY_DOUBLE:
            return finite64(<unsigned long long *>cnp.PyArray_DATA(a), cnp.PyArray_SIZE(a))
    return bool(np.isfinite(x).all())


cpdef tuple broadcast_shapes(tuple a, tuple b):
    """The shape both broadcast to; RuntimeError names the sizes that do not fit."""
    if a == b:
        return a
    cdef Py_ssize_t na = len(a), nb = len(b), nd = na if na > nb else nb, i
    cdef list out = []
    for i in range(nd):
        da = a[i - (nd - na)] if i >= nd - na else 1
        db = b[i - (nd - nb)] if i >= nd - nb else 1
        if da == db or db == 1:
            out.append(da)
        elif da == 1:
            out.append(db)
        else:
            raise RuntimeError(
                f"The size of tensor a ({da}) must match the size of tensor b ({db}) at non-singleton dimension {i}"
            )
    return tuple(out)
