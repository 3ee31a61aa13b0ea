"""Eigenvalues and singular values of matrices, with their vectors.

Where values are equal their vectors are determined up to a rotation; what is known of the gradient then is in
`within_equal`.
"""

import numpy as np

from chainrule import return_types
from chainrule._engine.op import composite, op, wants_grad
from chainrule._engine.tensor import wrap
from chainrule._engine.thread_state import current
from chainrule._kernels import factorization
from chainrule._ops.decomposition import check_matrix, copy_all, diagonal_matrix, diagonal_of, mH
from chainrule._ops.foundation import copy_out
from chainrule._ops.kinds import Opaque
from chainrule._ops.matmul import matmul


def apart(values):
    """1 / (wⱼ - wᵢ) with 0 for pairs that are equal up to rounding, and whether there are such pairs."""
    n = values.meta.shape[-1]
    steps = values.unsqueeze(-2) - values.unsqueeze(-1)
    size = np.abs(values.array).max(-1, initial=0)[..., None, None]
    equal = np.abs(steps.array) <= 10 * n * np.finfo(values.array.dtype).eps * size
    inverse = (1 - wrap(equal.astype(values.array.real.dtype))) / (steps + wrap(equal.astype(values.array.dtype)))
    off = equal & ~np.eye(n, dtype=bool)
    return inverse, off if off.any() else None


def within_equal(hermitian, slopes, together):
    """Where values are equal: the off-diagonal part of the cotangent, which the quotient by their distance cannot give.

    A function of V f(w) Vᴴ has Vᴴ gV = 2 S f and gw = diag(S) f' there, so that the part sought is the first scaled to
    agree with the second on the diagonal. Where no scale fits, nothing is known of it and zero is taken."""
    with np.errstate(all="ignore"):
        block = (together | np.eye(together.shape[-1], dtype=bool)).astype(slopes.array.real.dtype)
        d = np.diagonal(hermitian.array, axis1=-2, axis2=-1).real
        w = slopes.array.real
        dots = [(block @ x[..., None])[..., 0] for x in (d * w, d * d, w * w)]
        scale = np.where(dots[1] > 0, dots[0] / dots[1], 0)
        fits = np.abs(dots[2] - scale * dots[0]) <= 1e-6 * dots[2]
    weights = np.where(together & fits[..., None], scale[..., None], 0).astype(slopes.array.real.dtype)
    return hermitian * wrap(weights)


def check_phase(name, inner):
    """Complex vectors are determined up to a phase; a loss that depends on it has no gradient."""
    if inner.meta.dtype.is_complex:
        turning = np.diagonal(inner.array, axis1=-2, axis2=-1).imag
        if turning.size and np.abs(turning).max() > 1e-2:
            raise RuntimeError(
                f"{name}: The singular vectors or eigenvectors in the complex case are specified up to multiplication "
                "by e^{i phi}. The specified loss function depends on this quantity, so it is ill-defined."
            )


def eigh_cotangent(g0, g1, out0, out1):
    """V (diag(gw) + K ∘ 1/(wⱼ - wᵢ)) Vᴴ with K the skew part of Vᴴ gV: vectors only turn."""
    V = out1
    if g1 is None:
        return matmul(V * g0.unsqueeze(-2), mH(V))
    inner = matmul(mH(V), g1)
    check_phase("linalg_eigh_backward", inner)
    inverse, together = apart(out0)
    core = (inner - mH(inner)) * (0.5 * inverse)
    if g0 is not None:
        core = core + diagonal_matrix(g0)
        if together is not None:
            core = core + within_equal((inner + mH(inner)) * 0.5, g0, together)
    return matmul(matmul(V, core), mH(V))


factor_eigh = op("factor_eigh(A, UPLO)", Opaque(factorization.eigh, n_outputs=2, with_out=False),
    A=eigh_cotangent,
    method=False, namespace="_engine", node="LinalgEighBackward0", outputs=return_types.linalg_eigh,
    doc="Eigenvalues and eigenvectors of Hermitian matrices.")  # fmt: skip


def check_eigh(A, UPLO):
    check_matrix("linalg.eigh", A, square=True)
    if UPLO not in ("L", "U", "l", "u"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")


@composite("linalg")
def eigh(A, UPLO="L", *, out=None):
    """Eigenvalues (ascending) and orthonormal eigenvectors of Hermitian matrices, read from one triangle."""
    check_eigh(A, UPLO)
    return copy_all(factor_eigh(A, UPLO.upper()), out)


def differentiated(A):
    return current().grad_enabled and wants_grad(A)


@composite("linalg")
def eigvalsh(A, UPLO="L", *, out=None):
    """Eigenvalues of Hermitian matrices in ascending order."""
    check_eigh(A, UPLO)
    if differentiated(A) or A.override or current().special:
        return copy_out(factor_eigh(A, UPLO.upper())[0], out)
    return copy_out(wrap(factorization.eigvalsh(A.array, UPLO.upper())), out)


def eig_cotangent(g0, g1, out0, out1):
    """V⁻ᴴ (diag(gw) + (Vᴴ gV - Vᴴ V Re diag(Vᴴ gV)) / conj(wⱼ - wᵢ)) Vᴴ for eigenvectors of length 1."""
    from chainrule._ops.inverse import solve

    vh = mH(out1)
    core = None if g0 is None else diagonal_matrix(g0)
    if g1 is not None:
        inner = matmul(vh, g1)
        check_phase("linalg_eig_backward", inner)
        lengths = diagonal_of(inner).real
        slant = inner - matmul(vh, out1 * lengths.unsqueeze(-2))
        slant = slant * apart(out0)[0].conj()
        core = slant if core is None else core + slant
    return solve(vh, matmul(core, vh))


factor_eig = op("factor_eig(A)", Opaque(factorization.eig, n_outputs=2, with_out=False),
    A=eig_cotangent,
    method=False, namespace="_engine", node="LinalgEigBackward0", outputs=return_types.linalg_eig,
    doc="Complex eigenvalues and eigenvectors.")  # fmt: skip


@composite("linalg")
def eig(A, *, out=None):
    """Eigenvalues and eigenvectors (of length 1) of square matrices, always complex."""
    check_matrix("linalg.eig", A, square=True)
    return copy_all(factor_eig(A), out)


@composite("linalg")
def eigvals(A, *, out=None):
    """Eigenvalues of square matrices, always complex."""
    check_matrix("linalg.eig", A, square=True)
    return copy_out(factor_eig(A)[0], out)


def svd_cotangent(g0, g1, g2, out0, out1, out2, A_shape):
    """With Mᵤ, Mᵥ the skew parts (X - Xᴴ) of Uᴴ gU and Vᴴ gV:
    U [diag(gS) + ½ (Mᵤ + Mᵥ)/(sⱼ - sᵢ) + ½ (Mᵤ - Mᵥ)/(sⱼ + sᵢ)] Vᴴ + (1 - UUᴴ) gU S⁻¹ Vᴴ + U S⁻¹ gVᴴ (1 - VVᴴ)."""
    m, n = A_shape[-2:]
    k = min(m, n)
    U, S, Vh = out0.narrow(-1, 0, k), out1, out2.narrow(-2, 0, k)
    gU = None if g0 is None else g0.narrow(-1, 0, k)
    gVh = None if g2 is None else g2.narrow(-2, 0, k)
    core = None if g1 is None else diagonal_matrix(g1)
    if gU is None and gVh is None:
        return matmul(U * g1.unsqueeze(-2), Vh)
    left = None if gU is None else matmul(mH(U), gU)
    right = None if gVh is None else matmul(Vh, mH(gVh))
    check_phase("svd_backward", left if right is None else right if left is None else left + right)
    total = left if right is None else right if left is None else left + right
    inverse, together = apart(S)
    terms = (total - mH(total)) * (0.5 * inverse)
    difference = left if right is None else -right if left is None else left - right
    sums = S.unsqueeze(-2) + S.unsqueeze(-1)
    terms = terms + (difference - mH(difference)) * (0.5 * reciprocal(sums))
    if together is not None and g1 is not None:
        sym = left if left is not None else right
        terms = terms + within_equal((sym + mH(sym)) * 0.5, g1, together)
    core = terms if core is None else core + terms
    result = matmul(matmul(U, core), Vh)
    per_value = reciprocal(S).unsqueeze(-2)
    if gU is not None and m > k:
        result = result + matmul((gU - matmul(U, left)) * per_value, Vh)
    if gVh is not None and n > k:
        result = result + matmul(U * per_value, gVh - matmul(mH(right), Vh))
    return result


def reciprocal(t):
    """1 / t with 0 where t is 0."""
    zero = wrap((t.array == 0).astype(t.array.dtype))
    return (1 - zero) / (t + zero)


factor_svd = op("factor_svd(A, full_matrices)", Opaque(factorization.svd, n_outputs=3, with_out=False),
    A=svd_cotangent,
    method=False, namespace="_engine", node="LinalgSvdBackward0", outputs=return_types.linalg_svd,
    doc="U, S and Vᴴ.")  # fmt: skip


@composite("linalg")
def svd(A, full_matrices=True, *, driver=None, out=None):
    """A = U diag(S) Vᴴ with singular values in descending order; the driver is always LAPACK's divide and conquer."""
    check_matrix("linalg.svd", A)
    return copy_all(factor_svd(A, bool(full_matrices)), out)


@composite("linalg")
def svdvals(A, *, driver=None, out=None):
    """Singular values in descending order."""
    check_matrix("linalg.svd", A)
    return copy_out(factor_svd(A, False)[1], out)


@composite("torch", name="svd")
def old_svd(input, some=True, compute_uv=True, *, out=None):
    """U, S and V (not its adjoint), reduced if `some`; zeros for U and V without `compute_uv`."""
    U, S, Vh = svd(input, not some or not compute_uv)
    if not compute_uv:
        U, Vh = wrap(np.zeros_like(U.array)), wrap(np.zeros_like(Vh.array))
    return copy_all(return_types.svd((U, S, mH(Vh))), out)
