"""Samples of solutions, inverses and determinants."""

import numpy as np
from casebook import case, cplx, real


def regular(*shape, make=real):
    """Matrices far from singular."""
    return lambda rng: make(*shape)(rng) + 4 * np.eye(shape[-1])


for _kind, _make in (("", real), (" complex", cplx)):
    case(f"solve{_kind}", lambda T, A, B: T.linalg.solve(A, B), regular(2, 3, 3, make=_make), _make(2, 3, 2))
    case(f"solve vector{_kind}", lambda T, A, B: T.linalg.solve(A, B), regular(3, 3, make=_make), _make(3))
    case(f"solve right{_kind}", lambda T, A, B: T.linalg.solve(A, B, left=False),
        regular(3, 3, make=_make), _make(2, 3))  # fmt: skip
    case(f"inv{_kind}", lambda T, A: T.linalg.inv(A), regular(2, 3, 3, make=_make))
    case(f"det{_kind}", lambda T, A: T.linalg.det(A), regular(2, 3, 3, make=_make))
    case(f"slogdet{_kind}", lambda T, A: T.linalg.slogdet(A), regular(2, 3, 3, make=_make))
    case(f"logdet{_kind}", lambda T, A: T.logdet(A @ A.transpose(-2, -1).conj()), regular(3, 3, make=_make))
    case(f"pinv tall{_kind}", lambda T, A: T.linalg.pinv(A), _make(4, 2), tolerance=1e-5)
    case(f"pinv wide{_kind}", lambda T, A: T.linalg.pinv(A), _make(2, 2, 3), tolerance=1e-5)
    case(f"lstsq{_kind}", lambda T, A, B: T.linalg.lstsq(A, B)[0], _make(4, 2), _make(4, 3), tolerance=1e-5)
    case(f"tensorinv{_kind}", lambda T, A: T.linalg.tensorinv(A, ind=1), _make(4, 2, 2), tolerance=1e-5)
    case(f"tensorsolve{_kind}", lambda T, A, B: T.linalg.tensorsolve(A, B, dims=(0,)), _make(4, 2, 2), _make(2, 2),
        tolerance=1e-5)  # fmt: skip

case("solve broadcast", lambda T, A, B: T.linalg.solve(A, B), regular(3, 3), real(2, 3, 2))
case("solve_ex", lambda T, A, B: T.linalg.solve_ex(A, B), regular(3, 3), real(3, 2))
case("inv_ex", lambda T, A: T.linalg.inv_ex(A), regular(3, 3))
case("inverse", lambda T, A: A.inverse(), regular(3, 3))
case("det method", lambda T, A: A.det(), regular(3, 3))
case("det singular", lambda T, A: T.det(A), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [5.0, 7.0, 9.0]]))
case("det of rank one", lambda T, A: T.det(A), np.outer([1.0, 2.0, -1.0], [0.5, 1.0, 3.0]))
case("det singular complex", lambda T, A: T.det(A), np.array([[1.0, 2j, 3.0], [4.0, 5.0, 6j], [5.0, 5 + 2j, 3 + 6j]]))
case("pinverse", lambda T, A: A.pinverse(), real(3, 2), tolerance=1e-5)
case("pinv hermitian", lambda T, A: T.linalg.pinv(A + A.transpose(0, 1), hermitian=True), regular(3, 3))
case("lstsq residuals", lambda T, A, B: T.linalg.lstsq(A, B, driver="gels")[:2], real(4, 2), real(4, 3), tolerance=1e-5)
