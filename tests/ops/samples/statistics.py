"""Samples of variances, covariances and quantiles."""

import numpy as np
from casebook import case, const, cplx, distinct, positive, real

for _name in ("var", "std"):
    case(f"{_name} all", lambda T, x, n=_name: getattr(x, n)(), real(3, 4))
    case(f"{_name} biased", lambda T, x, n=_name: getattr(x, n)(False), real(3, 4))
    case(f"{_name} dim unbiased", lambda T, x, n=_name: getattr(T, n)(x, 1, False, True), real(3, 4))
    case(f"{_name} correction", lambda T, x, n=_name: getattr(x, n)((0, 2), correction=0.5), real(3, 4, 2))
    case(f"{_name} complex", lambda T, x, n=_name: getattr(x, n)(0), cplx(4, 2))
    case(f"{_name}_mean dim", lambda T, x, n=_name: getattr(T, n + "_mean")(x, 1), real(3, 4))
    case(f"{_name}_mean all", lambda T, x, n=_name: getattr(T, n + "_mean")(x, correction=0, keepdim=True), real(3, 4))

_counts = const(np.array([1, 2, 1, 3]))
case("cov rows", lambda T, x: T.cov(x), real(3, 4))
case("cov vector", lambda T, x: x.cov(correction=0), real(4))
case("cov weights", lambda T, x, f, a: T.cov(x, fweights=f, aweights=a), real(3, 4), _counts, const(positive(4)))
case("cov complex", lambda T, x: T.cov(x), cplx(2, 4))
case("corrcoef rows", lambda T, x: T.corrcoef(x), real(3, 5))

case("quantile number", lambda T, x: x.quantile(0.3), distinct(3, 4))
case("quantile several", lambda T, x: T.quantile(x, T.tensor([0.1, 0.55], dtype=T.float64), 0), distinct(4, 3))
case("quantile keepdim", lambda T, x: x.quantile(T.tensor([0.2], dtype=T.float64), -1, True), distinct(2, 3, 4))
case("quantile of q", lambda T, x, q: T.quantile(x, q, 1), distinct(2, 5), np.array([0.1, 0.63]))
for _way in ("lower", "higher", "midpoint", "nearest"):
    case(f"quantile {_way}", lambda T, x, way=_way: x.quantile(0.37, 1, interpolation=way), distinct(3, 4))
_holes = const(np.array([[1.0, np.nan, 3.0, 0.5], [2.0, 1.0, 5.0, -1.0]]))
case("quantile nan", lambda T, x: x.quantile(0.4, 1), _holes, smooth=False)
case("nanquantile nan", lambda T, x: x.nanquantile(T.tensor([0.4, 1.0], dtype=T.float64), 1), _holes, smooth=False)
case("nanquantile all", lambda T, x: x.nanquantile(0.7), distinct(3, 4))
