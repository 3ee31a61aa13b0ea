"""One of several values for each element: where, maximum and minimum, clamps, masks.

Conventions at kinks: equal values share the gradient of maximum and minimum; a value that lies on a bound of
`clamp` is inside.
"""

import numpy as np

from chainrule._core.dtype import BOOL, COMPLEX, INTEGRAL
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import Tensor
from chainrule._kernels import elementwise as kernels
from chainrule._kernels import slopes
from chainrule._kernels.casting import cast
from chainrule._ops.comparison import isnan
from chainrule._ops.kinds import (
    Elementwise,
    check_fits,
    check_tensor,
    is_number,
    result_type,
    weak,
    write_result,
)


class Choice:
    """A condition and two values: the values are promoted together, all three broadcast."""

    is_view = False
    ufunc = None
    direct_from = 0
    n_outputs = 1
    residuals = ""
    with_inplace = False
    with_out = True

    def forward(self, op, args):
        condition = check_tensor(op, "condition", args[0])
        d = condition.meta.dtype
        if d.category != BOOL and d.name != "uint8":
            raise RuntimeError(
                "where expected condition to be a boolean tensor, but got a tensor with dtype "
                f"{d.tensor_type.removesuffix('Tensor')}"
            )
        values = args[1:3]
        for name, v in zip(("input", "other"), values, strict=True):
            if not is_number(v):
                check_tensor(op, name, v)
        d = result_type(values)
        for i, v in enumerate(values):
            if not isinstance(v, Tensor):
                check_fits(v, d)
                args[1 + i] = weak(v, d)
        return kernels.where(condition.array, cast(args[1].array, d), cast(args[2].array, d))


choose = op("where(condition, input, other)", Choice(),
    input=lambda g, condition: choose(condition, g, 0),
    other=lambda g, condition: choose(condition, 0, g),
    fast={"input": slopes.kept, "other": slopes.dropped},
    method=False,
    doc="input where condition holds, other elsewhere.")  # fmt: skip


@composite(method=False)
def where(condition, input=None, other=None, *, out=None):
    """input where condition holds, other elsewhere; all three broadcast, tensors or numbers.

    With the condition alone: its true places, as `nonzero(as_tuple=True)`. RuntimeError if it is not boolean.
    """
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    return choose(condition, input, other, out=out)


@composite(namespace="Tensor", name="where")
def where_of(self, condition, other):
    """This tensor where condition holds, other elsewhere."""
    return choose(condition, self, other)


def halved_at_ties(g, input, other):
    """g, but half of it where the operands are equal, so that both together get it once."""
    return choose(input == other, g / 2, g)


maximum = op("maximum(input, other)", Elementwise(np.maximum, no_complex=True),
    input=lambda g, input, other: choose(input < other, 0, halved_at_ties(g, input, other)),
    other=lambda g, input, other: choose(other < input, 0, halved_at_ties(g, input, other)),
    fast={"input": slopes.greater_grad, "other": slopes.greater_other_grad},
    inplace=False,
    doc="The greater of input and other; nan if either is nan. Equal values share the gradient.")  # fmt: skip

minimum = op("minimum(input, other)", Elementwise(np.minimum, no_complex=True),
    input=lambda g, input, other: choose(input > other, 0, halved_at_ties(g, input, other)),
    other=lambda g, input, other: choose(other > input, 0, halved_at_ties(g, input, other)),
    fast={"input": slopes.lesser_grad, "other": slopes.lesser_other_grad},
    inplace=False,
    doc="The lesser of input and other; nan if either is nan. Equal values share the gradient.")  # fmt: skip


fmax = op("fmax(input, other)", Elementwise(np.fmax, no_complex=True),
    input=lambda g, input, other: choose((input >= other) | isnan(other), g, 0),
    other=lambda g, input, other: choose((input >= other) | isnan(other), 0, g),
    inplace=False,
    doc="The greater of both, or the one that is no nan. Of equal values input takes the gradient.")  # fmt: skip

fmin = op("fmin(input, other)", Elementwise(np.fmin, no_complex=True),
    input=lambda g, input, other: choose((input <= other) | isnan(other), g, 0),
    other=lambda g, input, other: choose((input <= other) | isnan(other), 0, g),
    inplace=False,
    doc="The lesser of both, or the one that is no nan. Of equal values input takes the gradient.")  # fmt: skip


def inside(g, input, min, max):
    """g where the input lies between the bounds, which are inside themselves."""
    if min is None:
        return choose(input <= max, g, 0)
    if max is None:
        return choose(input >= min, g, 0)
    return choose((input >= min) & (input <= max), g, 0)


def below(g, input, min, max):
    """What goes to the lower bound: g where it is the result."""
    return choose(input < min if max is None else (input < min) & (min < max), g, 0)


def above(g, input, min, max):
    """What goes to the upper bound: g where it is the result."""
    return choose(input > max if min is None else (input > max) | (max < min), g, 0)


clamp_to_numbers = op("clamp(input, min=None, max=None)",
    Elementwise(kernels.clamp, tensors=3, no_complex=True),
    input=inside,
    fast=slopes.clamp_grad,
    node="ClampBackward1", method=False,
    doc="input between two numbers.")  # fmt: skip

clamp_to_tensors = op("clamp_to(input, min=None, max=None)",
    Elementwise(kernels.clamp, tensors=3, no_complex=True),
    input=inside,
    min=below,
    max=above,
    fast=slopes.clamp_grad,
    node="ClampBackward0", public="clamp", method=False,
    doc="input between two tensors.")  # fmt: skip


def clamping(min, max):
    """The entry for these bounds: numbers or tensors, at least one of them given."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    return clamp_to_tensors if isinstance(min, Tensor) or isinstance(max, Tensor) else clamp_to_numbers


@composite(aliases=["clip"])
def clamp(input, min=None, max=None, *, out=None):
    """input, but not below min and not above max: numbers, tensors or None. Where min > max it is max.

    The gradient passes where the input is between the bounds or on one. RuntimeError without any bound."""
    return clamping(min, max)(input, min, max, out=out)


@composite(aliases=["clip_"])
def clamp_(input, min=None, max=None):
    """In-place form of `clamp`."""
    return clamping(min, max).op.call_inplace((input, min, max))


clamp_below = op("clamp_min(input, min)", Elementwise(np.maximum, no_complex=True),
    input=lambda g, input, min: choose(input >= min, g, 0),
    min=lambda g, input, min: choose(input < min, g, 0),
    doc="input, but not below min.")  # fmt: skip

clamp_above = op("clamp_max(input, max)", Elementwise(np.minimum, no_complex=True),
    input=lambda g, input, max: choose(input <= max, g, 0),
    max=lambda g, input, max: choose(input > max, g, 0),
    doc="input, but not above max.")  # fmt: skip


class Filling:
    """One value, a number or a 0-d tensor, in the places of a mask; the input's dtype stays."""

    is_view = False
    ufunc = None
    direct_from = 0
    n_outputs = 1
    residuals = ""
    with_inplace = True
    with_out = True

    def forward(self, op, args):
        t = check_tensor(op, "input", args[0])
        mask = check_tensor(op, "mask", args[1])
        value = args[2]
        if mask.meta.dtype.category != BOOL:
            name = mask.meta.dtype.tensor_type.removesuffix("Tensor").lower()
            raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {name}")
        d = t.meta.dtype
        if is_number(value):
            if isinstance(value, complex) and d.category < COMPLEX:
                raise RuntimeError(f"value cannot be converted to type {d.name} without overflow")
            value = int(value) if d.category == INTEGRAL else value
            check_fits(value, d)
            value = args[2] = weak(value, d)
        else:
            check_tensor(op, "value", value)
        if value.meta.shape:
            raise RuntimeError(
                "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{len(value.meta.shape)} dimension(s)."
            )
        return kernels.masked_fill(t.array, mask.array, cast(value.array, d))

    def write(self, op, args, target):
        write_result(op, target, self.forward(op, args))
        return ()


masked_fill = op("masked_fill(input, mask, value)", Filling(),
    input=lambda g, mask: choose(mask, 0, g),
    value=lambda g, mask: choose(mask, g, 0),
    fast=slopes.dropped,
    doc="input, but value (a number or a 0-d tensor) where the boolean mask is true.")  # fmt: skip

# Overrides are told of the public forms.
choose.op.function = where
for _entry in (clamp_to_numbers, clamp_to_tensors):
    _entry.op.function, _entry.op.inplace_function = clamp, clamp_
