"""What the engine asks of the op table, through its slots: sums, casts, copies, strided views, in-place and out forms.

The ops here are the few that everything stands on; families have files of their own.
"""

import numpy as np

from chainrule._core import layout
from chainrule._core.dtype import of_array
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import Tensor, bump_version, get_slots, wrap
from chainrule._engine.thread_state import current
from chainrule._engine.views import check_overlap
from chainrule._kernels.casting import cast as cast_array
from chainrule._kernels.casting import to_compute
from chainrule._kernels.loops import Ufunc
from chainrule._kernels.strided import expand as expand_array
from chainrule._kernels.strided import is_dense, strided, visits_twice
from chainrule._ops.kinds import (
    Elementwise,
    Gather,
    View,
    check_cast,
    check_tensor,
    is_number,
    weak,
    write_result,
)

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
    total = sum_to_shape(to_compute(array), shape)
    return total if total.dtype == array.dtype else cast_array(total, of_array(array))


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
    """A copy in a memory format; without one it keeps a dense layout as it is, and is C-contiguous otherwise."""
    if memory_format is None or memory_format is layout.preserve_format:
        return np.copy(array, order="K" if is_dense(array) else "C")
    order = layout.channels_order(array.ndim, memory_format)
    if order is None:
        return np.copy(array, order="C")
    return np.copy(array.transpose(order), order="C").transpose([order.index(i) for i in range(array.ndim)])


clone = op("clone(input, *, memory_format=None)", Gather(copy_layout, with_out=False),
    input=lambda g: g,
    doc="A copy of the tensor that is recorded: gradients flow back to the original.")  # fmt: skip


def _strided_view(array, size, stride, start, layout):
    item = array.itemsize
    return strided(array, size, tuple([s * item for s in stride]), start * item)


def extent(size, stride):
    """How many cells of memory a strided look spans, from its first element on."""
    return 0 if 0 in size else 1 + sum([s * (n - 1) for s, n in zip(stride, size, strict=True)])


def _strided_adjoint(g, input_shape, size, stride, start, layout):
    """The adjoint of a strided look: every visit of a cell adds to it, in memory laid out as the input's was."""
    if layout is None:
        return scatter_strided(g, input_shape, size, stride, start)
    before = max(0, -start)
    cells = before + max(extent(input_shape, layout), start + extent(size, stride))
    memory = scatter_strided(g, (cells,), size, stride, before + start)
    visits = _scatter_strided(np.ones(input_shape, np.int32), (cells,), input_shape, layout, before)
    if (visits > 1).any():
        # the input itself shows some cells several times: each of its elements gets its share
        memory = memory / wrap(np.maximum(visits, 1))
    return strided_part(memory, input_shape, layout, before, None)


def _scatter_strided(g, shape, size, stride, start):
    n = int(np.prod(shape, dtype=np.int64))
    wide = to_compute(g)
    flat = np.zeros(max(n, start + extent(size, stride)), wide.dtype)
    look = _strided_view(flat, size, stride, start, None) if wide.size else wide
    if visits_twice(look):
        cells = np.full((), start, np.int64)
        for s, k in zip(stride, size, strict=True):
            cells = cells[..., None] + np.arange(k, dtype=np.int64) * s
        np.add.at(flat, cells, wide)
    else:
        look[...] = wide
    return cast_array(flat[:n].reshape(shape), of_array(g))


# Strides and start count in elements, start from the input's first one. `layout`: the input's own strides, or None
# where it is contiguous and the look stays inside it.
strided_part = op("strided_part(input, size, stride, start, layout)", View(_strided_view),
    input=_strided_adjoint,
    method=False, namespace="_engine", node="AsStridedBackward0",
    doc="The view of the input's memory with this size, stride and start.")  # fmt: skip

scatter_strided = op("scatter_strided(input, shape, size, stride, start)",
    Gather(_scatter_strided, with_out=False),
    input=lambda g, size, stride, start: strided_part(contiguous(g), size, stride, start, None),
    method=False, namespace="_engine",
    doc="Zeros of `shape` with the input added into the cells that a strided look visits.")  # fmt: skip

contiguous = op("to_contiguous(input)", Gather(lambda array: np.array(array, order="C", copy=True), with_out=False),
    input=lambda g: g,
    method=False, namespace="_engine", node="CloneBackward0",
    doc="A C-contiguous copy.")  # fmt: skip


def zeros_like(g, shape=None):
    """Zeros without history, of g's shape or another: the gradient of what was overwritten, whatever g is."""
    return wrap(np.zeros(g.array.shape if shape is None else shape, g.array.dtype))


def _copied(array, other):
    return np.array(np.broadcast_to(cast_array(other, of_array(array)), array.shape), order="C")


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
        if target.on_meta:
            return ()
        array = source.array
        if np.may_share_memory(array, target.array):
            # like PyTorch, refuse blocks that overlap in part; unlike it, be right where the overlap is harder to see
            if array.shape == target.array.shape and is_dense(array) and is_dense(target.array):
                check_overlap(op.name, target.array, array)
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
    input=lambda g: zeros_like(g),
    src=lambda g: g,
    method=False, namespace="_engine", node="CopyBackwards",
    doc="`input` overwritten with `src`, broadcast to its shape and cast to its dtype.")  # fmt: skip
composite("Tensor")(copy.op.inplace_function)

zero = op("zero(input)", Elementwise(lambda array: np.zeros_like(array), tensors=1),
    input=lambda g: zeros_like(g),
    method=False, namespace="_engine",
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


def part_of(t, size, stride, start):
    """The strided view of a tensor's own memory, starting so many elements after its first one."""
    inside = t.array.flags.c_contiguous and start >= 0
    return strided_part(t, size, stride, start, None if inside else strides_of(t))


def as_view_of(base, array, storage_offset):
    """Record `array`, which lies in base's memory, as a strided view of base."""
    item = array.itemsize
    start = (array.__array_interface__["data"][0] - base.array.__array_interface__["data"][0]) // item
    return part_of(base, array.shape, tuple([s // item for s in array.strides]), start)


def check_writable(out):
    """RuntimeError for an output that shows a cell of memory twice."""
    if not out.on_meta and visits_twice(out.array):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )


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
    for t in outs:
        check_writable(t)
    try:
        result = entry.kind.forward(entry, values)
    except Exception as error:
        raise entry.refused(args, error) from None
    results = result[: len(outs)] if isinstance(result, (tuple, list)) else (result,)
    if len(results) != len(outs):
        raise RuntimeError(f"{entry.public_name}(): expected {len(results)} tensors in 'out', got {len(outs)}")
    # everything is looked at before the first is written: a refused call leaves its outputs as they were
    for t, array in zip(outs, results, strict=True):
        check_cast(array, t.meta.dtype)
        for v in values:
            if isinstance(v, Tensor):
                check_overlap(entry.name, t.array, v.array)
    for t, array in zip(outs, results, strict=True):
        if t.array.shape != array.shape:
            t.resize_(array.shape)
        write_result(entry, t, array)
        bump_version(t)
    return out


def copy_out(result, out):
    """What a composite with an `out=` argument returns: its result, or `out` resized to it and filled with it."""
    if out is None:
        return result
    if not isinstance(out, Tensor):
        raise TypeError(f"argument 'out' must be Tensor, not {type(out).__name__}")
    check_writable(out)
    if (result.needs_grad or out.needs_grad) and current().grad_enabled:
        raise RuntimeError(
            "functions with out=... arguments don't support automatic differentiation, but one of the arguments "
            "requires grad."
        )
    check_cast(result.array, out.meta.dtype)
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

