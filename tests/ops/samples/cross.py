"""Samples of the vector product."""

from casebook import case, cplx, real

case("cross", lambda T, x, y: T.cross(x, y), real(2, 3), real(2, 3))
case("cross dim", lambda T, x, y: T.cross(x, y, dim=0), real(3, 2), real(3, 1))
case("cross complex", lambda T, x, y: T.linalg.cross(x, y), cplx(1, 3), cplx(2, 3))
