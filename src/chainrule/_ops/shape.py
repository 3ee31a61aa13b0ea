"""Ops that show the same elements in another shape: views where PyTorch makes views, copies where it copies.

Rules of views are views themselves, so that a backward moves no data. Picking elements is indexing.py; putting
tensors together and taking them apart is joining.py.
"""

import math
import warnings

from chainrule._core.dtype import dtype as DType
from chainrule._core.dtype import of_array
from chainrule._engine.op import composite, composites, op
from chainrule._kernels.strided import expand as expand_array
from chainrule._kernels.strided import strided, transposed
from chainrule._ops.foundation import sum_to_size
from chainrule._ops.kinds import Gather, View, normal_dim, normal_dims


def sizes_of(name, sizes, argument="shape", named=None):
    """Sizes given one by one, as one sequence, or by the argument's name, as a tuple of ints."""
    if named is not None:
        sizes = named
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = sizes[0]
    for s in sizes:
        if type(s) is not int:
            return _converted(name, sizes, argument)
    return tuple(sizes)


def _converted(name, sizes, argument):
    out = []
    for i, s in enumerate(sizes):
        if isinstance(s, float) or not hasattr(s, "__index__"):
            raise TypeError(
                f"{name}(): argument '{argument}' must be tuple of ints, but found element of type "
                f"{type(s).__name__} at pos {i}"
            )
        out.append(s.__index__())
    return tuple(out)


def complete_shape(shape, count):
    """The shape with its -1 worked out for `count` elements; RuntimeError if they do not fit."""
    known, hole = 1, -1
    for i, n in enumerate(shape):
        if n >= 0:
            known *= n
        elif n == -1:
            if hole >= 0:
                raise RuntimeError("only one dimension can be inferred")
            hole = i
        else:
            raise RuntimeError(f"invalid shape dimension {n} at index {i} of shape {list(shape)}")
    if hole < 0:
        if known != count:
            raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")
        return shape
    if known == 0 and count == 0:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
            "dimension size -1 can "
            "be any value and is ambiguous"
        )
    if known == 0 or count % known:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")
    return (*shape[:hole], count // known, *shape[hole + 1 :])


def view_strides(array, shape):
    """Strides (in bytes) with which `shape` shows the elements in order without a copy; None if there are none."""
    runs = []
    for n, step in zip(reversed(array.shape), reversed(array.strides), strict=True):
        if n == 1:
            continue
        if runs and step == runs[-1][0] * runs[-1][1]:
            runs[-1] = (runs[-1][0] * n, runs[-1][1])
        else:
            runs.append((n, step))
    runs.reverse()
    left, step = 1, array.itemsize
    strides = []
    for n in reversed(shape):
        if n != 1 and left == 1 and runs:
            left, step = runs.pop()
        strides.append(step)
        if left % n:
            return None
        left //= n
        step *= n
    return tuple(reversed(strides))


def viewed(array, shape):
    """The array's elements in `shape`, which must be complete, as a view; None where that takes a copy."""
    if array.flags.c_contiguous or array.size == 0:
        return array.reshape(shape)
    strides = view_strides(array, shape)
    return None if strides is None else strided(array, shape, strides, 0)


def _view(array, size):
    out = viewed(array, size)
    if out is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans "
            "across two "
            "contiguous subspaces). Use .reshape(...) instead."
        )
    return out


view_as_shape = op("view(input, size)", View(_view), namespace="Tensor",
    input=lambda g, input_shape: reshaped(g, input_shape),
    doc="The same elements in another shape, without a copy.")  # fmt: skip

reshape_copy = op("reshape_copy(input, size)",
    Gather(lambda array, size: array.reshape(size), with_out=False),
    input=lambda g, input_shape: reshaped(g, input_shape),
    method=False, namespace="_engine", node="UnsafeViewBackward0",
    doc="The elements in another shape, where that takes a copy.")  # fmt: skip


def _view_dtype(array, dtype):
    old, new = array.itemsize, dtype.itemsize
    if old == new:
        return array.view(dtype.np)
    if array.ndim == 0:
        raise RuntimeError("self.dim() cannot be 0 to view a tensor as a dtype of a different element size")
    if array.strides[-1] != old and array.shape[-1] != 1:
        raise RuntimeError(
            "self.stride(-1) must be 1 to view a tensor as a dtype of a different element size"
        )
    times = max(old, new) // min(old, new)
    if new > old and (array.shape[-1] % times or any(s % new for s in array.strides[:-1])):
        raise RuntimeError(
            f"self.size(-1) must be divisible by {times} to view a tensor as {dtype} (different element "
            "sizes), but got "
            f"{array.shape[-1]}"
        )
    return array.view(dtype.np)


view_as_dtype = op("view_dtype(input, dtype)", View(_view_dtype), namespace="_engine", method=False,
    node="ViewBackward1",
    doc="The same memory read as another dtype. It has no derivative.")  # fmt: skip


def reshaped(t, shape):
    """t in a complete shape: itself if it has it, a view if that is possible, else a copy."""
    if t.array.shape == shape:
        return t
    if t.array.flags.c_contiguous or viewed(t.array, shape) is not None:
        return view_as_shape(t, shape)
    return reshape_copy(t, shape)


@composite(namespace="Tensor")
def view(self, *shape, size=None, dtype=None):
    """The same elements in another shape (one size may be -1), or the memory as another dtype: never a copy."""
    if dtype is None and len(shape) == 1 and isinstance(shape[0], DType):
        dtype = shape[0]
    if dtype is not None:
        return view_as_dtype(self, dtype)
    return view_as_shape(self, complete_shape(sizes_of("view", shape, "size", size), self.array.size))


def reshape(input, *sizes, shape=None):
    """The same elements in another shape (one size may be -1): a view where possible, a copy otherwise."""
    wanted = complete_shape(sizes_of("reshape", sizes, named=shape), input.array.size)
    if input.array.flags.c_contiguous or viewed(input.array, wanted) is not None:
        return view_as_shape(input, wanted)
    return reshape_copy(input, wanted)


composite()(reshape)


@composite(namespace="Tensor")
def view_as(self, other):
    """The view of `self` in `other`'s shape."""
    return view_as_shape(self, complete_shape(other.array.shape, self.array.size))


@composite(namespace="Tensor")
def reshape_as(self, other):
    """`self` in `other`'s shape."""
    return reshape(self, other.array.shape)


@composite()
def flatten(input, start_dim=0, end_dim=-1):
    """The dimensions start_dim to end_dim made one."""
    n = input.array.ndim
    start, end = normal_dim(start_dim, n), normal_dim(end_dim, n)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if n == 0:
        return reshape(input, 1)
    if start == end:
        return input
    shape = input.array.shape
    return reshape(input, (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :]))


@composite()
def ravel(input):
    """All elements in one dimension."""
    return reshape(input, -1)


@composite()
def unflatten(input, dim, sizes):
    """One dimension made several, of the given sizes (one may be -1)."""
    d = normal_dim(dim, input.array.ndim)
    sizes = sizes_of("unflatten", (sizes,), "sizes")
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    shape = input.array.shape
    if -1 not in sizes and math.prod(sizes) != shape[d]:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {d} ({shape[d]}) "
            "in the input "
            "tensor"
        )
    return view_as_shape(input, (*shape[:d], *complete_shape(sizes, shape[d]), *shape[d + 1 :]))


def _transposed(array, dim0, dim1):
    n = array.ndim
    a, b = normal_dim(dim0, n), normal_dim(dim1, n)
    return array.view() if n == 0 else transposed(array, a, b)


transpose = op("transpose(input, dim0, dim1)", View(_transposed), aliases=["swapaxes", "swapdims"],
    input=lambda g, dim0, dim1: transpose(g, dim0, dim1),
    doc="Two dimensions exchanged.")  # fmt: skip


def _t(array):
    if array.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {array.ndim}D")
    return array.transpose()


t = op("t(input)", View(_t),
    input=lambda g: t(g),
    doc="A matrix transposed; tensors of fewer dimensions as they are.")  # fmt: skip


permuted = op("permute(input, dims)", View(lambda array, dims: array.transpose(dims)),
    input=lambda g, dims: permuted(g, tuple(dims.index(i) for i in range(len(dims)))),
    doc="The dimensions in another order.")  # fmt: skip


@composite()
def permute(input, *order, dims=None):
    """The dimensions in the order `dims`."""
    dims = sizes_of("permute", order, "dims", dims)
    n = input.array.ndim
    if len(dims) != n:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
            "desired "
            f"ordering of dimensions i.e. input.dim() = {n} is not equal to len(dims) = {len(dims)}"
        )
    order = tuple(normal_dim(d, n) for d in dims)
    if len(set(order)) != n:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return permuted(input, order)


@composite(aliases=["moveaxis"])
def movedim(input, source, destination):
    """Dimensions moved to other places; the rest keep their order."""
    n = input.array.ndim
    source = source if isinstance(source, (tuple, list)) else (source,)
    destination = destination if isinstance(destination, (tuple, list)) else (destination,)
    if len(source) != len(destination):
        raise RuntimeError(
            "movedim: Invalid source or destination dims: source "
            f"({list(source)} dims) should contain the same number of dims as destination "
            f"({list(destination)} dims)"
        )
    from_dims = [normal_dim(d, n) for d in source]
    to_dims = [normal_dim(d, n) for d in destination]
    for name, dims, given in (("source", from_dims, source), ("destination", to_dims, destination)):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(given)})")
    rest = iter([d for d in range(n) if d not in from_dims])
    places = dict(zip(to_dims, from_dims, strict=True))
    return permuted(input, tuple(places[i] if i in places else next(rest) for i in range(n)))


def _unsqueezed(array, dim):
    d = normal_dim(dim, array.ndim + 1)
    shape, strides = array.shape, array.strides
    step = array.itemsize if d == array.ndim else shape[d] * strides[d]
    return strided(array, (*shape[:d], 1, *shape[d:]), (*strides[:d], step, *strides[d:]), 0)


unsqueeze = op("unsqueeze(input, dim)", View(_unsqueezed),
    input=lambda g, dim, input_shape: squeeze_one(g, dim),
    doc="A new dimension of size 1 at `dim`.")  # fmt: skip


def _squeezed(array, dims):
    shape = array.shape
    keep = [i for i in range(len(shape)) if shape[i] != 1 or i not in dims]
    strides = array.strides
    return strided(array, tuple([shape[i] for i in keep]), tuple([strides[i] for i in keep]), 0)


squeeze_all = op("squeeze(input)", View(lambda array: _squeezed(array, range(array.ndim))),
    input=lambda g, input_shape: reshaped(g, input_shape),
    doc="Without the dimensions of size 1.")  # fmt: skip

squeeze_one = op("squeeze(input, dim)",
    View(lambda array, dim: _squeezed(array, (normal_dim(dim, array.ndim),))),
    input=lambda g, dim, input_shape: reshaped(g, input_shape), node="SqueezeBackward1",
    doc="Without the dimension `dim` if its size is 1.")  # fmt: skip

squeeze_several = op("squeeze(input, dims)", View(lambda array, dims: _squeezed(array, dims)),
    input=lambda g, input_shape: reshaped(g, input_shape), node="SqueezeBackward2",
    doc="Without those of the dimensions `dims` that have size 1.")  # fmt: skip


@composite()
def squeeze(input, dim=None):
    """Without the dimensions of size 1: all of them, or those named by `dim`, an int or a tuple."""
    if dim is None:
        return squeeze_all(input)
    if isinstance(dim, (tuple, list)):
        return squeeze_several(input, normal_dims(dim, input.array.ndim))
    return squeeze_one(input, dim)


def _expanded(array, size):
    shape, lead = array.shape, len(size) - array.ndim
    if lead < 0:
        raise RuntimeError(
            f"expand(torch.{_type_name(array)}{{{list(shape)}}}, size={list(size)}): the number of sizes "
            "provided "
            f"({len(size)}) must be greater or equal to the number of dimensions in the tensor ({array.ndim})"
        )
    wanted = list(size)
    for i, n in enumerate(size):
        if i < lead:
            if n < 0:
                raise RuntimeError(
                    f"The expanded size of the tensor ({n}) isn't allowed in a leading, non-existing "
                    f"dimension {i}"
                )
        elif n == -1:
            wanted[i] = shape[i - lead]
        elif n != shape[i - lead] and shape[i - lead] != 1:
            raise RuntimeError(
                f"The expanded size of the tensor ({n}) must match the existing size ({shape[i - lead]}) at "
                "non-singleton "
                f"dimension {i}.  Target sizes: {list(size)}.  Tensor sizes: {list(shape)}"
            )
    return expand_array(array, tuple(wanted))


def _type_name(array):
    return of_array(array).tensor_type


expanded = op("expand(input, size)", View(_expanded), namespace="Tensor",
    input=lambda g, input_shape: sum_to_size(g, input_shape),
    doc="Dimensions of size 1 stretched, new ones in front, without a copy.")  # fmt: skip


@composite(namespace="Tensor")
def expand(self, *sizes, size=None, implicit=False):
    """Dimensions of size 1 stretched to `size` (-1: as it is), new ones in front, without a copy."""
    return expanded(self, sizes_of("expand", sizes, "size", size))


@composite()
def is_same_size(input, other):
    """Whether two tensors have the same shape."""
    return input.array.shape == other.array.shape


@composite(namespace="Tensor")
def expand_as(self, other):
    """`self` expanded to `other`'s shape."""
    return expanded(self, other.array.shape)


@composite()
def broadcast_to(input, size):
    """`input` expanded to `size`."""
    return expanded(input, sizes_of("broadcast_to", (size,), "size"))


@composite(namespace="Tensor")
def adjoint(self):
    """The matrices transposed and conjugated."""
    return transpose(self, -2, -1).conj()


def _reversed(self):
    n = self.array.ndim
    if n != 2:
        warnings.warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and "
            "it will throw "
            "an error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*torch.arange("
            "x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
            UserWarning,
            stacklevel=2,
        )
    return permuted(self, tuple(range(n - 1, -1, -1)))


def _matrix(self, name, ranks, words):
    if self.array.ndim not in ranks:
        hint = (
            " For batches of matrices, consider using tensor.mH"
            if name == "H" and self.array.ndim > 2
            else ""
        )
        raise RuntimeError(
            f"tensor.{name} is only supported on {words}. Got {self.array.ndim}-D tensor.{hint}"
        )
    return transpose(self, -2, -1) if self.array.ndim else self


PROPERTIES = {
    "T": (_reversed, "The dimensions in reverse order."),
    "mT": (
        lambda t: _matrix(t, "mT", range(2, 65), "matrices or batches of matrices"),
        "The last two dimensions exchanged.",
    ),
    "H": (
        lambda t: _matrix(t, "H", (0, 2), "matrices (2-D tensors)").conj(),
        "A matrix transposed and conjugated.",
    ),
    "mH": (
        lambda t: _matrix(t, "mH", range(2, 65), "matrices or batches of matrices").conj(),
        "The last two dimensions exchanged and the elements conjugated.",
    ),
}
for _name, (_get, _doc) in PROPERTIES.items():
    composites["Tensor", _name] = (property(_get, doc=_doc), True)
