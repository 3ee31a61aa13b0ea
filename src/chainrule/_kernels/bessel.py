"""Modified Bessel functions, Hurwitz's zeta function and polygamma, functions of the normal distribution.

Computed in float64 and rounded once to the argument's dtype.
"""

import math

import numpy as np

from chainrule._kernels import special
from chainrule._kernels.elementwise import quiet
from chainrule._kernels.loops import broadcast_shapes, plain

BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
FARTHEST = -1e4  # sums from below this would take too many steps; the result is nan
ROOT_HALF = math.sqrt(0.5)


@quiet
def modified_bessel(x, order, scaled):
    """I_order(x), times exp(-|x|) if scaled.

    The power series up to 25, Hankel's asymptotic series beyond (DLMF 10.25.2 and 10.40.1)."""
    wide = np.abs(np.asarray(x, np.float64))
    near = np.minimum(wide, 25.0)
    term = (near / 2) ** order / math.factorial(order)
    total = np.array(term)
    for k in range(1, 70):
        term = term * (near * near / 4) / (k * (k + order))
        total = total + term
    far = np.maximum(wide, 25.0)
    tail = series = np.ones_like(far)
    for k in range(1, 30):
        tail = tail * ((2 * k - 1) ** 2 - 4 * order * order) / (8 * k * far)
        series = series + tail
    series = series / np.sqrt(2 * np.pi * far)
    small = wide <= 25.0
    value = np.where(
        small, total * np.exp(-near) if scaled else total, series if scaled else series * np.exp(far)
    )
    value = np.where(np.isinf(wide), 0.0 if scaled else np.inf, value)
    return plain((np.where(x < 0, -value, value) if order % 2 else value).astype(x.dtype))


def i0(x):
    """I₀(x)."""
    return modified_bessel(x, 0, False)


@quiet
def hurwitz_zeta(s, q):
    """Σ (q + k)⁻ˢ over k ≥ 0, by Euler and Maclaurin's formula from 10 on; for negative q, s is an integer."""
    s, q = np.broadcast_arrays(np.asarray(s, np.float64), np.asarray(q, np.float64))
    total = np.zeros(q.shape)
    at = np.where(q > FARTHEST, q, np.nan)
    while (low := at < 10.0).any():
        total = total + np.where(low, at**-s, 0.0)
        at = np.where(low, at + 1.0, at)
    total = total + at ** (1 - s) / (s - 1) + at**-s / 2
    factor = s * at ** (-s - 1)
    for j, b in enumerate(BERNOULLI):
        total = total + b / math.factorial(2 * j + 2) * factor
        factor = factor * (s + 2 * j + 1) * (s + 2 * j + 2) / (at * at)
    return total


@quiet
def zeta(s, q):
    """Hurwitz's zeta function: inf at s = 1 and at poles, nan for s < 1 and for powers of negative numbers."""
    broadcast_shapes(s.shape, q.shape)
    value = hurwitz_zeta(np.where(s > 1, s, 2.0), q)
    pole = (q <= 0) & (q == np.floor(q))
    value = np.where((q <= 0) & (s != np.floor(s)), np.nan, value)
    value = np.where(pole, np.inf, value)
    return plain(np.where(s == 1, np.inf, np.where(s > 1, value, np.nan)).astype(s.dtype))


@quiet
def polygamma(x, n):
    """The n-th derivative of digamma, n ≥ 1: (-1)ⁿ⁺¹ n! ζ(n + 1, x)."""
    pole = (x <= 0) & (x == np.floor(x))
    value = hurwitz_zeta(n + 1.0, np.where(pole, 1.0, x)) * math.factorial(n)
    return plain((np.where(pole, np.inf, value) * (1 if n % 2 else -1)).astype(x.dtype))


@quiet
def erfcx(x):
    """exp(x²)·erfc(x), from 3 on by the continued fraction (DLMF 7.9.1)."""
    wide = np.asarray(x, np.float64)
    near = np.asarray(np.minimum(wide, 3.0))
    far = np.maximum(wide, 3.0)
    fraction = far
    for k in range(100, 0, -1):
        fraction = far + (k / 2) / fraction
    value = np.where(wide < 3, np.exp(near * near) * special.erfc(near), 1 / (math.sqrt(math.pi) * fraction))
    return plain(value.astype(x.dtype))


@quiet
def log_ndtr(x):
    """The logarithm of the normal distribution function."""
    wide = np.asarray(x, np.float64)
    low = np.asarray(np.minimum(wide, -1.0))
    tail = np.log(erfcx(np.asarray(-low * ROOT_HALF)) / 2) - low * low / 2
    rest = np.log1p(-special.erfc(np.asarray(np.maximum(wide, -1.0) * ROOT_HALF)) / 2)
    return plain(np.where(wide < -1, tail, rest).astype(x.dtype))


@quiet
def ndtri(p):
    """The inverse of the normal distribution function, by Newton's method on its logarithm."""
    wide = np.asarray(p, np.float64)
    q = np.minimum(wide, 1 - wide)
    inside = np.asarray(np.where((q > 0) & (q < 0.5), q, 0.25))
    y = -np.sqrt(-2 * np.log(inside))
    y = np.asarray(np.where(inside > 0.1, math.sqrt(2) * special.erfinv(np.asarray(2 * inside - 1)), y))
    for _ in range(8):
        slope = math.sqrt(2 / math.pi) / erfcx(np.asarray(-y * ROOT_HALF))
        y = np.asarray(y - (log_ndtr(y) - np.log(inside)) / slope)
    y = np.where(q == 0, -np.inf, np.where(q == 0.5, 0.0, np.where(q > 0, y, np.nan)))
    return plain(np.where(wide > 0.5, -y, y).astype(p.dtype))


@quiet
def entr(x):
    """-x·log x: 0 at 0, -inf below."""
    return plain(np.where(x == 0, 0, np.where(x < 0, -np.inf, -x * np.log(x))).astype(x.dtype))
