"""Scaled dot-product attention, as a plain combination of ops."""

import math

import numpy as np

from chainrule._engine.op import composite
from chainrule._engine.tensor import wrap
from chainrule._kernels.casting import to_compute
from chainrule._ops.dropout import dropout
from chainrule._ops.joining import cat
from chainrule._ops.selection import where
from chainrule._ops.window import tensor_argument


def _check(query, key, value, attn_mask):
    for name, t in (("query", query), ("key", key), ("value", value)):
        tensor_argument("scaled_dot_product_attention", name, t)
    dtypes = [t.meta.dtype for t in (query, key, value)]
    if dtypes[1] is not dtypes[0] or dtypes[2] is not dtypes[0]:
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {dtypes[0]} key.dtype: "
            f"{dtypes[1]} and value.dtype: {dtypes[2]} instead."
        )
    ranks = [len(t.meta.shape) for t in (query, key, value)]
    if min(ranks) < 2:
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {ranks[0]} key.dim: "
            f"{ranks[1]} and value.dim: {ranks[2]} instead."
        )
    if dtypes[0].category < 2:
        raise RuntimeError(f"scaled_dot_product_attention: expected floating point tensors, but got {dtypes[0]}")
    if attn_mask is not None:
        tensor_argument("scaled_dot_product_attention", "attn_mask", attn_mask)
        d = attn_mask.meta.dtype
        if d.category != 0 and d is not dtypes[0] and d.name != "float32":
            raise RuntimeError(
                f"Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: {d} "
                f"and  query.dtype: {dtypes[0]} instead."
            )


def _repeat_heads(query, key, value):
    """Keys and values repeated so that each query head has one (grouped-query attention)."""
    heads = [t.meta.shape[-3] for t in (query, key, value)]
    if heads[0] % heads[1] or heads[0] % heads[2]:
        raise RuntimeError(
            f"scaled_dot_product_attention: with enable_gqa, expected the number of heads in query ({heads[0]}) to be "
            f"a multiple of those in key ({heads[1]}) and value ({heads[2]})"
        )
    return (
        key.repeat_interleave(heads[0] // heads[1], -3) if heads[1] != heads[0] else key,
        value.repeat_interleave(heads[0] // heads[2], -3) if heads[2] != heads[0] else value,
    )


def _allowed(attn_mask, is_causal, queries, keys):
    """Which pairs of query and key may meet: a bool tensor, True where they may, or None for all."""
    allowed = None
    if is_causal:
        allowed = wrap(np.tri(queries, keys, dtype=bool))
    if attn_mask is not None:
        if attn_mask.meta.dtype.category == 0:
            open = attn_mask
        else:
            with np.errstate(all="ignore"):
                barred = to_compute(attn_mask.array) == -np.inf
            open = wrap(~barred) if barred.any() else None
        if open is not None:
            allowed = open if allowed is None else allowed & open
    return allowed


def _finite_keys(key, value):
    """The places of keys whose rows are finite everywhere, and of those that are not (None where all are)."""
    bad = None
    for t in (key, value):
        array = to_compute(t.array)
        with np.errstate(all="ignore"):
            finite = np.isfinite(array)
        if not finite.all():
            rows = ~finite.reshape(-1, *array.shape[-2:]).all(axis=(0, 2))
            bad = rows if bad is None else bad | rows
    if bad is None:
        return None
    return wrap(np.flatnonzero(~bad)), wrap(np.flatnonzero(bad))


def _weights(scores, allowed, dropout_p):
    """Softmax over the keys a query may meet; a query that may meet none has weight 0 everywhere."""
    if allowed is None:
        weights = scores.softmax(-1)
    else:
        scores = scores.masked_fill(~allowed, -math.inf)
        closed = ~allowed.array.any(-1, keepdims=True)
        if closed.any():
            closed = wrap(closed)
            weights = scores.masked_fill(closed, 0).softmax(-1).masked_fill(closed, 0)
        else:
            weights = scores.softmax(-1)
    return dropout(weights, dropout_p) if dropout_p > 0 else weights


def _attend_around(query, key, value, bias, allowed, dropout_p, places):
    """Attention where some keys or values are not finite: those pairs are multiplied one by one, and a pair that may
    not meet gives exactly 0 to the result and to every gradient, which a product of matrices (0 · nan) cannot."""
    sound, unsound = places
    order = sound.array.tolist() + unsound.array.tolist()
    allowed = allowed.expand(*allowed.meta.shape[:-1], len(order))
    met = allowed.index_select(-1, unsound).unsqueeze(-1)
    keys = key.index_select(-2, unsound).unsqueeze(-3)
    values = value.index_select(-2, unsound).unsqueeze(-3)
    scores = query @ key.index_select(-2, sound).transpose(-2, -1)
    pairs = (query.unsqueeze(-2) * where(met, keys, 0.0)).sum(-1)
    scores = cat([scores, pairs], -1)
    if bias is not None:
        scores = scores + bias.expand(*bias.meta.shape[:-1], len(order)).index_select(-1, wrap(np.array(order)))
    weights = _weights(scores, allowed.index_select(-1, wrap(np.array(order))), dropout_p)
    n = len(sound.array)
    out = weights.narrow(-1, 0, n) @ value.index_select(-2, sound)
    rest = weights.narrow(-1, n, len(order) - n).unsqueeze(-1)
    return out + (rest * where(met, values, 0.0)).sum(-2)


@composite(namespace="nn.functional")
def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """softmax(query · keyᵀ · scale + mask) · value for (…, L, E), (…, S, E), (…, S, Ev); scale is 1/√E unless given.

    A bool mask says which pairs may meet, a float mask is added to the scores. `is_causal` lets query i meet the keys
    up to i. A masked-out key has no influence even if it is nan; a query that may meet no key gives 0. `enable_gqa`
    repeats the heads of key and value (dimension -3) to those of query."""
    _check(query, key, value, attn_mask)
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p}")
    if enable_gqa:
        key, value = _repeat_heads(query, key, value)
    allowed = _allowed(attn_mask, is_causal, query.meta.shape[-2], key.meta.shape[-2])
    bias = None
    if attn_mask is not None and attn_mask.meta.dtype.category >= 2:
        bias = attn_mask if attn_mask.meta.dtype is query.meta.dtype else attn_mask.to(query.meta.dtype)
    query = query * (1 / math.sqrt(query.meta.shape[-1]) if scale is None else scale)
    places = None if allowed is None else _finite_keys(key, value)
    if places is not None:
        return _attend_around(query, key, value, bias, allowed, dropout_p, places)
    scores = query @ key.transpose(-2, -1)
    if bias is not None:
        scores = scores + bias
    return _weights(scores, allowed, dropout_p) @ value
