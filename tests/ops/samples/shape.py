"""Samples of the ops that show the same elements in another shape."""

from casebook import case, cplx, real

case("view", lambda T, x: x.contiguous().view(3, -1), real(2, 3, 2))
case("view complex", lambda T, x: x.contiguous().view(6), cplx(2, 3))
case("view_as", lambda T, x, y: x.contiguous().view_as(y), real(2, 3), real(3, 2))
case("reshape", lambda T, x: T.reshape(x, (4, -1)), real(2, 3, 2))
case("reshape that copies", lambda T, x: x.transpose(0, 1).reshape(6), real(2, 3))
case("reshape_as", lambda T, x, y: x.t().reshape_as(y), real(2, 3), real(6))
case("flatten", lambda T, x: T.flatten(x, 1), real(2, 3, 2))
case("flatten all", lambda T, x: x.flatten(), real(2, 3))
case("flatten 0-d", lambda T, x: x.flatten(), real())
case("ravel", lambda T, x: T.ravel(x), real(2, 3))
case("unflatten", lambda T, x: T.unflatten(x, 1, (2, -1)), real(3, 4))
case("transpose", lambda T, x: T.transpose(x, 0, -1), real(2, 3, 4))
case("transpose complex", lambda T, x: x.transpose(0, 1), cplx(2, 3))
case("swapaxes", lambda T, x: T.swapaxes(x, 0, 1), real(2, 3))
case("swapdims", lambda T, x: x.swapdims(0, 1), real(2, 3))
case("t", lambda T, x: x.t(), real(2, 3))
case("permute", lambda T, x: T.permute(x, (2, 0, -2)), real(2, 3, 4))
case("movedim", lambda T, x: T.movedim(x, (0, 1), (-1, 0)), real(2, 3, 4))
case("moveaxis", lambda T, x: x.moveaxis(0, 2), real(2, 3, 4))
case("unsqueeze", lambda T, x: T.unsqueeze(x, -2), real(2, 3))
case("squeeze", lambda T, x: T.squeeze(x), real(1, 3, 1))
case("squeeze one", lambda T, x: x.squeeze(-1), real(1, 3, 1))
case("squeeze one that stays", lambda T, x: x.squeeze(1), real(1, 3, 1))
case("squeeze several", lambda T, x: x.squeeze((0, 1)), real(1, 3, 1))
case("expand", lambda T, x: x.expand(4, -1, 3), real(2, 1))
case("expand complex", lambda T, x: x.expand(2, 3), cplx(3))
case("expand_as", lambda T, x, y: x.expand_as(y) * y, real(3), real(2, 3))
case("broadcast_to", lambda T, x: T.broadcast_to(x, (2, 3)), real(3))
case("adjoint", lambda T, x: x.adjoint(), cplx(2, 2, 3))
case("T", lambda T, x: x.T, real(2, 3))
case("mT", lambda T, x: x.mT, real(2, 2, 3))
case("H", lambda T, x: x.H, cplx(2, 3))
case("mH", lambda T, x: x.mH, cplx(2, 2, 3))
case(
    "is_same_size",
    lambda T, x: T.tensor([T.is_same_size(x, x), x.is_same_size(x[0])]),
    real(2, 3),
    smooth=False,
)
