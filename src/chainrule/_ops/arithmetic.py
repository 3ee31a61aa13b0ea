"""Sums, products, quotients, powers and remainders of two tensors."""

import numpy as np

from chainrule._engine.op import op
from chainrule._engine.tensor import get_slots
from chainrule._ops.kinds import Elementwise

slots = get_slots()
NO_BOOL_SUBTRACTION = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
    "`~` or `logical_not()` operator instead."
)

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
    doc="input · other, element by element.")  # fmt: skip

quotient = op("div(input, other)", Elementwise(np.true_divide, floats=True),
    input=lambda g, other: g / other.conj(),
    other=lambda g, other, out: -g * (out / other).conj(),
    doc="input / other; integers are divided as floats.")  # fmt: skip

neg = op("neg(input)", Elementwise(np.negative), aliases=["negative"],
    input=lambda g: -g,
    doc="-input.")  # fmt: skip

slots.add = plus.op
slots.sub = minus.op
slots.mul = mul.op
slots.div = quotient.op
slots.neg = neg.op
