"""Factorizations of matrices in triangular and orthogonal factors: Cholesky, QR, LU, and triangular systems.

Every public function checks its input and calls an entry. Formulas of the rules: docs/formulas.md; in short, the
differential of the factorization is solved for the factors' and its adjoint taken. Eigenvalues and singular values are
in spectrum, inverses and determinants in inverse, functions of matrices in matrix.
"""

import numpy as np

from chainrule import return_types
from chainrule._engine.op import composite, grads, op
from chainrule._engine.tensor import Tensor, wrap
from chainrule._kernels import factorization
from chainrule._kernels.factorization import LinAlgError
from chainrule._ops.foundation import copy_out
from chainrule._ops.kinds import Opaque
from chainrule._ops.matmul import matmul
from chainrule._ops.searching import kind_of


def check_matrix(name, A, square=False):
    """Type, element type and shape of a matrix argument; the exceptions are PyTorch's."""
    if not isinstance(A, Tensor):
        raise TypeError(f"{name.replace('.', '_')}(): argument 'A' must be Tensor, not {type(A).__name__}")
    shape, d = A.meta.shape, A.meta.dtype
    if len(shape) < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if square and shape[-1] != shape[-2]:
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {shape[-2]} by {shape[-1]} matrices"
        )
    if d.category < 2:
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {kind_of(A.array)}")
    if d.is_half:
        raise NotImplementedError(f"{name}: Low precision dtypes not supported. Got {kind_of(A.array)}")


def check_system(name, A, B, left):
    """A and B of A X = B (or X A = B): matrices that agree in dtype and in size."""
    if B.meta.dtype is not A.meta.dtype:
        raise RuntimeError(
            f"{name}: Expected A and B to have the same dtype, but found A of type {kind_of(A.array)} and B of type "
            f"{kind_of(B.array)} instead"
        )
    if B.array.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor B must have at least 2 dimensions.")
    a, b = A.meta.shape, B.meta.shape
    if a[-1] != b[-2 if left else -1]:
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
            f"({a[-2]}x{a[-1]} and {b[-2]}x{b[-1]})"
        )


def first_failure(info):
    """The first info of a batch that is not 0 and the words that name its matrix; (0, "") if there is none."""
    flat = info.array.ravel()
    if not flat.any():
        return 0, ""
    number = int((flat != 0).argmax())
    return int(flat[number]), f"(Batch element {number}): " if info.array.ndim else ""


def copy_all(results, out):
    """`copy_out` for several results: `out` is None or one tensor for each, which are returned under their names."""
    if out is None:
        return results
    if len(out) != len(results):
        raise TypeError(f"expected a tuple of {len(results)} tensors in 'out', got {len(out)}")
    return type(results)([copy_out(result, target) for result, target in zip(results, out, strict=True)])


def mH(t):
    """The conjugate transpose of every matrix."""
    return t.transpose(-2, -1).conj()


def diagonal_matrix(d):
    """Matrices with d on their diagonals, zero elsewhere."""
    return d.unsqueeze(-1) * wrap(np.eye(d.meta.shape[-1], dtype=d.array.real.dtype))


def diagonal_of(t):
    return t.diagonal(0, -2, -1)


solve_triangle = op("solve_triangle(A, B, upper, left, unitriangular)",
    Opaque(factorization.triangular, with_out=False),
    grads("A B", lambda g, A, out, upper, left, unitriangular, wants: triangle_cotangents(
        g, A, out, upper, left, unitriangular, wants)),
    method=False, namespace="_engine", node="LinalgSolveTriangularBackward0",
    doc="X of A X = B or X A = B for a triangular A.")  # fmt: skip


def triangle_cotangents(g, A, out, upper, left, unitriangular, wants):
    gB = solve_triangle(mH(A), g, not upper, left, unitriangular)
    if not wants[0]:
        return None, gB
    full = matmul(gB, mH(out)) if left else matmul(mH(out), gB)
    start = int(unitriangular)
    return -(full.triu(start) if upper else full.tril(-start)), gB


@composite("linalg")
def solve_triangular(A, B, *, upper, left=True, unitriangular=False, out=None):
    """X of A X = B (X A = B with left=False) for a triangular A, of which the other triangle is not read."""
    check_matrix("linalg.solve_triangular", A, square=True)
    check_system("linalg.solve_triangular", A, B, left)
    return copy_out(solve_triangle(A, B, bool(upper), bool(left), bool(unitriangular)), out)


def cholesky_cotangent(g0, out0, upper):
    """½ (S + Sᴴ) with S = L⁻ᴴ Φ(Lᴴ g) L⁻¹, Φ the lower triangle with half the diagonal (Murray 2016, eq. 10)."""
    if g0 is None:
        return None
    factor = mH(out0) if upper else out0
    low = matmul(mH(factor), mH(g0) if upper else g0).tril()
    weights = np.full(factor.meta.shape[-2:], 0.5, factor.array.real.dtype)
    np.fill_diagonal(weights, 0.25)
    phi = (low + mH(low)) * wrap(weights)
    half = solve_triangle(mH(factor), phi, True, True, False)
    return solve_triangle(factor, half, False, False, False)


factor_cholesky = op("factor_cholesky(A, upper)", Opaque(factorization.cholesky, n_outputs=2, with_out=False),
    A=cholesky_cotangent,
    method=False, namespace="_engine", node="LinalgCholeskyExBackward0", smooth_outputs=(True, False),
    doc="The Cholesky factor and info.")  # fmt: skip


@composite("linalg")
def cholesky_ex(A, *, upper=False, check_errors=False, out=None):
    """The Cholesky factor of Hermitian positive-definite matrices, and for each 0 or the order of the failing minor."""
    check_matrix("linalg.cholesky", A, square=True)
    L, info = factor_cholesky(A, bool(upper))
    if check_errors:
        check_positive(info)
    return copy_all(return_types.linalg_cholesky_ex((L, info)), out)


def check_positive(info):
    order, element = first_failure(info)
    if order:
        raise LinAlgError(
            f"linalg.cholesky: {element}The factorization could not be completed because the input is not "
            f"positive-definite (the leading minor of order {order} is not positive-definite)."
        )


@composite("linalg")
def cholesky(A, *, upper=False, out=None):
    """L with L Lᴴ = A (or U with Uᴴ U = A) for Hermitian positive-definite matrices; LinAlgError for others."""
    return copy_out(cholesky_ex(A, upper=upper, check_errors=True).L, out)


@composite("torch", name="cholesky")
def old_cholesky(input, upper=False, *, out=None):
    """`linalg.cholesky`."""
    return cholesky(input, upper=upper, out=out)


@composite()
def cholesky_solve(input, L, upper=False, *, out=None):
    """X of A X = input from A's Cholesky factor."""
    low = mH(L) if upper else L
    check_matrix("cholesky_solve", low, square=True)
    check_system("cholesky_solve", low, input, True)
    half = solve_triangle(low, input, False, True, False)
    return copy_out(solve_triangle(mH(low), half, True, True, False), out)


@composite()
def cholesky_inverse(L, upper=False, *, out=None):
    """The inverse of A from its Cholesky factor."""
    check_matrix("cholesky_inverse", L, square=True)
    one = np.broadcast_to(np.eye(L.meta.shape[-1], dtype=L.array.dtype), L.meta.shape)
    return copy_out(cholesky_solve(wrap(np.ascontiguousarray(one)), L, upper), out)


def half_lower(t):
    """The lower triangle with half the diagonal."""
    weights = np.full(t.meta.shape[-2:], 1, t.array.real.dtype)
    np.fill_diagonal(weights, 0.5)
    return t.tril() * wrap(weights)


def qr_cotangent(g0, g1, A, out0, out1, mode):
    """With N = Qᴴ gQ - gR Rᴴ: (gQ + Q (tril½(N - Nᴴ) - N)) R⁻ᴴ; the columns beyond the square part go before.

    From dQ = (1 - QQᴴ) dA R⁻¹ + QΩ and dR = (C - Ω) R, C = Qᴴ dA R⁻¹, Ω skew with C's strict lower triangle."""
    m, n = A.meta.shape[-2:]
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, "
            "mode='reduced') if you are going to differentiate through linalg.qr."
        )
    if mode == "complete" and m > n:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")
    Q, R, gQ, gR = out0, out1, g0, g1
    rest = None
    if m < n:
        if gR is not None:
            rest = matmul(Q, gR.narrow(-1, m, n - m))
            extra = matmul(A.narrow(-1, m, n - m), mH(gR.narrow(-1, m, n - m)))
            gQ = extra if gQ is None else gQ + extra
            gR = gR.narrow(-1, 0, m)
        R = R.narrow(-1, 0, m)
    inner = None if gR is None else -matmul(gR, mH(R))
    if gQ is not None:
        turned = matmul(mH(Q), gQ)
        inner = turned if inner is None else turned + inner
    total = matmul(Q, half_lower(inner - mH(inner)) - inner)
    if gQ is not None:
        total = total + gQ
    square = solve_triangle(mH(R), total, False, False, False)
    if m >= n:
        return square
    if rest is None:
        rest = wrap(np.zeros(A.meta.shape[:-1] + (n - m,), A.array.dtype))
    return joined(square, rest, -1)


def joined(first, second, dim):
    from chainrule._ops.joining import cat

    return cat([first, second], dim)


factor_qr = op("factor_qr(A, mode)", Opaque(factorization.qr, n_outputs=2, with_out=False),
    A=qr_cotangent,
    method=False, namespace="_engine", node="LinalgQrBackward0", outputs=return_types.linalg_qr,
    doc="Q and R.")  # fmt: skip


@composite("linalg")
def qr(A, mode="reduced", *, out=None):
    """A = Q R with orthonormal columns in Q and an upper triangular R; mode "reduced", "complete" or "r" (R alone)."""
    check_matrix("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    return copy_all(factor_qr(A, mode), out)


@composite("torch", name="qr")
def old_qr(input, some=True, *, out=None):
    """`linalg.qr`, reduced if `some`."""
    return copy_all(return_types.qr(qr(input, "reduced" if some else "complete")), out)


def lu_cotangent(g0, out0, pivots, A_shape):
    """P L⁻ᴴ [tril₋₁(Lᴴ gL) + triu(gU Uᴴ)] U⁻ᴴ, with the rows or columns beyond the square part eliminated first."""
    if g0 is None:
        return None
    m, n = A_shape[-2:]
    k = min(m, n)
    top, wide = out0.narrow(-2, 0, k), g0.narrow(-2, 0, k)
    core, g = top.narrow(-1, 0, k), wide.narrow(-1, 0, k)
    low, up = core.tril(-1) + wrap(np.eye(k, dtype=out0.array.dtype)), core.triu()
    lower, upper = matmul(mH(low), g.tril(-1)), matmul(g.triu(), mH(up))
    rest = None
    if m < n:
        beyond = wide.narrow(-1, k, n - k)
        lower = lower - matmul(beyond, mH(top.narrow(-1, k, n - k)))
        rest = solve_triangle(mH(low), beyond, True, True, True)
    elif m > n:
        beyond = g0.narrow(-2, k, m - k)
        upper = upper - matmul(mH(out0.narrow(-2, k, m - k)), beyond)
        rest = solve_triangle(mH(up), beyond, False, False, False)
    inner = lower.tril(-1) + upper.triu()
    inner = solve_triangle(mH(up), inner, False, False, False)
    square = solve_triangle(mH(low), inner, True, True, True)
    whole = square if rest is None else joined(square, rest, -1 if m < n else -2)
    return matmul(permutation_of(pivots, m, whole), whole)


def permutation_of(pivots, m, like):
    """P as a constant tensor, from the array of pivots."""
    return wrap(factorization.permutation_matrix(pivots, m, like.array.dtype))


def lu_with_pivots(a, pivot):
    """The kernel's results with the pivots once more, for the rule."""
    packed, pivots, info = factorization.lu(a, pivot)
    return packed, pivots, info, pivots


factor_lu = op("factor_lu(A, pivot)",
    Opaque(lu_with_pivots, n_outputs=3, residuals="pivots", with_out=False),
    A=lu_cotangent,
    method=False, namespace="_engine", node="LinalgLuFactorExBackward0", smooth_outputs=(True, False, False),
    doc="The packed LU factors, the pivots and info.")  # fmt: skip


@composite("linalg")
def lu_factor_ex(A, *, pivot=True, check_errors=False, out=None):
    """The LU factors in one matrix, the pivots (from 1), and for each matrix 0 or its first zero pivot."""
    check_matrix("linalg.lu_factor", A)
    LU, pivots, info = factor_lu(A, bool(pivot))
    if check_errors:
        order, element = first_failure(info)
        if order:
            raise RuntimeError(
                f"torch.linalg.lu_factor: {element}U[{order},{order}] is zero and using it on lu_solve would result in "
                "a division by zero. If you still want to perform the factorization, consider calling linalg.lu(A, "
                "pivot) or linalg.lu_factor_ex(A, pivot)"
            )
    return copy_all(return_types.linalg_lu_factor_ex((LU, pivots, info)), out)


@composite("linalg")
def lu_factor(A, *, pivot=True, out=None):
    """The LU factors in one matrix and the pivots; RuntimeError if a pivot is zero."""
    return copy_all(return_types.linalg_lu_factor(lu_factor_ex(A, pivot=pivot, check_errors=True)[:2]), out)


@composite(method=False)
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True, *, out=None):
    """P, L and U from what `linalg.lu_factor` gives; an empty tensor for what is not asked for."""
    m, n = LU_data.meta.shape[-2:]
    k = min(m, n)
    P = L = U = wrap(np.zeros((0,), LU_data.array.dtype))
    if unpack_pivots:
        P = permutation_of(LU_pivots.array, m, LU_data)
    if unpack_data:
        one = wrap(np.eye(m, k, dtype=LU_data.array.dtype))
        L, U = LU_data.narrow(-1, 0, k).tril(-1) + one, LU_data.narrow(-2, 0, k).triu()
    return copy_all(return_types.lu_unpack((P, L, U)), out)


@composite("linalg")
def lu(A, *, pivot=True, out=None):
    """A = P L U with a permutation P (empty without pivoting), a unit lower L and an upper U."""
    check_matrix("linalg.lu", A)
    LU, pivots, _ = factor_lu(A, bool(pivot))
    return copy_all(return_types.linalg_lu(lu_unpack(LU, pivots, True, bool(pivot))), out)


@composite("linalg")
def lu_solve(LU, pivots, B, *, left=True, adjoint=False, out=None):
    """X of A X = B (X A = B with left=False; Aᴴ in A's place with `adjoint`) from A's LU factorization."""
    check_matrix("linalg.lu_solve", LU, square=True)
    check_system("linalg.lu_solve", LU, B, left)
    P = permutation_of(pivots.array, LU.meta.shape[-1], LU)
    if left != adjoint:
        # P L U X = B, or X Uᴴ Lᴴ Pᵀ = B, whose adjoint it is
        X = matmul(P.transpose(-2, -1), B if left else mH(B))
        X = solve_triangle(LU, solve_triangle(LU, X, False, True, True), True, True, False)
    else:
        X = solve_triangle(mH(LU), B if left else mH(B), False, True, False)
        X = matmul(P, solve_triangle(mH(LU), X, True, True, True))
    return copy_out(X if left else mH(X), out)


@composite("torch", name="lu_solve")
def old_lu_solve(input, LU_data, LU_pivots, *, out=None):
    """`linalg.lu_solve` with the right side first."""
    return lu_solve(LU_data, LU_pivots, input, out=out)


@composite("linalg")
def householder_product(A, tau, *, out=None):
    """The first columns of the product of the reflections 1 - tau v vᴴ, v in A's columns below the diagonal."""
    check_matrix("linalg.householder_product", A)
    m, n = A.meta.shape[-2:]
    k = tau.meta.shape[-1]
    if not m >= n >= k:
        raise RuntimeError(
            f"torch.linalg.householder_product: expected rows >= columns >= reflections, got {m}, {n} and {k}"
        )
    vectors = A.tril(-1) + wrap(np.eye(m, n, dtype=A.array.dtype))
    result = wrap(np.ascontiguousarray(np.broadcast_to(np.eye(m, n, dtype=A.array.dtype), A.meta.shape)))
    for i in range(k - 1, -1, -1):
        v = vectors.narrow(-1, i, 1)
        result = result - matmul(v * tau.narrow(-1, i, 1).unsqueeze(-1), matmul(mH(v), result))
    return copy_out(result, out)


@composite()
def orgqr(input, input2):
    """`linalg.householder_product`."""
    return householder_product(input, input2)
