"""Rows of a table by index, bags of such rows summed, averaged or maximised, and the gradients of both."""

import numpy as np

from chainrule._kernels.lookup import index_into, index_select, scatter_into


def embedding(weight, indices):
    """The rows of weight (rows, width) that indices name, as (*indices.shape, width)."""
    return index_select(weight, 0, indices.reshape(-1)).reshape(*indices.shape, weight.shape[1])


def row_sums(g, indices, num_rows, padding_idx, scale_by_freq):
    """Rows of g (count, width) added up by their index; those of padding_idx (None: no such row) are left
    out.
    """
    if padding_idx is not None:
        kept = indices != padding_idx
        if not kept.all():
            g, indices = g[kept], indices[kept]
    out = index_into(np.zeros((num_rows, g.shape[1]), g.dtype), 0, indices, g, "add")
    if scale_by_freq:
        counts = np.bincount(indices, minlength=num_rows)
        out /= np.maximum(counts, 1).astype(g.dtype)[:, None]
    return out


def embedding_grad(g, indices, num_rows, padding_idx=None, scale_by_freq=False):
    """The adjoint of embedding in weight: a row's gradients added up, divided by their number if
    scale_by_freq.
    """
    return row_sums(
        g.reshape(indices.size, g.shape[-1]), indices.reshape(-1), num_rows, padding_idx, scale_by_freq
    )


def bags_of(offsets, count, include_last_offset):
    """The bag each of count indices is in, and the number of bags."""
    if len(offsets) and offsets[0] != 0:
        raise ValueError(f"embedding_bag: expected offsets[0] to be 0, got {offsets[0]}")
    if np.any(offsets[1:] < offsets[:-1]) or (len(offsets) and offsets[-1] > count):
        raise ValueError(
            f"embedding_bag: expected offsets in order and at most {count}, got {offsets.tolist()}"
        )
    bags = len(offsets) - 1 if include_last_offset else len(offsets)
    ends = offsets[1:] if include_last_offset else np.append(offsets[1:], count)
    return np.repeat(np.arange(bags, dtype=np.int64), ends - offsets[:bags]), bags


def embedding_bag(
    weight, indices, offsets, mode, per_sample_weights=None, include_last_offset=False, padding_idx=None
):
    """(out, bag, bag_size, max_indices): rows of weight reduced by bag.

    indices (count,) are cut into bags at offsets; mode is sum, mean or max. bag (count,) is each index's bag;
    an index that is padding_idx does not count, and its bag is one past the last. bag_size is how many rows a
    bag has. max_indices (bags, width), None but for max, is the row each maximum came from, -1 in an empty
    bag. An empty bag is zero.
    """
    bag, bags = bags_of(offsets, indices.size, include_last_offset)
    indices = indices[: bag.size]
    if padding_idx is not None:
        bag = np.where(indices == padding_idx, bags, bag)
    rows = index_select(weight, 0, indices)
    bag_size = np.bincount(bag, minlength=bags + 1)[:bags].astype(np.int64, copy=False)
    if mode == "max":
        out, max_indices = bag_maxima(rows, indices, bag, bags)
        return out, bag, bag_size, max_indices
    with np.errstate(all="ignore"):
        if per_sample_weights is not None:
            rows *= per_sample_weights[: bag.size, None]
        # the extra bag takes what is padding
        out = index_into(np.zeros((bags + 1, weight.shape[1]), weight.dtype), 0, bag, rows, "add")[:bags]
        if mode == "mean":
            out /= np.maximum(bag_size, 1).astype(weight.dtype)[:, None]
    return out, bag, bag_size, None


def bag_maxima(rows, indices, bag, bags):
    """The largest of each bag's rows, column by column, and the index of the first row that has it."""
    out = np.full((bags + 1, rows.shape[1]), -np.inf, rows.dtype)
    index_into(out, 0, bag, rows, "amax")
    best = index_select(out, 0, bag)
    at = np.arange(len(rows))[:, None]
    at = np.where((rows == best) | (rows != rows), at, len(rows))
    first = index_into(np.full(out.shape, len(rows), np.int64), 0, bag, at, "amin")[:bags]
    found = first < len(rows)
    places = np.append(indices, -1)[np.where(found, first, len(rows))]
    return np.where(found, out[:bags], 0).astype(rows.dtype, copy=False), places


def embedding_bag_grad(
    g,
    indices,
    bag,
    bag_size,
    max_indices,
    num_rows,
    mode,
    per_sample_weights=None,
    padding_idx=None,
    scale_by_freq=False,
):
    """The adjoint of embedding_bag in weight; indices, bag, bag_size and max_indices as it took and gave
    them.

    scale_by_freq divides a row by how often it was taken. (PyTorch 2.13 divides by the counts of other rows
    there.)
    """
    if mode == "max":
        held = max_indices >= 0
        out = np.zeros((num_rows, g.shape[1]), g.dtype)
        return scatter_into(
            out, 0, np.where(held, max_indices, 0), np.where(held, g, 0).astype(g.dtype), "add"
        )
    kept = bag < len(g)
    bag, indices = bag[kept], indices[: bag.size][kept]
    with np.errstate(all="ignore"):
        if mode == "mean":
            g = g / np.maximum(bag_size, 1).astype(g.dtype)[:, None]
        rows = index_select(g, 0, bag)
        if per_sample_weights is not None:
            rows *= per_sample_weights[: kept.size][kept][:, None]
        return row_sums(rows, indices, num_rows, padding_idx, scale_by_freq)


def embedding_bag_weights_grad(g, weight, indices, bag):
    """The adjoint of embedding_bag (mode sum) in per_sample_weights."""
    kept = bag < len(g)
    out = np.zeros(indices.shape, g.dtype)
    with np.errstate(all="ignore"):
        products = index_select(g, 0, bag[kept]) * index_select(weight, 0, indices[: bag.size][kept])
        out[: bag.size][kept] = products.sum(1)
    return out
