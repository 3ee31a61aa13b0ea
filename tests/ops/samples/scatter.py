"""Samples of writing element by element."""

import numpy as np
from casebook import case, const, cplx, distinct, positive, real

once = const(np.array([[1, 0, 2], [0, 2, 1]]))
often = const(np.array([[1, 0, 1], [0, 2, 0]]))
rows = const(np.array([0, 2]))

case("scatter", lambda T, x, i, y: T.scatter(x, 1, i, y), real(2, 3), once, real(2, 3))
case("scatter long source", lambda T, x, i, y: x.scatter(0, i, y), real(3, 3), once, real(3, 4),
     reference=False)  # fmt: skip
case("scatter value", lambda T, x, i: x.scatter(1, i, 2.5), real(2, 3), once)
case("scatter named value", lambda T, x, i: T.scatter(x, 1, i, value=2), cplx(2, 3), once)
case(
    "scatter add",
    lambda T, x, i, y: T.scatter(x, 1, i, y.detach(), reduce="add"),
    real(2, 3),
    often,
    const(real(2, 3)),
)
case("scatter_", lambda T, x, i, y: x.clone().scatter_(1, i, y), real(2, 3), once, real(2, 3))
case("scatter_ value", lambda T, x, i: x.clone().scatter_(1, i, 1.0), real(2, 3), once)
case("scatter_add", lambda T, x, i, y: T.scatter_add(x, 0, i, y), real(3, 3), often, real(2, 3))
case("scatter_add complex", lambda T, x, i, y: x.scatter_add(1, i, y), cplx(2, 3), often, cplx(2, 3))
case(
    "scatter_add in place", lambda T, x, i, y: x.clone().scatter_add_(1, i, y), real(2, 3), often, real(2, 3)
)
for how in ("sum", "mean", "prod", "amax", "amin"):
    for own in (True, False):
        case(
            f"scatter_reduce {how}{' without self' if not own else ''}",
            lambda T, x, i, y, how=how, own=own: T.scatter_reduce(x, 1, i, y + 0.11, how, include_self=own),
            distinct(2, 3), often, distinct(2, 3),
            # no two values that meet may be close, or a difference quotient crosses the kink
            second=how == "prod",
        )  # fmt: skip
case("scatter_reduce prod with zeros", lambda T, x, i, y: T.scatter_reduce(x * 0, 1, i, y, "prod"),
     positive(2, 3), often, positive(2, 3), second=False)  # fmt: skip
case(
    "scatter_reduce_",
    lambda T, x, i, y: x.clone().scatter_reduce_(1, i, y, "prod"),
    positive(2, 3),
    often,
    positive(2, 3),
)
case(
    "index_put one", lambda T, x, i, y: T.index_put(x, (i,), y), real(3, 2), rows, real(2, 2), op="index_put"
)
case("index_put added", lambda T, x, i, y: x.index_put((i, i), y, accumulate=True), real(3, 3), rows, real(2))
case("index_put_", lambda T, x, i, y: x.clone().index_put_((i,), y), real(3, 2), rows, real(2))
case("setitem", lambda T, x, y: _set(x, 1, y), real(3, 2), real(2))
case("setitem slice", lambda T, x, y: _set(x, (slice(None), slice(0, 2)), y), real(3, 4), real(3, 1))
case("setitem leading ones", lambda T, x, y: _set(x, slice(0, 2), y), real(3, 2), real(1, 1, 2))
case("setitem index tensor", lambda T, x, i, y: _set(x, i, y), real(3, 2), rows, real(2, 2))
case(
    "setitem index tensor apart",
    lambda T, x, i, y: _set(x, (0, slice(None), i), y),
    real(2, 2, 3),
    rows,
    real(2, 1),
)
case("setitem mask", lambda T, x, y: _set(x, x.detach() > 0, y), real(3, 2), real())
case("setitem number", lambda T, x: _set(x, (slice(1, None), -1), 2.0), cplx(3, 2))
case("select_scatter", lambda T, x, y: T.select_scatter(x, y, 1, -1), real(2, 3), real(2))
case("slice_scatter", lambda T, x, y: T.slice_scatter(x, y, 1, 0, 4, 2), real(2, 4), real(2, 2))
case("slice_scatter all", lambda T, x, y: x.slice_scatter(y), real(2, 3), real(2, 3))


def _set(x, index, value):
    x = x.clone()
    x[index] = value
    return x
