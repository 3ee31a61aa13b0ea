"""Samples of elements in another order."""

from casebook import case, cplx, real

case("flip", lambda T, x: T.flip(x, (0, -1)), real(2, 3, 2))
case("flip complex", lambda T, x: x.flip(0), cplx(3))
case("fliplr", lambda T, x: T.fliplr(x), real(2, 3))
case("flipud", lambda T, x: T.flipud(x), real(3, 2))
case("roll", lambda T, x: T.roll(x, 1, 0), real(3, 2))
case("roll several", lambda T, x: x.roll((2, -1), (0, 1)), real(3, 4))
case("roll all", lambda T, x: x.roll(2), real(2, 3))
case("rot90", lambda T, x: T.rot90(x), real(2, 3))
case("rot90 three times", lambda T, x: x.rot90(3, (1, 2)), real(2, 3, 2))
case("rot90 twice", lambda T, x: x.rot90(2), real(2, 3))
case("rot90 back", lambda T, x: x.rot90(-4), real(2, 3))
