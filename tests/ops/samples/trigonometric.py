"""Sample calls of trigonometric functions."""

from casebook import case, cplx, real

for _name in ("sin", "cos", "tan", "atan"):
    case(_name, lambda T, x, f=_name: getattr(T, f)(x), real(2, 3, low=-1.2, high=1.2))
    case(f"{_name} complex", lambda T, x, f=_name: getattr(T, f)(x), cplx(4))
for _name in ("asin", "acos"):
    case(_name, lambda T, x, f=_name: getattr(T, f)(x), real(2, 3, low=-0.9, high=0.9))
    case(f"{_name} complex", lambda T, x, f=_name: getattr(T, f)(x), cplx(4))
case("atan2", lambda T, x, y: T.atan2(x, y), real(2, 3), real(3))
case("hypot", lambda T, x, y: T.hypot(x, y), real(2, 3), real(3))
case("deg2rad", lambda T, x: T.deg2rad(x), real(2, 3))
case("rad2deg", lambda T, x: T.rad2deg(x), real(2, 3))
case("sinc", lambda T, x: T.sinc(x), real(2, 3))
case("sinc far", lambda T, x: T.sinc(x), real(4, low=4.0, high=9.0))
case("sinc at zero", lambda T, x: T.sinc(x), [0.0, 1e-9, 1e-3], reference=False)
case("sinc complex", lambda T, x: T.sinc(x), cplx(4))
