"""Samples of running sums, products and extremes, differences and integrals."""

import numpy as np
from casebook import bools, case, const, cplx, distinct, ints, positive, real


def _with_zeros(rng):
    x = rng.uniform(0.5, 2, (3, 4))
    x[0, 1] = x[2, 0] = x[2, 2] = 0
    return x


case("cumsum rows", lambda T, x: x.cumsum(1), real(3, 4))
case("cumsum complex", lambda T, x: T.cumsum(x, 0), cplx(3, 2))
case("cumsum integers", lambda T, x: x.cumsum(-1), ints(3, 4), smooth=False)
case("cumsum 0-d", lambda T, x: x.cumsum(0), real())
case("cumprod rows", lambda T, x: x.cumprod(1), real(3, 4))
case("cumprod zeros", lambda T, x: x.cumprod(1), _with_zeros)
case("cumprod complex", lambda T, x: x.cumprod(0), cplx(3, 2))
case("cumprod dtype", lambda T, x: x.cumprod(0, dtype=T.float64), ints(3, 2), smooth=False)
case("cummax rows", lambda T, x: x.cummax(1), distinct(3, 4))
case("cummin columns", lambda T, x: T.cummin(x, 0), distinct(3, 4))
case("logcumsumexp rows", lambda T, x: x.logcumsumexp(1), real(3, 4))
case("logcumsumexp complex", lambda T, x: x.logcumsumexp(0), cplx(3, 2))
case("logcumsumexp far", lambda T, x: T.logcumsumexp(x, 0), const(np.array([-900.0, 800.0, 1.0])), smooth=False)

case("diff once", lambda T, x: x.diff(), real(3, 4))
case("diff twice", lambda T, x: T.diff(x, 2, 0), real(4, 3))
case("diff ends", lambda T, x, a, b: T.diff(x, dim=0, prepend=a, append=b), real(3, 2), real(1, 2), real(2, 2))
case("diff bools", lambda T, x: x.diff(), bools(3, 4), smooth=False)
case("diff too often", lambda T, x: x.diff(6), real(3, 4), smooth=False)
case("trapezoid even", lambda T, y: T.trapezoid(y, dx=0.5), real(3, 4))
case("trapezoid points", lambda T, y, x: T.trapezoid(y, x, dim=0), real(4, 3), real(4))
case("trapezoid grid", lambda T, y, x: T.trapezoid(y, x), real(3, 4), real(3, 4))
case("trapz even", lambda T, y: T.trapz(y), real(4))
case("cumulative_trapezoid even", lambda T, y: T.cumulative_trapezoid(y, dx=2.0, dim=0), real(4, 2))
case("cumulative_trapezoid points", lambda T, y, x: T.cumulative_trapezoid(y, x), real(3, 4), real(4))
case("gradient even", lambda T, x: T.gradient(x), real(3, 4))
case("gradient spacing", lambda T, x: T.gradient(x, spacing=[0.5, 2.0], edge_order=2), real(3, 4))
case("gradient points", lambda T, x, p: T.gradient(x, spacing=(p.cumsum(0),), dim=1), real(2, 5), const(positive(5)))
case("gradient points 2", lambda T, x, p: T.gradient(x, spacing=(p.cumsum(0),), dim=0, edge_order=2),
     real(4, 2), const(positive(4)))  # fmt: skip
