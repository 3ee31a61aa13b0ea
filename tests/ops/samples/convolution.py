"""Samples of convolutions and of patches as columns."""

from casebook import case, cplx, real

for _n, _sizes in ((1, (7,)), (2, (6, 5)), (3, (4, 5, 3))):
    _name, _back = f"conv{_n}d", f"conv_transpose{_n}d"
    _kernel = (2, 3, 2)[:_n]

    def _conv(T, *tensors, n=_n, **options):
        return getattr(T.nn.functional, f"conv{n}d")(*tensors, **options)

    def _transposed(T, *tensors, n=_n, **options):
        return getattr(T.nn.functional, f"conv_transpose{n}d")(*tensors, **options)

    case(f"{_name} plain", _conv, real(2, 2, *_sizes), real(3, 2, *_kernel), real(3))
    case(f"{_name} strided and padded", lambda T, *t, f=_conv: f(T, *t, stride=2, padding=1),
         real(2, 2, *_sizes), real(3, 2, *_kernel), real(3))  # fmt: skip
    case(f"{_name} groups", lambda T, *t, f=_conv: f(T, *t, groups=2, dilation=2, padding=1),
         real(1, 4, *_sizes), real(4, 2, *_kernel))  # fmt: skip
    case(f"{_name} same", lambda T, *t, f=_conv: f(T, *t, padding="same"), real(1, 2, *_sizes), real(2, 2, *_kernel))
    case(f"{_name} unbatched", _conv, real(2, *_sizes), real(3, 2, *_kernel), real(3))
    case(f"{_name} complex", _conv, cplx(1, 2, *_sizes), cplx(2, 2, *_kernel), cplx(2))
    case(f"{_back} plain", _transposed, real(2, 3, *_sizes), real(3, 2, *_kernel), real(2))
    case(f"{_back} strided and padded", lambda T, *t, f=_transposed: f(T, *t, stride=2, padding=1, output_padding=1),
         real(1, 2, *_sizes), real(2, 2, *_kernel), real(2))  # fmt: skip
    case(f"{_back} groups", lambda T, *t, f=_transposed: f(T, *t, groups=2, dilation=2),
         real(1, 4, *_sizes), real(4, 1, *_kernel), real(2))  # fmt: skip
    case(f"{_back} complex", _transposed, cplx(2, *_sizes), cplx(2, 2, *_kernel))

case("unfold patches", lambda T, x: T.nn.functional.unfold(x, 2), real(2, 2, 3, 4))
case("unfold strided patches", lambda T, x: T.nn.functional.unfold(x, (2, 3), 1, 1, 2), real(2, 5, 6))
case("unfold complex patches", lambda T, x: T.nn.functional.unfold(x, 2, dilation=2), cplx(1, 2, 4, 4))
case("fold plain", lambda T, x: T.nn.functional.fold(x, (3, 4), 2), real(2, 8, 6))
case("fold strided", lambda T, x: T.nn.functional.fold(x, (5, 6), (2, 3), 1, 1, 2), real(12, 9))
