"""Samples of pooling and unpooling."""

import math

import numpy as np
from casebook import case, const, distinct, positive, real


def _places(*shape):
    """Places within a plane twice as long on each axis, each once, as max pooling of windows of 2 gives them."""
    kept = math.prod(shape[2:])
    places = kept * 2 ** len(shape[2:])

    def draw(rng):
        return np.stack([rng.permutation(places)[:kept] for _ in range(shape[0] * shape[1])]).reshape(shape)

    return const(draw)


for _n, _sizes in ((1, (7,)), (2, (5, 6)), (3, (4, 5, 3))):

    def _call(T, name, *args, n=_n, **options):
        return getattr(T.nn.functional, f"{name}{n}d")(*args, **options)

    _f = f"%s{_n}d %s"
    case(_f % ("max_pool", "plain"), lambda T, x, f=_call: f(T, "max_pool", x, 2), distinct(2, 2, *_sizes))
    case(_f % ("max_pool", "padded"), lambda T, x, f=_call: f(T, "max_pool", x, 3, 1, 1), distinct(2, *_sizes))
    case(_f % ("max_pool", "indices"), lambda T, x, f=_call: f(T, "max_pool", x, 2, 1, 0, 2, True, True),
         distinct(1, 2, *_sizes))  # fmt: skip
    case(f"max_pool{_n}d_with_indices plain",
         lambda T, x, n=_n: getattr(T.nn.functional, f"max_pool{n}d_with_indices")(x, 2),
         distinct(1, 2, *_sizes))  # fmt: skip
    case(_f % ("avg_pool", "plain"), lambda T, x, f=_call: f(T, "avg_pool", x, 2), real(2, 2, *_sizes))
    case(_f % ("avg_pool", "ceil"), lambda T, x, f=_call: f(T, "avg_pool", x, 3, 2, 1, True), real(1, 2, *_sizes))
    case(_f % ("avg_pool", "unpadded count"), lambda T, x, f=_call: f(T, "avg_pool", x, 3, 2, 1, False, False),
         real(2, *_sizes))  # fmt: skip
    case(_f % ("adaptive_avg_pool", "plain"), lambda T, x, f=_call: f(T, "adaptive_avg_pool", x, 2),
         real(2, 2, *_sizes))  # fmt: skip
    case(_f % ("adaptive_avg_pool", "one"), lambda T, x, f=_call: f(T, "adaptive_avg_pool", x, 1), real(2, *_sizes))
    case(_f % ("adaptive_max_pool", "plain"), lambda T, x, f=_call: f(T, "adaptive_max_pool", x, 2),
         distinct(2, 2, *_sizes))  # fmt: skip
    case(_f % ("adaptive_max_pool", "indices"), lambda T, x, f=_call: f(T, "adaptive_max_pool", x, 3, True),
         distinct(2, *_sizes))  # fmt: skip
    case(f"adaptive_max_pool{_n}d_with_indices plain",
         lambda T, x, n=_n: getattr(T.nn.functional, f"adaptive_max_pool{n}d_with_indices")(x, 2),
         distinct(1, 2, *_sizes))  # fmt: skip
    case(_f % ("lp_pool", "two"), lambda T, x, f=_call: f(T, "lp_pool", x, 2, 2), real(1, 2, *_sizes))
    case(_f % ("lp_pool", "three"), lambda T, x, f=_call: f(T, "lp_pool", x, 3.0, 2, 1), positive(1, 2, *_sizes))
    case(_f % ("max_unpool", "plain"), lambda T, x, i, f=_call: f(T, "max_unpool", x, i, 2),
         real(1, 2, *(2,) * _n), _places(1, 2, *(2,) * _n))  # fmt: skip

case("avg_pool2d divisor", lambda T, x: T.nn.functional.avg_pool2d(x, 2, divisor_override=3), real(1, 1, 4, 4))
case("adaptive_avg_pool2d kept axis", lambda T, x: T.nn.functional.adaptive_avg_pool2d(x, (None, 2)),
     real(1, 2, 4, 5))  # fmt: skip
