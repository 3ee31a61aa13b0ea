"""Samples of writing slices, masked elements and single values."""

import numpy as np
from casebook import bools, case, const, cplx, distinct, positive, real

rows = const(np.array([2, 0, 2]))
once = const(np.array([2, 0]))
counted = const(np.array([[1, -1], [4, 0]]))

case("index_add", lambda T, x, i, y: T.index_add(x, 0, i, y), real(3, 2), rows, real(3, 2))
case("index_add alpha", lambda T, x, i, y: x.index_add(1, i, y, alpha=2.5), cplx(2, 3), rows, cplx(2, 3))
case("index_add in place", lambda T, x, i, y: x.clone().index_add_(0, i, y), real(3, 2), rows, real(3, 2))
case("index_copy", lambda T, x, i, y: T.index_copy(x, 1, i, y), real(2, 3), once, real(2, 2))
case("index_fill", lambda T, x, i: T.index_fill(x, 1, i, 2.0), real(2, 3), once)
case("index_fill tensor", lambda T, x, i, y: x.index_fill(0, i, y), real(3, 2), once, real())
case("index_fill_", lambda T, x, i: x.clone().index_fill_(0, i, 2), real(3, 2), once)
case(
    "index_reduce",
    lambda T, x, i, y: T.index_reduce(x, 0, i, y, "prod"),
    positive(3, 2),
    rows,
    positive(3, 2),
)
case(
    "index_reduce mean",
    lambda T, x, i, y: x.index_reduce(1, i, y, "mean", include_self=False),
    real(2, 3),
    rows,
    real(2, 3),
)
case(
    "index_reduce_",
    lambda T, x, i, y: x.clone().index_reduce_(0, i, y, "amax"),
    distinct(3, 2),
    rows,
    distinct(3, 2),
    second=False,
)
case("put", lambda T, x, i, y: T.put(x, i, y), real(2, 3), counted, real(2, 2))
case("put added", lambda T, x, i, y: x.put(i, y, accumulate=True), real(2, 3), counted, real(2, 2))
case("put_", lambda T, x, i, y: x.clone().put_(i, y), real(2, 3), counted, real(2, 2))
case("masked_scatter", lambda T, x, m, y: T.masked_scatter(x, m, y), real(3, 2), bools(3, 2), real(7))
case("masked_scatter broadcast", lambda T, x, m, y: x.masked_scatter(m, y), real(3, 2), bools(2), real(3, 2))
case(
    "masked_scatter in place",
    lambda T, x, m, y: x.clone().masked_scatter_(m, y),
    real(3, 2),
    bools(3, 2),
    real(6),
)
case("fill", lambda T, x, y: T.fill(x, y) + x, real(2, 3), real())
case("fill_", lambda T, x: x.clone().fill_(2.0) * x, real(2, 3))
case("zero_", lambda T, x: x.clone().zero_() + x, real(2, 3))
