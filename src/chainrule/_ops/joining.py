"""Ops that put tensors together and take them apart: cat, stack, split, chunk, repeat, and what is built from them."""

import numpy as np

from chainrule._core import promotion
from chainrule._core.dtype import of_array
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import Tensor, wrap
from chainrule._kernels.casting import cast
from chainrule._ops.kinds import Gather, normal_dim


def _tensor_list(name, tensors):
    if isinstance(tensors, Tensor) or not isinstance(tensors, (tuple, list)):
        raise TypeError(f"{name}(): argument 'tensors' must be tuple of Tensors, not {type(tensors).__name__}")
    for i, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
    return tensors


def common_dtype(arrays):
    """The dtype that arrays to be joined are promoted to."""
    d = of_array(arrays[0])
    for a in arrays[1:]:
        e = of_array(a)
        if e is not d:
            d = promotion.promote_types(d, e)
    return d


def _legacy_empty(array):
    """A 1-d tensor without elements, which cat takes beside tensors of any rank."""
    return array.ndim == 1 and array.size == 0


def _cat(arrays, dim):
    if not arrays:
        raise ValueError("expected a non-empty list of Tensors")
    for i, a in enumerate(arrays):
        if a.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    d = common_dtype(arrays)
    full = [a for a in arrays if not _legacy_empty(a)] or arrays[:1]
    axis = normal_dim(dim, full[0].ndim)
    shape = full[0].shape
    for i, a in enumerate(arrays):
        if a.ndim != len(shape):
            if _legacy_empty(a):
                continue
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(shape)} and {a.ndim}")
        for k, n in enumerate(a.shape):
            if k != axis and n != shape[k] and not _legacy_empty(a):
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {axis}. Expected size {shape[k]} but got size {n} "
                    f"for tensor number {i} in the list."
                )
    return np.concatenate([cast(a, d) for a in full], axis)


def _cat_parts(g, tensors_shape, dim):
    rank = g.array.ndim
    axis = normal_dim(dim, rank)
    parts, at = [], 0
    for shape in tensors_shape:
        if len(shape) != rank:
            parts.append(None)
            continue
        parts.append(g.narrow(axis, at, shape[axis]))
        at += shape[axis]
    return parts


cat = op("cat(tensors, dim=0)", Gather(_cat), aliases=["concat", "concatenate"], lists="tensors", method=False,
    tensors=_cat_parts,
    doc="Tensors put one after the other along a dimension; their dtypes are promoted.")  # fmt: skip


def _stack(arrays, dim):
    if not arrays:
        raise RuntimeError("stack expects a non-empty TensorList")
    shape = arrays[0].shape
    for i, a in enumerate(arrays):
        if a.shape != shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(shape)} at entry 0 and {list(a.shape)} at "
                f"entry {i}"
            )
    axis = normal_dim(dim, len(shape) + 1)
    d = common_dtype(arrays)
    out = np.empty((*shape[:axis], len(arrays), *shape[axis:]), d.np)
    into = np.moveaxis(out, axis, 0) if axis else out
    for i, a in enumerate(arrays):
        into[i] = cast(a, d)
    return out


stack = op("stack(tensors, dim=0)", Gather(_stack), lists="tensors", method=False,
    tensors=lambda g, dim: g.unbind(dim),
    doc="Tensors of one shape put side by side along a new dimension.")  # fmt: skip


def _pick(array, dim, start, length):
    return array[(slice(None),) * dim + (slice(start, start + length),)]


def _unbound(array, dim):
    axis = normal_dim(dim, array.ndim)
    if array.ndim == 0:
        raise RuntimeError("Dimension specified as 0 but tensor has no dimensions")
    place = (slice(None),) * axis
    return [array[(*place, i, Ellipsis)] for i in range(array.shape[axis])]


def _unbind_grad(g, input_shape, input_dtype, dim):
    axis = normal_dim(dim, len(input_shape))
    return stack(_filled(g, input_dtype, lambda i: input_shape[:axis] + input_shape[axis + 1 :]), axis)


def _filled(g, dtype, shape_of):
    """A list of gradients with zeros where nothing came back."""
    given = g if isinstance(g, (list, tuple)) else (g,)
    return [wrap(np.zeros(shape_of(i), dtype.np)) if x is None else x for i, x in enumerate(given)]


class Pieces:
    """Several views of one tensor; how many depends on its shape."""

    is_view = True
    ufunc = None
    direct_from = 0
    residuals = ""
    with_inplace = False
    with_out = False
    n_outputs = 0

    def __init__(self, fn):
        self.fn = fn

    def forward(self, op, args):
        return self.fn(args[0].array, *args[1:])


unbind = op("unbind(input, dim=0)", Pieces(_unbound),
    input=_unbind_grad,
    doc="The slices along a dimension, as a tuple of views.")  # fmt: skip


def _pieces(array, sizes, dim):
    out, at = [], 0
    for n in sizes:
        out.append(_pick(array, dim, at, n))
        at += n
    return out


def _pieces_grad(g, input_shape, input_dtype, sizes, dim):
    return cat(_filled(g, input_dtype, lambda i: (*input_shape[:dim], sizes[i], *input_shape[dim + 1 :])), dim)


pieces = op("split(input, sizes, dim)", Pieces(_pieces), method=False, namespace="_engine",
    input=_pieces_grad,
    doc="Pieces of the given sizes along a dimension, which add up to its size.")  # fmt: skip

pieces_by_size = op("split_with_sizes(input, sizes, dim)", Pieces(_pieces), method=False, namespace="_engine",
    input=_pieces_grad,
    doc="The same, under the name that lists of sizes have.")  # fmt: skip
