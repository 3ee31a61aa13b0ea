"""Ops that put tensors together and take them apart: cat, stack, split, chunk, and what is built from them."""

import numpy as np

from chainrule._core import promotion
from chainrule._core.dtype import of_array
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import Tensor, wrap
from chainrule._kernels.casting import cast
from chainrule._ops.kinds import Gather, normal_dim
from chainrule._ops.shape import sizes_of


def _tensor_list(name, tensors):
    if isinstance(tensors, Tensor) or not isinstance(tensors, (tuple, list)):
        raise TypeError(
            f"{name}(): argument 'tensors' must be tuple of Tensors, not {type(tensors).__name__}"
        )
    for i, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
    return tensors


def _check_list(name, arrays):
    """The same checks when tensors have become arrays."""
    if isinstance(arrays, np.ndarray) or not isinstance(arrays, (tuple, list)):
        found = "Tensor" if isinstance(arrays, np.ndarray) else type(arrays).__name__
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {found}")
    for i, a in enumerate(arrays):
        if not isinstance(a, np.ndarray):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(a).__name__}")


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
    _check_list("cat", arrays)
    if not arrays:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
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
                    f"Sizes of tensors must match except in dimension {axis}. Expected size {shape[k]} but "
                    f"got size {n} "
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


cat = op("cat(tensors, dim=0)", Gather(_cat),
    aliases=["concat", "concatenate"], lists="tensors", method=False,
    tensors=_cat_parts,
    doc="Tensors put one after the other along a dimension; their dtypes are promoted.")  # fmt: skip


def _stack(arrays, dim):
    _check_list("stack", arrays)
    if not arrays:
        raise RuntimeError("stack expects a non-empty TensorList")
    shape = arrays[0].shape
    for i, a in enumerate(arrays):
        if a.shape != shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(shape)} at entry 0 and "
                f"{list(a.shape)} at "
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
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
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
    return cat(
        _filled(g, input_dtype, lambda i: (*input_shape[:dim], sizes[i], *input_shape[dim + 1 :])), dim
    )


pieces = op("split(input, sizes, dim)", Pieces(_pieces), method=False, namespace="_engine",
    input=_pieces_grad,
    doc="Pieces of the given sizes along a dimension, which add up to its size.")  # fmt: skip

pieces_by_size = op("split_with_sizes(input, sizes, dim)", Pieces(_pieces), method=False, namespace="_engine",
    input=_pieces_grad,
    doc="The same, under the name that lists of sizes have.")  # fmt: skip


def _check_dim(name, input, dim):
    if not input.array.shape:
        raise RuntimeError(f"{name} expects at least a 1-dimensional tensor")
    return normal_dim(dim, input.array.ndim)


def _equal_pieces(input, n, dim):
    """`split` into pieces of n slices; the last may be shorter."""
    total = input.array.shape[dim]
    if total == 0:
        return pieces(input, (0,), dim)
    if n == 0:
        raise RuntimeError(
            f"split_size can only be 0 if dimension size is 0, but got dimension size of {total}"
        )
    full, rest = divmod(total, n)
    return pieces(input, (n,) * full + ((rest,) if rest else ()), dim)


@composite(aliases=["unsafe_split"])
def split(tensor, split_size_or_sections, dim=0):
    """Views that cut the tensor along `dim`: of one size (the last may be shorter) or of the sizes listed."""
    d = _check_dim("split", tensor, dim)
    if isinstance(split_size_or_sections, (tuple, list)):
        return split_with_sizes(tensor, split_size_or_sections, d)
    n = split_size_or_sections.__index__()
    if n < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={n}")
    return _equal_pieces(tensor, n, d)


@composite(aliases=["unsafe_split_with_sizes"])
def split_with_sizes(input, split_sizes, dim=0):
    """The tensor cut along `dim` into pieces of the sizes listed, which add up to its size: views."""
    d = _check_dim("split_with_sizes", input, dim)
    sizes = sizes_of("split_with_sizes", (split_sizes,), "split_sizes")
    if any(n < 0 for n in sizes):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={list(sizes)}"
        )
    if sum(sizes) != input.array.shape[d]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {input.array.shape[d]} (input tensor's "
            "size at "
            f"dimension {d}), but got split_sizes={list(sizes)}"
        )
    return pieces_by_size(input, sizes, d)


@composite(aliases=["unsafe_chunk"])
def chunk(input, chunks, dim=0):
    """At most `chunks` views of equal size (the last may be shorter) that cut the tensor along `dim`."""
    d = _check_dim("chunk", input, dim)
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    total = input.array.shape[d]
    if total == 0:
        return pieces_by_size(input, (0,) * chunks, d)
    return _equal_pieces(input, -(-total // chunks), d)


@composite()
def tensor_split(input, indices_or_sections, dim=0):
    """Views that cut the tensor along `dim`: so many of nearly equal size, or before each place listed."""
    if not input.array.shape:
        raise RuntimeError(
            f"tensor_split expected at least a 1-dimensional tensor, but got a tensor with "
            f"{input.array.ndim} dims"
        )
    d = normal_dim(dim, input.array.ndim)
    total = input.array.shape[d]
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = indices_or_sections.array.tolist()
    if isinstance(indices_or_sections, (tuple, list)):
        bounds = [slice(None, i).indices(total)[1] for i in indices_or_sections]
    else:
        n = indices_or_sections
        if n <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {n}")
        small, larger = divmod(total, n)
        bounds = [i * small + min(i, larger) for i in range(1, n)]
    starts, ends = [0, *bounds], [*bounds, total]
    return tuple([input.narrow(d, a, max(0, b - a)) for a, b in zip(starts, ends, strict=True)])


@composite()
def hsplit(input, indices_or_sections):
    """tensor_split along dimension 1, or 0 for a 1-d tensor."""
    if input.array.ndim < 1:
        raise RuntimeError(
            f"torch.hsplit requires a tensor with at least 1 dimension, but got a tensor with "
            f"{input.array.ndim} dimensions!"
        )
    return _even_split("hsplit", input, indices_or_sections, 0 if input.array.ndim == 1 else 1)


@composite()
def vsplit(input, indices_or_sections):
    """tensor_split along dimension 0."""
    if input.array.ndim < 2:
        raise RuntimeError(
            f"torch.vsplit requires a tensor with at least 2 dimension, but got a tensor with "
            f"{input.array.ndim} dimensions!"
        )
    return _even_split("vsplit", input, indices_or_sections, 0)


@composite()
def dsplit(input, indices_or_sections):
    """tensor_split along dimension 2."""
    if input.array.ndim < 3:
        raise RuntimeError(
            f"torch.dsplit requires a tensor with at least 3 dimension, but got a tensor with "
            f"{input.array.ndim} dimensions!"
        )
    return _even_split("dsplit", input, indices_or_sections, 2)


def _even_split(name, input, sections, dim):
    if isinstance(sections, int) and (sections <= 0 or input.array.shape[dim] % sections):
        raise RuntimeError(
            f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
            f"{input.array.shape[dim]} is not divisible by the split_size {sections}!"
        )
    return tensor_split(input, sections, dim)


# Tensors of different rank brought to one rank and joined.


def _each(tensors, function):
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tensors[0]
        return tuple([function(t) for t in tensors])
    return function(tensors[0]) if len(tensors) == 1 else tuple([function(t) for t in tensors])


@composite(method=False)
def atleast_1d(*tensors):
    """A 0-d tensor as a 1-d one; others as they are. Several tensors give a tuple."""
    return _each(tensors, lambda t: t if t.array.ndim else t.reshape(1))


@composite(method=False)
def atleast_2d(*tensors):
    """A tensor with dimensions of size 1 put in front until there are two. Several tensors give a tuple."""
    return _each(tensors, _two_dimensions)


def _two_dimensions(t):
    n = t.array.ndim
    return t.reshape(1, 1) if n == 0 else t.unsqueeze(0) if n == 1 else t


@composite(method=False)
def atleast_3d(*tensors):
    """A tensor with dimensions of size 1 added until there are three. Several tensors give a tuple."""
    return _each(tensors, _three_dimensions)


def _three_dimensions(t):
    n = t.array.ndim
    if n == 2:
        return t.unsqueeze(2)
    return t.reshape(1, 1, 1) if n == 0 else t.unsqueeze(0).unsqueeze(2) if n == 1 else t


@composite(method=False)
def hstack(tensors, *, out=None):
    """Tensors joined along dimension 1, 1-d ones along 0."""
    if not _tensor_list("hstack", tensors):
        raise RuntimeError("hstack expects a non-empty TensorList")
    tensors = [atleast_1d(t) for t in tensors]
    return cat(tensors, 0 if tensors[0].array.ndim == 1 else 1, out=out)


@composite(aliases=["row_stack"], method=False)
def vstack(tensors, *, out=None):
    """Tensors joined along dimension 0, 1-d ones as rows."""
    if not _tensor_list("vstack", tensors):
        raise RuntimeError("vstack expects a non-empty TensorList")
    return cat([_two_dimensions(t) for t in tensors], 0, out=out)


@composite(method=False)
def dstack(tensors, *, out=None):
    """Tensors joined along dimension 2."""
    if not _tensor_list("dstack", tensors):
        raise RuntimeError("dstack expects a non-empty TensorList")
    return cat([_three_dimensions(t) for t in tensors], 2, out=out)


@composite(method=False)
def column_stack(tensors, *, out=None):
    """Tensors joined along dimension 1, 0-d and 1-d ones as columns."""
    if not _tensor_list("column_stack", tensors):
        raise RuntimeError("column_stack expects a non-empty TensorList")
    return cat([t.reshape(-1, 1) if t.array.ndim <= 1 else t for t in tensors], 1, out=out)
