"""Formulas with exponentials, logarithms and angles that are no single NumPy ufunc.

Arrays in (float32, float64, complex), fresh arrays of their dtype out.
"""

import numpy as np

from chainrule._kernels import special
from chainrule._kernels.elementwise import quiet
from chainrule._kernels.loops import broadcast_shapes, plain
from chainrule._kernels.refusal import refuse

NODES, WEIGHTS = np.polynomial.legendre.leggauss(32)


@quiet
def exp2(a):
    """2 to the a."""
    return plain(np.exp(a * np.log(2)).astype(a.dtype) if a.dtype.kind == "c" else np.exp2(a))


@quiet
def logaddexp(a, b):
    """log(exp a + exp b)."""
    refuse("logaddexp_cpu", a, "fc")
    broadcast_shapes(a.shape, b.shape)
    if a.dtype.kind != "c":
        return plain(np.logaddexp(a, b))
    a, b = np.where(a.real >= b.real, a, b), np.where(a.real >= b.real, b, a)
    both = a == b
    difference = np.where(both, 0, b - a)
    return plain(a + np.log1p(np.exp(difference)))


@quiet
def logaddexp2(a, b):
    """log2(2**a + 2**b)."""
    refuse("logaddexp2_cpu", a, "f")
    broadcast_shapes(a.shape, b.shape)
    return plain(np.logaddexp2(a, b))


@quiet
def hypot(a, b):
    """√(a² + b²) without overflow."""
    refuse("hypot_cpu", a, "f")
    broadcast_shapes(a.shape, b.shape)
    return plain(np.hypot(a, b))


@quiet
def xlogy(a, b):
    """a·log b, 0 where a is 0 unless b is nan."""
    broadcast_shapes(a.shape, b.shape)
    out = plain(a * np.log(b))
    np.copyto(out, 0, where=(a == 0) & ~np.isnan(b))
    return out


@quiet
def xlog1py(a, b):
    """a·log(1 + b), 0 where a is 0 unless b is nan."""
    broadcast_shapes(a.shape, b.shape)
    out = plain(a * np.log1p(b))
    np.copyto(out, 0, where=(a == 0) & ~np.isnan(b))
    return out


@quiet
def sigmoid(a):
    """1 / (1 + exp(-a))."""
    if a.dtype.kind == "f":
        return special.sigmoid(a)
    return plain(1 / (1 + np.exp(-a)))


@quiet
def logit(a, eps):
    """log(a / (1 - a)), a first brought into [eps, 1 - eps]."""
    if eps is not None:
        a = np.where(
            a < eps, np.asarray(eps, a.dtype), np.where(a > 1 - eps, np.asarray(1 - eps, a.dtype), a)
        )
    return plain(np.log(a / (1 - a)))


@quiet
def sinc_derivative(a, order):
    """The derivative of this order (0: the value) of sin(πa)/(πa).

    With f(t) = sin(t)/t: t·fₙ + n·fₙ₋₁ = sin(t + nπ/2) for large t; fₙ(t) = ∫₀¹ sⁿ cos(ts + nπ/2) ds near 0.
    """
    t = a.astype(np.complex128 if a.dtype.kind == "c" else np.float64) * np.pi
    small = np.abs(t) < 2 * order + 2
    near = np.where(small, t, 0)
    integral = np.zeros_like(t)
    wave, sign = (np.cos, 1 - order % 4) if order % 2 == 0 else (np.sin, order % 4 - 2)
    for node, weight in zip(NODES, WEIGHTS, strict=True):
        s = (node + 1) / 2
        integral += sign * weight / 2 * s**order * wave(near * s)
    far = np.where(small, 1, t)
    value = np.sin(far) / far
    for n in range(1, order + 1):
        value = (shifted_sine(far, n) - n * value) / far
    return plain((np.where(small, integral, value) * np.pi**order).astype(a.dtype))


def shifted_sine(t, quarters):
    """sin(t + quarters·π/2)."""
    return (np.sin(t), np.cos(t), -np.sin(t), -np.cos(t))[quarters % 4]


@quiet
def angle(a):
    """The argument of complex numbers; of real ones 0, or π where negative."""
    if a.dtype.kind == "c":
        return plain(np.angle(a))
    return plain(np.where(np.isnan(a), a, np.where(a < 0, np.pi, 0)).astype(a.dtype))


@quiet
def polar(size, angle):
    """size · exp(i·angle)."""
    broadcast_shapes(size.shape, angle.shape)
    return complex_from(plain(size * np.cos(angle)), plain(size * np.sin(angle)))


def complex_from(real, imag):
    """real + i·imag, of the parts as they are."""
    shape = broadcast_shapes(real.shape, imag.shape)
    out = np.empty(shape, np.complex128 if real.dtype == np.float64 else np.complex64)
    out.real, out.imag = real, imag
    return out
