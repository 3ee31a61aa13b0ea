"""Sample calls of comparisons, tests of elements and logical connectives."""

from casebook import bools, case, cplx, ints, real

SPECIAL = [1.0, float("inf"), -float("inf"), float("nan"), 0.0, -0.0]

for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    case(_name, lambda T, x, y, f=_name: getattr(T, f)(x, y), ints(3, 4), ints(4), smooth=False)
    case(f"{_name} number", lambda T, x, f=_name: getattr(T, f)(x, 0.5), real(3, 4), smooth=False)
case("eq complex", lambda T, x: x == x.conj(), cplx(4), smooth=False)
case("eq integer and float", lambda T, x: x == 1.5, ints(4), smooth=False)
for _name in ("isnan", "isinf", "isfinite", "isposinf", "isneginf", "isreal", "logical_not"):
    case(_name, lambda T, f=_name: getattr(T, f)(T.tensor(SPECIAL)), smooth=False)
case("isreal complex", lambda T: T.isreal(T.tensor([1 + 0j, 1j])), smooth=False)
for _name in ("logical_and", "logical_or", "logical_xor"):
    case(
        _name,
        lambda T, x, y, f=_name: getattr(T, f)(x, y),
        ints(3, 4, low=-1, high=2),
        bools(4),
        smooth=False,
    )
case("isclose", lambda T, x: T.isclose(x, x + T.tensor([0.0, 1e-9, 1e-3])), real(2, 3), smooth=False)
case("isclose nan", lambda T: T.isclose(T.tensor(SPECIAL), T.tensor(SPECIAL), equal_nan=True), smooth=False)
case(
    "allclose",
    lambda T, x: T.tensor([T.allclose(x, x + 1e-10), T.allclose(x, x + 1)]),
    real(2, 3),
    smooth=False,
)
case(
    "equal",
    lambda T, x: T.tensor([T.equal(x, x), T.equal(x, x + 1), T.equal(x, x[0])]),
    real(2, 3),
    smooth=False,
)
