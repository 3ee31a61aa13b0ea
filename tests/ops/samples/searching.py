"""Samples of extremes with places, nonzero elements, bins and membership."""

import numpy as np
from casebook import case, const, distinct, ints, positive, real

for _name in ("max", "min"):
    case(f"{_name} all", lambda T, x, n=_name: getattr(x, n)(), distinct(3, 4))
    case(f"{_name} dim", lambda T, x, n=_name: getattr(T, n)(x, 1), distinct(3, 4))
    case(f"{_name} keepdim", lambda T, x, n=_name: getattr(x, n)(0, keepdim=True), distinct(3, 4))
    case(f"{_name} pair", lambda T, x, y, n=_name: getattr(T, n)(x, y), real(3, 4), real(4))
    case(f"arg{_name} all", lambda T, x, n=_name: getattr(x, "arg" + n)(), distinct(3, 4), smooth=False)
    case(f"arg{_name} dim", lambda T, x, n=_name: getattr(T, "arg" + n)(x, 1, True), distinct(3, 4), smooth=False)

case("nonzero rows", lambda T, x: x.nonzero(), ints(3, 4, low=0, high=2), smooth=False)
case("nonzero tuple", lambda T, x: T.nonzero(x, as_tuple=True), ints(3, 4, low=0, high=2), smooth=False)
case("nonzero 0-d", lambda T, x: x.nonzero(), const(np.array(3.0)), smooth=False)
case("argwhere rows", lambda T, x: T.argwhere(x), ints(3, 4, low=0, high=2), smooth=False)
case("nonzero_static more", lambda T, x: T.nonzero_static(x, size=9), ints(2, 3, low=0, high=2), smooth=False)
case("isin tensors", lambda T, x, y: T.isin(x, y), ints(3, 4), ints(3), smooth=False)
case("isin number", lambda T, x: T.isin(x, 2, invert=True), ints(3, 4), smooth=False)

_line = const(np.array([-1.0, 0.0, 0.5, 2.0]))
case("searchsorted line", lambda T, s, v: T.searchsorted(s, v), _line, const(real(2, 3)), smooth=False)
case("searchsorted right", lambda T, s, v: T.searchsorted(s, v, right=True, out_int32=True),
     const(np.array([1, 2, 2, 5])), ints(6), smooth=False)  # fmt: skip
case("searchsorted lines", lambda T, s, v: T.searchsorted(s, v, side="right"),
     const(np.array([[1.0, 3, 5], [2, 2, 9]])), const(np.array([[1.0, 4], [2, 10]])), smooth=False)  # fmt: skip
case("searchsorted sorter", lambda T, s, v: T.searchsorted(s, v, sorter=s.argsort()),
     const(np.array([3.0, 1, 2])), const(real(4)), smooth=False)  # fmt: skip
case("bucketize line", lambda T, v, s: T.bucketize(v, s, right=True), const(real(2, 3)), _line, smooth=False)
case("bincount counts", lambda T, x: x.bincount(), ints(7, low=0, high=5), smooth=False)
case("bincount weights", lambda T, x, w: T.bincount(x, w, 8), ints(7, low=0, high=5), const(real(7)), smooth=False)
case("histc range", lambda T, x: x.histc(4, -1, 1), const(real(9)), smooth=False)
case("histc own range", lambda T, x: T.histc(x, 5), const(real(9)), smooth=False)
case("histogram bins", lambda T, x: T.histogram(x, 4), const(real(9)), smooth=False)
case("histogram density", lambda T, x, w: x.histogram(3, range=(-1.0, 1.0), weight=w, density=True),
     const(real(9)), const(positive(9)), smooth=False)  # fmt: skip
case("histogram edges", lambda T, x, e: T.histogram(x, e), const(real(9)), _line, smooth=False)
case("histogramdd bins", lambda T, x: T.histogramdd(x, [2, 3]), const(real(9, 2)), smooth=False)
case("histogramdd edges", lambda T, x, e: T.histogramdd(x, (e, e), density=True), const(real(9, 2)), _line,
     smooth=False)  # fmt: skip
