"""Functions of matrices: exponential, powers, norms, rank and condition; and small linear algebra over other ops."""

import numpy as np

from chainrule._core.dtype import int64
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import wrap
from chainrule._kernels import factorization
from chainrule._ops.decomposition import check_matrix, mH
from chainrule._ops.foundation import copy_out, to_dtype
from chainrule._ops.inverse import as_limit, inv, tolerances
from chainrule._ops.joining import cat
from chainrule._ops.kinds import Opaque, normal_dim
from chainrule._ops.matmul import matmul
from chainrule._ops.norm import vector_norm
from chainrule._ops.spectrum import eigvalsh, svdvals


def exp_cotangent(g, A):
    """The upper right block of exp([[Aᴴ, g], [0, Aᴴ]]) (Najfeld and Havel 1995)."""
    ah = mH(A)
    n = A.meta.shape[-1]
    lower = cat([wrap(np.zeros(A.meta.shape, A.array.dtype)), ah], -1)
    return exponential(cat([cat([ah, g], -1), lower], -2)).narrow(-2, 0, n).narrow(-1, n, n)


exponential = op("exponential(A)", Opaque(factorization.exponential, with_out=False),
    A=exp_cotangent,
    method=False, namespace="_engine", node="LinalgMatrixExpBackward0",
    doc="The matrix exponential.")  # fmt: skip


@composite("linalg")
def matrix_exp(A):
    """The exponential of square matrices."""
    if not A.meta.dtype.is_half:
        check_matrix("linalg.matrix_exp", A, square=True)
    return exponential(A)


@composite("torch", name="matrix_exp")
def old_matrix_exp(input):
    """`linalg.matrix_exp`."""
    return matrix_exp(input)


@composite("linalg")
def matrix_power(A, n, *, out=None):
    """The n-th power of square matrices by repeated squaring; for n < 0 of their inverses."""
    shape = A.meta.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise RuntimeError(
            "linalg.matrix_power: A must be batches of square matrices, but they are "
            + (f"{shape[-2]} by {shape[-1]} matrices" if len(shape) > 1 else f"of shape {list(shape)}")
        )
    if n < 0:
        return copy_out(matrix_power(inv(A), -n), out)
    if n == 0:
        one = np.broadcast_to(np.eye(shape[-1], dtype=A.array.dtype), shape)
        return copy_out(A * 0 + wrap(np.ascontiguousarray(one)), out)
    result, square = None, A
    while True:
        if n & 1:
            result = square if result is None else matmul(result, square)
        n >>= 1
        if n == 0:
            return copy_out(result.clone() if result is A else result, out)
        square = matmul(square, square)


@composite("torch", name="matrix_power")
def old_matrix_power(input, n, *, out=None):
    """`linalg.matrix_power`."""
    return matrix_power(input, n, out=out)


def two_dims(A, dim):
    """The two different dims of a matrix norm, non-negative."""
    if not isinstance(dim, (tuple, list)) or len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {dim}")
    dims = tuple(normal_dim(d, A.array.ndim) for d in dim)
    if dims[0] == dims[1]:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})")
    return dims


def restored(result, dims, keepdim):
    """A result whose matrix dims were dropped, with dims of size 1 in their places if `keepdim`."""
    if keepdim:
        for d in sorted(dims):
            result = result.unsqueeze(d)
    return result


@composite("linalg")
def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None, out=None):
    """Norms of matrices: "fro", "nuc", or inf, -inf, 1, -1, 2, -2 (largest or smallest row, column, singular value)."""
    if A.meta.dtype.category < 2:
        check_matrix("linalg.matrix_norm", A)
    if A.array.ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    dims = two_dims(A, dim)
    if dtype is not None:
        A = to_dtype(A, dtype)
    if ord == "fro":
        return vector_norm(A, 2, dims, keepdim, out=out)
    if ord in ("nuc", 2, -2):
        values = svdvals(A.movedim(dims, (-2, -1)))
        folded = values.sum(-1) if ord == "nuc" else values.amax(-1) if ord == 2 else values.amin(-1)
        return copy_out(restored(folded, dims, keepdim), out)
    if isinstance(ord, str) or abs(ord) not in (1, float("inf")):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    along, across = dims if abs(ord) == 1 else (dims[1], dims[0])
    sums = A.abs().sum(along, True)
    folded = sums.amax(across, True) if ord > 0 else sums.amin(across, True)
    return copy_out(folded if keepdim else folded.squeeze(dims), out)


@composite("linalg")
def norm(A, ord=None, dim=None, keepdim=False, *, out=None, dtype=None):
    """A vector norm (of all elements if neither `ord` nor `dim` is given); a matrix norm where two dims are meant."""
    if dim is not None and not isinstance(dim, (tuple, list)):
        dim = (dim,)
    if ord is not None and (isinstance(ord, str) or dim is None or len(dim) == 2):
        if dim is None:
            if isinstance(ord, str) or A.array.ndim == 2:
                if A.array.ndim != 2:
                    raise RuntimeError(
                        "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
                        f"{A.array.ndim}D."
                    )
                return matrix_norm(A, ord, (0, 1), keepdim, dtype=dtype, out=out)
            if A.array.ndim != 1:
                raise RuntimeError(
                    "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
                    f"{A.array.ndim}D."
                )
        else:
            return matrix_norm(A, ord, dim, keepdim, dtype=dtype, out=out)
    return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype, out=out)


@composite("linalg")
def cond(A, p=None, *, out=None):
    """The condition number: the norm of A times that of its inverse; for p None, 2 and -2 from the singular values."""
    if A.array.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p is None or p in (2, -2):
        values = svdvals(A)
        first, last = values.narrow(-1, 0, 1), values.narrow(-1, values.meta.shape[-1] - 1, 1)
        return copy_out((last / first if p == -2 else first / last).squeeze(-1), out)
    check_matrix("linalg.cond", A, square=True)
    return copy_out(matrix_norm(A, p) * matrix_norm(inv(A), p), out)


@composite("linalg")
def matrix_rank(A, tol=None, hermitian=False, *, atol=None, rtol=None, out=None):
    """The number of singular values above max(atol, rtol · largest), int64."""
    if A.array.ndim < 2:
        raise RuntimeError("torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.")
    if A.meta.dtype.category < 2 or A.meta.dtype.is_half:
        raise RuntimeError("This function doesn't handle types other than float and double")
    values = np.abs(eigvalsh(A.detach()).array) if hermitian else svdvals(A.detach()).array
    if tol is not None:
        low, relative = as_limit(tol), as_limit(0.0)
    else:
        low, relative = tolerances(A, atol, rtol)
    limit = np.maximum(low, relative * values.max(-1, keepdims=True, initial=0))
    return copy_out(wrap(np.asarray((values > limit).sum(-1), np.int64)), out)


@composite("linalg")
def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """The diagonals of the last two dimensions, as a view."""
    return A.diagonal(offset, dim1, dim2)


@composite("linalg", name="matmul")
def linalg_matmul(input, other, *, out=None):
    """`torch.matmul`."""
    return matmul(input, other, out=out)


@composite("linalg")
def vander(x, N=None):
    """The powers 0 … N - 1 of the elements of x as rows."""
    if x.array.ndim == 0:
        raise RuntimeError("Expected dim of x to be at least 1")
    n = x.meta.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError(f"N must be greater than 1, but got {n}")
    if x.meta.dtype.category < 2:
        x = to_dtype(x, int64)
    powers = [x * 0 + 1]
    for _ in range(n - 1):
        powers.append(powers[-1] * x)
    return cat([p.unsqueeze(-1) for p in powers], -1)
