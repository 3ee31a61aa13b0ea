"""What the engine asks of the op table, through its slots: accumulation, casts, copies, strided views, the in-place and out forms.

The ops here are the few that everything stands on; families have files of their own.
"""

import numpy as np

from chainrule._core.dtype import dtype as DType
from chainrule._engine.op import NONE, op
from chainrule._engine.tensor import Tensor, bump_version, get_slots, wrap
from chainrule._engine.thread_state import current
from chainrule._engine.views import check_overlap, link_view, storage_of
from chainrule._kernels.casting import cast as cast_array
from chainrule._kernels.loops import Ufunc
from chainrule._kernels.strided import expand as expand_array, strided
from chainrule._ops.kinds import Elementwise, Gather, View, check_tensor, is_number, weak, write_result

slots = get_slots()
addition = Ufunc(np.add)


def sum_to_shape(array, shape):
    """Sum an array over the dimensions that broadcasting from `shape` added or stretched."""
    lead = array.ndim - len(shape)
    axes = tuple(i for i, n in enumerate(array.shape) if i < lead or (shape[i - lead] == 1 and n != 1))
    if not axes:
        return array.reshape(shape)
    return addition.reduce(array, axes, True).reshape(shape)


def _sum_to(array, shape):
    from chainrule._kernels.casting import to_compute

    total = sum_to_shape(to_compute(array), shape)
    return total if total.dtype == array.dtype else cast_array(total, of(array))


def of(array):
    from chainrule._core.dtype import of_array

    return of_array(array)


sum_to_size = op("sum_to(input, size)", Gather(_sum_to, with_out=False),
    input=lambda g, input_shape: expand_to(g, input_shape),
    method=False, namespace="_engine",
    doc="Sum over the dimensions that broadcasting from `size` added: its adjoint.")  # fmt: skip

expand_to = op("expand_to(input, size)", View(expand_array),
    input=lambda g, input_shape: sum_to_size(g, input_shape),
    method=False, namespace="_engine", node="ExpandBackward0",
    doc="Stretch to `size`, which the input broadcasts to, without copying.")  # fmt: skip

to_dtype = op("to_dtype(input, dtype)", Gather(lambda array, dtype: fresh_cast(array, dtype), with_out=False),
    input=lambda g: g,
    method=False, namespace="_engine", node="ToCopyBackward0",
    doc="A copy in another dtype; the gradient is taken back to the input's by the engine.")  # fmt: skip


def fresh_cast(array, dtype):
    out = cast_array(array, dtype)
    return array.copy() if out is array else out


def copy_layout(array, memory_format=None):
    """A copy that keeps a dense layout as it is, and is C-contiguous otherwise."""
    from chainrule._kernels.strided import is_dense

    if memory_format is None and not array.flags.c_contiguous and is_dense(array):
        return np.copy(array, order="K")
    return np.array(array, order="C", copy=True)


clone = op("clone(input, *, memory_format=None)", Gather(copy_layout, with_out=False),
    input=lambda g: g,
    doc="A copy of the tensor that is recorded: gradients flow back to the original.")  # fmt: skip


def _strided_view(array, size, stride, storage_offset):
    item = array.itemsize
    return strided(array, size, tuple(s * item for s in stride), storage_offset * item)


def _restrided_adjoint(g, input_shape, size, stride, storage_offset):
    """The adjoint of a strided look: every visit of a cell adds to it."""
    return scatter_strided(g, input_shape, size, stride, storage_offset)


def _scatter_strided(g, shape, size, stride, storage_offset):
    n = int(np.prod(shape, dtype=np.int64))
    reach = storage_offset + sum(s * (k - 1) for s, k in zip(stride, size, strict=True)) + 1 if g.size else 0
    flat = np.zeros(max(n, reach), g.dtype)
    cells = np.full((), storage_offset, np.int64)
    for s, k in zip(stride, size, strict=True):
        cells = cells[..., None] + np.arange(k, dtype=np.int64) * s
    np.add.at(flat, cells, g)
    return flat[:n].reshape(shape)


# The input is contiguous here and the offset counts from its first element; Tensor.as_strided brings others to this form.
strided_part = op("strided_part(input, size, stride, storage_offset)", View(_strided_view),
    input=_restrided_adjoint,
    method=False, namespace="_engine", node="AsStridedBackward0",
    doc="The view with this size, stride and offset (in elements) of a contiguous tensor.")  # fmt: skip

scatter_strided = op("scatter_strided(input, shape, size, stride, storage_offset)",
    Gather(_scatter_strided, with_out=False),
    input=lambda g, size, stride, storage_offset: strided_part(contiguous(g), size, stride, storage_offset),
    method=False, namespace="_engine",
    doc="Zeros of `shape` with the input added into the cells that a strided look visits.")  # fmt: skip

contiguous = op("to_contiguous(input)", Gather(lambda array: np.array(array, order="C", copy=True), with_out=False),
    input=lambda g: g,
    method=False, namespace="_engine", node="CloneBackward0",
    doc="A C-contiguous copy.")  # fmt: skip


def _copied(array, other):
    return np.array(np.broadcast_to(cast_array(other, of(array)), array.shape), order="C")


class Overwrite:
    """`copy_`: the target's old value plays no part in the result."""

    is_view = False
    ufunc = None
    direct_from = 0
    n_outputs = 1
    residuals = ""
    with_inplace = True
    with_out = False

    def forward(self, op, args):
        return _copied(args[0].array, args[1].array)

    def write(self, op, args, target):
        source = args[1]
        if is_number(source):
            source = args[1] = weak(source, target.meta.dtype)
        check_tensor(op, "src", source)
        array = source.array
        if np.may_share_memory(array, target.array):
            array = array.copy()
        try:
            np.copyto(target.array, cast_array(array, target.meta.dtype))
        except ValueError:
            raise RuntimeError(
                f"The size of tensor a {list(target.array.shape)} must match the size of tensor b {list(array.shape)}: "
                "copy_ cannot broadcast the source to the target"
            ) from None
        return ()


copy = op("copy(input, src, non_blocking=False)", Overwrite(),
    input=lambda g: g * 0,
    src=lambda g: g,
    node="CopyBackwards",
    doc="`input` overwritten with `src`, broadcast to its shape and cast to its dtype.")  # fmt: skip

zero = op("zero(input)", Elementwise(lambda array: np.zeros_like(array), tensors=1),
    input=lambda g: g * 0,
    method=False,
    doc="Zeros in the shape of `input`.")  # fmt: skip


def strides_of(t):
    item = t.array.itemsize
    return tuple(s // item for s in t.array.strides)


def base_layout(g, strides):
    """A copy of g whose memory is laid out with a base's strides, so that a view's strides mean the same in it."""
    contiguous_strides, n = [], 1
    for size in reversed(g.meta.shape):
        contiguous_strides.append(n)
        n *= size
    if tuple(reversed(contiguous_strides)) == strides or 0 in g.meta.shape:
        return contiguous(g)
    order = sorted(range(len(strides)), key=lambda i: -strides[i])
    back = [order.index(i) for i in range(len(order))]
    return contiguous(g.permute(order)).permute(back)


def part_of(t, size, stride, offset):
    """The strided view of a tensor's own memory, offset counted from its first element."""
    return strided_part(t, size, stride, offset)


def as_view_of(base, array, storage_offset):
    """Record `array`, which lies in base's memory, as a strided view of base."""
    item = array.itemsize
    offset = (array.__array_interface__["data"][0] - base.array.__array_interface__["data"][0]) // item
    return strided_part(base, array.shape, tuple(s // item for s in array.strides), offset)


def write_out(entry, args, out):
    """The `out=` form of an op."""
    values = list(args)
    outs = out if isinstance(out, (tuple, list)) else (out,)
    for t in outs:
        if not isinstance(t, Tensor):
            raise TypeError(f"{entry.public_name}(): argument 'out' must be Tensor, not {type(t).__name__}")
    wants = any(isinstance(v, Tensor) and v.needs_grad for v in [*values, *outs])
    if wants and entry.differentiable and current().grad_enabled:
        raise RuntimeError(
            f"{entry.public_name}(): functions with out=... arguments don't support automatic differentiation, but one "
            "of the arguments requires grad."
        )
    result = entry.kind.forward(entry, values)
    results = result[: len(outs)] if isinstance(result, (tuple, list)) else (result,)
    if len(results) != len(outs):
        raise RuntimeError(f"{entry.public_name}(): expected {len(results)} tensors in 'out', got {len(outs)}")
    for t, array in zip(outs, results, strict=True):
        for v in values:
            if isinstance(v, Tensor):
                check_overlap(entry.name, t.array, v.array)
        if t.array.shape != array.shape:
            t.resize_(array.shape)
        write_result(entry, t, array)
        bump_version(t)
    return out


def copy_out(result, out):
    """What a composite with an `out=` argument returns: its result, or `out` resized to it and filled with it."""
    if out is None:
        return result
    if (result.needs_grad or out.needs_grad) and current().grad_enabled:
        raise RuntimeError(
            "functions with out=... arguments don't support automatic differentiation, but one of the arguments "
            "requires grad."
        )
    if out.array.shape != result.array.shape:
        out.resize_(result.array.shape)
    write_result(None, out, result.array)
    bump_version(out)
    return out


slots.sum_to = sum_to_size
slots.cast = to_dtype
slots.clone = clone
slots.as_strided = as_view_of
slots.strided_part = part_of
slots.base_layout = base_layout
slots.copy_ = copy.op.inplace_function
slots.zero_ = zero.op.inplace_function
slots.write_out = write_out

