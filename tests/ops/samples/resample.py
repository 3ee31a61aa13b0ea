"""Samples of resizing and of rearranging between channels and space."""

import warnings

from casebook import case, cplx, ints, real

_MODES = {1: ("linear",), 2: ("bilinear", "bicubic"), 3: ("trilinear",)}
for _n, _sizes, _new in ((1, (5,), (8,)), (2, (4, 5), (7, 3)), (3, (2, 3, 4), (3, 5, 2))):
    for _mode in ("nearest", "nearest-exact", "area", *_MODES[_n]):

        def _resize(T, x, mode=_mode, **options):
            return T.nn.functional.interpolate(x, mode=mode, **options)

        _title = f"interpolate {_mode} {_n}d"
        case(f"{_title} size", lambda T, x, f=_resize, s=_new: f(T, x, size=s), real(1, 2, *_sizes))
        case(f"{_title} scale", lambda T, x, f=_resize: f(T, x, scale_factor=1.7), real(1, 2, *_sizes))
        if _mode in _MODES[_n]:
            case(f"{_title} corners", lambda T, x, f=_resize, s=_new: f(T, x, size=s, align_corners=True),
                 real(1, 2, *_sizes))  # fmt: skip
        if _n == 2 and _mode in _MODES[2]:
            case(f"{_title} antialias", lambda T, x, f=_resize: f(T, x, size=(2, 3), antialias=True),
                 real(1, 2, *_sizes))  # fmt: skip

case("interpolate recomputed",
     lambda T, x: T.nn.functional.interpolate(x, scale_factor=1.7, mode="linear", recompute_scale_factor=True),
     real(1, 2, 5))  # fmt: skip
case("pixel_shuffle plain", lambda T, x: T.nn.functional.pixel_shuffle(x, 2), real(2, 8, 2, 3))
case("pixel_shuffle unbatched", lambda T, x: T.nn.functional.pixel_shuffle(x, 3), cplx(9, 2, 1))
case("pixel_unshuffle plain", lambda T, x: T.nn.functional.pixel_unshuffle(x, 2), real(2, 2, 4, 6))
case("channel_shuffle plain", lambda T, x: T.nn.functional.channel_shuffle(x, 3), real(2, 6, 2, 2))
case("channel_shuffle ints", lambda T, x: T.nn.functional.channel_shuffle(x, 2), ints(1, 4, 3), smooth=False)


def _quietly(T, name, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(T.nn.functional, name)(*args, **options)


case("upsample nearest", lambda T, x: _quietly(T, "upsample", x, scale_factor=2), real(1, 2, 3))
case("upsample_nearest plain", lambda T, x: _quietly(T, "upsample_nearest", x, 5), real(1, 1, 2, 3))
case("upsample_bilinear plain", lambda T, x: _quietly(T, "upsample_bilinear", x, 5), real(1, 1, 2, 3))
