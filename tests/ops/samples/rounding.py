"""Sample calls of rounding, signs and exceptional values. Steps are not differentiated."""

from casebook import case, const, ints, real

SPECIAL = [1.0, float("inf"), -float("inf"), float("nan"), 0.0, -0.0]

for _name in ("ceil", "floor", "trunc", "round"):
    case(_name, lambda T, x, f=_name: getattr(T, f)(x), real(3, 4))
    case(
        f"{_name} halves",
        lambda T, f=_name: getattr(T, f)(T.tensor([-1.5, -0.5, 0.5, 1.5, 2.5])),
        smooth=False,
    )
case("ceil integers", lambda T, x: (T.ceil(x), T.floor(x), T.trunc(x)), ints(4), smooth=False)
case("round decimals", lambda T, x: (T.round(x, decimals=2), T.round(x * 1000, decimals=-2)), real(3, 4))
case("frac", lambda T, x: T.frac(x), real(3, 4))
case("nan_to_num", lambda T, x: T.nan_to_num(x), real(3))
case("nan_to_num special", lambda T: T.nan_to_num(T.tensor(SPECIAL), nan=2.0, posinf=9.0), smooth=False)
case("signbit", lambda T: T.signbit(T.tensor(SPECIAL)), smooth=False)
case("copysign", lambda T, x, y: T.copysign(x, y), real(3, 4), const(real(4)))
case("copysign number", lambda T, x: T.copysign(x, -0.0), real(3))
case("heaviside", lambda T, x: T.heaviside(T.round(x), T.full_like(x, 0.3)), real(3, 4), smooth=False)
case("nextafter", lambda T, x, y: T.nextafter(x, y), const(real(3, 4)), const(real(4)), smooth=False)
