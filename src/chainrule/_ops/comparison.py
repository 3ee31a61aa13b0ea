"""Tests of elements, giving booleans: comparisons of two tensors, finiteness, logical connectives. No derivatives."""

import numpy as np

from chainrule._engine.op import op
from chainrule._engine.tensor import get_slots
from chainrule._ops.kinds import Elementwise

slots = get_slots()

eq = op("eq(input, other)", Elementwise(np.equal), doc="Whether input = other.")
ne = op("ne(input, other)", Elementwise(np.not_equal), aliases=["not_equal"], doc="Whether input ≠ other.")
lt = op("lt(input, other)", Elementwise(np.less, no_complex=True), aliases=["less"], doc="Whether input < other.")
le = op("le(input, other)", Elementwise(np.less_equal, no_complex=True), aliases=["less_equal"],
    doc="Whether input ≤ other.")  # fmt: skip
gt = op("gt(input, other)", Elementwise(np.greater, no_complex=True), aliases=["greater"],
    doc="Whether input > other.")  # fmt: skip
ge = op("ge(input, other)", Elementwise(np.greater_equal, no_complex=True), aliases=["greater_equal"],
    doc="Whether input ≥ other.")  # fmt: skip

isfinite = op("isfinite(input)", Elementwise(np.isfinite, inplace=False), doc="Neither infinite nor nan.")
isnan = op("isnan(input)", Elementwise(np.isnan, inplace=False), doc="Whether an element is not a number.")
isinf = op("isinf(input)", Elementwise(np.isinf, inplace=False), doc="Whether an element is infinite.")

for _entry in (eq, ne, lt, le, gt, ge):
    setattr(slots, _entry.op.public_name, _entry.op)
