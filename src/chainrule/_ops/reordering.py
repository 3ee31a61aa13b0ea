"""The same elements in another order along their dimensions: flip, roll, rot90."""

import numpy as np

from chainrule._engine.op import composite, op
from chainrule._ops.kinds import Gather, normal_dim
from chainrule._ops.shape import sizes_of, transpose


def _dims(dims, ndim):
    found = tuple(normal_dim(d, ndim) for d in dims)
    for d in found:
        if found.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return found


flipped = op("flip(input, dims)",
    Gather(lambda array, dims: np.array(np.flip(array, dims), order="C"), with_out=False),
    input=lambda g, dims: flipped(g, dims),
    doc="The elements in reverse order along `dims`.")  # fmt: skip


@composite()
def flip(input, *order, dims=None):
    """The elements in reverse order along each of `dims`: a copy."""
    dims = _dims(sizes_of("flip", order, "dims", dims), input.array.ndim)
    return flipped(input, dims if input.array.ndim else ())


@composite()
def fliplr(input):
    """The columns (dimension 1) in reverse order."""
    if input.array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flipped(input, (1,))


@composite()
def flipud(input):
    """The rows (dimension 0) in reverse order."""
    if input.array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flipped(input, (0,))


rolled = op("roll(input, shifts, dims)",
    Gather(lambda array, shifts, dims: np.roll(array, shifts, dims), with_out=False),
    input=lambda g, shifts, dims: rolled(g, tuple([-s for s in shifts]), dims),
    doc="The elements shifted along `dims`, around the end.")  # fmt: skip


@composite()
def roll(input, shifts, dims=None):
    """The elements shifted along `dims` (in order if None); those past the end come in at the start."""
    shifts = sizes_of("roll", (shifts,), "shifts")
    if not shifts:
        raise RuntimeError("`shifts` required")
    if dims is None or (isinstance(dims, (tuple, list)) and not dims):
        if len(shifts) != 1:
            raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:0")
        return rolled(input, shifts, None)
    dims = sizes_of("roll", (dims,), "dims")
    if len(shifts) != len(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    return rolled(input, shifts, tuple([normal_dim(d, input.array.ndim) for d in dims]))


@composite()
def rot90(input, k=1, dims=(0, 1)):
    """The plane of two dimensions turned k times by a quarter, from the first towards the second."""
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if input.array.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input.array.ndim}")
    a, b = (normal_dim(d, input.array.ndim) for d in dims)
    if a == b:
        raise RuntimeError(
            f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}"
        )
    k %= 4
    if k == 0:
        return input.clone()
    if k == 2:
        return flipped(input, (a, b))
    turned = transpose(input, a, b)
    return flipped(turned, (a,) if k == 1 else (b,))
