"""Element-wise formulas that are no single NumPy ufunc: powers, quotients, remainders, signs, clamps.

Arrays in, fresh arrays out, operands broadcast by NumPy. What is one ufunc the op table names directly.
"""

import numpy as np

from chainrule._kernels.loops import Ufunc, all_finite, broadcast_shapes, plain
from chainrule._kernels.refusal import refuse

addition, multiplication, division = Ufunc(np.add), Ufunc(np.multiply), Ufunc(np.true_divide)
negation = Ufunc(np.negative)
quiet = np.errstate(all="ignore")


def steady_product(g, d):
    """g·d, but zero where g is exactly zero, whatever d is there."""
    out = multiplication.call2(plain(g), plain(d))
    if not all_finite(out):
        np.copyto(out, 0, where=(g == 0) & ~np.isfinite(d))
    return out


class SteadyProduct(Ufunc):
    """steady_product in the place of a ufunc: the fast form of rules `g · saved` whose saved value may be singular."""

    def call2(self, a, b):
        return steady_product(a, b)


class SteadyQuotient(Ufunc):
    """steady_quotient in the place of a ufunc."""

    def call2(self, a, b):
        return steady_quotient(a, b)


def check_division(name, a, b):
    """The shapes must fit; booleans are refused, and integers divided by zero are an error."""
    broadcast_shapes(a.shape, b.shape)
    refuse(name, a, "iuf")
    if b.dtype.kind in "iu" and a.size and not b.all():
        raise RuntimeError("ZeroDivisionError")


@quiet
def floor_divide(a, b):
    """The quotient rounded down."""
    check_division("div_floor_cpu", a, b)
    return plain(np.floor_divide(a, b))


@quiet
def trunc_divide(a, b):
    """The quotient rounded towards zero."""
    check_division("div_trunc_cpu", a, b)
    if a.dtype.kind in "iu":
        down = np.floor_divide(a, b)
        return plain(down + ((down < 0) & (down * b != a)).astype(a.dtype))
    return plain(np.trunc(a / b))


@quiet
def remainder(a, b):
    """a - b·floor(a/b): has the sign of b."""
    check_division("remainder_cpu", a, b)
    return plain(np.remainder(a, b))


@quiet
def fmod(a, b):
    """a - b·trunc(a/b): has the sign of a."""
    check_division("fmod_cpu", a, b)
    return plain(np.fmod(a, b))


@quiet
def power(a, b):
    """a to the b. Integers to negative powers are 1/a rounded towards zero: 1, -1 or 0."""
    broadcast_shapes(a.shape, b.shape)
    refuse("pow", a, "iufc")
    if a.dtype.kind != "i" or not (b < 0).any():
        return plain(np.power(a, b))
    out = plain(np.power(a, np.where(b < 0, 0, b)))
    unit = np.where(a == 1, 1, np.where(a == -1, np.where(b % 2 == 0, 1, -1), 0))
    np.copyto(out, unit.astype(a.dtype), where=b < 0)
    return out


@quiet
def power_of_number(a, exponent):
    """a to a number, small ones by products and roots."""
    if exponent == 2:
        return plain(a * a)
    if exponent == 3:
        return plain(a * a * a)
    if a.dtype.kind in "iu":
        return plain(np.power(a, np.asarray(exponent, a.dtype)))
    if exponent == 1:
        return a.copy()
    if exponent == 0.5:
        return plain(np.sqrt(a))
    if exponent == -0.5:
        return plain(1 / np.sqrt(a))
    if exponent == -1:
        return plain(1 / a)
    if exponent == -2:
        return plain(1 / (a * a))
    return plain(np.power(a, np.asarray(exponent, a.dtype)))


@quiet
def rsqrt(a):
    """1/√a."""
    return plain(1 / np.sqrt(a))


def conjugate(a):
    """The complex conjugate; of real numbers a copy."""
    return plain(np.conjugate(a)) if a.dtype.kind == "c" else a.copy()


def sign_of_real(a):
    """-1, 0 or 1; complex numbers are refused."""
    if a.dtype.kind == "c":
        raise NotImplementedError("sign: complex numbers have no order; sgn gives z / |z|")
    return sign(a)


@quiet
def sign(a):
    """-1, 0 or 1, 0 for nan (complex: z / |z|); of booleans the value itself."""
    if a.dtype.kind == "b":
        return a.copy()
    out = plain(np.sign(a))
    if a.dtype.kind == "f":
        out[out != out] = 0
    return out


def where(condition, a, b):
    """a where the condition holds, b elsewhere."""
    broadcast_shapes(condition.shape, broadcast_shapes(a.shape, b.shape))
    return plain(np.where(condition, a, b))


@quiet
def clamp(a, low, high):
    """a between the bounds, either of which may be None; the upper one goes before a lower one above it."""
    refuse("clamp_cpu", a, "iuf")
    if low is None:
        broadcast_shapes(a.shape, high.shape)
        return plain(np.minimum(a, high))
    broadcast_shapes(a.shape, low.shape)
    out = np.maximum(a, low)
    if high is None:
        return plain(out)
    broadcast_shapes(out.shape, high.shape)
    return plain(np.minimum(out, high))


def steady_quotient(g, x):
    """g/x, but zero where g is exactly zero, whatever x is there."""
    out = division.call2(g, x)
    if not all_finite(out):
        np.copyto(out, 0, where=(g == 0) & ((x == 0) | np.isnan(x)))
    return out


def isposinf(a):
    """Whether an element is +inf."""
    return plain(a == np.inf) if a.dtype.kind == "f" else np.zeros(a.shape, bool)


def isneginf(a):
    """Whether an element is -inf."""
    return plain(a == -np.inf) if a.dtype.kind == "f" else np.zeros(a.shape, bool)


@quiet
def isclose(a, b, rtol, atol, equal_nan):
    """|a - b| ≤ atol + rtol·|b|, or equal; nan with nan only if asked."""
    broadcast_shapes(a.shape, b.shape)
    if a.dtype.kind in "iub":
        a, b = a.astype(np.float64), b.astype(np.float64)
    size = np.abs(a - b)
    close = (a == b) | (np.isfinite(size) & (size <= atol + np.abs(rtol * b)))
    return plain(close | (np.isnan(a) & np.isnan(b)) if equal_nan else close)


@quiet
def addcmul(a, b, c, value):
    """a + value·b·c."""
    refuse("addcmul_cpu_out", a, "iufc")
    broadcast_shapes(a.shape, broadcast_shapes(b.shape, c.shape))
    return plain(a + b * c if value == 1 else a + np.asarray(value).astype(a.dtype) * b * c)


@quiet
def addcdiv(a, b, c, value):
    """a + value·b/c; integers are refused."""
    if a.dtype.kind not in "fc":
        raise RuntimeError(
            "addcdiv does not divide integers: give float tensors, or trunc(tensor1 / tensor2) yourself"
        )
    broadcast_shapes(a.shape, broadcast_shapes(b.shape, c.shape))
    return plain(a + np.asarray(value).astype(a.dtype) * b / c)


@quiet
def lerp(a, b, weight):
    """a + weight·(b - a), taken from the nearer end so that both are met exactly."""
    weight = np.asarray(weight).astype(a.dtype)
    broadcast_shapes(a.shape, broadcast_shapes(b.shape, weight.shape))
    way = b - a
    if weight.ndim == 0:
        return plain(a + weight * way if abs(weight) < 0.5 else b - way * (1 - weight))
    return plain(np.where(np.abs(weight) < 0.5, a + weight * way, b - way * (1 - weight)))


def masked_fill(a, mask, value):
    """a, but `value` where the mask is true."""
    broadcast_shapes(a.shape, mask.shape)
    return plain(np.where(mask, value, a))


def common(ufunc):
    """The kernel of a ufunc of two integer arrays."""

    def kernel(a, b):
        refuse(f"{ufunc.__name__}_cpu", a, "iu")
        broadcast_shapes(a.shape, b.shape)
        return plain(ufunc(a, b))

    kernel.__name__ = kernel.__qualname__ = ufunc.__name__
    return kernel


gcd = common(np.gcd)
lcm = common(np.lcm)
