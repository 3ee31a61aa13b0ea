"""Samples of the Fourier transforms."""

from casebook import case, cplx, real

for _name in ("fft", "ifft", "hfft", "irfft"):
    case(f"{_name}", lambda T, x, n=_name: getattr(T.fft, n)(x), cplx(2, 5))
    case(f"{_name} real", lambda T, x, n=_name: getattr(T.fft, n)(x, 4, 0, "ortho"), real(5, 2))
    case(f"{_name} cut", lambda T, x, n=_name: getattr(T.fft, n)(x, n=3, norm="forward"), cplx(6))
    case(f"{_name} filled", lambda T, x, n=_name: getattr(T.fft, n)(x, n=7, dim=0), cplx(4, 2))
for _name in ("rfft", "ihfft"):
    case(f"{_name}", lambda T, x, n=_name: getattr(T.fft, n)(x), real(2, 5))
    case(f"{_name} even", lambda T, x, n=_name: getattr(T.fft, n)(x, dim=0, norm="ortho"), real(4, 2))
    case(f"{_name} filled", lambda T, x, n=_name: getattr(T.fft, n)(x, n=6, norm="forward"), real(4))
for _name in ("fft2", "ifft2", "irfft2", "hfft2", "fftn", "ifftn", "irfftn", "hfftn"):
    case(f"{_name}", lambda T, x, n=_name: getattr(T.fft, n)(x), cplx(2, 3, 4))
    case(f"{_name} sizes", lambda T, x, n=_name: getattr(T.fft, n)(x, (2, 5), (-1, 0), "ortho"), cplx(3, 4))
for _name in ("rfft2", "ihfft2", "rfftn", "ihfftn"):
    case(f"{_name}", lambda T, x, n=_name: getattr(T.fft, n)(x), real(2, 3, 4))
    case(f"{_name} sizes", lambda T, x, n=_name: getattr(T.fft, n)(x, (2, 5), (-1, 0), "ortho"), real(3, 4))
case("fftshift", lambda T, x: T.fft.fftshift(x), real(3, 4))
case("ifftshift", lambda T, x: T.fft.ifftshift(x, 0), real(3, 4))
case("fftfreq", lambda T: T.fft.fftfreq(5, 0.3, dtype=T.float64), smooth=False)
case("rfftfreq", lambda T: T.fft.rfftfreq(6, d=2.0, dtype=T.float64), smooth=False)
