"""Complex numbers: conjugate, sign."""

import numpy as np

from chainrule._engine.op import op
from chainrule._engine.tensor import get_slots
from chainrule._kernels import elementwise as kernels
from chainrule._ops.foundation import zero
from chainrule._ops.kinds import Elementwise

slots = get_slots()

conjugate = op("conj(input)", Elementwise(np.conjugate, inplace=False),
    input=lambda g: g.conj(),
    method=False,
    doc="The complex conjugate.")  # fmt: skip

sign = op("sign(input)", Elementwise(kernels.sign, tensors=1, no_complex=True),
    input=lambda g: zero(g),
    doc="-1, 0 or 1.")  # fmt: skip


def sgn_slope(g, input, out):
    """Real: nothing. Complex: the part of g across z, divided by |z|."""
    if not input.meta.dtype.is_complex:
        return zero(g)
    size = input.abs()
    across = g - out * (g * out.conj()).real
    return across * (size != 0) / (size + (size == 0))


sgn = op("sgn(input)", Elementwise(kernels.sign, tensors=1),
    input=sgn_slope,
    doc="z / |z|, and 0 for 0: the sign of real numbers.")  # fmt: skip

slots.conj = conjugate.op
