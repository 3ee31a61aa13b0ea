"""Bits of integer and boolean arrays; anything else is refused in PyTorch's words."""

import numpy as np

from chainrule._kernels.loops import broadcast_shapes, plain
from chainrule._kernels.refusal import refuse


def binary(ufunc, name, kinds="biu"):
    """The kernel of a ufunc of two arrays."""

    def kernel(a, b):
        refuse(name, a, kinds)
        broadcast_shapes(a.shape, b.shape)
        return plain(ufunc(a, b))

    kernel.__name__ = kernel.__qualname__ = name
    return kernel


def invert(a):
    """Every bit turned; the logical not of booleans."""
    if a.dtype.kind not in "iub":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return plain(np.invert(a))


both = binary(np.bitwise_and, "bitwise_and_cpu")
either = binary(np.bitwise_or, "bitwise_or_cpu")
one = binary(np.bitwise_xor, "bitwise_xor_cpu")
left_shift = binary(np.left_shift, "lshift_cpu", kinds="iu")
right_shift = binary(np.right_shift, "rshift_cpu", kinds="iu")
