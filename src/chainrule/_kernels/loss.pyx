# distutils: extra_compile_args = -fno-math-errno -fno-trapping-math
"""Losses of class scores and logits that are better computed in one piece than op by op, and derivatives.

Class scores are (C,), (N, C) or (N, C, d, ...) with int64 targets of the same shape without C. Reductions are
"none", "mean" (by the weight of the targets that are not ignored) and "sum". The loops are in loss.h; the plain
twin is loss.py."""

cimport numpy as cnp
from libc.stdint cimport int64_t
from numpy cimport ndarray

from chainrule._kernels.dense cimport PyThreadState, regain, release, row_major, same_layout

cnp.import_array()

cdef extern from "loss.h":
    void log_rows_float(const float *x, float *out, float *tops, float *sums, Py_ssize_t outer,
            Py_ssize_t n) noexcept nogil
    void log_rows_double(const double *x, double *out, double *tops, double *sums, Py_ssize_t outer,
            Py_ssize_t n) noexcept nogil
    void log_sum_columns_float(const float *x, float *tops, float *sums, Py_ssize_t outer, Py_ssize_t n,
            Py_ssize_t inner) noexcept nogil
    void log_sum_columns_double(const double *x, double *tops, double *sums, Py_ssize_t outer, Py_ssize_t n,
            Py_ssize_t inner) noexcept nogil
    Py_ssize_t cross_entropy_float(const float *x, const float *tops, const float *rests,
            const int64_t *target, const float *w, double *losses, double *total, Py_ssize_t outer,
            Py_ssize_t classes, Py_ssize_t inner, int64_t ignore, double smoothing) noexcept nogil
    Py_ssize_t cross_entropy_double(const double *x, const double *tops, const double *rests,
            const int64_t *target, const double *w, double *losses, double *total, Py_ssize_t outer,
            Py_ssize_t classes, Py_ssize_t inner, int64_t ignore, double smoothing) noexcept nogil
    void cross_entropy_grad_float(const float *g, bint every, double scale, const float *x,
            const float *tops, const float *rests, const int64_t *target, const float *w, float *gx,
            Py_ssize_t outer, Py_ssize_t classes, Py_ssize_t inner, int64_t ignore,
            double smoothing) noexcept nogil
    void cross_entropy_grad_double(const double *g, bint every, double scale, const double *x,
            const double *tops, const double *rests, const int64_t *target, const double *w, double *gx,
            Py_ssize_t outer, Py_ssize_t classes, Py_ssize_t inner, int64_t ignore,
            double smoothing) noexcept nogil
    Py_ssize_t nll_float(const float *x, const int64_t *target, const float *w, double *losses,
            double *total, Py_ssize_t outer, Py_ssize_t classes, Py_ssize_t inner,
            int64_t ignore) noexcept nogil
    Py_ssize_t nll_double(const double *x, const int64_t *target, const double *w, double *losses,
            double *total, Py_ssize_t outer, Py_ssize_t classes, Py_ssize_t inner,
            int64_t ignore) noexcept nogil
    void nll_grad_float(const float *g, bint every, double scale, const int64_t *target, const float *w,
            float *gx, Py_ssize_t outer, Py_ssize_t classes, Py_ssize_t inner, int64_t ignore) noexcept nogil
    void nll_grad_double(const double *g, bint every, double scale, const int64_t *target, const double *w,
            double *gx, Py_ssize_t outer, Py_ssize_t classes, Py_ssize_t inner, int64_t ignore) noexcept nogil
    void logits_float(const float *x, const float *y, const float *p, float *out, Py_ssize_t n) noexcept nogil
    void logits_double(const double *x, const double *y, const double *p, double *out,
            Py_ssize_t n) noexcept nogil
    void logits_grad_float(const float *g, const float *x, const float *y, const float *p, float *gx,
            Py_ssize_t n) noexcept nogil
    void logits_grad_double(const double *g, const double *x, const double *y, const double *p, double *gx,
            Py_ssize_t n) noexcept nogil


cdef struct Scores:
    Py_ssize_t outer
    Py_ssize_t classes
    Py_ssize_t inner


cdef Scores scores_of(ndarray x, ndarray target, str who) except *:
    """How x splits, after a check that target has its shape without the class axis."""
    cdef int ndim = cnp.PyArray_NDIM(x), axis = 0 if cnp.PyArray_NDIM(x) == 1 else 1, i
    cdef Scores s
    cdef bint fits = ndim > 0 and cnp.PyArray_NDIM(target) == ndim - 1
    s.outer = s.classes = s.inner = 1
    for i in range(ndim):
        if i < axis:
            s.outer *= cnp.PyArray_DIM(x, i)
        elif i == axis:
            s.classes = cnp.PyArray_DIM(x, i)
        else:
            s.inner *= cnp.PyArray_DIM(x, i)
        if fits and i != axis:
            fits = cnp.PyArray_DIM(target, i if i < axis else i - 1) == cnp.PyArray_DIM(x, i)
    if not fits:
        raise ValueError(f"{who}: expected target of the shape of input {(<object>x).shape} without its class dimension, got {(<object>target).shape}")
    return s


cdef ndarray classes_in(object target, str who):
    if not cnp.PyArray_Check(target) or cnp.PyArray_TYPE(<ndarray>target) != cnp.NPY_INT64:
        raise TypeError(f"{who}: expected an int64 target, got {getattr(target, 'dtype', type(target).__name__)}")
    if cnp.PyArray_IS_C_CONTIGUOUS(<ndarray>target):
        return <ndarray>target
    return <ndarray>cnp.PyArray_NewCopy(<ndarray>target, cnp.NPY_CORDER)


cdef ndarray weights_in(object weight, ndarray x, Py_ssize_t classes, str who):
    if weight is None:
        return None
    cdef ndarray w = row_major(weight, who)
    if cnp.PyArray_TYPE(w) != cnp.PyArray_TYPE(x):
        raise TypeError(f"{who}: expected weight of dtype {x.dtype}, got {w.dtype}")
    if cnp.PyArray_SIZE(w) != classes:
        raise RuntimeError(f"{who}: expected weight with {classes} elements, one a class, got {cnp.PyArray_SIZE(w)}")
    return w


cdef inline void *pointer(ndarray a) noexcept:
    return NULL if a is None else cnp.PyArray_DATA(a)


cdef ndarray number(double value, int kind):
    cdef ndarray out = cnp.PyArray_EMPTY(0, NULL, kind, 0)
    if kind == cnp.NPY_FLOAT:
        (<float *>cnp.PyArray_DATA(out))[0] = <float>value
    else:
        (<double *>cnp.PyArray_DATA(out))[0] = value
    return out


cdef int which(str reduction, str who) except -1:
    if reduction == "mean":
        return 1
    if reduction == "sum":
        return 2
    if reduction == "none":
        return 0
    raise ValueError(f"{who}: expected reduction 'none', 'mean' or 'sum', got {reduction!r}")


cdef ndarray reduced(ndarray losses, ndarray target, double total, int how, int kind):
    """The losses themselves, their sum, or that over total, in the dtype asked for."""
    cdef double *each = <double *>cnp.PyArray_DATA(losses)
    cdef double sum = 0
    cdef Py_ssize_t i, n = cnp.PyArray_SIZE(losses)
    cdef ndarray out
    if how:
        for i in range(n):
            sum += each[i]
        return number(sum / total if how == 1 else sum, kind)
    if kind == cnp.NPY_DOUBLE:
        return losses
    out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(target), cnp.PyArray_DIMS(target), kind, 0)
    for i in range(n):
        (<float *>cnp.PyArray_DATA(out))[i] = <float>each[i]
    return out


cdef double cotangent_scale(ndarray g, ndarray x, Py_ssize_t targets, object total_weight, int how,
        str who) except? -1:
    """What the cotangent is multiplied by, after a check of its size and dtype."""
    cdef Py_ssize_t size = 1 if how else targets
    if cnp.PyArray_TYPE(g) != cnp.PyArray_TYPE(x) or cnp.PyArray_SIZE(g) != size:
        raise ValueError(f"{who}: expected g of {size} elements of dtype {x.dtype}, got {cnp.PyArray_SIZE(g)} of {g.dtype}")
    return 1 / <double>float(total_weight) if how == 1 else 1.0


cpdef tuple cross_entropy(object x, object target, object weight, long long ignore_index, str reduction,
        double label_smoothing):
    """(loss, normalizer, total_weight): the negative log-softmax of x at the targets, weighted by class.

    normalizer is what cross_entropy_grad needs beside x. IndexError for a target that is neither a class
    nor ignore_index."""
    cdef ndarray source = row_major(x, "cross_entropy"), classes = classes_in(target, "cross_entropy")
    cdef Scores s = scores_of(source, classes, "cross_entropy")
    cdef ndarray w = weights_in(weight, source, s.classes, "cross_entropy")
    cdef int kind = cnp.PyArray_TYPE(source), how = which(reduction, "cross_entropy")
    cdef Py_ssize_t targets = s.outer * s.inner, bad = -1
    cdef cnp.npy_intp shape[2]
    shape[0], shape[1] = 2, targets
    cdef ndarray normalizer = cnp.PyArray_EMPTY(2, shape, kind, 0)
    cdef ndarray losses = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(classes), cnp.PyArray_DIMS(classes),
            cnp.NPY_DOUBLE, 0)
    cdef double total = 0
    cdef void *px = pointer(source)
    cdef void *pt = pointer(normalizer)
    cdef int64_t *pc = <int64_t *>pointer(classes)
    cdef double *pl = <double *>pointer(losses)
    cdef void *pw = pointer(w)
    cdef PyThreadState *state
    if s.classes > 0 and targets > 0:
        state = release(targets * s.classes)
        if kind == cnp.NPY_FLOAT:
            if s.inner == 1:
                log_rows_float(<float *>px, NULL, <float *>pt, <float *>pt + targets, s.outer, s.classes)
            else:
                log_sum_columns_float(<float *>px, <float *>pt, <float *>pt + targets, s.outer, s.classes,
                        s.inner)
            bad = cross_entropy_float(<float *>px, <float *>pt, <float *>pt + targets, pc, <float *>pw, pl,
                    &total, s.outer, s.classes, s.inner, ignore_index, label_smoothing)
        else:
            if s.inner == 1:
                log_rows_double(<double *>px, NULL, <double *>pt, <double *>pt + targets, s.outer, s.classes)
            else:
                log_sum_columns_double(<double *>px, <double *>pt, <double *>pt + targets, s.outer,
                        s.classes, s.inner)
            bad = cross_entropy_double(<double *>px, <double *>pt, <double *>pt + targets, pc, <double *>pw,
                    pl, &total, s.outer, s.classes, s.inner, ignore_index, label_smoothing)
        regain(state)
    elif targets > 0:
        bad = 0
    if bad >= 0:
        raise IndexError(f"cross_entropy: Target {pc[bad]} is out of bounds: expected 0 to {s.classes - 1} or ignore_index {ignore_index}")
    return reduced(losses, classes, total, how, kind), normalizer, number(total, kind)


cpdef ndarray cross_entropy_grad(object g, object x, object normalizer, object target, object weight,
        long long ignore_index, str reduction, double label_smoothing, object total_weight):
    """The gradient for x of cross_entropy, which gave normalizer and total_weight.

    g is 0-d, or like target for "none"."""
    cdef ndarray source = row_major(x, "cross_entropy_grad"), classes = classes_in(target, "cross_entropy_grad")
    cdef ndarray cotangent = row_major(g, "cross_entropy_grad"), parts = row_major(normalizer, "cross_entropy_grad")
    cdef Scores s = scores_of(source, classes, "cross_entropy_grad")
    cdef ndarray w = weights_in(weight, source, s.classes, "cross_entropy_grad"), gx = same_layout(source)
    cdef int kind = cnp.PyArray_TYPE(source), how = which(reduction, "cross_entropy_grad")
    cdef Py_ssize_t targets = s.outer * s.inner
    if cnp.PyArray_TYPE(parts) != kind or cnp.PyArray_SIZE(parts) != 2 * targets:
        raise ValueError(f"cross_entropy_grad: expected the normalizer of cross_entropy with {2 * targets} elements of dtype {source.dtype}")
    cdef double scale = cotangent_scale(cotangent, source, targets, total_weight, how, "cross_entropy_grad")
    cdef void *pg = pointer(cotangent)
    cdef void *px = pointer(source)
    cdef void *pt = pointer(parts)
    cdef int64_t *pc = <int64_t *>pointer(classes)
    cdef void *pw = pointer(w)
    cdef void *po = pointer(gx)
    cdef PyThreadState *state = release(targets * s.classes)
    if kind == cnp.NPY_FLOAT:
        cross_entropy_grad_float(<float *>pg, how == 0, scale, <float *>px, <float *>pt,
                <float *>pt + targets, pc, <float *>pw, <float *>po, s.outer, s.classes, s.inner,
                ignore_index, label_smoothing)
    else:
        cross_entropy_grad_double(<double *>pg, how == 0, scale, <double *>px, <double *>pt,
                <double *>pt + targets, pc, <double *>pw, <double *>po, s.outer, s.classes, s.inner,
                ignore_index, label_smoothing)
    regain(state)
    return gx


cpdef tuple nll_loss(object x, object target, object weight, long long ignore_index, str reduction):
    """(loss, total_weight): minus x at the targets, weighted by class. IndexError as for cross_entropy."""
    cdef ndarray source = row_major(x, "nll_loss"), classes = classes_in(target, "nll_loss")
    cdef Scores s = scores_of(source, classes, "nll_loss")
    cdef ndarray w = weights_in(weight, source, s.classes, "nll_loss")
    cdef int kind = cnp.PyArray_TYPE(source), how = which(reduction, "nll_loss")
    cdef Py_ssize_t bad
    cdef ndarray losses = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(classes), cnp.PyArray_DIMS(classes),
            cnp.NPY_DOUBLE, 0)
    cdef double total = 0
    cdef void *px = pointer(source)
    cdef int64_t *pc = <int64_t *>pointer(classes)
    cdef double *pl = <double *>pointer(losses)
    cdef void *pw = pointer(w)
    cdef PyThreadState *state = release(s.outer * s.inner)
    if kind == cnp.NPY_FLOAT:
        bad = nll_float(<float *>px, pc, <float *>pw, pl, &total, s.outer, s.classes, s.inner, ignore_index)
    else:
        bad = nll_double(<double *>px, pc, <double *>pw, pl, &total, s.outer, s.classes, s.inner,
                ignore_index)
    regain(state)
    if bad >= 0:
        raise IndexError(f"nll_loss: Target {pc[bad]} is out of bounds: expected 0 to {s.classes - 1} or ignore_index {ignore_index}")
    return reduced(losses, classes, total, how, kind), number(total, kind)


cpdef ndarray nll_loss_grad(object g, object x, object target, object weight, long long ignore_index,
        str reduction, object total_weight):
    """The gradient for x of nll_loss, which gave total_weight; of x only shape and dtype are used."""
    cdef ndarray cotangent = row_major(g, "nll_loss_grad"), classes = classes_in(target, "nll_loss_grad"), shaped = <ndarray?>x
    cdef Scores s = scores_of(shaped, classes, "nll_loss_grad")
    cdef ndarray w = weights_in(weight, shaped, s.classes, "nll_loss_grad")
    cdef int kind = cnp.PyArray_TYPE(shaped), how = which(reduction, "nll_loss_grad")
    cdef double scale = cotangent_scale(cotangent, shaped, s.outer * s.inner, total_weight, how, "nll_loss_grad")
    cdef ndarray gx = cnp.PyArray_ZEROS(cnp.PyArray_NDIM(shaped), cnp.PyArray_DIMS(shaped), kind, 0)
    cdef void *pg = pointer(cotangent)
    cdef int64_t *pc = <int64_t *>pointer(classes)
    cdef void *pw = pointer(w)
    cdef void *po = pointer(gx)
    cdef PyThreadState *state = release(s.outer * s.inner)
    if kind == cnp.NPY_FLOAT:
        nll_grad_float(<float *>pg, how == 0, scale, pc, <float *>pw, <float *>po, s.outer, s.classes,
                s.inner, ignore_index)
    else:
        nll_grad_double(<double *>pg, how == 0, scale, pc, <double *>pw, <double *>po, s.outer, s.classes,
                s.inner, ignore_index)
    regain(state)
    return gx


cdef ndarray like(object a, ndarray x, str who, str what):
    cdef ndarray b = row_major(a, who)
    if cnp.PyArray_TYPE(b) != cnp.PyArray_TYPE(x) or not cnp.PyArray_SAMESHAPE(b, x):
        raise ValueError(f"{who}: expected {what} like input, {x.dtype}{(<object>x).shape}, got {b.dtype}{(<object>b).shape}")
    return b


cpdef ndarray binary_cross_entropy_with_logits(object x, object target, object pos_weight):
    """-(pos_weight y log sigmoid(x) + (1 - y) log sigmoid(-x)), element by element, for y = target.

    All have one shape and dtype."""
    cdef ndarray source = row_major(x, "binary_cross_entropy_with_logits"), p = None
    cdef ndarray y = like(target, source, "binary_cross_entropy_with_logits", "target"), out = same_layout(source)
    if pos_weight is not None:
        p = like(pos_weight, source, "binary_cross_entropy_with_logits", "pos_weight")
    cdef void *px = pointer(source)
    cdef void *py = pointer(y)
    cdef void *pp = pointer(p)
    cdef void *po = pointer(out)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(source)
    cdef bint single = cnp.PyArray_TYPE(source) == cnp.NPY_FLOAT
    cdef PyThreadState *state = release(n)
    if single:
        logits_float(<float *>px, <float *>py, <float *>pp, <float *>po, n)
    else:
        logits_double(<double *>px, <double *>py, <double *>pp, <double *>po, n)
    regain(state)
    return out


cpdef ndarray binary_cross_entropy_with_logits_grad(object g, object x, object target, object pos_weight):
    """The gradient for x of binary_cross_entropy_with_logits; without pos_weight g (sigmoid(x) - target)."""
    cdef ndarray source = row_major(x, "binary_cross_entropy_with_logits_grad"), p = None
    cdef ndarray cotangent = like(g, source, "binary_cross_entropy_with_logits_grad", "g")
    cdef ndarray y = like(target, source, "binary_cross_entropy_with_logits_grad", "target"), gx = same_layout(source)
    if pos_weight is not None:
        p = like(pos_weight, source, "binary_cross_entropy_with_logits_grad", "pos_weight")
    cdef void *pg = pointer(cotangent)
    cdef void *px = pointer(source)
    cdef void *py = pointer(y)
    cdef void *pp = pointer(p)
    cdef void *po = pointer(gx)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(source)
    cdef bint single = cnp.PyArray_TYPE(source) == cnp.NPY_FLOAT
    cdef PyThreadState *state = release(n)
    if single:
        logits_grad_float(<float *>pg, <float *>px, <float *>py, <float *>pp, <float *>po, n)
    else:
        logits_grad_double(<double *>pg, <double *>px, <double *>py, <double *>pp, <double *>po, n)
    regain(state)
    return gx
