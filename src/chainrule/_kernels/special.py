"""Special functions and activations in NumPy: the plain twin of special.pyx, with the same formulas.

Each is computed in float64 and rounded once to the argument's dtype, so float32 results may differ from the
native loops in the last digits, never by more."""

import math

import numpy as np

from chainrule._kernels.dense import floating

# Chebyshev fits in increasing powers: erf(x)/x - 1 in x*x on [0, 1], and exp(a*a)*erfc(a)/t in a linear
# function of t = 3.25/(a + 3.25).
ERF_CENTRAL = (
    0.12837916709551256, -0.37612638903183543, 0.11283791670945006, -0.02686617064323777,
    0.0052239776071164225, -0.0008548325975389692,
    0.00012055294904839707, -1.492473690741966e-05, 1.6447424703317362e-06,
    -1.6208483801871705e-07, 1.3720064546777686e-08, -7.795898827002142e-10,
)  # fmt: skip
ERFCX = (
    0.3631221991569215, 0.2919871349861688, 0.19163473148148183, 0.10077720844940333, 0.04062658925037378,
    0.011209925433403352, 0.0012722930413430651, -0.00044553455015245325, -0.00020502366774649582,
    1.1168562787955906e-06, 1.9479290185058458e-05, 1.8786909617338385e-06, -1.9517789694900055e-06,
    -2.744606555173147e-07, 2.2830525045469114e-07, 2.751260838169956e-08, -2.9869220513205065e-08,
    -1.4097947805044074e-09, 3.706004853877295e-09, -1.6150713183300378e-10, -2.9828763792406513e-10,
    3.594905999469425e-11,
)  # fmt: skip
DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
ROOT_2_OVER_PI = 0.7978845608028654


def horner(coefficients, x):
    total = np.full_like(x, coefficients[-1])
    for c in coefficients[-2::-1]:
        total *= x
        total += c
    return total


def unary(formula, who):
    """The kernel of one argument that rounds formula(x in float64) to the dtype of x, in the layout of x."""

    def kernel(x):
        floating(x, who)
        with np.errstate(all="ignore"):
            return np.asarray(formula(np.asarray(x, np.float64))).astype(x.dtype)

    kernel.__name__ = kernel.__qualname__ = who
    return kernel


def slope(formula, who):
    """The kernel g, x -> g * formula(x), rounded like unary."""

    def kernel(g, x):
        floating(g, who)
        floating(x, who)
        if g.dtype != x.dtype or g.shape != x.shape:
            raise ValueError(
                f"{who}: expected g and x of one shape and dtype, "
                f"got {g.dtype}{g.shape} and {x.dtype}{x.shape}"
            )
        with np.errstate(all="ignore"):
            return np.asarray(g * formula(np.asarray(x, np.float64)), order="C").astype(x.dtype)

    kernel.__name__ = kernel.__qualname__ = who
    return kernel


def gauss(a, scale):
    """exp(-scale*a*a): the square of the upper half of a's digits is exact, the rest follows as a factor."""
    top = (a.view(np.uint64) & np.uint64(0xFFFFFFFFF8000000)).view(np.float64)
    return np.exp(-scale * top * top) * np.exp(-scale * ((a - top) * (a + top)))


def erfcx(a):
    t = 3.25 / (a + 3.25)
    return t * horner(ERFCX, t * 2.2241379310344827 - 1.2241379310344827)


def erfc_of_magnitude(x):
    a = np.asarray(np.minimum(np.abs(x), 28.0))
    return erfcx(a) * gauss(a, 1.0)


def erf_central(x):
    return horner(ERF_CENTRAL, np.minimum(x * x, 1.0)) * x + x


def erf_formula(x):
    return np.where(np.abs(x) < 1.0, erf_central(x), np.copysign(1.0 - erfc_of_magnitude(x), x))


def erfc_formula(x):
    q = erfc_of_magnitude(x)
    return np.where(np.abs(x) < 0.5, 1.0 - erf_central(x), np.where(x < 0, 2.0 - q, q))


def erfinv_formula(x):
    """A first guess (the series below 0.5, Winitzki's closed form above), then two Halley steps."""
    a = np.abs(x)
    inside = np.asarray(np.where(a < 1.0, a, 0.0))
    logarithm = np.log1p(-inside * inside)
    c = 4.330746750799873 + 0.5 * logarithm
    far = np.sqrt(np.sqrt(c * c - logarithm * 6.802721088435374) - c)
    near = inside * horner(
        (0.8862269254527580, 0.2320136665346544, 0.1275561753055979, 0.0865521292415475), inside**2
    )
    y = np.asarray(np.where(inside < 0.5, near, far))
    for _ in range(2):
        residual = np.where(inside < 0.5, erf_central(y) - inside, (1.0 - inside) - erfc_of_magnitude(y))
        d = residual / (1.1283791670955126 * gauss(y, 1.0))
        y = y - d / (1.0 + y * d)
    y = np.where(a < 1.0, y, np.where(a == 1.0, np.inf, np.nan))
    return np.copysign(y, x)


def log_gamma(x):
    """math.lgamma with the infinities it raises on."""
    if math.isinf(x) or (x <= 0 and x == math.floor(x)):
        return math.inf
    return math.lgamma(x)


def lgamma_formula(x):
    return np.array([log_gamma(v) for v in x.ravel().tolist()], np.float64).reshape(x.shape)


def digamma_formula(x):
    offset = x - np.rint(x)
    reflected = x < 0
    shift = np.where(reflected, -np.pi / np.tan(np.pi * offset), 0.0)
    y = np.where(reflected, 1.0 - x, x)
    for _ in range(10):
        low = y < 10.0
        shift = shift - np.where(low, 1.0 / y, 0.0)
        y = y + low
    z = 1.0 / (y * y)
    value = shift + np.log(y) - 0.5 / y - z * horner(DIGAMMA, z)
    value = np.where(reflected & (offset == 0), np.nan, value)
    return np.where(x == 0, np.copysign(np.inf, -x), value)


def sigmoid_formula(x):
    return 1.0 / (1.0 + np.exp(-x))


def softplus_formula(x):
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))


def normal(x):
    """The normal distribution function of x, and exp(-x*x/2)."""
    a = np.asarray(np.minimum(np.abs(x), 39.0))
    bell = gauss(a, 0.5)
    tail = 0.5 * erfcx(a * 0.7071067811865476) * bell
    return np.where(x < 0, tail, 1.0 - tail), bell


def gelu_slope(x):
    p, bell = normal(x)
    return p + np.where(np.abs(x) > 39, 0.0, x) * bell * 0.3989422804014327


def gelu_tanh_formula(x):
    return x * sigmoid_formula(2 * ROOT_2_OVER_PI * x * (1 + 0.044715 * x * x))


def gelu_tanh_slope(x):
    u = 2 * ROOT_2_OVER_PI * x * (1 + 0.044715 * x * x)
    x = np.where(np.abs(u) > 80, 0.0, x)
    e = np.exp(-np.maximum(u, -80.0))
    s = 1 / (1 + e)
    return s + x * (e * s * s) * (2 * ROOT_2_OVER_PI * (1 + 0.134145 * x * x))


def silu_slope(x):
    s = sigmoid_formula(x)
    return s * (1 + x * (1 - s))


def tanh_softplus(x):
    e = np.exp(np.minimum(x, 20.0))
    n = e * (e + 2)
    return np.where(x > 20, 1.0, n / (n + 2))


def mish_slope(x):
    e = np.exp(np.minimum(x, 20.0))
    n = e * (e + 2)
    slope_below = n / (n + 2) + np.where(x < -200, 0.0, x) * (4 * e * (1 + e)) / (n + 2) ** 2
    return np.where(x > 20, 1.0, slope_below)


erf = unary(erf_formula, "erf")
erfc = unary(erfc_formula, "erfc")
erfinv = unary(erfinv_formula, "erfinv")
lgamma = unary(lgamma_formula, "lgamma")
digamma = unary(digamma_formula, "digamma")
sigmoid = unary(sigmoid_formula, "sigmoid")
log_sigmoid = unary(lambda x: -softplus_formula(-x), "log_sigmoid")
silu = unary(lambda x: x * sigmoid_formula(x), "silu")
mish = unary(lambda x: x * tanh_softplus(x), "mish")

tanh_grad = slope(lambda out: 1 - out * out, "tanh_grad")
sigmoid_grad = slope(lambda out: (1 - out) * out, "sigmoid_grad")
log_sigmoid_grad = slope(lambda x: sigmoid_formula(-x), "log_sigmoid_grad")
silu_grad = slope(silu_slope, "silu_grad")
mish_grad = slope(mish_slope, "mish_grad")


def softplus(x, beta, threshold):
    """log(1 + exp(beta*x)) / beta; x itself where beta*x > threshold."""
    return unary(lambda v: np.where(v * beta > threshold, v, softplus_formula(v * beta) / beta), "softplus")(
        x
    )


def softplus_grad(g, x, beta, threshold):
    """g * sigmoid(beta*x); g itself where beta*x > threshold."""
    return slope(lambda v: np.where(v * beta > threshold, 1.0, sigmoid_formula(v * beta)), "softplus_grad")(
        g, x
    )


def by_tanh(approximate):
    if approximate not in ("none", "tanh"):
        raise RuntimeError(f"gelu: expected approximate to be 'none' or 'tanh', got {approximate!r}")
    return approximate == "tanh"


def gelu(x, approximate):
    """x times the normal distribution function of x; "tanh" takes Hendrycks and Gimpel's closed form."""
    formula = gelu_tanh_formula if by_tanh(approximate) else (lambda v: v * normal(v)[0])
    return unary(formula, "gelu")(x)


def gelu_grad(g, x, approximate):
    """g times gelu'(x)."""
    return slope(gelu_tanh_slope if by_tanh(approximate) else gelu_slope, "gelu_grad")(g, x)


def elu(x, alpha, scale, input_scale):
    """scale * x where x > 0, else scale * alpha * expm1(input_scale * x): ELU, SELU and CELU."""
    below = alpha * scale
    return unary(
        lambda v: np.where(v > 0, v * scale, below * np.expm1(np.minimum(v, 0.0) * input_scale)), "elu"
    )(x)


def elu_grad(g, x, alpha, scale, input_scale):
    """g times the derivative of elu at x."""
    below = alpha * scale * input_scale
    return slope(
        lambda v: np.where(v > 0, scale, below * np.exp(np.minimum(v, 0.0) * input_scale)), "elu_grad"
    )(g, x)
