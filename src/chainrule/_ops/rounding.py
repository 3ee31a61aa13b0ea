"""Rounding, signs, and numbers in place of exceptional values. Steps have slope 0."""

from chainrule._engine.op import NONE, composite, op
from chainrule._engine.tensor import Tensor
from chainrule._kernels import digits as kernels
from chainrule._ops.comparison import isfinite
from chainrule._ops.foundation import zero
from chainrule._ops.kinds import Elementwise
from chainrule._ops.selection import choose

ceil = op("ceil(input)", Elementwise(kernels.ceil, tensors=1),
    input=lambda g: zero(g),
    doc="The least integer not below input.")  # fmt: skip

floor = op("floor(input)", Elementwise(kernels.floor, tensors=1),
    input=lambda g: zero(g),
    doc="The greatest integer not above input.")  # fmt: skip

trunc = op("trunc(input)", Elementwise(kernels.trunc, tensors=1), aliases=["fix"],
    input=lambda g: zero(g),
    doc="The integer towards zero.")  # fmt: skip

round = op("round(input, *, decimals=0)", Elementwise(kernels.round, tensors=1),
    input=lambda g: zero(g),
    doc="The nearest integer, halves to even, or the nearest number with so many decimals.")  # fmt: skip

frac = op("frac(input)", Elementwise(kernels.frac, tensors=1),
    input=lambda g: g,
    doc="input - trunc(input).")  # fmt: skip

finite = op("nan_to_num(input, nan=None, posinf=None, neginf=None)",
    Elementwise(kernels.nan_to_num, tensors=1),
    input=lambda g, input: choose(isfinite(input), g, 0),
    method=False,
    doc="Numbers in place of nan (0) and the infinities (the largest and least of the dtype).")  # fmt: skip

LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38}


def bounds(input, posinf, neginf):
    """What stands for the infinities; the largest 16-bit floats are named here, as the kernel sees wider ones."""
    largest = LARGEST.get(input.meta.dtype.name)
    if largest is None:
        return posinf, neginf
    return largest if posinf is None else posinf, -largest if neginf is None else neginf


@composite()
def nan_to_num(input, nan=None, posinf=None, neginf=None, *, out=None):
    """Numbers in place of nan (0) and the infinities (the largest and least of the dtype); their slope is 0."""
    return finite(input, nan, *bounds(input, posinf, neginf), out=out)


@composite()
def nan_to_num_(input, nan=None, posinf=None, neginf=None):
    """In-place form of `nan_to_num`."""
    return finite.op.call_inplace((input, nan, *bounds(input, posinf, neginf)))


signbit = op("signbit(input)", Elementwise(kernels.signbit, tensors=1, inplace=False),
    doc="Whether the sign is negative; that of -0.0 is.")  # fmt: skip

copysign = op("copysign(input, other)", Elementwise(kernels.copysign, tensors=2, floats=True),
    input=lambda g, input, out: g * choose(input == 0, 0, input.sgn() * out.sgn()),
    other=lambda g: zero(g),
    doc="|input| with the sign of other.")  # fmt: skip

nextafter = op("nextafter(input, other)", Elementwise(kernels.nextafter, tensors=2),
    doc="The next number after input towards other. No derivative.")  # fmt: skip

step = op("heaviside(input, values)", Elementwise(kernels.heaviside, tensors=2, no_complex=True),
    input=NONE,
    values=NONE,
    method=False,
    doc="0 for negative input, 1 for positive, values at 0.")  # fmt: skip


def check_same(values, input):
    """Both must be tensors of one dtype."""
    if not isinstance(values, Tensor):
        raise TypeError(
            f"heaviside(): argument 'values' (position 1) must be Tensor, not {type(values).__name__}"
        )
    if values.meta.dtype is not input.meta.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")


@composite()
def heaviside(input, values, *, out=None):
    """0 for negative input, 1 for positive, values at 0. RuntimeError if the dtypes differ. No derivative."""
    check_same(values, input)
    return step(input, values, out=out)


@composite()
def heaviside_(input, values):
    """In-place form of `heaviside`."""
    check_same(values, input)
    return step.op.call_inplace((input, values))


# Overrides are told of the public forms.
finite.op.function, finite.op.inplace_function = nan_to_num, nan_to_num_
step.op.function, step.op.inplace_function = heaviside, heaviside_
