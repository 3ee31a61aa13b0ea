"""The sum of products of two arrays whose axes carry labels: one matrix product, or one multiplication."""

import numpy as np

from chainrule._kernels.loops import Ufunc, broadcast_shapes, matmul
from chainrule._kernels.strided import expand

multiplication = Ufunc(np.multiply)


def contract(a, b, a_labels, b_labels, out_labels):
    """Σ a·b over the labels both have and the result has not.

    Labels are tuples of ints, distinct within an operand; a label of one operand alone must be in `out_labels`. Shared
    sizes agree, or one is 1 and the label is in the result.
    """
    in_a, in_b = set(a_labels), set(b_labels)
    summed = [label for label in a_labels if label in in_b and label not in out_labels]
    if not summed:
        return multiplication.call2(aligned(a, a_labels, out_labels), aligned(b, b_labels, out_labels))
    shared = [label for label in out_labels if label in in_a and label in in_b]
    left = [label for label in out_labels if label not in in_b]
    right = [label for label in out_labels if label not in in_a]
    if right and left and out_labels.index(right[0]) < out_labels.index(left[0]):
        # the product of the transposes in exchanged order comes out in the asked order of axes more often
        return contract(b, a, b_labels, a_labels, out_labels)
    rows = grouped(a, a_labels, shared, left, summed)
    columns = grouped(b, b_labels, shared, summed, right)
    n = len(shared)
    batch = broadcast_shapes(rows.shape[:n], columns.shape[:n])
    sizes = dict(zip(b_labels, b.shape, strict=True)) | dict(zip(a_labels, a.shape, strict=True))
    product = matmul(one_batch(rows, batch, n), one_batch(columns, batch, n))
    shape = batch + tuple(sizes[label] for label in left + right)
    order = shared + left + right
    return product.reshape(shape).transpose([order.index(label) for label in out_labels])


def aligned(x, labels, out_labels):
    """x with its axes in the result's order and an axis of size 1 for every label it has not."""
    order = [labels.index(label) for label in out_labels if label in labels]
    shape = iter([x.shape[i] for i in order])
    return x.transpose(order).reshape([next(shape) if label in labels else 1 for label in out_labels])


def grouped(x, labels, shared, first, second):
    """x with the shared axes one by one, then `first` as one axis and `second` as one."""
    x = x.transpose([labels.index(label) for label in (*shared, *first, *second)])
    n, m = len(shared), len(shared) + len(first)
    return x.reshape(x.shape[:n] + (size(x.shape[n:m]), size(x.shape[m:])))


def size(shape):
    n = 1
    for k in shape:
        n *= k
    return n


def one_batch(x, batch, n):
    """x with its n batch axes stretched to `batch` and made one; a matrix where there is none."""
    if x.shape[:n] != batch:
        x = expand(x, batch + x.shape[n:])
    return x if n < 2 else x.reshape((size(batch),) + x.shape[n:])
