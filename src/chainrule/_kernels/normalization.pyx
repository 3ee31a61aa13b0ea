# distutils: extra_compile_args = -fno-math-errno -fno-trapping-math
"""Layer, root-mean-square, batch and group normalization of float32 and float64 arrays, with derivatives.

Weights, biases and saved statistics have the dtype of x and are given flat or in any shape of the right size.
The `_grad` kernels take `wants`, one flag an input, and give None for what is not wanted.
The loops are in normalization.h; the plain twin is normalization.py."""

cimport numpy as cnp
from libc.math cimport sqrt
from numpy cimport ndarray

from chainrule._kernels.dense cimport PyThreadState, regain, release, row_major, same_layout

cnp.import_array()

cdef extern from "normalization.h":
    void layer_norm_float(const float *x, float *out, float *mean, float *rstd, const float *w,
            const float *b, Py_ssize_t rows, Py_ssize_t n, double eps) noexcept nogil
    void layer_norm_double(const double *x, double *out, double *mean, double *rstd, const double *w,
            const double *b, Py_ssize_t rows, Py_ssize_t n, double eps) noexcept nogil
    void layer_norm_grad_float(const float *g, const float *x, const float *mean, const float *rstd,
            const float *w, float *gx, double *gw, double *gb, float *part, Py_ssize_t rows,
            Py_ssize_t n) noexcept nogil
    void layer_norm_grad_double(const double *g, const double *x, const double *mean, const double *rstd,
            const double *w, double *gx, double *gw, double *gb, double *part, Py_ssize_t rows,
            Py_ssize_t n) noexcept nogil
    void channel_sums_float(const float *x, double *total, Py_ssize_t batch, Py_ssize_t channels,
            Py_ssize_t inner) noexcept nogil
    void channel_sums_double(const double *x, double *total, Py_ssize_t batch, Py_ssize_t channels,
            Py_ssize_t inner) noexcept nogil
    void channel_squares_float(const float *x, const float *mean, double *total, Py_ssize_t batch,
            Py_ssize_t channels, Py_ssize_t inner) noexcept nogil
    void channel_squares_double(const double *x, const double *mean, double *total, Py_ssize_t batch,
            Py_ssize_t channels, Py_ssize_t inner) noexcept nogil
    void channel_apply_float(const float *x, float *out, const float *mean, const float *scale,
            const float *shift, Py_ssize_t batch, Py_ssize_t channels, Py_ssize_t inner) noexcept nogil
    void channel_apply_double(const double *x, double *out, const double *mean, const double *scale,
            const double *shift, Py_ssize_t batch, Py_ssize_t channels, Py_ssize_t inner) noexcept nogil
    void channel_slopes_float(const float *g, const float *x, const float *mean, double *sums,
            double *products, Py_ssize_t batch, Py_ssize_t channels, Py_ssize_t inner) noexcept nogil
    void channel_slopes_double(const double *g, const double *x, const double *mean, double *sums,
            double *products, Py_ssize_t batch, Py_ssize_t channels, Py_ssize_t inner) noexcept nogil
    void channel_grad_float(const float *g, const float *x, float *gx, const float *mean,
            const float *scale, const float *pull, const float *shift, Py_ssize_t batch,
            Py_ssize_t channels, Py_ssize_t inner) noexcept nogil
    void channel_grad_double(const double *g, const double *x, double *gx, const double *mean,
            const double *scale, const double *pull, const double *shift, Py_ssize_t batch,
            Py_ssize_t channels, Py_ssize_t inner) noexcept nogil
    void group_norm_float(const float *x, float *out, float *mean, float *rstd, const float *w,
            const float *b, Py_ssize_t batch, Py_ssize_t groups, Py_ssize_t depth, Py_ssize_t inner,
            double eps) noexcept nogil
    void group_norm_double(const double *x, double *out, double *mean, double *rstd, const double *w,
            const double *b, Py_ssize_t batch, Py_ssize_t groups, Py_ssize_t depth, Py_ssize_t inner,
            double eps) noexcept nogil
    void group_norm_grad_float(const float *g, const float *x, const float *mean, const float *rstd,
            const float *w, float *gx, double *gw, double *gb, Py_ssize_t batch, Py_ssize_t groups,
            Py_ssize_t depth, Py_ssize_t inner) noexcept nogil
    void group_norm_grad_double(const double *g, const double *x, const double *mean, const double *rstd,
            const double *w, double *gx, double *gw, double *gb, Py_ssize_t batch, Py_ssize_t groups,
            Py_ssize_t depth, Py_ssize_t inner) noexcept nogil


cdef ndarray fitting(object a, ndarray x, Py_ssize_t size, str who, str what):
    """a as a C-contiguous array of x's dtype with size elements, or None."""
    if a is None:
        return None
    cdef ndarray b = row_major(a, who)
    if cnp.PyArray_TYPE(b) != cnp.PyArray_TYPE(x):
        raise TypeError(f"{who}: expected {what} of dtype {x.dtype}, got {b.dtype}")
    if cnp.PyArray_SIZE(b) != size:
        raise ValueError(f"{who}: expected {what} with {size} elements, got {cnp.PyArray_SIZE(b)}")
    return b


cdef ndarray paired(object g, ndarray x, str who):
    """g as a C-contiguous array of x's shape and dtype."""
    cdef ndarray a = row_major(g, who)
    if cnp.PyArray_TYPE(a) != cnp.PyArray_TYPE(x) or not cnp.PyArray_SAMESHAPE(a, x):
        raise ValueError(f"{who}: expected g like x, {x.dtype}{(<object>x).shape}, got {a.dtype}{g.shape}")
    return a


cdef inline void *pointer(ndarray a) noexcept:
    return NULL if a is None else cnp.PyArray_DATA(a)


cdef inline ndarray vector(Py_ssize_t n, int number):
    cdef cnp.npy_intp size = n
    return cnp.PyArray_EMPTY(1, &size, number, 0)


cdef inline ndarray zeros(Py_ssize_t n, int number):
    cdef cnp.npy_intp size = n
    return cnp.PyArray_ZEROS(1, &size, number, 0)


cdef inline double item(ndarray a, Py_ssize_t i) noexcept:
    if cnp.PyArray_TYPE(a) == cnp.NPY_FLOAT:
        return (<float *>cnp.PyArray_DATA(a))[i]
    return (<double *>cnp.PyArray_DATA(a))[i]


cdef inline void put(ndarray a, Py_ssize_t i, double value) noexcept:
    if cnp.PyArray_TYPE(a) == cnp.NPY_FLOAT:
        (<float *>cnp.PyArray_DATA(a))[i] = <float>value
    else:
        (<double *>cnp.PyArray_DATA(a))[i] = value


cdef ndarray rounded(ndarray total, ndarray x, int first, int last):
    """The sums in total as an array of x's dtype, in the shape of x's axes first to last."""
    if total is None:
        return None
    cdef ndarray out = cnp.PyArray_EMPTY(last - first, cnp.PyArray_DIMS(x) + first, cnp.PyArray_TYPE(x), 0)
    cdef Py_ssize_t i
    cdef double *sums = <double *>cnp.PyArray_DATA(total)
    for i in range(cnp.PyArray_SIZE(total)):
        put(out, i, sums[i])
    return out


cdef tuple rows_forward(object x_, int normalized_ndim, object weight, object bias, double eps,
        bint centred, str who):
    cdef ndarray x = row_major(x_, who), out = same_layout(x), mean = None, rstd
    cdef int ndim = cnp.PyArray_NDIM(x), i, number = cnp.PyArray_TYPE(x)
    cdef cnp.npy_intp shape[64]
    cdef Py_ssize_t rows = 1, n = 1
    if normalized_ndim < 1 or normalized_ndim > ndim:
        raise ValueError(f"{who}: expected 1 to {ndim} normalized axes, got {normalized_ndim}")
    for i in range(ndim):
        if i < ndim - normalized_ndim:
            shape[i] = cnp.PyArray_DIM(x, i)
            rows *= shape[i]
        else:
            shape[i] = 1
            n *= cnp.PyArray_DIM(x, i)
    cdef ndarray w = fitting(weight, x, n, who, "weight"), b = fitting(bias, x, n, who, "bias")
    if centred:
        mean = cnp.PyArray_EMPTY(ndim, shape, number, 0)
    rstd = cnp.PyArray_EMPTY(ndim, shape, number, 0)
    cdef void *px = pointer(x)
    cdef void *po = pointer(out)
    cdef void *pm = pointer(mean)
    cdef void *ps = pointer(rstd)
    cdef void *pw = pointer(w)
    cdef void *pb = pointer(b)
    cdef PyThreadState *state = release(rows * n)
    if number == cnp.NPY_FLOAT:
        layer_norm_float(<float *>px, <float *>po, <float *>pm, <float *>ps, <float *>pw, <float *>pb, rows,
                n, eps)
    else:
        layer_norm_double(<double *>px, <double *>po, <double *>pm, <double *>ps, <double *>pw,
                <double *>pb, rows, n, eps)
    regain(state)
    return out, mean, rstd


cdef tuple rows_backward(object g_, object x_, object mean_, object rstd_, object weight,
        int normalized_ndim, bint want_x, bint want_w, bint want_b, str who):
    cdef ndarray x = row_major(x_, who), g = paired(g_, x, who), gx = None, gw = None, gb = None, part = None
    cdef Py_ssize_t rows = 1, n = 1
    cdef int number = cnp.PyArray_TYPE(x), ndim = cnp.PyArray_NDIM(x), i
    if normalized_ndim < 1 or normalized_ndim > ndim:
        raise ValueError(f"{who}: expected 1 to {ndim} normalized axes, got {normalized_ndim}")
    for i in range(ndim):
        if i < ndim - normalized_ndim:
            rows *= cnp.PyArray_DIM(x, i)
        else:
            n *= cnp.PyArray_DIM(x, i)
    cdef ndarray rstd = fitting(rstd_, x, rows, who, "rstd"), mean = fitting(mean_, x, rows, who, "mean")
    cdef ndarray w = fitting(weight, x, n, who, "weight")
    if want_x:
        gx = same_layout(x)
    if want_w:
        gw = zeros(n, cnp.NPY_DOUBLE)
    if want_b:
        gb = zeros(n, cnp.NPY_DOUBLE)
    if want_w or want_b:
        part = zeros(2 * n, number)
    cdef void *pg = pointer(g)
    cdef void *px = pointer(x)
    cdef void *pm = pointer(mean)
    cdef void *ps = pointer(rstd)
    cdef void *pw = pointer(w)
    cdef void *po = pointer(gx)
    cdef void *pp = pointer(part)
    cdef double *sw = <double *>pointer(gw)
    cdef double *sb = <double *>pointer(gb)
    cdef PyThreadState *state = release(rows * n)
    if number == cnp.NPY_FLOAT:
        layer_norm_grad_float(<float *>pg, <float *>px, <float *>pm, <float *>ps, <float *>pw, <float *>po,
                sw, sb, <float *>pp, rows, n)
    else:
        layer_norm_grad_double(<double *>pg, <double *>px, <double *>pm, <double *>ps, <double *>pw,
                <double *>po, sw, sb, <double *>pp, rows, n)
    regain(state)
    i = ndim - normalized_ndim
    return gx, rounded(gw, x, i, ndim), rounded(gb, x, i, ndim)


cpdef tuple layer_norm(object x, int normalized_ndim, object weight, object bias, double eps):
    """(out, mean, rstd): the last normalized_ndim axes to mean 0 and variance 1, times weight, plus bias.

    mean and rstd = 1 / sqrt(biased variance + eps) have x's leading shape followed by ones."""
    return rows_forward(x, normalized_ndim, weight, bias, eps, True, "layer_norm")


cpdef tuple layer_norm_grad(object g, object x, object mean, object rstd, object weight,
        int normalized_ndim, tuple wants):
    """(gx, gw, gb) of layer_norm, each None where wants says so."""
    return rows_backward(g, x, mean, rstd, weight, normalized_ndim, wants[0], wants[1], wants[2], "layer_norm_grad")


cpdef tuple rms_norm(object x, int normalized_ndim, object weight, double eps):
    """(out, rstd): x over the root of its mean square along the last axes, times weight."""
    cdef tuple made = rows_forward(x, normalized_ndim, weight, None, eps, False, "rms_norm")
    return made[0], made[2]


cpdef tuple rms_norm_grad(object g, object x, object rstd, object weight, int normalized_ndim, tuple wants):
    """(gx, gw) of rms_norm, each None where wants says so."""
    cdef tuple made = rows_backward(g, x, None, rstd, weight, normalized_ndim, wants[0], wants[1], False, "rms_norm_grad")
    return made[0], made[1]


cdef struct Channels:
    Py_ssize_t batch
    Py_ssize_t channels
    Py_ssize_t inner


cdef Channels channels_of(ndarray x, str who) except *:
    cdef Channels s
    cdef int i
    if cnp.PyArray_NDIM(x) < 2:
        raise ValueError(f"{who}: expected at least 2 axes, got shape {(<object>x).shape}")
    s.batch = cnp.PyArray_DIM(x, 0)
    s.channels = cnp.PyArray_DIM(x, 1)
    s.inner = 1
    for i in range(2, cnp.PyArray_NDIM(x)):
        s.inner *= cnp.PyArray_DIM(x, i)
    return s


cdef int blend(object running, ndarray new, double factor, double momentum) except -1:
    """running = (1 - momentum) * running + momentum * factor * new, in place."""
    cdef ndarray a = <ndarray>running
    cdef Py_ssize_t i
    cdef int number = cnp.PyArray_TYPE(a)
    if cnp.PyArray_IS_C_CONTIGUOUS(a) and (number == cnp.NPY_FLOAT or number == cnp.NPY_DOUBLE):
        for i in range(cnp.PyArray_SIZE(a)):
            put(a, i, (1.0 - momentum) * item(a, i) + momentum * (factor * item(new, i)))
    else:
        running[...] = (1.0 - momentum) * running + momentum * (factor * new)
    return 0


cpdef tuple batch_norm(object x, object weight, object bias, object running_mean, object running_var,
        bint training, double momentum, double eps):
    """(out, save_mean, save_rstd): each channel (axis 1) to mean 0 and variance 1, times weight, plus bias.

    In training by the batch's own moments, which are blended into the running ones in place (the variance
    unbiased); otherwise by the running ones."""
    cdef ndarray source = row_major(x, "batch_norm")
    cdef Channels s = channels_of(source, "batch_norm")
    cdef int number = cnp.PyArray_TYPE(source)
    cdef bint single = number == cnp.NPY_FLOAT
    cdef Py_ssize_t c, count = s.batch * s.inner
    cdef ndarray w = fitting(weight, source, s.channels, "batch_norm", "weight")
    cdef ndarray b = fitting(bias, source, s.channels, "batch_norm", "bias")
    cdef ndarray mean = vector(s.channels, number), rstd = vector(s.channels, number)
    cdef ndarray scale = vector(s.channels, number), shift = b, out = same_layout(source)
    cdef ndarray total, known_mean, known_var
    cdef void *px = pointer(source)
    cdef void *po = pointer(out)
    cdef void *pm = pointer(mean)
    cdef double *sums
    cdef double known
    cdef PyThreadState *state
    for running, what in ((running_mean, "running_mean"), (running_var, "running_var")):
        if running is not None and cnp.PyArray_SIZE(running) != s.channels:
            raise ValueError(f"batch_norm: expected {what} with {s.channels} elements, got {running.size}")
    if training:
        total = zeros(s.channels, cnp.NPY_DOUBLE)
        sums = <double *>pointer(total)
        state = release(cnp.PyArray_SIZE(source))
        if single:
            channel_sums_float(<float *>px, sums, s.batch, s.channels, s.inner)
        else:
            channel_sums_double(<double *>px, sums, s.batch, s.channels, s.inner)
        regain(state)
        for c in range(s.channels):
            put(mean, c, sums[c] / count)
            sums[c] = 0
        state = release(cnp.PyArray_SIZE(source))
        if single:
            channel_squares_float(<float *>px, <float *>pm, sums, s.batch, s.channels, s.inner)
        else:
            channel_squares_double(<double *>px, <double *>pm, sums, s.batch, s.channels, s.inner)
        regain(state)
        for c in range(s.channels):
            sums[c] /= count
            put(rstd, c, 1 / sqrt(sums[c] + eps))
        if running_mean is not None:
            blend(running_mean, mean, 1.0, momentum)
        if running_var is not None:
            blend(running_var, total, count / (count - 1.0), momentum)
    else:
        if running_mean is None or running_var is None:
            raise ValueError("batch_norm: expected running_mean and running_var when training=False")
        known_mean, known_var = row_major(running_mean, "batch_norm"), row_major(running_var, "batch_norm")
        for c in range(s.channels):
            put(mean, c, item(known_mean, c))
            put(rstd, c, 1 / sqrt(item(known_var, c) + eps))
    for c in range(s.channels):
        known = item(rstd, c)
        put(scale, c, known if w is None else known * item(w, c))
    if b is None:
        shift = zeros(s.channels, number)
    cdef void *ps = pointer(scale)
    cdef void *pb = pointer(shift)
    state = release(cnp.PyArray_SIZE(source))
    if single:
        channel_apply_float(<float *>px, <float *>po, <float *>pm, <float *>ps, <float *>pb, s.batch,
                s.channels, s.inner)
    else:
        channel_apply_double(<double *>px, <double *>po, <double *>pm, <double *>ps, <double *>pb, s.batch,
                s.channels, s.inner)
    regain(state)
    return out, mean, rstd


cpdef tuple batch_norm_grad(object g, object x, object weight, object save_mean, object save_rstd,
        bint training, tuple wants):
    """(gx, gw, gb) of batch_norm, each None where wants says so; moments are constants unless training."""
    cdef ndarray source = row_major(x, "batch_norm_grad"), cotangent = paired(g, source, "batch_norm_grad"), gx = None
    cdef Channels s = channels_of(source, "batch_norm_grad")
    cdef int number = cnp.PyArray_TYPE(source)
    cdef bint single = number == cnp.NPY_FLOAT, want_x = wants[0], want_w = wants[1], want_b = wants[2]
    cdef ndarray w = fitting(weight, source, s.channels, "batch_norm_grad", "weight")
    cdef ndarray mean = fitting(save_mean, source, s.channels, "batch_norm_grad", "save_mean")
    cdef ndarray rstd = fitting(save_rstd, source, s.channels, "batch_norm_grad", "save_rstd")
    cdef ndarray sums = zeros(s.channels, cnp.NPY_DOUBLE), products = zeros(s.channels, cnp.NPY_DOUBLE)
    cdef ndarray scale, pull, shift
    cdef Py_ssize_t c, count = s.batch * s.inner
    cdef void *pg = pointer(cotangent)
    cdef void *px = pointer(source)
    cdef void *pm = pointer(mean)
    cdef double *total = <double *>pointer(sums)
    cdef double *product = <double *>pointer(products)
    cdef double root, factor
    cdef PyThreadState *state
    if want_w or want_b or training:
        state = release(cnp.PyArray_SIZE(source))
        if single:
            channel_slopes_float(<float *>pg, <float *>px, <float *>pm, total, product, s.batch, s.channels,
                    s.inner)
        else:
            channel_slopes_double(<double *>pg, <double *>px, <double *>pm, total, product, s.batch,
                    s.channels, s.inner)
        regain(state)
    cdef void *po
    cdef void *ps
    cdef void *pp
    cdef void *pb
    if want_x:
        gx = same_layout(source)
        scale, pull, shift = vector(s.channels, number), zeros(s.channels, number), zeros(s.channels, number)
        for c in range(s.channels):
            root = item(rstd, c)
            factor = root if w is None else root * item(w, c)
            put(scale, c, factor)
            if training:
                put(shift, c, factor * total[c] / count)
                put(pull, c, factor * root * root * product[c] / count)
        po, ps, pp, pb = pointer(gx), pointer(scale), pointer(pull), pointer(shift)
        state = release(cnp.PyArray_SIZE(source))
        if single:
            channel_grad_float(<float *>pg, <float *>px, <float *>po, <float *>pm, <float *>ps, <float *>pp,
                    <float *>pb, s.batch, s.channels, s.inner)
        else:
            channel_grad_double(<double *>pg, <double *>px, <double *>po, <double *>pm, <double *>ps,
                    <double *>pp, <double *>pb, s.batch, s.channels, s.inner)
        regain(state)
    if want_w:
        for c in range(s.channels):
            product[c] *= item(rstd, c)
    return gx, rounded(products, source, 1, 2) if want_w else None, rounded(sums, source, 1,
            2) if want_b else None


cpdef tuple group_norm(object x, Py_ssize_t num_groups, object weight, object bias, double eps):
    """(out, mean, rstd): each group of channels (axis 1) to mean 0 and variance 1, times weight, plus bias.

    weight and bias are per channel, mean and rstd (batch, num_groups)."""
    cdef ndarray source = row_major(x, "group_norm"), out = same_layout(source), mean, rstd
    cdef Channels s = channels_of(source, "group_norm")
    cdef int number = cnp.PyArray_TYPE(source)
    cdef cnp.npy_intp shape[2]
    if num_groups < 1 or s.channels % num_groups:
        raise RuntimeError(f"group_norm: expected num_groups to divide the {s.channels} channels, got {num_groups}")
    cdef ndarray w = fitting(weight, source, s.channels, "group_norm", "weight")
    cdef ndarray b = fitting(bias, source, s.channels, "group_norm", "bias")
    shape[0], shape[1] = s.batch, num_groups
    mean, rstd = cnp.PyArray_EMPTY(2, shape, number, 0), cnp.PyArray_EMPTY(2, shape, number, 0)
    cdef void *px = pointer(source)
    cdef void *po = pointer(out)
    cdef void *pm = pointer(mean)
    cdef void *ps = pointer(rstd)
    cdef void *pw = pointer(w)
    cdef void *pb = pointer(b)
    cdef Py_ssize_t depth = s.channels // num_groups
    cdef PyThreadState *state = release(cnp.PyArray_SIZE(source))
    if number == cnp.NPY_FLOAT:
        group_norm_float(<float *>px, <float *>po, <float *>pm, <float *>ps, <float *>pw, <float *>pb,
                s.batch, num_groups, depth, s.inner, eps)
    else:
        group_norm_double(<double *>px, <double *>po, <double *>pm, <double *>ps, <double *>pw,
                <double *>pb, s.batch, num_groups, depth, s.inner, eps)
    regain(state)
    return out, mean, rstd


cpdef tuple group_norm_grad(object g, object x, object mean, object rstd, object weight,
        Py_ssize_t num_groups, tuple wants):
    """(gx, gw, gb) of group_norm, each None where wants says so."""
    cdef ndarray source = row_major(x, "group_norm_grad"), cotangent = paired(g, source, "group_norm_grad"), gx = None
    cdef Channels s = channels_of(source, "group_norm_grad")
    if num_groups < 1 or s.channels % num_groups:
        raise RuntimeError(f"group_norm_grad: expected num_groups to divide the {s.channels} channels, got {num_groups}")
    cdef ndarray w = fitting(weight, source, s.channels, "group_norm_grad", "weight")
    cdef ndarray means = fitting(mean, source, s.batch * num_groups, "group_norm_grad", "mean")
    cdef ndarray roots = fitting(rstd, source, s.batch * num_groups, "group_norm_grad", "rstd")
    cdef ndarray gw = zeros(s.channels, cnp.NPY_DOUBLE), gb = zeros(s.channels, cnp.NPY_DOUBLE)
    cdef Py_ssize_t depth = s.channels // num_groups
    if wants[0]:
        gx = same_layout(source)
    cdef void *pg = pointer(cotangent)
    cdef void *px = pointer(source)
    cdef void *pm = pointer(means)
    cdef void *ps = pointer(roots)
    cdef void *pw = pointer(w)
    cdef void *po = pointer(gx)
    cdef double *sw = <double *>pointer(gw)
    cdef double *sb = <double *>pointer(gb)
    cdef bint single = cnp.PyArray_TYPE(source) == cnp.NPY_FLOAT
    cdef PyThreadState *state = release(cnp.PyArray_SIZE(source))
    if single:
        group_norm_grad_float(<float *>pg, <float *>px, <float *>pm, <float *>ps, <float *>pw, <float *>po,
                sw, sb, s.batch, num_groups, depth, s.inner)
    else:
        group_norm_grad_double(<double *>pg, <double *>px, <double *>pm, <double *>ps, <double *>pw,
                <double *>po, sw, sb, s.batch, num_groups, depth, s.inner)
    regain(state)
    return gx, rounded(gw, source, 1, 2) if wants[1] else None, rounded(gb, source, 1,
            2) if wants[2] else None
