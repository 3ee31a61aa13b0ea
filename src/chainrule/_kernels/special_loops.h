/* The loops of special.pyx for one real type. Included twice by special.h, with REAL and the names of that type's functions set.
   a, b and c are the function's own parameters, unused by most. */

#define MAP(name, result) \
    CLONES static void NAME(name)(const REAL *RESTRICT in, REAL *RESTRICT out, ptrdiff_t n, double a_, double b_, \
            double c_) { \
        const REAL a = (REAL)a_, b = (REAL)b_, c = (REAL)c_; \
        (void)a; (void)b; (void)c; \
        for (ptrdiff_t i = 0; i < n; i++) { const REAL x = in[i]; out[i] = (result); } \
    }

#define MAP_GRAD(name, result) \
    CLONES static void NAME(name)(const REAL *RESTRICT grad, const REAL *RESTRICT in, REAL *RESTRICT out, \
            ptrdiff_t n, double a_, double b_, double c_) { \
        const REAL a = (REAL)a_, b = (REAL)b_, c = (REAL)c_; \
        (void)a; (void)b; (void)c; \
        for (ptrdiff_t i = 0; i < n; i++) { const REAL g = grad[i], x = in[i]; out[i] = (result); } \
    }

/* sqrt(2/pi) * (x + 0.044715 x**3) is half the argument of the sigmoid that 0.5 * (1 + tanh(..)) is. */
#define TANH_ARGUMENT(x) ((REAL)1.5957691216057308 * (x) * (1 + (REAL)0.044715 * (x) * (x)))
#define TANH_SLOPE(x) ((REAL)1.5957691216057308 * (1 + (REAL)0.134145 * (x) * (x)))

INLINE REAL NAME(silu_slope)(REAL x, REAL s) { return s * (1 + x * (1 - s)); }

INLINE REAL NAME(gelu_slope)(REAL x) {
    REAL bell = VBELL(x), inside = FABS(x) > (REAL)39 ? 0 : x;
    return VNORMAL(x, bell) + inside * bell * (REAL)0.3989422804014327;
}

/* 1 - sigmoid(u) is taken as exp(-u) * sigmoid(u), which does not cancel; past 80 both ends are flat. */
INLINE REAL NAME(gelu_tanh_slope)(REAL x) {
    REAL u = TANH_ARGUMENT(x);
    x = u > 80 || u < -80 ? 0 : x;
    u = u < -80 ? -80 : u;
    REAL e = VEXP(-u), s = 1 / (1 + e);
    return s + x * (e * s * s) * TANH_SLOPE(x);
}

INLINE REAL NAME(softplus_of)(REAL x) { return (x > 0 ? x : 0) + VLOG1P_UNIT(VEXP(-FABS(x))); }

/* tanh(log(1 + e)) = n / (n + 2) with n = e * (e + 2) and e = exp(x); from x = 20 on it is 1. */
INLINE REAL NAME(tanh_softplus)(REAL x) {
    REAL e = VEXP(x > 20 ? 20 : x), n = e * (e + 2);
    return x > 20 ? 1 : n / (n + 2);
}

/* With t the tangent above, 1 - t*t is 4 (n + 1) / (n + 2)**2 and the derivative of softplus e / (1 + e). */
INLINE REAL NAME(mish_slope)(REAL x) {
    REAL e = VEXP(x > 20 ? 20 : x), n = e * (e + 2), inverse = 1 / (n + 2);
    REAL inside = x < -200 ? 0 : x;
    return x > 20 ? 1 : n * inverse + inside * (4 * e * (1 + e)) * inverse * inverse;
}

MAP(erf, VERF(x))
MAP(erfc, VERFC(x))
MAP(sigmoid, VSIGMOID(x))
MAP(log_sigmoid, -NAME(softplus_of)(-x))
MAP(softplus, x * a > b ? x : NAME(softplus_of)(x * a) / a)
MAP(gelu, x * VNORMAL(x, VBELL(x)))
MAP(gelu_tanh, x * VSIGMOID(TANH_ARGUMENT(x)))
MAP(silu, x * VSIGMOID(x))
MAP(mish, x * NAME(tanh_softplus)(x))

/* a: what scales the part below zero, b: both parts, c: the argument of the exponential. */
MAP(elu, x > 0 ? x * b : a * b * VEXPM1_NEGATIVE((x > 0 ? 0 : x) * c))

MAP_GRAD(tanh_grad, g * (1 - x * x))
MAP_GRAD(sigmoid_grad, g * ((1 - x) * x))
MAP_GRAD(log_sigmoid_grad, g * VSIGMOID(-x))
MAP_GRAD(softplus_grad, x * a > b ? g : g * VSIGMOID(x * a))
MAP_GRAD(gelu_grad, g * NAME(gelu_slope)(x))
MAP_GRAD(gelu_tanh_grad, g * NAME(gelu_tanh_slope)(x))
MAP_GRAD(silu_grad, g * NAME(silu_slope)(x, VSIGMOID(x)))
MAP_GRAD(mish_grad, g * NAME(mish_slope)(x))
MAP_GRAD(elu_grad, x > 0 ? g * b : g * (a * b * c * VEXP((x > 0 ? 0 : x) * c)))

/* Rarely used, and computed in double for both types. */
CLONES static void NAME(erfinv)(const REAL *RESTRICT in, REAL *RESTRICT out, ptrdiff_t n, double a, double b, double c) {
    (void)a; (void)b; (void)c;
    for (ptrdiff_t i = 0; i < n; i++) out[i] = (REAL)erfinv_one((double)in[i], HALLEY_STEPS);
}

static void NAME(lgamma)(const REAL *in, REAL *out, ptrdiff_t n, double a, double b, double c) {
    (void)a; (void)b; (void)c;
    for (ptrdiff_t i = 0; i < n; i++) out[i] = (REAL)lgamma((double)in[i]);
}

static void NAME(digamma)(const REAL *in, REAL *out, ptrdiff_t n, double a, double b, double c) {
    (void)a; (void)b; (void)c;
    for (ptrdiff_t i = 0; i < n; i++) out[i] = (REAL)digamma_one((double)in[i]);
}

#undef MAP
#undef MAP_GRAD
#undef TANH_ARGUMENT
#undef TANH_SLOPE
