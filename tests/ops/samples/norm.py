"""Samples of norms."""

from casebook import case, cplx, distinct, real

for _order in (2, 1, 3, 0.5, -1, float("inf"), float("-inf")):
    case(f"vector_norm {_order}", lambda T, x, p=_order: T.linalg.vector_norm(x, p, 1), distinct(3, 4))
    case(f"vector_norm {_order} complex", lambda T, x, p=_order: T.linalg.vector_norm(x, p), cplx(3, 2))
case("vector_norm count", lambda T, x: T.linalg.vector_norm(x, 0), real(3, 4), smooth=False)
case("norm all", lambda T, x: x.norm(), real(3, 4))
case("norm dim", lambda T, x: T.norm(x, 3, 1, True), real(3, 4))
case("norm fro", lambda T, x: x.norm("fro", dim=(0, 1)), real(3, 4))
case("dist 2", lambda T, x, y: T.dist(x, y), real(3, 4), real(4))
case("dist 1", lambda T, x, y: x.dist(y, 1), real(3), real(3))
case("renorm rows", lambda T, x: x.renorm(2, 0, 1.5), real(3, 4))
case("renorm columns", lambda T, x: T.renorm(x, 1, 1, 2.0), real(3, 4))
