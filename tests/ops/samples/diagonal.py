"""Samples of diagonals and triangles."""

from casebook import case, cplx, real

case("diagonal", lambda T, x: T.diagonal(x, 1), real(3, 4))
case("diagonal dims", lambda T, x: x.diagonal(-1, 2, 0), real(3, 2, 3))
case("diag", lambda T, x: T.diag(x, -1), real(3, 3))
case("diag of a vector", lambda T, x: x.diag(1), real(3))
case("diag_embed", lambda T, x: T.diag_embed(x, 1, 0, 2), real(2, 3))
case("diagflat", lambda T, x: T.diagflat(x, -1), real(2, 2))
case("diagonal_scatter", lambda T, x, y: T.diagonal_scatter(x, y, 1), real(3, 4), real(3))
case("tril", lambda T, x: T.tril(x), real(3, 4))
case("tril batch", lambda T, x: x.tril(-1), cplx(2, 3, 3))
case("triu", lambda T, x: T.triu(x, 1), real(3, 4))
case("trace", lambda T, x: T.trace(x), real(2, 3))
case("trace complex", lambda T, x: x.trace(), cplx(3, 2))
case("tril_indices", lambda T: T.tril_indices(3, 4, -1), smooth=False)
case("triu_indices", lambda T: T.triu_indices(3, 4, 1), smooth=False)
case("fill_diagonal_", lambda T, x: x.clone().fill_diagonal_(2.0), real(3, 4))
case("fill_diagonal_ wrapped", lambda T, x: x.clone().fill_diagonal_(2.0, wrap=True), real(7, 2))
