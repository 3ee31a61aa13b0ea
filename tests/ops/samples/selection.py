"""Sample calls of where, maximum, minimum, clamps and masks."""

from casebook import bools, case, const, cplx, distinct, ints, real

NAN = float("nan")

case("where", lambda T, c, x, y: T.where(c, x, y), bools(2, 3), real(2, 3), real(3))
case("where number", lambda T, c, x: (T.where(c, x, 0.5), T.where(c, 2, x)), bools(2, 3), real(3))
case("where method", lambda T, c, x, y: x.where(c, y), bools(2, 3), real(2, 3), real(3))
case("where complex", lambda T, c, x, y: T.where(c, x, y), bools(2, 3), cplx(2, 3), real(3))
case("where indices", lambda T, c: T.where(c), bools(3, 4), smooth=False)
case(
    "where integers", lambda T, c, x: (T.where(c, x, 1.5), T.where(c, x, 7)), bools(4), ints(4), smooth=False
)
for _name in ("maximum", "minimum", "fmax", "fmin"):
    case(_name, lambda T, x, y, f=_name: getattr(T, f)(x, y), real(2, 3), real(3))
    case(
        f"{_name} nan",
        lambda T, f=_name: getattr(T, f)(T.tensor([1.0, NAN]), T.tensor([NAN, 2.0])),
        smooth=False,
    )
case(
    "maximum integers", lambda T, x, y: (T.maximum(x, y), T.minimum(x, y)), ints(2, 3), ints(3), smooth=False
)
case("clamp", lambda T, x: (T.clamp(x, -0.5, 0.8), x.clamp(min=0.1), x.clamp(max=0.1)), distinct(3, 4))
case(
    "clamp tensors",
    lambda T, x, y, z: T.clamp(x, y, z),
    distinct(3, 4),
    real(4, low=-1, high=0),
    real(4, low=0, high=1),
)
case("clamp one tensor", lambda T, x, y: (x.clamp(min=y), x.clamp(max=y)), distinct(3, 4), real(4))
case(
    "clamp crossed",
    lambda T, x, y, z: T.clamp(x, y, z),
    distinct(6),
    const(real(6, low=0.5, high=1)),
    real(6, low=-1, high=0),
)
case("clip", lambda T, x: T.clip(x, -0.5, 0.8), distinct(3, 4))
case("clamp_min", lambda T, x, y: (T.clamp_min(x, 0.3), x.clamp_min(y)), distinct(3, 4), real(4))
case("clamp_max", lambda T, x, y: (T.clamp_max(x, 0.3), x.clamp_max(y)), distinct(3, 4), real(4))
case("clamp integers", lambda T, x: (x.clamp(-1, 2), x.clamp(-0.5, 1.5)), ints(5), smooth=False)
case("masked_fill", lambda T, x, m: x.masked_fill(m, -1.5), real(2, 3), bools(3))
case("masked_fill tensor", lambda T, x, m, v: x.masked_fill(m, v), real(2, 3), bools(2, 3), real())
case("masked_fill integers", lambda T, x, m: x.masked_fill(m, 7.9), ints(5), bools(5), smooth=False)
