"""Diagonals and triangles: taking them, making them, writing on them."""

import numpy as np

from chainrule._core.dtype import int64, of_array
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import wrap
from chainrule._kernels.casting import cast
from chainrule._kernels.strided import strided
from chainrule._ops.foundation import clone, copy, copy_out, zeros_like
from chainrule._ops.kinds import Gather, Opaque, View, normal_dim
from chainrule._ops.scatter import Into

copy_ = copy.op.inplace_function


def _axes(ndim, dim1, dim2):
    a, b = normal_dim(dim1, ndim), normal_dim(dim2, ndim)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return a, b


def _diagonal(array, offset, dim1, dim2):
    a, b = _axes(array.ndim, dim1, dim2)
    shape, strides = array.shape, array.strides
    n = max(0, min(shape[a], shape[b] - offset) if offset >= 0 else min(shape[a] + offset, shape[b]))
    start = 0 if n == 0 else offset * strides[b] if offset >= 0 else -offset * strides[a]
    rest = [i for i in range(array.ndim) if i != a and i != b]
    return strided(
        array, (*[shape[i] for i in rest], n), (*[strides[i] for i in rest], strides[a] + strides[b]), start
    )


diagonal = op("diagonal(input, offset=0, dim1=0, dim2=1)", View(_diagonal),
    input=lambda g, input_shape, offset, dim1, dim2: on_diagonal(g, input_shape, offset, dim1, dim2),
    doc="The diagonal of two dimensions, `offset` to the right of the main one, as a new last dimension: a "
        "view.")  # fmt: skip


def _on_diagonal(array, shape, offset, dim1, dim2):
    out = np.zeros(shape, array.dtype)
    _diagonal(out, offset, dim1, dim2)[...] = array
    return out


on_diagonal = op("on_diagonal(input, shape, offset, dim1, dim2)", Gather(_on_diagonal, with_out=False),
    input=lambda g, offset, dim1, dim2: diagonal(g, offset, dim1, dim2),
    method=False, namespace="_engine", node="DiagEmbedBackward0",
    doc="Zeros of `shape` with the input on a diagonal.")  # fmt: skip


@composite()
def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """The last dimension on the diagonals of matrices of zeros, the result's dimensions dim1 and dim2."""
    rank = input.array.ndim + 1
    a, b = _axes(rank, dim1, dim2)
    n = input.array.shape[-1] + abs(offset)
    shape = list(input.array.shape[:-1])
    for d in sorted((a, b)):
        shape.insert(d, n)
    return on_diagonal(input, tuple(shape), offset, dim1, dim2)


@composite()
def diag(input, diagonal=0, *, out=None):
    """The diagonal of a matrix as a copy, or a matrix with a vector on its diagonal."""
    if input.array.ndim == 1:
        return copy_out(diag_embed(input, diagonal), out)
    if input.array.ndim != 2:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.array.ndim}D")
    return copy_out(clone(take_diagonal(input, diagonal)), out)


take_diagonal = diagonal


@composite()
def diagflat(input, offset=0):
    """A matrix with all elements of the input on its diagonal."""
    return diag_embed(input.reshape(-1), offset)


def _diagonal_scatter(array, src, offset, dim1, dim2, out):
    out = array.copy() if out is None else out
    part = _diagonal(out, offset, dim1, dim2)
    if part.shape != src.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, slice "
            "size = "
            f"{list(part.shape)}"
        )
    part[...] = cast(src, of_array(array))
    return out


diagonal_scatter = op("diagonal_scatter(input, src, offset=0, dim1=0, dim2=1)", Into(_diagonal_scatter),
    inplace=False,
    input=lambda g, src_shape, offset, dim1, dim2: diagonal_scatter(
        g, zeros_like(g, src_shape), offset, dim1, dim2
    ),
    src=lambda g, offset, dim1, dim2: diagonal(g, offset, dim1, dim2),
    doc="The input with `src` on a diagonal.")  # fmt: skip


def _triangle(array, diagonal, lower):
    if array.ndim < 2:
        raise RuntimeError(f"{'tril' if lower else 'triu'}: input tensor must have at least 2 dimensions")
    return np.tril(array, diagonal) if lower else np.triu(array, diagonal)


tril = op("tril(input, diagonal=0)",
    Gather(lambda array, diagonal: _triangle(array, diagonal, True), inplace=True),
    input=lambda g, diagonal: tril(g, diagonal),
    doc="The matrix with zeros above a diagonal.")  # fmt: skip

triu = op("triu(input, diagonal=0)",
    Gather(lambda array, diagonal: _triangle(array, diagonal, False), inplace=True),
    input=lambda g, diagonal: triu(g, diagonal),
    doc="The matrix with zeros below a diagonal.")  # fmt: skip


def _triangle_indices(name, row, col, offset, dtype, lower):
    if row < 0 or col < 0:
        raise RuntimeError(f"{name}: row and col must be non-negative, got {row} and {col}")
    places = np.tril_indices(row, offset, col) if lower else np.triu_indices(row, offset, col)
    return wrap(cast(np.stack(places).astype(np.int64), dtype or int64))


@composite(method=False)
def tril_indices(row, col, offset=0, *, dtype=int64, device=None, layout=None, pin_memory=None):
    """The places (2, n) of the lower triangle of a matrix, row by row."""
    return _triangle_indices("tril_indices", row, col, offset, dtype, True)


@composite(method=False)
def triu_indices(row, col, offset=0, *, dtype=int64, device=None, layout=None, pin_memory=None):
    """The places (2, n) of the upper triangle of a matrix, row by row."""
    return _triangle_indices("triu_indices", row, col, offset, dtype, False)


def _trace(array):
    if array.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {array.ndim}")
    along = _diagonal(array, 0, 0, 1)
    return np.array(along.sum(dtype=np.int64 if array.dtype.kind in "biu" else None))


trace = op("trace(input)", Opaque(_trace),
    input=lambda g, input_shape: on_diagonal(g.expand(min(input_shape)), input_shape, 0, 0, 1),
    doc="The sum of a matrix's main diagonal.")  # fmt: skip


@composite(namespace="Tensor")
def fill_diagonal_(self, fill_value, wrap=False):
    """Write a number on the main diagonal, in place.

    `wrap`: a tall matrix starts a new diagonal every n + 1 rows.
    """
    shape = self.array.shape
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2 and any(n != shape[0] for n in shape):
        raise RuntimeError("all dimensions of input must be of equal length")
    strides = [s // self.array.itemsize for s in self.array.strides]
    step, n = sum(strides), min(shape)
    copy_(self.as_strided((n,), (step,)), fill_value)
    if wrap and len(shape) == 2 and shape[0] > shape[1] + 1:
        for top in range(shape[1] + 1, shape[0], shape[1] + 1):
            part = self[top:]
            copy_(part.as_strided((min(part.array.shape),), (step,)), fill_value)
    return self
