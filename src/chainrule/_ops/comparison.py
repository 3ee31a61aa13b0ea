"""Tests of elements, giving booleans: comparisons, finiteness, logical connectives. No derivatives."""

import numpy as np

from chainrule._engine.op import composite, op
from chainrule._engine.tensor import Tensor, get_slots
from chainrule._kernels import elementwise as kernels
from chainrule._ops.kinds import Elementwise, check_tensor

slots = get_slots()

eq = op("eq(input, other)", Elementwise(np.equal), doc="Whether input = other.")
ne = op("ne(input, other)", Elementwise(np.not_equal), aliases=["not_equal"], doc="Whether input ≠ other.")
lt = op(
    "lt(input, other)", Elementwise(np.less, no_complex=True), aliases=["less"], doc="Whether input < other."
)
le = op("le(input, other)", Elementwise(np.less_equal, no_complex=True), aliases=["less_equal"],
    doc="Whether input ≤ other.")  # fmt: skip
gt = op("gt(input, other)", Elementwise(np.greater, no_complex=True), aliases=["greater"],
    doc="Whether input > other.")  # fmt: skip
ge = op("ge(input, other)", Elementwise(np.greater_equal, no_complex=True), aliases=["greater_equal"],
    doc="Whether input ≥ other.")  # fmt: skip

isfinite = op("isfinite(input)", Elementwise(np.isfinite, inplace=False), doc="Neither infinite nor nan.")
isnan = op("isnan(input)", Elementwise(np.isnan, inplace=False), doc="Whether an element is not a number.")
isinf = op("isinf(input)", Elementwise(np.isinf, inplace=False), doc="Whether an element is infinite.")

isposinf = op("isposinf(input)", Elementwise(kernels.isposinf, tensors=1, inplace=False, no_complex=True),
    doc="Whether an element is +inf.")  # fmt: skip
isneginf = op("isneginf(input)", Elementwise(kernels.isneginf, tensors=1, inplace=False, no_complex=True),
    doc="Whether an element is -inf.")  # fmt: skip
isreal = op("isreal(input)", Elementwise(lambda array: np.asarray(np.isreal(array)), tensors=1, inplace=False),
    doc="Whether the imaginary part is zero.")  # fmt: skip

logical_not = op("logical_not(input)", Elementwise(np.logical_not), doc="Whether an element is zero.")
logical_and = op("logical_and(input, other)", Elementwise(np.logical_and), doc="Whether both are not zero.")
logical_or = op(
    "logical_or(input, other)", Elementwise(np.logical_or), doc="Whether one or both are not zero."
)
logical_xor = op(
    "logical_xor(input, other)", Elementwise(np.logical_xor), doc="Whether exactly one is not zero."
)

close = op("isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)",
    Elementwise(kernels.isclose, tensors=2, inplace=False),
    method=False,
    doc="Whether |input - other| ≤ atol + rtol · |other|.")  # fmt: skip


@composite()
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether |input - other| ≤ atol + rtol · |other|, element by element; infinities of one sign are close.

    RuntimeError for different dtypes and for negative tolerances."""
    check_tensor(close.op, "input", input)
    check_tensor(close.op, "other", other)
    if input.meta.dtype is not other.meta.dtype:
        first, second = (t.meta.dtype.tensor_type.removesuffix("Tensor") for t in (input, other))
        raise RuntimeError(f"{first} did not match {second}")
    for name, value in (("rtol", rtol), ("atol", atol)):
        if value < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value}")
    return close(input, other, rtol, atol, equal_nan)


@composite()
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether `isclose` holds everywhere, as a Python bool."""
    return bool(isclose(input, other, rtol, atol, equal_nan).array.all())


@composite()
def equal(input, other):
    """Whether both have one shape and equal elements, as a Python bool."""
    for name, t in (("input", input), ("other", other)):
        if not isinstance(t, Tensor):
            raise TypeError(f"equal(): argument '{name}' must be Tensor, not {type(t).__name__}")
    return input.meta.shape == other.meta.shape and bool(eq(input, other).array.all())


for _entry in (eq, ne, lt, le, gt, ge):
    setattr(slots, _entry.op.public_name, _entry.op)

# Overrides are told of the public form.
close.op.function = isclose
