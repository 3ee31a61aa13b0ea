"""Bits of integers and booleans. No derivatives."""

from chainrule._engine.op import op
from chainrule._engine.tensor import get_slots
from chainrule._kernels import bits
from chainrule._ops.kinds import Elementwise

slots = get_slots()

bitwise_not = op("bitwise_not(input)", Elementwise(bits.invert, tensors=1),
    doc="Every bit turned; of booleans the logical not.")  # fmt: skip
bitwise_and = op(
    "bitwise_and(input, other)", Elementwise(bits.both, tensors=2), doc="Bits set in input and in other."
)
bitwise_or = op(
    "bitwise_or(input, other)", Elementwise(bits.either, tensors=2), doc="Bits set in input or other."
)
bitwise_xor = op("bitwise_xor(input, other)", Elementwise(bits.one, tensors=2),
    doc="Bits set in exactly one of input and other.")  # fmt: skip
bitwise_left_shift = op("bitwise_left_shift(input, other)", Elementwise(bits.left_shift, tensors=2),
    doc="Bits moved up by other: input · 2**other.")  # fmt: skip
bitwise_right_shift = op("bitwise_right_shift(input, other)", Elementwise(bits.right_shift, tensors=2),
    doc="Bits moved down by other, the sign kept: input / 2**other rounded down.")  # fmt: skip

slots.invert = bitwise_not.op
slots.and_ = bitwise_and.op
slots.or_ = bitwise_or.op
slots.xor = bitwise_xor.op
slots.lshift = bitwise_left_shift.op
slots.rshift = bitwise_right_shift.op
