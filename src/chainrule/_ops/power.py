"""Powers and roots.

`**` chooses between three entries: a tensor to a number (the common powers by products and roots), a number
to a tensor, a tensor to a tensor.
"""

import numpy as np

from chainrule._core import dtype as _dtype
from chainrule._engine.node import Function
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import Tensor, get_slots
from chainrule._kernels import elementwise as kernels
from chainrule._kernels import slopes
from chainrule._kernels.casting import cast, compute_type
from chainrule._ops.arithmetic import mul
from chainrule._ops.foundation import to_dtype, zero
from chainrule._ops.kinds import Elementwise, check_tensor, is_number, result_type, write_result
from chainrule._ops.selection import choose
from chainrule._ops.steady import scaled

slots = get_slots()

squared = op("square(input)", Elementwise(np.square),
    input=lambda g, input: g * (input * 2).conj(),
    fast=slopes.square_grad,
    node="PowBackward0", method=False,
    doc="input · input.")  # fmt: skip

sqrt = op("sqrt(input)", Elementwise(np.sqrt, floats=True),
    input=lambda g, out: scaled(g, 0.5 / out.conj()),
    fast=slopes.sqrt_grad,
    doc="The square root; nan for negative numbers.")  # fmt: skip

rsqrt = op("rsqrt(input)", Elementwise(kernels.rsqrt, tensors=1, floats=True),
    input=lambda g, out: scaled(g, -0.5 * (out * out * out).conj()),
    fast=slopes.rsqrt_grad,
    doc="1 / √input.")  # fmt: skip

reciprocal = op("reciprocal(input)", Elementwise(np.reciprocal, floats=True),
    input=lambda g, out: scaled(-g, (out * out).conj()),
    fast=slopes.reciprocal_grad,
    doc="1 / input.")  # fmt: skip


class NumberPower:
    """A tensor to the power of a Python number."""

    is_view = False
    ufunc = None
    direct_from = 0
    n_outputs = 1
    residuals = ""
    with_inplace = True
    with_out = True

    def forward(self, op, args):
        t = check_tensor(op, "input", args[0])
        exponent = args[1]
        d = result_type((t, exponent))
        if d.category == _dtype.BOOL:
            raise NotImplementedError("\"pow\" not implemented for 'Bool'")
        if d.category == _dtype.INTEGRAL and exponent < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        result = kernels.power_of_number(cast(t.array, compute_type(d)), exponent)
        return cast(result, d) if d.is_half else result

    def write(self, op, args, target):
        write_result(op, target, self.forward(op, args))
        return ()


def power_slope(g, input, exponent):
    """n · xⁿ⁻¹; nothing for the zeroth power."""
    if exponent == 0:
        return zero(g)
    if exponent == 1:
        return g
    d = (input ** (exponent - 1) * exponent).conj()
    return scaled(g, d) if isinstance(exponent, complex) or exponent < 1 else g * d


power_of_number = op("pow_number(input, exponent)", NumberPower(),
    input=power_slope,
    fast=slopes.power_grad,
    public="pow", node="PowBackward0", method=False,
    doc="input to the power of a number.")  # fmt: skip


def base_slope(g, input, exponent):
    """b · aᵇ⁻¹, which is 0 for b = 0 whatever a is."""
    return scaled(g, choose(exponent == 0, 0, exponent * power(input, exponent - 1)).conj())


def exponent_slope(g, input, exponent, out):
    """aᵇ · log a, which is 0 for a = 0 and b ≥ 0."""
    powers_of_zero = input == 0
    positive = exponent.real >= 0 if exponent.meta.dtype.is_complex else exponent >= 0
    return scaled(g, choose(powers_of_zero & positive, 0, out * input.log()).conj())


power = op("pow(input, exponent)", Elementwise(kernels.power, tensors=2),
    input=base_slope,
    exponent=exponent_slope,
    node="PowBackward1", method=False,
    doc="input to the power of exponent.")  # fmt: skip

number_to_power = op("number_pow(input, exponent)", Elementwise(kernels.power, tensors=2),
    exponent=exponent_slope,
    public="pow", node="PowBackward2", method=False, inplace=False,
    doc="A number to the power of a tensor.")  # fmt: skip


class Power(Function):
    """`**`: chooses the entry by which side is a number."""

    def __init__(self):
        self.name = "PowBackward1"

    def call2(self, x, y):
        if not is_number(y):
            return power.op.call2(x, y)
        kind = type(y)
        if y == 2 and not x.override and (kind is int or kind is float):
            if x.meta.dtype.category >= (_dtype.INTEGRAL if kind is int else _dtype.FLOATING):
                return squared.op.call1(x)
        return power_of_number(x, y)

    def rcall2(self, x, y):
        return number_to_power(y, x) if is_number(y) else power.op.call2(y, x)

    def inplace2(self, x, y):
        entry = power_of_number if is_number(y) else power
        return entry.op.call_inplace((x, y))


@composite()
def pow(input, exponent, *, out=None):
    """input to the power of exponent: two tensors, or one and a number.

    Integers to a negative number: RuntimeError. The slope of a⁰ is 0 for every a, that of 0ᵇ by b for b ≥ 0.
    """
    if isinstance(exponent, Tensor):
        entry = power if isinstance(input, Tensor) else number_to_power
    elif out is None and isinstance(input, Tensor):
        return slots.pow.call2(input, exponent)
    else:
        entry = power_of_number
    return entry(input, exponent, out=out)


@composite()
def square(input, *, out=None):
    """input · input; booleans as integers."""
    if out is None and isinstance(input, Tensor) and input.meta.dtype.category != _dtype.BOOL:
        return squared.op.call1(input)
    return pow(input, 2, out=out)


@composite()
def square_(input):
    """In-place form of `square`."""
    return slots.pow.inplace2(input, 2)


@composite()
def pow_(input, exponent):
    """In-place form of `pow`."""
    return slots.pow.inplace2(input, exponent)


def widest(value):
    """A tensor or number in double precision: float64, or complex128 if it is complex."""
    if not isinstance(value, Tensor):
        return value
    return to_dtype(value, _dtype.complex128 if value.meta.dtype.is_complex else _dtype.float64)


@composite()
def float_power(input, exponent, *, out=None):
    """input to the power of exponent, computed in float64 (or complex128)."""
    base, top = widest(input), widest(exponent)
    if isinstance(base, Tensor) and isinstance(top, complex):
        base = to_dtype(base, _dtype.complex128)
    elif isinstance(top, Tensor) and isinstance(base, complex):
        top = to_dtype(top, _dtype.complex128)
    return pow(base, top, out=out)


@composite()
def float_power_(input, exponent):
    """In-place form of `float_power`: the tensor must be float64 (or complex128)."""
    result = float_power(input, exponent)
    if result.meta.dtype is not input.meta.dtype:
        raise RuntimeError(
            "the base given to float_power_ has dtype "
            f"{input.meta.dtype.tensor_type.removesuffix('Tensor')} but the operation's result requires dtype "
            f"{result.meta.dtype.tensor_type.removesuffix('Tensor')}"
        )
    return slots.pow.inplace2(input, widest(exponent))


def power_of_two(input, other):
    """2**other, of whole exponents in input's own floating dtype."""
    d = input.meta.dtype
    if d.category >= 2 and other.meta.dtype.category < 2:
        other = to_dtype(other, d)
    return number_to_power(2.0, other)


@composite()
def ldexp(input, other, *, out=None):
    """input · 2**other."""
    return mul(input, power_of_two(input, other), out=out)


@composite()
def ldexp_(input, other):
    """In-place form of `ldexp`."""
    return mul.op.inplace2(input, power_of_two(input, other))


slots.pow = Power()

# Overrides are told of the public forms.
for _entry in (power, power_of_number, number_to_power):
    _entry.op.function, _entry.op.inplace_function = pow, pow_
squared.op.function, squared.op.inplace_function = square, square_
