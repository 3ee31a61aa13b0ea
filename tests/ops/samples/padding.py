"""Samples of padding."""

from casebook import bools, case, cplx, ints, real

_name = "pad"
case(f"{_name} constant", lambda T, x: T.nn.functional.pad(x, (1, 2)), real(2, 3))
case(f"{_name} constant value", lambda T, x: T.nn.functional.pad(x, (1, 0, 0, 2), value=1.5), real(2, 3))
case(f"{_name} cropping", lambda T, x: T.nn.functional.pad(x, (-1, 2, 1, -1)), real(2, 3, 4))
case(f"{_name} complex", lambda T, x: T.nn.functional.pad(x, (1, 1), value=2.0), cplx(2, 2))
case(f"{_name} ints", lambda T, x: T.nn.functional.pad(x, (1, 1), value=3), ints(4), smooth=False)
case(f"{_name} bools", lambda T, x: T.nn.functional.pad(x, (1, 1), value=1), bools(4), smooth=False)
for _mode in ("reflect", "replicate", "circular"):
    for _n, _shape in ((1, (4,)), (2, (3, 4)), (3, (3, 3, 4))):

        def _pad(T, x, pad, mode=_mode):
            return T.nn.functional.pad(x, pad, mode)

        case(f"{_name} {_mode} {_n}d", lambda T, x, f=_pad, n=_n: f(T, x, (2, 1) * n), real(1, 2, *_shape))
        case(f"{_name} {_mode} {_n}d cropping", lambda T, x, f=_pad, n=_n: f(T, x, (-1, 1) * n), real(2, *_shape))
case("constant_pad_nd plain", lambda T, x: T.constant_pad_nd(x, (1, 0, -1, 2), 0.5), real(3, 2))
