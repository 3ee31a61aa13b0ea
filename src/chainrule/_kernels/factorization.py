"""Factorizations of matrices and triangular systems, batched over all but the last two axes.

NumPy's LAPACK does what it offers; partial pivoting (of which NumPy shows no factors) and triangular solves are blocked
loops here. A matrix that cannot be factored is reported in `info` or raises LinAlgError.
"""

import numpy as np

BLOCK = 64


class LinAlgError(RuntimeError):
    """A matrix that an operation of linear algebra cannot take: singular, or without a convergent factorization."""


LinAlgError.__module__ = "chainrule.linalg"


def adjoint(a):
    """The conjugate transpose of every matrix."""
    a = a.swapaxes(-1, -2)
    return a.conj() if a.dtype.kind == "c" else a


def cholesky(a, upper):
    """L with L·Lᴴ = a from a's lower triangle (or U with Uᴴ·U from the upper one), and info per matrix: 0, or the order
    of the first leading minor that is not positive-definite."""
    if upper:
        factor, info = cholesky(adjoint(a), False)
        return np.ascontiguousarray(adjoint(factor)), info
    try:
        return np.linalg.cholesky(a), np.zeros(a.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        pass
    factor, info = np.tril(a), np.zeros(a.shape[:-2], np.int32)
    for place in np.ndindex(a.shape[:-2]):
        info[place] = order = first_bad_minor(a[place])
        if order == 0:
            factor[place] = np.linalg.cholesky(a[place])
    return factor, info


def first_bad_minor(a):
    """The order of the first leading minor without a Cholesky factor, 0 if all have one; by bisection."""
    low, high = 0, a.shape[-1] + 1
    while high - low > 1:
        middle = (low + high) // 2
        try:
            np.linalg.cholesky(a[:middle, :middle])
            low = middle
        except np.linalg.LinAlgError:
            high = middle
    return 0 if high > a.shape[-1] else high


def lu(a, pivot):
    """The packed factors of P·L·U = a, the rows exchanged (counted from 1), and info: 0 or the first zero pivot."""
    m, n = a.shape[-2:]
    k = min(m, n)
    count = int(np.prod(a.shape[:-2]))
    packed = np.array(a, order="C").reshape(count, m, n)
    pivots = np.broadcast_to(np.arange(1, k + 1, dtype=np.int32), (count, k)).copy()
    everyone = np.arange(count)
    if a.size:
        for start in range(0, k, BLOCK):
            stop = min(start + BLOCK, k)
            for j in range(start, stop):
                if pivot:
                    rows = pivot_size(packed[:, j:, j]).argmax(1) + j
                    pivots[:, j] = rows + 1
                    other = packed[everyone, rows]
                    packed[everyone, rows] = packed[:, j]
                    packed[:, j] = other
                top = packed[:, j, j]
                packed[:, j + 1 :, j] /= np.where(top == 0, 1, top)[:, None]
                packed[:, j + 1 :, j + 1 : stop] -= packed[:, j + 1 :, j, None] * packed[:, j, None, j + 1 : stop]
            if stop < n:
                right = triangular(packed[:, start:stop, start:stop], packed[:, start:stop, stop:], False, True, True)
                packed[:, start:stop, stop:] = right
                if stop < m:
                    packed[:, stop:, stop:] -= packed[:, stop:, start:stop] @ right
    zero = np.diagonal(packed, axis1=1, axis2=2) == 0
    info = np.zeros(count, np.int32)
    if k:
        info = np.where(zero.any(1), zero.argmax(1) + 1, 0).astype(np.int32)
    batch = a.shape[:-2]
    return packed.reshape(a.shape), pivots.reshape(batch + (k,)), info.reshape(batch)


def pivot_size(column):
    """What the largest pivot is chosen by; LAPACK takes |Re| + |Im| for a complex number's size."""
    return np.abs(column.real) + np.abs(column.imag) if column.dtype.kind == "c" else np.abs(column)


def permutation(pivots, m):
    """The matrices P of P·L·U from the exchanges of `lu`, as row indices: row i of L·U is row order[i] of a."""
    batch = pivots.shape[:-1]
    flat = pivots.reshape(int(np.prod(batch)), pivots.shape[-1])
    order = np.broadcast_to(np.arange(m), (flat.shape[0], m)).copy()
    everyone = np.arange(flat.shape[0])
    for j in range(flat.shape[1]):
        rows = flat[:, j] - 1
        other = order[everyone, rows]
        order[everyone, rows] = order[:, j]
        order[:, j] = other
    return order.reshape(batch + (m,))


def permutation_matrix(pivots, m, np_dtype):
    """P of P·L·U as a matrix."""
    order = permutation(pivots, m)
    return np.ascontiguousarray((order[..., None, :] == np.arange(m)[:, None]).astype(np_dtype))


def triangular(a, b, upper, left, unit):
    """x with a·x = b (or x·a = b) for a triangular a, whose other triangle is not read; a zero pivot gives inf."""
    if not left:
        return np.ascontiguousarray(
            triangular(a.swapaxes(-1, -2), b.swapaxes(-1, -2), not upper, True, unit).swapaxes(-1, -2)
        )
    if not upper:
        # turned by half a circle a lower triangle is an upper one
        return np.ascontiguousarray(triangular(a[..., ::-1, ::-1], b[..., ::-1, :], True, True, unit)[..., ::-1, :])
    n = a.shape[-1]
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    x = np.array(np.broadcast_to(b, batch + b.shape[-2:]), order="C")
    if x.size == 0:
        return x
    for stop in range(n, 0, -BLOCK):
        start = max(stop - BLOCK, 0)
        if stop < n:
            x[..., start:stop, :] -= a[..., start:stop, stop:] @ x[..., stop:, :]
        x[..., start:stop, :] = upper_block(a[..., start:stop, start:stop], x[..., start:stop, :], unit)
    return x


def upper_block(a, b, unit):
    """Back substitution with a small upper triangle: for LAPACK's solver it is factored already, no rows change."""
    a = np.triu(a)
    if unit:
        steps = np.arange(a.shape[-1])
        a[..., steps, steps] = 1
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        pass
    x = np.array(np.broadcast_to(b, np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + b.shape[-2:]))
    with np.errstate(all="ignore"):
        for i in range(a.shape[-1] - 1, -1, -1):
            known = (a[..., i, None, i + 1 :] @ x[..., i + 1 :, :])[..., 0, :]
            x[..., i, :] = (x[..., i, :] - known) / a[..., i, i, None]
    return x


def solve(a, b):
    """x with a·x = b, and info per matrix: 0, or the first zero pivot."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if 0 in a.shape or 0 in b.shape:
        return np.zeros(batch + b.shape[-2:], b.dtype), np.zeros(a.shape[:-2], np.int32)
    try:
        return np.linalg.solve(a, b), np.zeros(a.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        info = lu(a, True)[2]
    x = np.full(batch + b.shape[-2:], np.nan, b.dtype)
    a, b, infos = (
        np.broadcast_to(v, batch + v.shape[v.ndim - k :]) for v, k in ((a, 2), (b, 2), (info, 0))
    )
    for place in np.ndindex(batch):
        if infos[place] == 0:
            try:
                x[place] = np.linalg.solve(a[place], b[place])
            except np.linalg.LinAlgError:
                info[place[len(place) - info.ndim :]] = a.shape[-1]
    return x, np.where(np.isnan(x).all((-1, -2)) & (info == 0), a.shape[-1], info).astype(np.int32)


def inverse(a):
    """The inverses, and info per matrix: 0, or the first zero pivot."""
    one = np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape)
    if a.size == 0:
        return a.copy(), np.zeros(a.shape[:-2], np.int32)
    try:
        return np.linalg.inv(a), np.zeros(a.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        return solve(a, one)


def determinant(a):
    with np.errstate(all="ignore"):
        return np.asarray(np.linalg.det(a))


def sign_and_log(a):
    """The sign (or phase) of the determinant and the logarithm of its size."""
    with np.errstate(all="ignore"):
        sign, size = np.linalg.slogdet(a)
    return np.asarray(sign), np.asarray(size)


def qr(a, mode):
    """Q and R: "reduced", "complete", or "r" with an empty Q."""
    if mode == "r":
        return np.zeros((0,), a.dtype), np.ascontiguousarray(np.linalg.qr(a, "r"))
    q, r = np.linalg.qr(a, mode)
    return np.ascontiguousarray(q), np.ascontiguousarray(r)


def eigh(a, uplo):
    """Eigenvalues in ascending order and orthonormal eigenvectors of Hermitian matrices, from one triangle."""
    try:
        values, vectors = np.linalg.eigh(a, uplo)
    except np.linalg.LinAlgError:
        raise LinAlgError(
            "linalg.eigh: The algorithm failed to converge because the input matrix is ill-conditioned or has too many "
            "repeated eigenvalues."
        ) from None
    return values, np.ascontiguousarray(vectors)


def eigvalsh(a, uplo):
    return eigh(a, uplo)[0] if not np.isfinite(a).all() else np.linalg.eigvalsh(a, uplo)


def eig(a):
    """Complex eigenvalues and eigenvectors of length 1, in LAPACK's order."""
    if not np.isfinite(a).all():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    values, vectors = np.linalg.eig(a)
    kind = np.result_type(a.dtype, np.complex64)
    return values.astype(kind), np.ascontiguousarray(vectors.astype(kind))


def svd(a, full_matrices):
    """U, the singular values in descending order, and Vᴴ."""
    try:
        u, s, vh = np.linalg.svd(a, full_matrices)
    except np.linalg.LinAlgError:
        why = "contained non-finite values" if not np.isfinite(a).all() else "is ill-conditioned"
        raise LinAlgError(f"linalg.svd: The algorithm failed to converge because the input matrix {why}.") from None
    return np.ascontiguousarray(u), s, np.ascontiguousarray(vh)


def pinv(a, atol, rtol, hermitian):
    """The Moore-Penrose inverse: singular values up to max(atol, rtol·largest) count as zero."""
    if a.size == 0:
        return np.zeros(a.shape[:-2] + (a.shape[-1], a.shape[-2]), a.dtype)
    if hermitian:
        s, u = eigh(a, "L")
        vh, size = adjoint(u), np.abs(s)
    else:
        u, s, vh = svd(a, False)
        size = s
    limit = np.maximum(atol, rtol * size.max(-1, keepdims=True))
    kept = size > limit
    weights = np.where(kept, 1 / np.where(kept, s, 1), 0).astype(s.dtype)
    return np.ascontiguousarray((adjoint(vh) * weights[..., None, :]) @ adjoint(u))


def cofactors(a):
    """The conjugate of the determinant's derivative: conj(det U · det Vᴴ) · U·Γ·Vᴴ with Γᵢ the product of the other
    singular values. It is right for singular matrices too."""
    u, s, vh = svd(a, False)
    phase = np.conj(np.linalg.det(u) * np.linalg.det(vh))
    return np.ascontiguousarray((u * (products_without(s) * phase[..., None])[..., None, :]) @ vh)


def products_without(s):
    """The product of all elements but one, for each of them, without division."""
    before, after = np.ones_like(s), np.ones_like(s)
    before[..., 1:] = np.cumprod(s, -1)[..., :-1]
    after[..., :-1] = np.cumprod(s[..., ::-1], -1)[..., ::-1][..., 1:]
    return before * after


def cofactor_slopes(g, a):
    """The derivative of `cofactors` applied to g, from the products of all singular values but two."""
    u, s, vh = svd(a, False)
    phase = np.conj(np.linalg.det(u) * np.linalg.det(vh))[..., None, None]
    n = s.shape[-1]
    others = np.where(np.eye(n, dtype=bool), 1, s[..., None, :])
    pairs = np.where(np.eye(n, dtype=bool), 0, products_without(others))
    h = adjoint(u) @ g @ adjoint(vh)
    inner = -h.swapaxes(-1, -2) * pairs
    steps = np.arange(n)
    inner[..., steps, steps] = (pairs @ np.diagonal(h, axis1=-2, axis2=-1)[..., None])[..., 0]
    return np.ascontiguousarray(u @ (phase * np.conj(inner)) @ vh)


# Numerator coefficients of the diagonal Padé approximants of exp and the norms up to which each is used:
# Higham, The scaling and squaring method for the matrix exponential revisited (2005), table 2.3.
PADE = ((3, 1.495585217958292e-2), (5, 2.539398330063230e-1), (7, 9.504178996162932e-1), (9, 2.097847961257068),
        (13, 5.371920351148152))  # fmt: skip


def pade_coefficients(degree):
    """b_k = (2m - k)! m! / ((2m)! (m - k)! k!), scaled to whole numbers."""
    c = [1.0]
    for k in range(degree):
        c.append(c[-1] * (degree - k) / ((2 * degree - k) * (k + 1)))
    return c


def exponential(a):
    """The matrix exponential by scaling, a Padé approximant, and squaring."""
    n = a.shape[-1]
    if a.size == 0:
        return a.copy()
    norm = float(np.abs(a).sum(-2).max())
    if not np.isfinite(norm):
        return np.full_like(a, np.nan)
    degree = next((m for m, limit in PADE if norm <= limit), 13)
    squarings = max(0, int(np.ceil(np.log2(norm / PADE[-1][1])))) if degree == 13 and norm > 0 else 0
    a = a / a.dtype.type(2.0**squarings)
    c = pade_coefficients(degree)
    one = np.eye(n, dtype=a.dtype)
    square = a @ a
    power, even, odd = np.broadcast_to(one, a.shape), c[0] * one, c[1] * one
    for k in range(2, degree + 1, 2):
        power = power @ square
        even = even + a.dtype.type(c[k]) * power
        if k + 1 <= degree:
            odd = odd + a.dtype.type(c[k + 1]) * power
    odd = a @ odd.astype(a.dtype)
    out = np.linalg.solve(even - odd, even + odd).astype(a.dtype)
    for _ in range(squarings):
        out = out @ out
    return np.ascontiguousarray(out)
