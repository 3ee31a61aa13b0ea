"""Samples of eigenvalues and singular values, with vectors in combinations that their signs and phases leave alone."""

from casebook import case, cplx, real


def adjoint(x):
    return x.transpose(-2, -1).conj()


def hermitian(x):
    return (x + adjoint(x)) / 2


def of_spectrum(T, x):
    """The eigenvalues, a function of the matrix, and the sizes of the vectors' entries."""
    w, v = T.linalg.eigh(hermitian(x))
    return w, (v * T.exp(w / 4).unsqueeze(-2).to(v.dtype)) @ adjoint(v), (v * v.conj()).real


def of_singular_values(T, x):
    u, s, vh = T.linalg.svd(x, full_matrices=False)
    return s, (u * (s * s + 1).unsqueeze(-2).to(u.dtype)) @ vh, (u * u.conj()).real


def of_eigenvectors(T, x):
    w, v = T.linalg.eig(x)
    return (w * w).sum(-1), (v * v.conj()).real.sum(-1)


for _kind, _make in (("", real), (" complex", cplx)):
    case(f"eigh{_kind}", of_spectrum, _make(2, 3, 3))
    case(f"eigvalsh{_kind}", lambda T, x: T.linalg.eigvalsh(hermitian(x)), _make(3, 3))
    for _name, _shape in (("tall", (4, 3)), ("square", (3, 3)), ("wide", (2, 2, 3))):
        case(f"svd {_name}{_kind}", of_singular_values, _make(*_shape), tolerance=1e-5)
        case(f"svdvals {_name}{_kind}", lambda T, x: T.linalg.svdvals(x), _make(*_shape))
    case(f"eig{_kind}", of_eigenvectors, _make(3, 3), tolerance=1e-5)
    case(f"eigvals{_kind}", lambda T, x: T.linalg.eigvals(x).sum(-1), _make(2, 3, 3))
case("eigh upper", lambda T, x: T.linalg.eigh(hermitian(x), "U")[0], real(3, 3))
case("svd full", lambda T, x: T.linalg.svd(x)[1], real(2, 4))
case("svd torch", lambda T, x: T.svd(x)[1], real(3, 2))
case("eigvalsh apart", lambda T, x: T.linalg.eigvalsh(hermitian(x) + T.diag(T.arange(3.0).double())), real(3, 3))
