"""Samples of scaled dot-product attention."""

import numpy as np
from casebook import case, const, real


def _attend(T, q, k, v, mask=None, **options):
    return T.nn.functional.scaled_dot_product_attention(q, k, v, mask, **options)


def _mask(rng):
    allowed = rng.random((3, 4)) < 0.6
    allowed[:, 0] = True
    return allowed


def _barred(rng):
    return np.where(_mask(rng), 0.0, -np.inf)


_name = "scaled_dot_product_attention"
_qkv = (real(2, 3, 5), real(2, 4, 5), real(2, 4, 2))
case(f"{_name} plain", _attend, *_qkv)
case(f"{_name} one matrix", _attend, real(3, 5), real(4, 5), real(4, 2))
case(f"{_name} causal", lambda T, q, k, v: _attend(T, q, k, v, is_causal=True), *_qkv)
case(f"{_name} scale", lambda T, q, k, v: _attend(T, q, k, v, scale=0.3), *_qkv)
case(f"{_name} bool mask", _attend, *_qkv, const(_mask))
case(f"{_name} float mask", _attend, *_qkv, real(3, 4))
case(f"{_name} infinite mask", _attend, *_qkv, const(_barred))
case(f"{_name} grouped heads", lambda T, q, k, v: _attend(T, q, k, v, enable_gqa=True),
     real(2, 4, 3, 5), real(2, 2, 4, 5), real(2, 2, 4, 2))  # fmt: skip
