"""Samples of views given by strides and of changes of shape in place."""

from casebook import case, cplx, real

case("as_strided", lambda T, x: T.as_strided(x, (2, 2), (1, 2), 1), real(6))
case("as_strided overlapping", lambda T, x: x.as_strided((3, 3), (1, 1)), real(5))
case(
    "as_strided of a transposed tensor",
    lambda T, x: x.contiguous().t().as_strided((2, 2), (1, 2)),
    real(2, 3),
)
case("as_strided of an expanded tensor", lambda T, x: x.expand(3, 2).as_strided((3, 2), (0, 1)), real(2))
case("unfold", lambda T, x: x.unfold(0, 3, 2), real(7, 2))
case("unfold overlapping", lambda T, x: x.unfold(-1, 2, 1), real(2, 4))
case("unfold complex", lambda T, x: x.unfold(0, 2, 1), cplx(4))
case("unfold 0-d", lambda T, x: x.unfold(0, 1, 1), real())
case("transpose_", lambda T, x: x.clone().transpose_(0, 1) * 2, real(2, 3))
case("t_", lambda T, x: x.clone().t_(), real(2, 3))
case("unsqueeze_", lambda T, x: x.clone().unsqueeze_(1), real(2, 3))
case("squeeze_", lambda T, x: x.clone().squeeze_(0), real(1, 3))
