"""Samples of folds."""

import numpy as np
from casebook import case, const, cplx, distinct, ints, real

_holes = const(lambda rng: np.where(rng.random((3, 4)) < 0.3, np.nan, rng.uniform(-2, 2, (3, 4))))


def _with_zeros(*places):
    def make(rng):
        x = rng.uniform(0.5, 2, (3, 4))
        for i, j in places:
            x[i, j] = 0
        return x

    return make


for _name in ("sum", "mean"):
    case(f"{_name} all", lambda T, x, n=_name: getattr(T, n)(x), real(3, 4))
    case(f"{_name} dim", lambda T, x, n=_name: getattr(x, n)(1), real(3, 4))
    case(f"{_name} dims keepdim", lambda T, x, n=_name: getattr(T, n)(x, (0, -1), True), real(3, 4, 2))
    case(f"{_name} no dims", lambda T, x, n=_name: getattr(x, n)(()), real(3, 4))
    case(f"{_name} complex", lambda T, x, n=_name: getattr(x, n)(0), cplx(3, 4))
    case(f"{_name} 0-d", lambda T, x, n=_name: getattr(x, n)(0), real())
    case(f"{_name} empty", lambda T, x, n=_name: getattr(x, n)(0), const(np.zeros((0, 3))), smooth=False)
case("sum integers", lambda T, x: x.sum(0), ints(3, 4), smooth=False)
case("sum dtype", lambda T, x: x.sum(dtype=T.float64), ints(3, 4), smooth=False)

case("sum_to_size rows", lambda T, x: x.sum_to_size(3, 1), real(2, 3, 4))

case("nansum all", lambda T, x: x.nansum(), real(3, 4))
case("nansum dim", lambda T, x: x.nansum(1, keepdim=True), real(3, 4))
case("nansum nan", lambda T, x: x.nansum(1), _holes, smooth=False)
case("nanmean dim", lambda T, x: x.nanmean(1), real(3, 4))
case("nanmean nan", lambda T, x: x.nanmean(0), _holes, smooth=False)

case("prod all", lambda T, x: x.prod(), real(2, 3))
case("prod dim", lambda T, x: x.prod(1, keepdim=True), real(3, 4))
case("prod zero", lambda T, x: x.prod(1), _with_zeros((0, 1), (2, 3), (2, 0)))
case("prod all zero", lambda T, x: x.prod(), _with_zeros((1, 1)))
case("prod complex", lambda T, x: x.prod(0), cplx(3, 2))
case("prod 0-d", lambda T, x: x.prod(0), real())
case("prod integers", lambda T, x: x.prod(0), ints(3, 4), smooth=False)

case("amax all", lambda T, x: x.amax(), distinct(3, 4))
case("amax dims", lambda T, x: T.amax(x, (0, 2), True), distinct(3, 4, 2))
case("amin dim", lambda T, x: x.amin(1), distinct(3, 4))
case("amin 0-d", lambda T, x: x.amin(0), real())
case("amin integers", lambda T, x: x.amin(), ints(3, 4), smooth=False)
case("aminmax all", lambda T, x: T.aminmax(x), distinct(3, 4))
case("aminmax dim", lambda T, x: x.aminmax(dim=0, keepdim=True), distinct(3, 4))

case("all dim", lambda T, x: x.all(1), ints(3, 4, low=0, high=3), smooth=False)
case("all of it", lambda T, x: T.all(x), ints(3, 4), smooth=False)
case("all bytes", lambda T, x: x.to(T.uint8).all(0), ints(3, 4, low=0, high=3), smooth=False)
case("any dims", lambda T, x: x.any((0, 2), keepdim=True), ints(2, 3, 2, low=0, high=2), smooth=False)
case("any none", lambda T, x: x.any(()), ints(3, 2, low=0, high=2), smooth=False)
case("count_nonzero all", lambda T, x: x.count_nonzero(), ints(3, 4, low=0, high=3), smooth=False)
case("count_nonzero dim", lambda T, x: T.count_nonzero(x, 1), ints(3, 4, low=0, high=3), smooth=False)

case("logsumexp dim", lambda T, x: x.logsumexp(1), real(3, 4))
case("logsumexp dims", lambda T, x: T.logsumexp(x, (0, 1), keepdim=True), real(3, 4))
case("logsumexp complex", lambda T, x: x.logsumexp(0), cplx(3, 2))
case("logsumexp far", lambda T, x: (x * 1000).logsumexp(0), const(np.array([1.0, -2.0, 1.0])), smooth=False)
