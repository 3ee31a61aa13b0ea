"""Samples of functions of matrices: exponential, powers, norms, rank and condition."""

import numpy as np
from casebook import case, cplx, real


def regular(*shape, make=real):
    """Matrices far from singular."""
    return lambda rng: make(*shape)(rng) + 4 * np.eye(shape[-1])


for _kind, _make in (("", real), (" complex", cplx)):
    case(f"matrix_exp{_kind}", lambda T, A: T.linalg.matrix_exp(A), _make(2, 3, 3), tolerance=1e-5)
    for _n in (0, 1, 2, 3, -2):
        case(f"matrix_power {_n}{_kind}", lambda T, A, n=_n: T.linalg.matrix_power(A, n), regular(3, 3, make=_make))
    for _order in ("fro", "nuc", 1, -1, 2, -2, float("inf"), float("-inf")):
        case(f"matrix_norm {_order}{_kind}", lambda T, A, o=_order: T.linalg.matrix_norm(A, o), _make(2, 3, 4),
            tolerance=1e-5)  # fmt: skip
        case(f"cond {_order}{_kind}", lambda T, A, o=_order: T.linalg.cond(A, o), regular(3, 3, make=_make),
            tolerance=1e-5)  # fmt: skip

case("matrix_exp small", lambda T, A: T.matrix_exp(A * 0.01), real(3, 3))
case("matrix_exp large", lambda T, A: T.matrix_exp(A * 3), real(3, 3), tolerance=1e-5)
case("matrix_norm dims", lambda T, A: T.linalg.matrix_norm(A, "nuc", dim=(0, -1), keepdim=True), real(3, 2, 3))
case("norm flat", lambda T, A: T.linalg.norm(A), real(2, 3))
case("norm rows", lambda T, A: T.linalg.norm(A, 3, dim=1, keepdim=True), real(2, 3))
case("norm matrix", lambda T, A: T.linalg.norm(A, 2), real(2, 3))
case("norm one", lambda T, A: T.linalg.norm(A, 1, dim=(0, 1)), real(2, 3))
case("matrix_rank", lambda T, A: T.linalg.matrix_rank(A), np.diag([1.0, 2.0, 0.0]), smooth=False)
case("diagonal linalg", lambda T, A: T.linalg.diagonal(A, offset=1), real(2, 3, 3))
case("vander linalg", lambda T, x: T.linalg.vander(x, N=4), cplx(3))
case("matmul linalg", lambda T, x, y: T.linalg.matmul(x, y), real(2, 3), real(3, 2))
