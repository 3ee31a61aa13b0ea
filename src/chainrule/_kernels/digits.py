"""Rounding, signs and exceptional values of floats; integers and booleans pass unchanged."""

import numpy as np

from chainrule._kernels.elementwise import quiet
from chainrule._kernels.loops import broadcast_shapes, plain
from chainrule._kernels.refusal import refuse


def rounding(ufunc, name):
    """The kernel of a rounding ufunc: floats are rounded, integers copied."""

    @quiet
    def kernel(a):
        refuse(name, a, "iuf")
        return plain(ufunc(a)) if a.dtype.kind == "f" else a.copy()

    kernel.__name__ = kernel.__qualname__ = name
    return kernel


ceil = rounding(np.ceil, "ceil")
floor = rounding(np.floor, "floor")
trunc = rounding(np.trunc, "trunc")


@quiet
def round(a, decimals):
    """To the nearest, halves to even, with this many decimals (negative: tens, hundreds)."""
    refuse("round", a, "iuf" if decimals == 0 else "f")
    if a.dtype.kind != "f":
        return a.copy()
    if decimals == 0:
        return plain(np.rint(a))
    ten = np.asarray(10.0 ** abs(decimals), a.dtype)
    return plain(np.rint(a * ten) / ten if decimals > 0 else np.rint(a / ten) * ten)


@quiet
def frac(a):
    """What truncation takes away."""
    refuse("frac", a, "f")
    return plain(a - np.trunc(a))


@quiet
def nan_to_num(a, nan, posinf, neginf):
    """Numbers in place of nan and the infinities (None: the largest and the least of the dtype)."""
    if a.dtype.kind in "iub":
        return a.copy()
    return plain(np.nan_to_num(a, copy=True, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf))


@quiet
def heaviside(a, values):
    """0 below 0, 1 above, `values` at 0."""
    broadcast_shapes(a.shape, values.shape)
    if a.dtype.kind == "f":
        return plain(np.heaviside(a, values))
    return plain(np.where(a == 0, values, (a > 0).astype(a.dtype)))


def signbit(a):
    """Whether the sign is negative; -0.0 counts."""
    refuse("signbit", a, "iufb")
    return plain(a < 0) if a.dtype.kind in "iub" else plain(np.signbit(a))


@quiet
def nextafter(a, b):
    """The next number after a towards b."""
    refuse("nextafter_cpu", a, "f")
    broadcast_shapes(a.shape, b.shape)
    return plain(np.nextafter(a, b))


@quiet
def copysign(a, b):
    """|a| with the sign of b."""
    refuse("copysign_cpu", a, "f")
    broadcast_shapes(a.shape, b.shape)
    return plain(np.copysign(a, b))
