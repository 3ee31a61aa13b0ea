"""Samples of factorizations and triangular systems. Matrices are made symmetric or positive-definite inside the call,
and vectors enter in combinations that do not depend on their signs."""

import numpy as np
from casebook import case, const, cplx, real


def adjoint(x):
    return x.transpose(-2, -1).conj()


def positive_definite(T, x):
    return x @ adjoint(x) + 3 * T.eye(x.shape[-1], dtype=x.dtype)


def dominant(*shape, make=real):
    """Matrices with a heavy diagonal: triangular parts of them are well-conditioned, pivots do not change places."""
    return lambda rng: make(*shape)(rng) + 5 * np.eye(shape[-2], shape[-1])


for _kind, _make in (("", real), (" complex", cplx)):
    for _upper in (False, True):
        for _left in (True, False):
            case(f"solve_triangular {_upper} {_left}{_kind}",
                lambda T, A, B, u=_upper, v=_left: T.linalg.solve_triangular(A, B, upper=u, left=v),
                dominant(2, 3, 3, make=_make), _make(2, 3, 3))  # fmt: skip
        case(f"cholesky {_upper}{_kind}",
            lambda T, x, u=_upper: T.linalg.cholesky(positive_definite(T, x), upper=u), _make(2, 3, 3))  # fmt: skip
        case(f"cholesky_solve {_upper}{_kind}",
            lambda T, b, x, u=_upper: T.cholesky_solve(b, T.linalg.cholesky(positive_definite(T, x), upper=u), u),
            _make(3, 2), _make(3, 3))  # fmt: skip
        case(f"cholesky_inverse {_upper}{_kind}",
            lambda T, x, u=_upper: T.cholesky_inverse(T.linalg.cholesky(positive_definite(T, x), upper=u), u),
            _make(3, 3))  # fmt: skip
    case(f"cholesky_ex{_kind}", lambda T, x: T.linalg.cholesky_ex(positive_definite(T, x)), _make(3, 3))
    for _name, _shape in (("tall", (4, 3)), ("square", (3, 3)), ("wide", (2, 2, 3))):
        case(f"qr {_name}{_kind}", lambda T, x: T.linalg.qr(x), _make(*_shape))
        case(f"lu {_name}{_kind}", lambda T, x: T.linalg.lu(x)[1:], dominant(*_shape, make=_make))
        case(f"lu_factor {_name}{_kind}", lambda T, x: T.linalg.lu_factor(x), dominant(*_shape, make=_make))
    for _left in (True, False):
        case(f"lu_solve {_left}{_kind}",
            lambda T, A, B, v=_left: T.linalg.lu_solve(*T.linalg.lu_factor(A), B, left=v, adjoint=True),
            dominant(3, 3, make=_make), _make(3, 3))  # fmt: skip
    case(f"householder_product{_kind}", lambda T, a, t: T.linalg.householder_product(a, t), _make(4, 3), _make(2))

case("solve_triangular unit", lambda T, A, B: T.linalg.solve_triangular(A, B, upper=True, unitriangular=True),
    real(3, 3), real(3, 2))  # fmt: skip
case("qr complete", lambda T, x: T.linalg.qr(x, mode="complete"), real(2, 3))
case("lu_factor_ex", lambda T, x: T.linalg.lu_factor_ex(x), dominant(3, 3))
case("lu_unpack", lambda T, x: T.lu_unpack(*T.linalg.lu_factor(x))[1:], dominant(3, 3))
case("lu pivots", lambda T, x: T.linalg.lu(x)[1:], np.array([[0.5, 2.0, 1.0], [3.0, 1.0, -1.0], [1.0, -2.0, 4.0]]))
case("orgqr", lambda T, a, t: T.orgqr(a, t), real(3, 2), real(2))
case("lu_factor permuted", lambda T, x: T.linalg.lu_factor(x)[0], const(np.array([[0.0, 1.0], [2.0, 3.0]])),
    smooth=False)  # fmt: skip
