"""Rows of a table by index (embedding), bags of them, and one-hot vectors."""

import numpy as np

from chainrule._core.dtype import of_array
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import wrap
from chainrule._kernels import embedding as kernels
from chainrule._kernels.casting import cast, to_compute
from chainrule._ops.kinds import Gather


def rows(weight, indices, padding_idx, scale_grad_by_freq, sparse):
    return kernels.embedding(weight, indices.astype(np.int64, copy=False))


def row_sums(g, indices, num_weights, padding_idx, scale_grad_by_freq):
    padding = None if padding_idx < 0 else padding_idx
    sums = kernels.embedding_grad(
        to_compute(g), indices.astype(np.int64, copy=False), num_weights, padding, scale_grad_by_freq
    )
    return cast(sums, of_array(g))


def rows_again(g, indices, num_weights, padding_idx, scale_grad_by_freq):
    """The adjoint of embedding_dense_backward: rows looked up, none for padding_idx, shared by how often they appear."""
    taken = look_up(g, indices, padding_idx, scale_grad_by_freq)
    factors = np.ones(indices.array.shape, to_compute(g.array).dtype)
    if scale_grad_by_freq:
        factors /= np.bincount(indices.array.ravel(), minlength=num_weights)[indices.array]
    if padding_idx >= 0:
        factors[indices.array == padding_idx] = 0
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


@composite("nn.functional")
def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    """The rows of `weight` (rows, width) that `input` (any shape, int32 or int64) names: (*input.shape, width).

    Row `padding_idx` gets no gradient. `scale_grad_by_freq` divides a row's gradient by how often it was taken.
    """
    n = weight.meta.shape[0]
    if padding_idx is None:
        padding_idx = -1
    elif not -n <= padding_idx < n:
        raise AssertionError(f"padding_idx must be within num_embeddings: got {padding_idx} for {n} rows")
    elif padding_idx < 0:
        padding_idx += n
    return look_up(weight, input, padding_idx, scale_grad_by_freq, sparse)
