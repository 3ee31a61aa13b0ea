"""The vector product in three dimensions."""

import numpy as np

from chainrule._core import promotion
from chainrule._core.dtype import of_array
from chainrule._engine.op import composite, op
from chainrule._kernels.casting import cast, compute_type
from chainrule._ops.foundation import copy_out
from chainrule._ops.kinds import Gather, normal_dim


def _cross(array, other, dim):
    d = promotion.promote_types(of_array(array), of_array(other))
    a, b = cast(array, compute_type(d)), cast(other, compute_type(d))
    if a.ndim != b.ndim:
        raise RuntimeError(
            f"linalg.cross: inputs must have the same number of dimensions, got {array.ndim} and {other.ndim}"
        )
    axis = normal_dim(dim, a.ndim)
    if a.shape[axis] != 3 or b.shape[axis] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {a.shape[axis]} and "
            f"{b.shape[axis]}"
        )
    a, b = np.moveaxis(a, axis, 0), np.moveaxis(b, axis, 0)
    with np.errstate(all="ignore"):
        parts = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    return cast(np.stack(parts, axis), d)


vector_product = op("cross(input, other, *, dim=-1)", Gather(_cross),
    namespace="linalg", node="LinalgCrossBackward0",
    input=lambda g, other, dim: vector_product(other.conj(), g, dim=dim),
    other=lambda g, input, dim: vector_product(g, input.conj(), dim=dim),
    doc="The vector product along `dim`, of size 3 in both; the other dimensions broadcast.")  # fmt: skip


@composite()
def cross(input, other, dim=None, *, out=None):
    """The vector product along `dim` (the first dimension of size 3 if None)."""
    if dim is None:
        if 3 not in input.array.shape:
            raise RuntimeError("no dimension of size 3 in input")
        dim = input.array.shape.index(3)
    return copy_out(vector_product(input, other, dim=dim), out)
