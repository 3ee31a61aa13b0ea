"""Rows of a table by index (embedding), bags of them, and one-hot vectors."""

import numpy as np

from chainrule._core.dtype import of_array
from chainrule._engine.op import composite, grads, op
from chainrule._engine.tensor import Tensor, bump_version, wrap
from chainrule._kernels import embedding as kernels
from chainrule._kernels.casting import cast, to_compute
from chainrule._ops.joining import cat
from chainrule._ops.kinds import Gather

MODES = {"sum": 0, "mean": 1, "max": 2}


def whole(indices):
    """Indices as the kernels take them."""
    return indices.astype(np.int64, copy=False)


def check_indices(indices, name="indices"):
    if not isinstance(indices, Tensor) or indices.meta.dtype.name not in ("int64", "int32"):
        found = f"torch.{indices.meta.dtype.tensor_type}" if isinstance(indices, Tensor) else type(indices).__name__
        raise RuntimeError(
            f"Expected tensor for argument #1 '{name}' to have one of the following scalar types: Long, Int; but got "
            f"{found} instead (while checking arguments for embedding)"
        )


def check_table(weight, indices):
    """IndexError for an index that is no row, RuntimeError for a table that is no matrix."""
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if indices.size and (indices.min() < 0 or indices.max() >= weight.shape[0]):
        raise IndexError("index out of range in self")


def rows(weight, indices, padding_idx, scale_grad_by_freq, sparse):
    check_table(weight, indices)
    return kernels.embedding(weight, whole(indices))


def row_sums(g, indices, num_weights, padding_idx, scale_grad_by_freq):
    padding = None if padding_idx < 0 else padding_idx
    sums = kernels.embedding_grad(to_compute(g), whole(indices), num_weights, padding, scale_grad_by_freq)
    return cast(sums, of_array(g))


def rows_again(g, indices, num_weights, padding_idx, scale_grad_by_freq):
    """The adjoint of embedding_dense_backward: rows looked up, none for padding_idx, divided by their number."""
    taken = look_up(g, indices)
    if padding_idx < 0 and not scale_grad_by_freq:
        return taken
    at = indices.array
    factors = np.ones(at.shape, to_compute(g.array).dtype)
    if scale_grad_by_freq:
        factors /= np.bincount(at.ravel(), minlength=num_weights)[at]
    if padding_idx >= 0:
        factors[at == padding_idx] = 0
    return taken * wrap(cast(factors, g.meta.dtype)).unsqueeze(-1)


look_up = op("embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False)",
    Gather(rows, with_out=False),
    weight=lambda g, indices, weight_shape, padding_idx, scale_grad_by_freq: row_gradient(
        g, indices, weight_shape[0], padding_idx, scale_grad_by_freq),
    method=False,
    doc="The rows of weight that indices name, as (*indices.shape, width).")  # fmt: skip

row_gradient = op("embedding_dense_backward(grad_output, indices, num_weights, padding_idx, scale_grad_by_freq)",
    Gather(row_sums, with_out=False),
    grad_output=rows_again,
    method=False, namespace="_engine",
    doc="The adjoint of embedding in weight: rows of grad_output added up by their index, none for padding_idx.",
)  # fmt: skip


def renormed(weight, indices, max_norm, norm_type):
    """Scale down, in place and outside the graph, those of the rows named whose norm exceeds max_norm."""
    check_table(weight.array, indices.array)
    named = np.unique(indices.array)
    table = to_compute(weight.array)
    norms = np.linalg.norm(table[named], norm_type, axis=1)
    long = norms > max_norm
    if long.any():
        shorter = table[named[long]] * (max_norm / (norms[long] + 1e-7)).astype(table.dtype)[:, None]
        weight.array[named[long]] = cast(shorter, weight.meta.dtype)
        bump_version(weight)


def row_number(padding_idx, num_rows, name):
    """padding_idx as a row, -1 for None; AssertionError if there is no such row."""
    if padding_idx is None:
        return -1
    if not -num_rows <= padding_idx < num_rows:
        raise AssertionError(f"{name} must be within num_embeddings: expected -{num_rows} to {num_rows - 1}, got "
                             f"{padding_idx}")  # fmt: skip
    return padding_idx % num_rows


@composite("nn.functional")
def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    """The rows of `weight` (rows, width) that `input` (any shape, int32 or int64) names: (*input.shape, width).

    Row `padding_idx` gets no gradient. `max_norm` first scales down, in place, the rows named whose `norm_type`-norm
    exceeds it. `scale_grad_by_freq` divides a row's gradient by how often it was taken. Gradients are dense whatever
    `sparse` says. IndexError for an index that is no row.
    """
    check_indices(input)
    padding_idx = row_number(padding_idx, weight.meta.shape[0], "Padding_idx")
    if max_norm is not None:
        renormed(weight, input, max_norm, norm_type)
    return look_up(weight, input, padding_idx, scale_grad_by_freq, sparse)


def bag_forward(weight, indices, offsets, mode, per_sample_weights, include_last_offset, padding_idx, scale):
    check_table(weight, indices)
    table = to_compute(weight)
    each = None if per_sample_weights is None else cast(per_sample_weights, of_array(table))
    padding = None if padding_idx < 0 else padding_idx
    out, *rest = kernels.embedding_bag(
        table, whole(indices), whole(offsets), mode, each, include_last_offset, padding
    )  # fmt: skip
    return (cast(out, of_array(weight)), *rest)


def bag_factors(bag, bag_size, mode, per_sample_weights, dtype):
    """What each index's row counts in its bag, as a tensor of shape (count, 1); 0 for padding."""
    padded = np.append(bag_size, 0)[bag]
    factors = (bag < len(bag_size)) / (np.maximum(padded, 1) if mode == "mean" else 1)
    factors = wrap(cast(factors, dtype)).unsqueeze(1)
    if per_sample_weights is None:
        return factors
    return factors * per_sample_weights.narrow(0, 0, bag.size).unsqueeze(1)


def bag_grads(
    g, weight, indices, per_sample_weights, mode, padding_idx, scale_grad_by_freq, bag, bag_size, max_indices, wants
):
    """Each index's row gets its bag's cotangent; of a maximum, the row it came from."""
    if mode == "max":
        place = wrap(np.where(max_indices >= 0, max_indices, 0))
        held = wrap(cast((max_indices >= 0).astype(np.float32), g.meta.dtype))
        return (g.new_zeros(weight.meta.shape).scatter_add(0, place, g * held) if wants[0] else None), None
    if not bag.size:
        none = per_sample_weights is None or not wants[1]
        return (g.new_zeros(weight.meta.shape) if wants[0] else None), None if none else per_sample_weights * 0
    taken = look_up(g, wrap(np.minimum(bag, max(len(bag_size) - 1, 0))))
    named = wrap(indices.array[: bag.size])
    gw = gs = None
    if wants[0]:
        share = bag_factors(bag, bag_size, mode, per_sample_weights, g.meta.dtype)
        gw = row_gradient(taken * share, named, weight.meta.shape[0], padding_idx, scale_grad_by_freq)
    if wants[1]:
        kept = bag_factors(bag, bag_size, mode, None, g.meta.dtype)
        gs = (taken * kept * look_up(weight, named)).sum(1)
        if bag.size < indices.array.size:
            gs = cat([gs, gs.new_zeros(indices.array.size - bag.size)])
    return gw, gs


bags = op(
    "embedding_bag(weight, indices, offsets, mode, per_sample_weights, include_last_offset, padding_idx, "
    "scale_grad_by_freq)",
    Gather(bag_forward, residuals="bag bag_size max_indices", with_out=False),
    grads("weight per_sample_weights", bag_grads),
    method=False, namespace="_engine",
    doc="Rows of weight summed, averaged or maximised in bags.")  # fmt: skip


@composite("nn.functional")
def embedding_bag(
    input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean", sparse=False,
    per_sample_weights=None, include_last_offset=False, padding_idx=None,
):  # fmt: skip
    """The rows of `weight` that each bag of indices names, reduced by `mode` ("sum", "mean", "max"): (bags, width).

    `input` is (bags, size), or flat and cut into bags at `offsets`. `per_sample_weights`, of input's shape, multiply
    the rows (mode "sum" only). An empty bag is zero; `padding_idx` counts in no bag and gets no gradient.
    """
    if weight.meta.dtype.category < 2:  # the arguments in their older order
        input, weight = weight, input
    check_indices(input)
    if per_sample_weights is not None and per_sample_weights.meta.shape != input.meta.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({list(per_sample_weights.meta.shape)}) is not None, then it must "
            f"have the same shape as the input ({list(input.meta.shape)})"
        )
    if mode not in MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if len(input.meta.shape) == 2:
        if offsets is not None:
            raise ValueError(
                f"if input is 2D, then offsets has to be None: its rows are the bags. Found offsets of {type(offsets)}"
            )
        count, size = input.meta.shape
        offsets = wrap(np.arange(count, dtype=np.int64) * size)
        include_last_offset = False
        input = input.reshape(-1)
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape(-1)
    elif len(input.meta.shape) == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if len(offsets.meta.shape) != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {len(input.meta.shape)}")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            f"mode='{mode}')."
        )
    padding_idx = row_number(padding_idx, weight.meta.shape[0], "padding_idx")
    if max_norm is not None:
        renormed(weight, input, max_norm, norm_type)
    return bags.op.call(
        (weight, input, offsets, mode, per_sample_weights, include_last_offset, padding_idx, scale_grad_by_freq)
    )


@composite("nn.functional")
def one_hot(tensor, num_classes=-1):
    """A 1 at each class index: (*, C), int64, for int64 indices (*). num_classes=-1 is one more than the greatest."""
    if tensor.meta.dtype.name != "int64":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    index = tensor.array
    if index.size == 0 and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if index.size and index.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(index.max()) + 1
    elif num_classes < 1:
        raise RuntimeError("num_classes should be positive")
    elif index.size and index.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    out = np.zeros((*index.shape, num_classes), np.int64)
    np.put_along_axis(out, index[..., None], 1, -1)
    return wrap(out)
