# distutils: extra_compile_args = -fno-math-errno -fno-trapping-math
"""Optimizer steps on float32 and float64 arrays, in place, one pass each: SGD, Adam and AdamW, RMSprop, Adagrad.

`name(param, ...)` takes one parameter, `name_list(params,
        ...)` a list of them with lists of their state; `steps` are 0-d
arrays that count the steps made, counted up here. Of one parameter nothing is written before all its shapes and
dtypes are checked; those before it in a list have made their step. An optional state array that is None switches its part off: momentum_buffer,
        max_exp_avg_sq (amsgrad),
grad_avg (centered). Returned is always 0. The loops are in update.h; the plain twin is update.py."""

cimport numpy as cnp
from libc.math cimport pow, sqrt
from numpy cimport ndarray

from chainrule._kernels.dense cimport PyThreadState, floating, regain, release

cnp.import_array()

cdef extern from "update.h":
    void sgd_float(float *param, const float *grad, float *buffer, Py_ssize_t n, bint first, double lr,
            double momentum, double dampening, double weight_decay, bint nesterov,
            bint maximize) noexcept nogil
    void sgd_double(double *param, const double *grad, double *buffer, Py_ssize_t n, bint first, double lr,
            double momentum, double dampening, double weight_decay, bint nesterov,
            bint maximize) noexcept nogil
    void adam_float(float *param, const float *grad, float *mean, float *square, float *highest,
            Py_ssize_t n, double correction1, double correction2_root, double lr, double beta1,
            double beta2, double eps, double weight_decay, bint maximize, bint decoupled) noexcept nogil
    void adam_double(double *param, const double *grad, double *mean, double *square, double *highest,
            Py_ssize_t n, double correction1, double correction2_root, double lr, double beta1,
            double beta2, double eps, double weight_decay, bint maximize, bint decoupled) noexcept nogil
    void rmsprop_float(float *param, const float *grad, float *square, float *mean, float *buffer,
            Py_ssize_t n, double lr, double alpha, double eps, double weight_decay, double momentum,
            bint maximize) noexcept nogil
    void rmsprop_double(double *param, const double *grad, double *square, double *mean, double *buffer,
            Py_ssize_t n, double lr, double alpha, double eps, double weight_decay, double momentum,
            bint maximize) noexcept nogil
    void adagrad_float(float *param, const float *grad, float *total, Py_ssize_t n, double rate,
            double weight_decay, double eps, bint maximize) noexcept nogil
    void adagrad_double(double *param, const double *grad, double *total, Py_ssize_t n, double rate,
            double weight_decay, double eps, bint maximize) noexcept nogil


cdef ndarray matching(object a, ndarray param, str who, str what):
    """a laid out in C order, itself if it is; it must have param's shape and dtype."""
    cdef ndarray b = floating(a, who)
    if cnp.PyArray_TYPE(b) != cnp.PyArray_TYPE(param) or not cnp.PyArray_SAMESHAPE(b, param):
        raise ValueError(f"{who}: expected {what} like param, {param.dtype}{(<object>param).shape}, got {b.dtype}{(<object>b).shape}")
    if cnp.PyArray_IS_C_CONTIGUOUS(b):
        return b
    return <ndarray>cnp.PyArray_NewCopy(b, cnp.NPY_CORDER)


cdef ndarray state(object a, ndarray param, str who, str what):
    """matching for an array that will be written, or None."""
    if a is None:
        return None
    cdef ndarray b = matching(a, param, who, what)
    if not cnp.PyArray_ISWRITEABLE(b):
        raise ValueError(f"{who}: expected {what} to be writeable")
    return b


cdef inline int give_back(ndarray laid_out, object a) except -1:
    """Copy what was computed in a's C-ordered copy to a."""
    if laid_out is not a:
        a[...] = laid_out
    return 0


cdef inline void *pointer(ndarray a) noexcept:
    return NULL if a is None else cnp.PyArray_DATA(a)


cdef double following(object step) except -1:
    """The number of the step that comes after those counted in a 0-d array."""
    cdef ndarray a = <ndarray>step
    if cnp.PyArray_Check(step) and cnp.PyArray_NDIM(a) == 0 and cnp.PyArray_TYPE(a) == cnp.NPY_FLOAT:
        return (<float *>cnp.PyArray_DATA(a))[0] + 1
    return float(step) + 1


cdef int count(object step, double made) except -1:
    """Write the number of steps made to a 0-d array."""
    cdef ndarray a = <ndarray>step
    if cnp.PyArray_Check(step) and cnp.PyArray_NDIM(a) == 0 and cnp.PyArray_TYPE(a) == cnp.NPY_FLOAT:
        (<float *>cnp.PyArray_DATA(a))[0] = <float>made
    else:
        step[...] = made
    return 0


cdef int same_length(list params, list other, str who, str what) except -1:
    if other is not None and len(other) != len(params):
        raise ValueError(f"{who}: expected {len(params)} {what}, one a parameter, got {len(other)}")
    return 0


cpdef int sgd(object param, object grad, object momentum_buffer, bint first_step, double lr,
        double momentum, double dampening, double weight_decay, bint nesterov, bint maximize) except -1:
    """Stochastic gradient descent. The first step sets momentum_buffer to the gradient, without dampening."""
    cdef ndarray p = floating(param, "sgd")
    p = state(param, p, "sgd", "param")
    cdef ndarray g = matching(grad, p, "sgd", "grad"), b = state(momentum_buffer, p, "sgd", "momentum_buffer")
    cdef void *pp = pointer(p)
    cdef void *pg = pointer(g)
    cdef void *pb = pointer(b)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(p)
    cdef bint single = cnp.PyArray_TYPE(p) == cnp.NPY_FLOAT
    cdef PyThreadState *thread = release(n)
    if single:
        sgd_float(<float *>pp, <float *>pg, <float *>pb, n, first_step, lr, momentum, dampening,
                weight_decay, nesterov, maximize)
    else:
        sgd_double(<double *>pp, <double *>pg, <double *>pb, n, first_step, lr, momentum, dampening,
                weight_decay, nesterov, maximize)
    regain(thread)
    give_back(p, param)
    give_back(b, momentum_buffer)
    return 0


cpdef int sgd_list(list params, list grads, list momentum_buffers, list first_steps, double lr,
        double momentum, double dampening, double weight_decay, bint nesterov, bint maximize) except -1:
    """sgd for each parameter; with a list of momentum_buffers, first_steps says for which it is the first."""
    cdef Py_ssize_t i
    same_length(params, grads, "sgd_list", "grads")
    same_length(params, momentum_buffers, "sgd_list", "momentum_buffers")
    same_length(params, first_steps, "sgd_list", "first_steps")
    for i in range(len(params)):
        if momentum_buffers is None:
            sgd(params[i], grads[i], None, False, lr, momentum, dampening, weight_decay, nesterov, maximize)
        else:
            sgd(params[i], grads[i], momentum_buffers[i], first_steps[i], lr, momentum, dampening,
                    weight_decay, nesterov, maximize)
    return 0


cdef int adam_corrected(object param, object grad, object exp_avg, object exp_avg_sq, object max_exp_avg_sq,
        double correction1, double root2, double lr, double beta1, double beta2, double eps,
        double weight_decay, bint maximize, bint decoupled) except -1:
    cdef ndarray p = floating(param, "adam")
    p = state(param, p, "adam", "param")
    cdef ndarray g = matching(grad, p, "adam", "grad"), m = state(exp_avg, p, "adam", "exp_avg")
    cdef ndarray v = state(exp_avg_sq, p, "adam", "exp_avg_sq"), h = state(max_exp_avg_sq, p, "adam", "max_exp_avg_sq")
    cdef void *pp = pointer(p)
    cdef void *pg = pointer(g)
    cdef void *pm = pointer(m)
    cdef void *pv = pointer(v)
    cdef void *ph = pointer(h)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(p)
    cdef bint single = cnp.PyArray_TYPE(p) == cnp.NPY_FLOAT
    cdef PyThreadState *thread = release(n)
    if single:
        adam_float(<float *>pp, <float *>pg, <float *>pm, <float *>pv, <float *>ph, n, correction1, root2,
                lr, beta1, beta2, eps, weight_decay, maximize, decoupled)
    else:
        adam_double(<double *>pp, <double *>pg, <double *>pm, <double *>pv, <double *>ph, n, correction1,
                root2, lr, beta1, beta2, eps, weight_decay, maximize, decoupled)
    regain(thread)
    give_back(p, param)
    give_back(m, exp_avg)
    give_back(v, exp_avg_sq)
    give_back(h, max_exp_avg_sq)
    return 0


cpdef int adam(object param, object grad, object exp_avg, object exp_avg_sq, object max_exp_avg_sq,
        double step, double lr, double beta1, double beta2, double eps, double weight_decay, bint maximize,
        bint decoupled) except -1:
    """Adam (Kingma and Ba 2014), the step-th step, counted from 1; decoupled decays weights as AdamW does."""
    return adam_corrected(param, grad, exp_avg, exp_avg_sq, max_exp_avg_sq, 1 - pow(beta1, step),
            sqrt(1 - pow(beta2, step)), lr, beta1, beta2, eps, weight_decay, maximize, decoupled)


cpdef int adam_list(list params, list grads, list exp_avgs, list exp_avg_sqs, list max_exp_avg_sqs,
        list steps, double lr, double beta1, double beta2, double eps, double weight_decay, bint maximize,
        bint decoupled) except -1:
    """adam for each parameter; max_exp_avg_sqs is None or a list, steps are 0-d arrays."""
    cdef Py_ssize_t i
    cdef double step, known = -1, correction1 = 1, root2 = 1
    same_length(params, grads, "adam_list", "grads")
    same_length(params, exp_avgs, "adam_list", "exp_avgs")
    same_length(params, exp_avg_sqs, "adam_list", "exp_avg_sqs")
    same_length(params, max_exp_avg_sqs, "adam_list", "max_exp_avg_sqs")
    same_length(params, steps, "adam_list", "steps")
    for i in range(len(params)):
        step = following(steps[i])
        if step != known:
            correction1, root2, known = 1 - pow(beta1, step), sqrt(1 - pow(beta2, step)), step
        adam_corrected(params[i], grads[i], exp_avgs[i], exp_avg_sqs[i],
                None if max_exp_avg_sqs is None else max_exp_avg_sqs[i], correction1, root2, lr, beta1,
                beta2, eps, weight_decay, maximize, decoupled)
        count(steps[i], step)
    return 0


cpdef int rmsprop(object param, object grad, object square_avg, object grad_avg, object momentum_buffer,
        double lr, double alpha, double eps, double weight_decay, double momentum, bint maximize) except -1:
    """RMSprop (Tieleman and Hinton 2012): the gradient over its running root mean square."""
    cdef ndarray p = floating(param, "rmsprop")
    p = state(param, p, "rmsprop", "param")
    cdef ndarray g = matching(grad, p, "rmsprop", "grad"), v = state(square_avg, p, "rmsprop", "square_avg")
    cdef ndarray m = state(grad_avg, p, "rmsprop", "grad_avg"), b = state(momentum_buffer, p, "rmsprop", "momentum_buffer")
    cdef void *pp = pointer(p)
    cdef void *pg = pointer(g)
    cdef void *pv = pointer(v)
    cdef void *pm = pointer(m)
    cdef void *pb = pointer(b)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(p)
    cdef bint single = cnp.PyArray_TYPE(p) == cnp.NPY_FLOAT
    cdef PyThreadState *thread = release(n)
    if single:
        rmsprop_float(<float *>pp, <float *>pg, <float *>pv, <float *>pm, <float *>pb, n, lr, alpha, eps,
                weight_decay, momentum, maximize)
    else:
        rmsprop_double(<double *>pp, <double *>pg, <double *>pv, <double *>pm, <double *>pb, n, lr, alpha,
                eps, weight_decay, momentum, maximize)
    regain(thread)
    give_back(p, param)
    give_back(v, square_avg)
    give_back(m, grad_avg)
    give_back(b, momentum_buffer)
    return 0


cpdef int rmsprop_list(list params, list grads, list square_avgs, list grad_avgs, list momentum_buffers,
        list steps, double lr, double alpha, double eps, double weight_decay, double momentum,
        bint maximize) except -1:
    """rmsprop for each parameter; grad_avgs and momentum_buffers are None or lists."""
    cdef Py_ssize_t i
    same_length(params, grads, "rmsprop_list", "grads")
    same_length(params, square_avgs, "rmsprop_list", "square_avgs")
    same_length(params, grad_avgs, "rmsprop_list", "grad_avgs")
    same_length(params, momentum_buffers, "rmsprop_list", "momentum_buffers")
    same_length(params, steps, "rmsprop_list", "steps")
    for i in range(len(params)):
        rmsprop(params[i], grads[i], square_avgs[i], None if grad_avgs is None else grad_avgs[i],
                None if momentum_buffers is None else momentum_buffers[i], lr, alpha, eps, weight_decay,
                momentum, maximize)
        count(steps[i], following(steps[i]))
    return 0


cpdef int adagrad(object param, object grad, object state_sum, double step, double lr, double lr_decay,
        double weight_decay, double eps, bint maximize) except -1:
    """Adagrad (Duchi, Hazan and Singer 2011), the step-th step, counted from 1."""
    cdef ndarray p = floating(param, "adagrad")
    p = state(param, p, "adagrad", "param")
    cdef ndarray g = matching(grad, p, "adagrad", "grad"), s = state(state_sum, p, "adagrad", "state_sum")
    cdef void *pp = pointer(p)
    cdef void *pg = pointer(g)
    cdef void *ps = pointer(s)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(p)
    cdef bint single = cnp.PyArray_TYPE(p) == cnp.NPY_FLOAT
    cdef double rate = lr / (1 + (step - 1) * lr_decay)
    cdef PyThreadState *thread = release(n)
    if single:
        adagrad_float(<float *>pp, <float *>pg, <float *>ps, n, rate, weight_decay, eps, maximize)
    else:
        adagrad_double(<double *>pp, <double *>pg, <double *>ps, n, rate, weight_decay, eps, maximize)
    regain(thread)
    give_back(p, param)
    give_back(s, state_sum)
    return 0


cpdef int adagrad_list(list params, list grads, list state_sums, list steps, double lr, double lr_decay,
        double weight_decay, double eps, bint maximize) except -1:
    """adagrad for each parameter."""
    cdef Py_ssize_t i
    cdef double step
    same_length(params, grads, "adagrad_list", "grads")
    same_length(params, state_sums, "adagrad_list", "state_sums")
    same_length(params, steps, "adagrad_list", "steps")
    for i in range(len(params)):
        step = following(steps[i])
        adagrad(params[i], grads[i], state_sums[i], step, lr, lr_decay, weight_decay, eps,
                maximize)
        count(steps[i], step)
    return 0
