# distutils: extra_compile_args = -fno-math-errno -fno-trapping-math
"""Special functions and activations over float32 and float64 arrays of any layout, and their derivatives.

`f(x)` gives an array like x; `f_grad(g,
        x)` gives g times the derivative at x (of tanh and sigmoid: from the result).
The loops are in special.h; the plain twin is special.py. Nothing here broadcasts."""

cimport numpy as cnp
from numpy cimport ndarray

from chainrule._kernels.dense cimport PyThreadState, one_segment, regain, release, row_major, same_layout

cnp.import_array()

ctypedef void (*map_float)(const float *x, float *out, Py_ssize_t n, double a, double b,
        double c) noexcept nogil
ctypedef void (*map_double)(const double *x, double *out, Py_ssize_t n, double a, double b,
        double c) noexcept nogil
ctypedef void (*grad_float)(const float *g, const float *x, float *out, Py_ssize_t n, double a, double b,
        double c) noexcept nogil
ctypedef void (*grad_double)(const double *g, const double *x, double *out, Py_ssize_t n, double a,
        double b, double c) noexcept nogil

cdef extern from "special.h":
    void erf_float(const float *x, float *out, Py_ssize_t n, double a, double b, double c) noexcept nogil
    void erf_double(const double *x, double *out, Py_ssize_t n, double a, double b, double c) noexcept nogil
    void erfc_float(const float *x, float *out, Py_ssize_t n, double a, double b, double c) noexcept nogil
    void erfc_double(const double *x, double *out, Py_ssize_t n, double a, double b, double c) noexcept nogil
    void erfinv_float(const float *x, float *out, Py_ssize_t n, double a, double b, double c) noexcept nogil
    void erfinv_double(const double *x, double *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void lgamma_float(const float *x, float *out, Py_ssize_t n, double a, double b, double c) noexcept nogil
    void lgamma_double(const double *x, double *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void digamma_float(const float *x, float *out, Py_ssize_t n, double a, double b, double c) noexcept nogil
    void digamma_double(const double *x, double *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void sigmoid_float(const float *x, float *out, Py_ssize_t n, double a, double b, double c) noexcept nogil
    void sigmoid_double(const double *x, double *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void log_sigmoid_float(const float *x, float *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void log_sigmoid_double(const double *x, double *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void softplus_float(const float *x, float *out, Py_ssize_t n, double a, double b, double c) noexcept nogil
    void softplus_double(const double *x, double *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void gelu_float(const float *x, float *out, Py_ssize_t n, double a, double b, double c) noexcept nogil
    void gelu_double(const double *x, double *out, Py_ssize_t n, double a, double b, double c) noexcept nogil
    void gelu_tanh_float(const float *x, float *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void gelu_tanh_double(const double *x, double *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void silu_float(const float *x, float *out, Py_ssize_t n, double a, double b, double c) noexcept nogil
    void silu_double(const double *x, double *out, Py_ssize_t n, double a, double b, double c) noexcept nogil
    void mish_float(const float *x, float *out, Py_ssize_t n, double a, double b, double c) noexcept nogil
    void mish_double(const double *x, double *out, Py_ssize_t n, double a, double b, double c) noexcept nogil
    void elu_float(const float *x, float *out, Py_ssize_t n, double a, double b, double c) noexcept nogil
    void elu_double(const double *x, double *out, Py_ssize_t n, double a, double b, double c) noexcept nogil
    void tanh_grad_float(const float *g, const float *x, float *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void tanh_grad_double(const double *g, const double *x, double *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void sigmoid_grad_float(const float *g, const float *x, float *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void sigmoid_grad_double(const double *g, const double *x, double *out, Py_ssize_t n, double a,
            double b, double c) noexcept nogil
    void log_sigmoid_grad_float(const float *g, const float *x, float *out, Py_ssize_t n, double a,
            double b, double c) noexcept nogil
    void log_sigmoid_grad_double(const double *g, const double *x, double *out, Py_ssize_t n, double a,
            double b, double c) noexcept nogil
    void softplus_grad_float(const float *g, const float *x, float *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void softplus_grad_double(const double *g, const double *x, double *out, Py_ssize_t n, double a,
            double b, double c) noexcept nogil
    void gelu_grad_float(const float *g, const float *x, float *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void gelu_grad_double(const double *g, const double *x, double *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void gelu_tanh_grad_float(const float *g, const float *x, float *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void gelu_tanh_grad_double(const double *g, const double *x, double *out, Py_ssize_t n, double a,
            double b, double c) noexcept nogil
    void silu_grad_float(const float *g, const float *x, float *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void silu_grad_double(const double *g, const double *x, double *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void mish_grad_float(const float *g, const float *x, float *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void mish_grad_double(const double *g, const double *x, double *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void elu_grad_float(const float *g, const float *x, float *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil
    void elu_grad_double(const double *g, const double *x, double *out, Py_ssize_t n, double a, double b,
            double c) noexcept nogil


cdef ndarray apply(object x, map_float narrow, map_double wide, double a, double b, double c, str who):
    cdef ndarray source = one_segment(x, who), out = same_layout(source)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(source)
    cdef void *p = cnp.PyArray_DATA(source)
    cdef void *q = cnp.PyArray_DATA(out)
    cdef bint single = cnp.PyArray_TYPE(source) == cnp.NPY_FLOAT
    cdef PyThreadState *state = release(n)
    if single:
        narrow(<float *>p, <float *>q, n, a, b, c)
    else:
        wide(<double *>p, <double *>q, n, a, b, c)
    regain(state)
    return out


cdef ndarray apply_grad(object g, object x, grad_float narrow, grad_double wide, double a, double b,
        double c, str who):
    cdef ndarray left = row_major(g, who), right = row_major(x, who)
    if cnp.PyArray_TYPE(left) != cnp.PyArray_TYPE(right) or not cnp.PyArray_SAMESHAPE(left, right):
        raise ValueError(f"{who}: expected g and x of one shape and dtype, "
                f"got {g.dtype}{g.shape} and {x.dtype}{x.shape}")
    cdef ndarray out = same_layout(right)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(right)
    cdef void *o = cnp.PyArray_DATA(left)
    cdef void *p = cnp.PyArray_DATA(right)
    cdef void *q = cnp.PyArray_DATA(out)
    cdef bint single = cnp.PyArray_TYPE(right) == cnp.NPY_FLOAT
    cdef PyThreadState *state = release(n)
    if single:
        narrow(<float *>o, <float *>p, <float *>q, n, a, b, c)
    else:
        wide(<double *>o, <double *>p, <double *>q, n, a, b, c)
    regain(state)
    return out


cdef bint by_tanh(str approximate) except -1:
    if approximate == "tanh":
        return True
    if approximate == "none":
        return False
    raise RuntimeError(f"gelu: expected approximate to be 'none' or 'tanh', got {approximate!r}")



cpdef ndarray erf(object x):
    """2/sqrt(pi) times the integral of exp(-t*t) from 0 to x."""
    return apply(x, erf_float, erf_double, 0, 0, 0, "erf")


cpdef ndarray erfc(object x):
    """1 - erf(x), accurate where that is tiny."""
    return apply(x, erfc_float, erfc_double, 0, 0, 0, "erfc")


cpdef ndarray erfinv(object x):
    """The y with erf(y) = x; infinite at -1 and 1, nan outside."""
    return apply(x, erfinv_float, erfinv_double, 0, 0, 0, "erfinv")


cpdef ndarray lgamma(object x):
    """log |gamma(x)|; inf at the poles."""
    return apply(x, lgamma_float, lgamma_double, 0, 0, 0, "lgamma")


cpdef ndarray digamma(object x):
    """Derivative of lgamma; nan at negative integers, -inf at 0 and inf at -0."""
    return apply(x, digamma_float, digamma_double, 0, 0, 0, "digamma")


cpdef ndarray sigmoid(object x):
    """1 / (1 + exp(-x))."""
    return apply(x, sigmoid_float, sigmoid_double, 0, 0, 0, "sigmoid")


cpdef ndarray log_sigmoid(object x):
    """log(sigmoid(x)), without overflow or cancellation."""
    return apply(x, log_sigmoid_float, log_sigmoid_double, 0, 0, 0, "log_sigmoid")


cpdef ndarray silu(object x):
    """x * sigmoid(x)."""
    return apply(x, silu_float, silu_double, 0, 0, 0, "silu")


cpdef ndarray mish(object x):
    """x * tanh(softplus(x))."""
    return apply(x, mish_float, mish_double, 0, 0, 0, "mish")


cpdef ndarray softplus(object x, double beta, double threshold):
    """log(1 + exp(beta*x)) / beta; x itself where beta*x > threshold."""
    return apply(x, softplus_float, softplus_double, beta, threshold, 0, "softplus")


cpdef ndarray gelu(object x, str approximate):
    """x times the normal distribution function of x; "tanh" takes Hendrycks and Gimpel's closed form."""
    if by_tanh(approximate):
        return apply(x, gelu_tanh_float, gelu_tanh_double, 0, 0, 0, "gelu")
    return apply(x, gelu_float, gelu_double, 0, 0, 0, "gelu")


cpdef ndarray elu(object x, double alpha, double scale, double input_scale):
    """scale * x where x > 0, else scale * alpha * expm1(input_scale * x): ELU, SELU and CELU."""
    return apply(x, elu_float, elu_double, alpha, scale, input_scale, "elu")


cpdef ndarray tanh_grad(object g, object out):
    """g * (1 - out*out)."""
    return apply_grad(g, out, tanh_grad_float, tanh_grad_double, 0, 0, 0, "tanh_grad")


cpdef ndarray sigmoid_grad(object g, object out):
    """g * out * (1 - out)."""
    return apply_grad(g, out, sigmoid_grad_float, sigmoid_grad_double, 0, 0, 0, "sigmoid_grad")


cpdef ndarray log_sigmoid_grad(object g, object x):
    """g * sigmoid(-x)."""
    return apply_grad(g, x, log_sigmoid_grad_float, log_sigmoid_grad_double, 0, 0, 0, "log_sigmoid_grad")


cpdef ndarray silu_grad(object g, object x):
    """g times silu'(x)."""
    return apply_grad(g, x, silu_grad_float, silu_grad_double, 0, 0, 0, "silu_grad")


cpdef ndarray mish_grad(object g, object x):
    """g times mish'(x)."""
    return apply_grad(g, x, mish_grad_float, mish_grad_double, 0, 0, 0, "mish_grad")


cpdef ndarray softplus_grad(object g, object x, double beta, double threshold):
    """g * sigmoid(beta*x); g itself where beta*x > threshold."""
    return apply_grad(g, x, softplus_grad_float, softplus_grad_double, beta, threshold, 0, "softplus_grad")


cpdef ndarray gelu_grad(object g, object x, str approximate):
    """g times gelu'(x)."""
    if by_tanh(approximate):
        return apply_grad(g, x, gelu_tanh_grad_float, gelu_tanh_grad_double, 0, 0, 0, "gelu_grad")
    return apply_grad(g, x, gelu_grad_float, gelu_grad_double, 0, 0, 0, "gelu_grad")


cpdef ndarray elu_grad(object g, object x, double alpha, double scale, double input_scale):
    """g times the derivative of elu at x."""
    return apply_grad(g, x, elu_grad_float, elu_grad_double, alpha, scale, input_scale, "elu_grad")
