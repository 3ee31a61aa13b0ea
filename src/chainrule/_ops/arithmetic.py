"""Sums, products, quotients and remainders of two tensors, and combinations of three.

The entries are what the operators and the engine call; the public forms with `alpha`, `rounding_mode` or a
choice between numbers and tensors stand after them. Powers and roots are in power.py.
"""

import numpy as np

from chainrule._core import dtype as _dtype
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import Tensor, get_slots
from chainrule._kernels import elementwise as kernels
from chainrule._kernels import slopes
from chainrule._kernels.loops import Ufunc
from chainrule._ops.foundation import to_dtype, zero
from chainrule._ops.kinds import Elementwise, check_tensor, is_number, result_type
from chainrule._ops.steady import divided, scaled

slots = get_slots()
NO_BOOL_SUBTRACTION = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, "
    "use the `~` or `logical_not()` operator instead."
)
NO_BOOL_NEGATION = NO_BOOL_SUBTRACTION.replace("Subtraction", "Negation").replace("with a", "on a")
NO_BOOL_ABS = "\"abs_cpu\" not implemented for 'Bool'"

plus = op("add(input, other)", Elementwise(np.add),
    input=lambda g: g,
    other=lambda g: g,
    doc="input + other.")  # fmt: skip

minus = op("sub(input, other)", Elementwise(np.subtract, no_bool=NO_BOOL_SUBTRACTION),
    input=lambda g: g,
    other=lambda g: -g,
    doc="input - other.")  # fmt: skip

mul = op("mul(input, other)", Elementwise(np.multiply), aliases=["multiply"],
    input=lambda g, other: g * other.conj(),
    other=lambda g, input: g * input.conj(),
    fast={"input": Ufunc(np.multiply), "other": Ufunc(np.multiply)},
    doc="input · other, element by element.")  # fmt: skip

quotient = op("div(input, other)", Elementwise(np.true_divide, floats=True),
    input=lambda g, other: divided(g, other.conj()),
    other=lambda g, input, other: scaled(-g, (input / other / other).conj()),
    fast={"input": kernels.SteadyQuotient(np.true_divide), "other": slopes.divisor_grad},
    doc="input / other; integers are divided as floats.")  # fmt: skip

neg = op("neg(input)", Elementwise(np.negative, no_bool=NO_BOOL_NEGATION), aliases=["negative"],
    input=lambda g: -g,
    doc="-input.")  # fmt: skip

rounded_down = op("div_floor(input, other)", Elementwise(kernels.floor_divide, tensors=2, no_complex=True),
    input=lambda g: zero(g),
    other=lambda g: zero(g),
    public="div", node="DivBackward2", method=False, inplace=True,
    doc="input / other rounded down.")  # fmt: skip

truncated = op("div_trunc(input, other)", Elementwise(kernels.trunc_divide, tensors=2, no_complex=True),
    input=lambda g: zero(g),
    other=lambda g: zero(g),
    public="div", node="DivBackward2", method=False, inplace=True,
    doc="input / other rounded towards zero.")  # fmt: skip

floor_divide = op("floor_divide(input, other)", Elementwise(kernels.floor_divide, tensors=2, no_complex=True),
    input=lambda g: zero(g),
    other=lambda g: zero(g),
    doc="input / other rounded down. Integers divided by zero: RuntimeError.")  # fmt: skip

remainder = op("remainder(input, other)", Elementwise(kernels.remainder, tensors=2, no_complex=True),
    input=lambda g: g,
    other=lambda g, input, other: -g * floor_divide(input, other),
    doc="input - other · floor(input / other), signed as other. RuntimeError for integers and a zero.")  # fmt: skip

fmod = op("fmod(input, other)", Elementwise(kernels.fmod, tensors=2, no_complex=True),
    input=lambda g: g,
    other=lambda g, input, other: -g * truncated(input, other),
    doc="input - other · trunc(input / other), signed as input. RuntimeError for integers and a zero.")  # fmt: skip

abs = op("abs(input)", Elementwise(np.absolute, no_bool=NO_BOOL_ABS), aliases=["absolute"],
    input=lambda g, input: g * input.sgn(),
    fast=slopes.abs_grad,
    doc="The absolute value; its slope at 0 is taken as 0.")  # fmt: skip


def times_alpha(input, other, alpha):
    """alpha · other in the dtype that a sum of input and other has."""
    if not is_number(alpha):
        raise TypeError(f"add(): argument 'alpha' must be Number, not {type(alpha).__name__}")
    d = result_type((input, other))
    if isinstance(alpha, bool) and d.category != _dtype.BOOL:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if d.category < _dtype.FLOATING and isinstance(alpha, (float, complex)):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(other, Tensor) and other.meta.dtype is not d and not other.weak:
        other = to_dtype(other, d) if other.meta.shape or not input.meta.shape else other
    return other if alpha == 1 else other * alpha


@composite()
def add(input, other, *, alpha=1, out=None):
    """input + alpha · other; broadcast and promoted."""
    if type(alpha) is not int or alpha != 1:
        other = times_alpha(input, other, alpha)
    return plus.op.call2(input, other) if out is None else plus(input, other, out=out)


@composite()
def add_(input, other, *, alpha=1):
    """In-place form of `add`."""
    if type(alpha) is not int or alpha != 1:
        other = times_alpha(input, other, alpha)
    return plus.op.inplace2(input, other)


@composite(aliases=["subtract"])
def sub(input, other, *, alpha=1, out=None):
    """input - alpha · other; broadcast and promoted. RuntimeError for booleans."""
    if type(alpha) is not int or alpha != 1:
        other = times_alpha(input, other, alpha)
    return minus.op.call2(input, other) if out is None else minus(input, other, out=out)


@composite(aliases=["subtract_"])
def sub_(input, other, *, alpha=1):
    """In-place form of `sub`."""
    if type(alpha) is not int or alpha != 1:
        other = times_alpha(input, other, alpha)
    return minus.op.inplace2(input, other)


@composite(method=False)
def rsub(input, other, *, alpha=1):
    """other - alpha · input."""
    scaled_input = times_alpha(input, input, alpha)
    return minus.op.rcall2(scaled_input, other) if is_number(other) else minus.op.call2(other, scaled_input)


def division(rounding_mode):
    """The entry for a rounding mode; RuntimeError for an unknown one."""
    if rounding_mode is None:
        return quotient
    if rounding_mode == "floor":
        return rounded_down
    if rounding_mode == "trunc":
        return truncated
    raise RuntimeError(
        f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {rounding_mode!r}"
    )


@composite(aliases=["divide"])
def div(input, other, *, rounding_mode=None, out=None):
    """input / other; `rounding_mode` "floor" or "trunc" rounds it: integers stay so, the slope is 0."""
    return division(rounding_mode)(input, other, out=out)


@composite(aliases=["divide_"])
def div_(input, other, *, rounding_mode=None):
    """In-place form of `div`."""
    entry = division(rounding_mode)
    return entry.op.inplace2(input, other) if rounding_mode is None else entry.op.call_inplace((input, other))


@composite()
def true_divide(input, other, *, out=None):
    """input / other; integers are divided as floats."""
    return quotient(input, other, out=out)


@composite()
def true_divide_(input, other):
    """In-place form of `true_divide`."""
    return quotient.op.inplace2(input, other)


@composite(namespace="Tensor", name="__rdiv__")
def divided_by(self, other):
    """other / self."""
    return quotient.op.rcall2(self, other)


@composite()
def positive(input):
    """The tensor itself. RuntimeError for booleans."""
    if input.meta.dtype.category == _dtype.BOOL:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


addcmul = op("addcmul(input, tensor1, tensor2, *, value=1)", Elementwise(kernels.addcmul, tensors=3),
    input=lambda g: g,
    tensor1=lambda g, tensor2, value: g * (tensor2 * value).conj(),
    tensor2=lambda g, tensor1, value: g * (tensor1 * value).conj(),
    doc="input + value · tensor1 · tensor2.")  # fmt: skip


addcdiv = op("addcdiv(input, tensor1, tensor2, *, value=1)", Elementwise(kernels.addcdiv, tensors=3),
    input=lambda g: g,
    tensor1=lambda g, tensor2, value: divided(g * value.conjugate(), tensor2.conj()),
    tensor2=lambda g, tensor1, tensor2, value: scaled(-g, (value * tensor1 / (tensor2 * tensor2)).conj()),
    doc="input + value · tensor1 / tensor2.")  # fmt: skip


lerp_by_number = op("lerp(input, end, weight)", Elementwise(kernels.lerp, tensors=2),
    input=lambda g, weight: g * (1 - weight).conjugate(),
    end=lambda g, weight: g * weight.conjugate(),
    method=False,
    doc="input + weight · (end - input).")  # fmt: skip

lerp_by_tensor = op("lerp_tensor(input, end, weight)", Elementwise(kernels.lerp, tensors=3),
    input=lambda g, weight: g * (1 - weight).conj(),
    end=lambda g, weight: g * weight.conj(),
    weight=lambda g, input, end: g * (end - input).conj(),
    public="lerp", node="LerpBackward1", method=False,
    doc="input + weight · (end - input).")  # fmt: skip


def interpolation(input, end, weight):
    """The entry of `lerp` for a number or a tensor as weight. RuntimeError unless all have one float dtype."""
    check_tensor(lerp_by_number.op, "input", input)
    check_tensor(lerp_by_number.op, "end", end)
    d = input.meta.dtype
    if d.category < _dtype.FLOATING:
        raise NotImplementedError(
            f'"lerp_kernel_scalar" not implemented for {d.tensor_type.removesuffix("Tensor")!r}'
        )
    for name, t in (("end", end), ("weight", weight)):
        if isinstance(t, Tensor) and t.meta.dtype is not d:
            raise RuntimeError(f"expected dtype {d.name} for `{name}` but got dtype {t.meta.dtype.name}")
    return lerp_by_tensor if isinstance(weight, Tensor) else lerp_by_number


@composite()
def lerp(input, end, weight, *, out=None):
    """input + weight · (end - input) for a number or a tensor. RuntimeError unless all have one float dtype."""
    return interpolation(input, end, weight)(input, end, weight, out=out)


@composite()
def lerp_(input, end, weight):
    """In-place form of `lerp`."""
    return interpolation(input, end, weight).op.call_inplace((input, end, weight))


gcd = op("gcd(input, other)", Elementwise(kernels.gcd, tensors=2),
    doc="The greatest common divisor of integers.")  # fmt: skip

lcm = op("lcm(input, other)", Elementwise(kernels.lcm, tensors=2),
    doc="The least common multiple of integers.")  # fmt: skip


def divmod_(x, y):
    """The quotient rounded down and the remainder."""
    return floor_divide(x, y), remainder(x, y)


slots.add = plus.op
slots.sub = minus.op
slots.mul = mul.op
slots.div = quotient.op
slots.neg = neg.op
slots.floordiv = floor_divide.op
slots.mod = remainder.op
slots.divmod_ = divmod_
slots.abs = abs.op

# Overrides are told of the public forms: torch.add, not the entry behind it.
for _entry, _public, _inplace in (
    (plus, add, add_),
    (minus, sub, sub_),
    (quotient, div, div_),
    (rounded_down, div, div_),
    (truncated, div, div_),
    (lerp_by_number, lerp, lerp_),
    (lerp_by_tensor, lerp, lerp_),
):
    _entry.op.function, _entry.op.inplace_function = _public, _inplace
