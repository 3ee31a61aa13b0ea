"""Special functions: error, gamma, normal distribution and Bessel functions, sigmoid and its inverse."""

import math

from chainrule._engine.op import composite, op
from chainrule._kernels import bessel, transcendental
from chainrule._kernels import special as kernels
from chainrule._kernels.scipy_special import borrowed
from chainrule._ops.arithmetic import mul
from chainrule._ops.exponential import exp, log
from chainrule._ops.kinds import Elementwise
from chainrule._ops.selection import choose
from chainrule._ops.steady import divided, scaled

ROOT_PI = math.sqrt(math.pi)
ROOT_TWO = math.sqrt(2)


def unary(fn, floats=True):
    """The kind of a function of one real array."""
    return Elementwise(fn, tensors=1, floats=floats, no_complex=True)


sigmoid = op("sigmoid(input)", Elementwise(transcendental.sigmoid, tensors=1, floats=True),
    input=lambda g, out: g * ((1 - out) * out).conj(),
    fast=kernels.sigmoid_grad,
    doc="1 / (1 + exp(-input)).")  # fmt: skip


def logit_slope(g, input, eps):
    """1 / (x (1 - x)), and 0 where eps cuts off."""
    d = input * (1 - input)
    if eps is None:
        return divided(g, d)
    inside = (input >= eps) & (input <= 1 - eps)
    return choose(inside, g / choose(inside, d, 1), 0)


logit = op("logit(input, eps=None)", unary(transcendental.logit),
    input=logit_slope,
    doc="log(input / (1 - input)), the input first brought into [eps, 1 - eps] if eps is given.")  # fmt: skip

erf = op("erf(input)", unary(kernels.erf),
    input=lambda g, input: g * (exp(-input * input) * (2 / ROOT_PI)),
    doc="The error function 2/√π ∫ exp(-t²) dt from 0 to input.")  # fmt: skip

erfc = op("erfc(input)", unary(kernels.erfc),
    input=lambda g, input: g * (exp(-input * input) * (-2 / ROOT_PI)),
    doc="1 - erf(input), accurate for large input.")  # fmt: skip

erfinv = op("erfinv(input)", unary(kernels.erfinv),
    input=lambda g, out: scaled(g, exp(out * out) * (ROOT_PI / 2)),
    doc="The inverse of erf: ±inf at ±1, nan beyond.")  # fmt: skip

erfcx = op("erfcx(input)", unary(bessel.erfcx),
    input=lambda g, input, out: g * (2 * input * out - 2 / ROOT_PI),
    namespace="special", node="SpecialErfcxBackward0",
    doc="exp(input²) · erfc(input).")  # fmt: skip

log_ndtr = op("log_ndtr(input)", unary(bessel.log_ndtr),
    input=lambda g, input: g * (math.sqrt(2 / math.pi) / erfcx(input * (-1 / ROOT_TWO))),
    namespace="special", node="SpecialLogNdtrBackward0",
    doc="The logarithm of `ndtr`.")  # fmt: skip

ndtri = op("ndtri(input)", unary(bessel.ndtri),
    input=lambda g, out: scaled(g, exp(out * out / 2) * math.sqrt(2 * math.pi)),
    namespace="special", node="SpecialNdtriBackward0",
    doc="The inverse of `ndtr`: ∓inf at 0 and 1, nan beyond.")  # fmt: skip


@composite(namespace="special")
def ndtr(input, *, out=None):
    """The normal distribution function: the area under the bell curve to the left of input."""
    return mul(erfc(input * (-1 / ROOT_TWO)), 0.5, out=out)


lgamma = op("lgamma(input)", unary(kernels.lgamma),
    input=lambda g, input: scaled(g, digamma(input)),
    doc="log |Γ(input)|.")  # fmt: skip

digamma = op("digamma(input)", unary(kernels.digamma),
    input=lambda g, input: scaled(g, polygamma_of(input, 1)),
    doc="The derivative of log Γ.")  # fmt: skip

polygamma_of = op("polygamma(input, n)", unary(bessel.polygamma),
    input=lambda g, input, n: scaled(g, polygamma_of(input, n + 1)),
    method=False,
    doc="The n-th derivative of digamma.")  # fmt: skip


@composite(method=False)
def polygamma(n, input, *, out=None):
    """The n-th derivative of digamma(input). RuntimeError for negative n."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return digamma(input, out=out) if n == 0 else polygamma_of(input, n, out=out)


@composite(namespace="Tensor", name="polygamma")
def polygamma_method(self, n):
    """The n-th derivative of digamma."""
    return polygamma(n, self)


@composite(namespace="Tensor", name="polygamma_")
def polygamma_in_place(self, n):
    """In-place form of `polygamma`."""
    return digamma.op.inplace_function(self) if n == 0 else polygamma_of.op.call_inplace((self, n))


@composite()
def mvlgamma(input, p):
    """The logarithm of the multivariate gamma function of dimension p."""
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    total = lgamma(input)
    for j in range(1, p):
        total = total + lgamma(input - j / 2)
    return total + p * (p - 1) / 4 * math.log(math.pi)


@composite()
def mvlgamma_(input, p):
    """In-place form of `mvlgamma`."""
    return input.copy_(mvlgamma(input, p))


def bessel_slope(g, input, order, scaled):
    """(I of the order below + I of the order above) / 2; the factor exp(-|x|) adds its own part."""
    below = modified_bessel(input, order - 1 if order else 1, scaled)
    d = (below + modified_bessel(input, order + 1, scaled)) / 2
    if scaled:
        d = d - input.sign() * modified_bessel(input, order, scaled)
    return g * d


modified_bessel = op("modified_bessel(input, order, scaled)", unary(bessel.modified_bessel),
    input=bessel_slope,
    namespace="_engine", method=False, inplace=False,
    doc="The modified Bessel function of the first kind, times exp(-|input|) if scaled.")  # fmt: skip


i0 = op("i0(input)", unary(bessel.i0),
    input=lambda g, input: g * modified_bessel(input, 1, False),
    doc="The modified Bessel function of the first kind of order 0.")  # fmt: skip


@composite(namespace="special")
def i0e(input, *, out=None):
    """exp(-|input|) · i0(input)."""
    return modified_bessel(input, 0, True, out=out)


@composite(namespace="special")
def i1(input, *, out=None):
    """The modified Bessel function of the first kind of order 1."""
    return modified_bessel(input, 1, False, out=out)


@composite(namespace="special")
def i1e(input, *, out=None):
    """exp(-|input|) · i1(input)."""
    return modified_bessel(input, 1, True, out=out)


entr = op("entr(input)", unary(bessel.entr),
    input=lambda g, input: scaled(g, -log(input) - 1),
    namespace="special", node="SpecialEntrBackward0",
    doc="-input · log(input): 0 at 0, -inf for negative input.")  # fmt: skip

xlog1py = op("xlog1py(input, other)",
    Elementwise(transcendental.xlog1py, tensors=2, floats=True, no_complex=True),
    input=lambda g, input, other: scaled(g, choose((input == 0) & (other <= -1), 0, other.log1p())),
    other=lambda g, input, other: divided(g * input, other + 1),
    namespace="special", node="SpecialXlog1PyBackward0",
    doc="input · log(1 + other), 0 where input is 0 (unless other is nan).")  # fmt: skip

zeta = op("zeta(input, other)", Elementwise(bessel.zeta, tensors=2, floats=True, no_complex=True),
    other=lambda g, input, other: g * (-input * zeta(input + 1, other)),
    namespace="special", node="SpecialZetaBackward0",
    doc="Hurwitz's zeta function Σ (other + k)^(-input). Differentiable in other.")  # fmt: skip

igamma = op("igamma(input, other)",
    Elementwise(borrowed("gammainc"), tensors=2, floats=True, no_complex=True),
    other=lambda g, input, other: g * exp((input - 1) * log(other) - other - lgamma(input)),
    doc="The regularized lower incomplete gamma function. Differentiable in other; needs SciPy.")  # fmt: skip

igammac = op("igammac(input, other)",
    Elementwise(borrowed("gammaincc"), tensors=2, floats=True, no_complex=True),
    other=lambda g, input, other: g * -exp((input - 1) * log(other) - other - lgamma(input)),
    doc="The regularized upper incomplete gamma function. Differentiable in other; needs SciPy.")  # fmt: skip

bessel_j0 = op("bessel_j0(input)", unary(borrowed("j0")), namespace="special",
    doc="The Bessel function of the first kind of order 0. No derivative; needs SciPy.")  # fmt: skip
bessel_j1 = op("bessel_j1(input)", unary(borrowed("j1")), namespace="special",
    doc="The Bessel function of the first kind of order 1. No derivative; needs SciPy.")  # fmt: skip
bessel_y0 = op("bessel_y0(input)", unary(borrowed("y0")), namespace="special",
    doc="The Bessel function of the second kind of order 0. No derivative; needs SciPy.")  # fmt: skip
bessel_y1 = op("bessel_y1(input)", unary(borrowed("y1")), namespace="special",
    doc="The Bessel function of the second kind of order 1. No derivative; needs SciPy.")  # fmt: skip

modified_bessel_k0 = op("modified_bessel_k0(input)", unary(borrowed("k0")), namespace="special",
    doc="The modified Bessel function of the second kind of order 0. No derivative; needs SciPy.")  # fmt: skip
modified_bessel_k1 = op("modified_bessel_k1(input)", unary(borrowed("k1")), namespace="special",
    doc="The modified Bessel function of the second kind of order 1. No derivative; needs SciPy.")  # fmt: skip
