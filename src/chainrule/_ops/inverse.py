"""Solutions of linear systems, inverses and determinants."""

import numpy as np

from chainrule import return_types
from chainrule._engine.op import composite, grads, op
from chainrule._engine.tensor import Tensor, wrap
from chainrule._kernels import factorization
from chainrule._kernels.factorization import LinAlgError
from chainrule._ops.decomposition import check_matrix, check_system, copy_all, first_failure, mH
from chainrule._ops.foundation import copy_out
from chainrule._ops.kinds import Opaque
from chainrule._ops.matmul import matmul
from chainrule._ops.searching import kind_of
from chainrule._ops.selection import where


def solve_cotangents(g0, A, out0, wants):
    if g0 is None:
        return None, None
    gB = solve_system(mH(A), g0)[0]
    return (-matmul(gB, mH(out0)) if wants[0] else None), gB


solve_system = op("solve_system(A, B)", Opaque(factorization.solve, n_outputs=2, with_out=False),
    grads("A B", solve_cotangents),
    method=False, namespace="_engine", node="LinalgSolveExBackward0", smooth_outputs=(True, False),
    doc="X of A X = B, and info.")  # fmt: skip


def is_vector(A, B):
    """Whether B is a vector (or one per matrix) rather than a matrix of right sides."""
    return B.array.ndim == 1 or (B.array.ndim == A.array.ndim - 1 and B.meta.shape == A.meta.shape[:-1])


@composite("linalg")
def solve_ex(A, B, *, left=True, check_errors=False, out=None):
    """`solve` that reports singular matrices in `info` instead of raising."""
    check_matrix("linalg.solve", A, square=True)
    vector = isinstance(B, Tensor) and is_vector(A, B)
    columns = B.unsqueeze(-1) if vector else B
    check_system("linalg.solve", A, columns, left)
    if left:
        X, info = solve_system(A, columns)
    else:
        X, info = solve_system(A.transpose(-2, -1), columns.transpose(-2, -1))
        X = X.transpose(-2, -1)
    if check_errors:
        check_solved(info)
    return copy_all(return_types.linalg_solve_ex((X.squeeze(-1) if vector else X, info)), out)


def check_solved(info):
    order, element = first_failure(info)
    if order:
        raise LinAlgError(f"torch.linalg.solve: {element}The solver failed because the input matrix is singular.")


@composite("linalg")
def solve(A, B, *, left=True, out=None):
    """X of A X = B (X A = B with left=False) for square matrices A; B may be a vector. LinAlgError if A is singular."""
    return copy_out(solve_ex(A, B, left=left, check_errors=True)[0], out)


invert = op("invert(A)", Opaque(factorization.inverse, n_outputs=2, with_out=False),
    A=lambda g0, out0: None if g0 is None else -matmul(matmul(mH(out0), g0), mH(out0)),
    method=False, namespace="_engine", node="LinalgInvExBackward0", smooth_outputs=(True, False),
    doc="The inverses, and info.")  # fmt: skip


@composite("linalg")
def inv_ex(A, *, check_errors=False, out=None):
    """The inverses, and for each matrix 0 or its first zero pivot."""
    check_matrix("linalg.inv", A, square=True)
    inverse, info = invert(A)
    if check_errors:
        order, element = first_failure(info)
        if order:
            raise LinAlgError(
                f"linalg.inv: {element}The diagonal element {order} is zero, the inversion could not be completed "
                "because the input matrix is singular."
            )
    return copy_all(return_types.linalg_inv_ex((inverse, info)), out)


@composite("linalg")
def inv(A, *, out=None):
    """The inverses of square matrices; LinAlgError if one is singular."""
    return copy_out(inv_ex(A, check_errors=True)[0], out)


@composite(name="inverse")
def old_inverse(input, *, out=None):
    """`linalg.inv`."""
    return inv(input, out=out)


def det_cotangent(g, A, out):
    """g times the conjugate of the determinant's derivative det(A) A⁻ᵀ.

    Where the determinant is small beside its bound (Hadamard's: the product of the rows' lengths) it is taken from the
    singular values, which holds for singular matrices as well."""
    a = A.array
    with np.errstate(all="ignore"):
        bound = np.sqrt((np.abs(a) ** 2).sum(-1)).prod(-1)
        small = np.abs(out.array) <= np.sqrt(np.finfo(a.dtype).eps) * bound
    if small.any():
        return g.unsqueeze(-1).unsqueeze(-1) * cofactors(A)
    return (g * out.conj()).unsqueeze(-1).unsqueeze(-1) * mH(inv(A))


cofactors = op("cofactors(A)", Opaque(factorization.cofactors, with_out=False),
    A=lambda g, A: cofactor_slopes(g, A),
    method=False, namespace="_engine",
    doc="The conjugate of the determinant's derivative.")  # fmt: skip


def third_derivative(g):
    raise NotImplementedError("det: the third derivative of singular matrices is not implemented")


# The map is its own adjoint in g: a second derivative is symmetric.
cofactor_slopes = op("cofactor_slopes(input, A)", Opaque(factorization.cofactor_slopes, with_out=False),
    input=lambda g, A: cofactor_slopes(g, A),
    A=third_derivative,
    method=False, namespace="_engine",
    doc="The derivative of `cofactors` applied to input.")  # fmt: skip

determinant = op("determinant(A)", Opaque(factorization.determinant, with_out=False),
    A=det_cotangent,
    method=False, namespace="_engine", node="LinalgDetBackward0",
    doc="The determinants.")  # fmt: skip


@composite("linalg")
def det(A, *, out=None):
    """The determinants of square matrices."""
    check_matrix("linalg.det", A, square=True)
    return copy_out(determinant(A), out)


@composite("torch", name="det")
def old_det(input):
    """`linalg.det`."""
    return det(input)


def slogdet_cotangent(g0, g1, A, out0):
    """c A⁻ᴴ with Re c = g of log|det| and, for complex matrices, Im c = -Im(conj(g of the sign) · sign)."""
    c = None if g1 is None else g1
    if g0 is not None and A.meta.dtype.is_complex:
        turning = (g0.conj() * out0).imag * -1j
        c = turning if c is None else c + turning
    return None if c is None else c.unsqueeze(-1).unsqueeze(-1) * mH(inv(A))


sign_and_log = op("sign_and_log(A)", Opaque(factorization.sign_and_log, n_outputs=2, with_out=False),
    A=slogdet_cotangent,
    method=False, namespace="_engine", node="LinalgSlogdetBackward0", outputs=return_types.linalg_slogdet,
    doc="The determinants' sign and the logarithm of their size.")  # fmt: skip


@composite("linalg")
def slogdet(A, *, out=None):
    """The sign (phase for complex matrices) of the determinants and the logarithm of their size."""
    check_matrix("linalg.slogdet", A, square=True)
    return copy_all(sign_and_log(A), out)


@composite("torch", name="slogdet")
def old_slogdet(input, *, out=None):
    """`linalg.slogdet`."""
    return copy_all(return_types.slogdet(slogdet(input)), out)


@composite()
def logdet(input):
    """The logarithm of the determinant; nan where it is negative, -inf where it is zero."""
    sign, size = slogdet(input)
    if input.meta.dtype.is_complex:
        return size + sign.log()
    return where(sign == -1, float("nan"), size)


def pinv_cotangent(g, A, out):
    """-Pᴴ g Pᴴ + (1 - A P) gᴴ P Pᴴ + Pᴴ P gᴴ (1 - P A) (Golub and Pereyra 1973)."""
    ph, gh = mH(out), mH(g)
    after = matmul(matmul(gh, out), ph)
    before = matmul(matmul(ph, out), gh)
    return (
        -matmul(matmul(ph, g), ph)
        + (after - matmul(A, matmul(out, after)))
        + (before - matmul(matmul(before, out), A))
    )


pseudo_inverse = op("pseudo_inverse(A, atol, rtol, hermitian)", Opaque(factorization.pinv, with_out=False),
    A=pinv_cotangent,
    method=False, namespace="_engine", node="LinalgPinvBackward0",
    doc="The Moore-Penrose inverse.")  # fmt: skip


def tolerances(A, atol, rtol):
    """The limits below which a singular value counts as zero, as arrays that fit the values."""
    if rtol is None:
        rtol = 0.0 if atol is not None and np.any(as_limit(atol) > 0) else (
            np.finfo(A.array.dtype).eps * max(A.meta.shape[-2:])
        )
    return as_limit(0.0 if atol is None else atol), as_limit(rtol)


def as_limit(value):
    array = value.array if isinstance(value, Tensor) else np.asarray(value, np.float64)
    return array[..., None]


@composite("linalg")
def pinv(A, rcond=None, hermitian=False, *, atol=None, rtol=None, out=None):
    """The Moore-Penrose inverse; singular values up to max(atol, rtol · largest) count as zero."""
    if not isinstance(A, Tensor) or A.array.ndim < 2 or A.meta.dtype.category < 2 or A.meta.dtype.is_half:
        if isinstance(A, Tensor):
            raise RuntimeError(
                f"linalg.pinv({kind_of(A.array)}{{{list(A.meta.shape)}}}): expected a tensor with 2 or more dimensions "
                "of float, double, cfloat or cdouble types"
            )
        check_matrix("linalg.pinv", A)
    atol, rtol = tolerances(A, atol, rcond if rtol is None else rtol)
    return copy_out(pseudo_inverse(A, atol, rtol, bool(hermitian)), out)


@composite()
def pinverse(input, rcond=1e-15):
    """`linalg.pinv` with a relative tolerance."""
    return pinv(input, rcond)


@composite("linalg")
def lstsq(A, B, rcond=None, *, driver=None):
    """The X of least norm that minimises |A X - B|; residuals, ranks and singular values as the driver gives them."""
    from chainrule._ops.matrix import matrix_rank
    from chainrule._ops.spectrum import svdvals

    check_matrix("linalg.lstsq", A)
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), got " + str(driver)
        )
    vector = is_vector(A, B) and B.array.ndim == A.array.ndim - 1
    columns = B.unsqueeze(-1) if vector else B
    m, n = A.meta.shape[-2:]
    if columns.meta.shape[-2] != m:
        raise RuntimeError(
            f"torch.linalg.lstsq: input.size(-2) should match other.size({'-1' if vector else '-2'}), got {m} and "
            f"{columns.meta.shape[-2]}"
        )
    X = matmul(pinv(A, rtol=rcond), columns)
    nothing = wrap(np.zeros((0,), A.array.real.dtype))
    rank = matrix_rank(A, rtol=rcond) if driver != "gels" else wrap(np.zeros((0,), np.int64))
    values = svdvals(A).detach() if driver in ("gelsd", "gelss") else nothing
    residuals = nothing
    if m > n and (driver == "gels" or (driver in ("gelsd", "gelss") and (rank.array == n).all())):
        error = matmul(A, X) - columns
        residuals = (error * error.conj()).sum(-2)
        residuals = residuals.real if A.meta.dtype.is_complex else residuals
        residuals = residuals.squeeze(-1) if vector else residuals
    return return_types.linalg_lstsq((X.squeeze(-1) if vector else X, residuals, rank, values))


@composite("linalg")
def tensorinv(A, ind=2, *, out=None):
    """The inverse of the map that A is from its last dimensions to its first `ind`."""
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
    shape = A.meta.shape
    n, m = int(np.prod(shape[:ind])), int(np.prod(shape[ind:]))
    if n != m:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{m} != {n}"
        )
    return copy_out(inv(A.reshape(n, m)).reshape(shape[ind:] + shape[:ind]), out)


@composite("linalg")
def tensorsolve(A, B, dims=None, *, out=None):
    """X with tensordot(A, X, X.ndim) = B; `dims` of A are moved to its end first."""
    if dims is not None:
        moved = [d % A.array.ndim for d in dims]
        A = A.permute([d for d in range(A.array.ndim) if d not in moved] + moved)
    rest = A.meta.shape[B.array.ndim :]
    n, m = B.array.size, int(np.prod(rest))
    if n != m:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {m} != {n}"
        )
    return copy_out(solve(A.reshape(n, m), B.reshape(n)).reshape(rest), out)
