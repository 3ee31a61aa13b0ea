"""Tensors repeated, broadcast together and combined: repeat, tile, meshgrid, products and combinations."""

import itertools
import warnings

import numpy as np

from chainrule._core.size import Size
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import Tensor, wrap
from chainrule._kernels.casting import cast
from chainrule._ops.indexing import index_select
from chainrule._ops.joining import common_dtype, stack
from chainrule._ops.kinds import Gather, normal_dim
from chainrule._ops.shape import expanded, sizes_of


def _repeated(array, repeats):
    return np.tile(array, repeats)


def _unrepeat(g, input_shape, repeats):
    """Each copy's gradient added up: copies and elements as dimensions of their own, the former summed."""
    shape = (1,) * (len(repeats) - len(input_shape)) + input_shape
    split = tuple(itertools.chain.from_iterable(zip(repeats, shape, strict=True)))
    copies = tuple(2 * i for i, r in enumerate(repeats) if r != 1)
    if not copies:
        return g.reshape(input_shape)
    return g.reshape(split).sum(copies).reshape(input_shape)


repeat_copies = op("repeat(input, repeats)", Gather(_repeated, with_out=False), namespace="Tensor",
    input=_unrepeat,
    doc="The tensor repeated along each dimension.")  # fmt: skip


@composite(namespace="Tensor")
def repeat(self, *times, repeats=None):
    """The tensor repeated so many times along each dimension, new dimensions in front: a copy."""
    repeats = sizes_of("repeat", times, "repeats", repeats)
    if len(repeats) < self.array.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
        )
    if any(r < 0 for r in repeats):
        raise RuntimeError(f"Trying to create tensor with negative dimension: repeats {list(repeats)}")
    return repeat_copies(self, repeats)


@composite()
def tile(input, *times, dims=None):
    """The tensor repeated so many times along its last dimensions."""
    dims = sizes_of("tile", times, "dims", dims)
    return repeat(input, (1,) * (input.array.ndim - len(dims)) + dims)


@composite()
def repeat_interleave(input, repeats=None, dim=None, *, output_size=None):
    """Each slice along `dim` (each element if None) repeated so often: one number for all or one for each.

    With a tensor of counts alone: the index that repeats number i so many times."""
    if repeats is None:
        counts = input.array
        if counts.ndim != 1:
            raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
        return wrap(np.repeat(np.arange(counts.size), counts))
    if dim is None:
        input, dim = input.reshape(-1), 0
    d = normal_dim(dim, input.array.ndim)
    n = input.array.shape[d] if input.array.ndim else 1
    counts = repeats.array if isinstance(repeats, Tensor) else np.asarray(repeats)
    if counts.dtype.kind not in "iu":
        raise RuntimeError("repeats has to be Long or Int tensor")
    if counts.size and counts.min() < 0:
        raise RuntimeError("repeats can not be negative")
    if counts.ndim > 1 or (counts.ndim == 1 and counts.size not in (1, n)):
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{counts.size} and input.size(0) = {n}"
        )
    places = np.repeat(np.arange(n), counts)
    if output_size is not None and output_size != places.size:
        raise RuntimeError(f"repeat_interleave: expected output_size {places.size}, got {output_size}")
    return index_select(input.reshape(1) if input.array.ndim == 0 else input, d, wrap(places))


@composite(method=False)
def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes (ints stand for 1-d ones) broadcast to.

    RuntimeError if they do not.
    """
    shapes = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    out = [1] * max((len(s) for s in shapes), default=0)
    for s in shapes:
        for i in range(-1, -1 - len(s), -1):
            if s[i] < 0:
                raise RuntimeError(f"Trying to create tensor with negative dimension ({s[i]}): ({s[i]})")
            if s[i] == 1 or s[i] == out[i]:
                continue
            if out[i] != 1:
                raise RuntimeError(
                    "Shape mismatch: objects cannot be broadcast to a single shape: "
                    f"{', '.join(str(tuple(shape)) for shape in shapes)}"
                )
            out[i] = s[i]
    return Size(out)


def _listed(tensors):
    return tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors


@composite(method=False)
def broadcast_tensors(*tensors):
    """The tensors expanded to the shape they broadcast to, as a tuple."""
    tensors = _listed(tensors)
    try:
        shape = tuple(np.broadcast_shapes(*[t.array.shape for t in tensors]))
    except ValueError:
        _mismatch([t.array.shape for t in tensors])
    return tuple([expanded(t, shape) for t in tensors])


def _mismatch(shapes):
    """Raise PyTorch's error for the first shape that does not broadcast with those before it."""
    for a, b in itertools.combinations(shapes, 2):
        for i in range(-1, -1 - min(len(a), len(b)), -1):
            if a[i] != b[i] and a[i] != 1 and b[i] != 1:
                raise RuntimeError(
                    f"The size of tensor a ({a[i]}) must match the size of tensor b ({b[i]}) at "
                    "non-singleton dimension "
                    f"{max(len(a), len(b)) + i}"
                )


@composite(method=False)
def meshgrid(*tensors, indexing=None):
    """Coordinate grids of 1-d tensors, views: grid k varies along dimension k; with "xy" 0 and 1 are swapped."""
    tensors = list(_listed(tensors))
    if indexing is None:
        warnings.warn(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.",
            UserWarning,
            stacklevel=2,
        )
        indexing = "ij"
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for t in tensors:
        if t.array.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {t}")
        if t.meta.dtype is not tensors[0].meta.dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    swap = indexing == "xy" and len(tensors) >= 2
    if swap:
        tensors[0], tensors[1] = tensors[1], tensors[0]
    n = len(tensors)
    shape = tuple([t.array.size for t in tensors])
    grids = [
        expanded(t.reshape((1,) * i + (t.array.size,) + (1,) * (n - i - 1)), shape)
        for i, t in enumerate(tensors)
    ]
    if swap:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


def _block_diag(arrays):
    d = common_dtype(arrays)
    blocks = [a.reshape(1, -1) if a.ndim < 2 else a for a in arrays]
    for i, b in enumerate(blocks):
        if b.ndim > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {b.ndim} "
                "dimensions"
            )
    out = np.zeros((sum(b.shape[0] for b in blocks), sum(b.shape[1] for b in blocks)), d.np)
    for (row, column), b in zip(_corners([b.shape for b in blocks]), blocks, strict=True):
        out[row : row + b.shape[0], column : column + b.shape[1]] = cast(b, d)
    return out


def _corners(shapes):
    row = column = 0
    for rows, columns in shapes:
        yield row, column
        row, column = row + rows, column + columns


def _blocks(g, tensors_shape):
    shapes = [(1, s[0] if s else 1) if len(s) < 2 else s for s in tensors_shape]
    return [
        g[row : row + s[0], column : column + s[1]].reshape(own)
        for (row, column), s, own in zip(_corners(shapes), shapes, tensors_shape, strict=True)
    ]


blocks_on_diagonal = op("block_diag(tensors)", Gather(_block_diag, with_out=False),
    lists="tensors", method=False,
    tensors=_blocks,
    doc="Matrices put corner to corner in a matrix of zeros.")  # fmt: skip


@composite(method=False)
def block_diag(*tensors):
    """Matrices (vectors are rows) put corner to corner in a matrix of zeros."""
    tensors = _listed(tensors)
    return blocks_on_diagonal(list(tensors)) if tensors else wrap(np.zeros((1, 0), np.float32))


@composite(method=False)
def cartesian_prod(*tensors):
    """Every choice of one element from each 1-d tensor, as rows."""
    tensors = _listed(tensors)
    for t in tensors:
        if t.array.ndim != 1:
            raise RuntimeError("Expect a 1D vector, but got shape " + str(list(t.array.shape)))
    if len(tensors) == 1:
        return tensors[0]
    return stack([g.reshape(-1) for g in meshgrid(*tensors, indexing="ij")], 1)


@composite()
def combinations(input, r=2, with_replacement=False):
    """Every choice of r elements of a 1-d tensor, in order, as rows."""
    if input.array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.array.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return wrap(np.empty(0, input.array.dtype))
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = np.array(list(choose(range(input.array.size), r)), np.int64).reshape(-1, r)
    return stack([index_select(input, 0, wrap(np.ascontiguousarray(rows[:, i]))) for i in range(r)], 1)
