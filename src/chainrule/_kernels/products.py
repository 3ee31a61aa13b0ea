"""Matrix products of two arrays whose types agree, in the forms that products and their derivatives need.

`Product` stands where the op table expects a ufunc of two arrays, so that a product of plain tensors takes the short
way of a call. The multiplication itself is `loops.matmul`; here are the checks, transposes and folds around it.
"""

import numpy as np

from chainrule._kernels.loops import Ufunc, broadcast_shapes, matmul, scalar
from chainrule._kernels.strided import transposed


class Product(Ufunc):
    """A kernel of two arrays in the place of a ufunc; only `call2` means anything."""

    def __init__(self, fn):
        Ufunc.__init__(self, np.matmul)
        self.fn = fn

    def __reduce__(self):
        return (Product, (self.fn,))

    def call2(self, a, b):
        return self.fn(a, b)


def mm(a, b):
    """(n, k) times (k, m)."""
    if a.ndim != 2 or b.ndim != 2:
        hint = "; for two vectors use torch.dot" if a.ndim == 1 and b.ndim == 1 else ""
        raise RuntimeError(f"mm: expected 2-D tensors, got {a.ndim}-D and {b.ndim}-D{hint}")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(cannot_multiply(a.shape, b.shape))
    return matmul(a, b)


def cannot_multiply(a_shape, b_shape):
    return f"mat1 and mat2 shapes cannot be multiplied ({a_shape[0]}x{a_shape[1]} and {b_shape[0]}x{b_shape[1]})"


def mv(a, x):
    """(n, k) times (k,)."""
    if a.ndim != 2 or x.ndim != 1:
        raise RuntimeError(f"mv: expected a 2-D and a 1-D tensor, got {a.ndim}-D and {x.ndim}-D")
    if a.shape[1] != x.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({a.shape[0]}), mat ({a.shape[0]}x{a.shape[1]}), vec ({x.shape[0]})"
        )
    return matmul(a, x)


def dot(a, b):
    """The sum of the products of two vectors' elements, a 0-d array."""
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    n = a.shape[0]
    if n != b.shape[0]:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{n}] and src [{b.shape[0]}] to have the same number of "
            f"elements, but got {n} and {b.shape[0]} elements respectively"
        )
    return matmul(a, b)


def bmm(a, b):
    """(b, n, k) times (b, k, m), matrix by matrix."""
    if a.ndim != 3 or b.ndim != 3:
        which, given = ("batch1", a) if a.ndim != 3 else ("batch2", b)
        raise RuntimeError(f"{which} must be a 3D tensor, got {given.ndim}D")
    if a.shape[0] != b.shape[0] or a.shape[2] != b.shape[1]:
        raise RuntimeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"[{a.shape[0]}, {a.shape[2]}] but got: [{b.shape[0]}, {b.shape[1]}]."
        )
    return matmul(a, b)


def right_transposed(a, b):
    """a times b with its last two axes exchanged; both have two axes or more."""
    return folded(a, transposed(b, b.ndim - 2, b.ndim - 1))


def left_transposed(a, b):
    """a with its last two axes exchanged times b, which may be a vector if a is a matrix."""
    a = transposed(a, a.ndim - 2, a.ndim - 1)
    return matmul(a, b) if a.ndim < 4 else folded(a, b)


def outer(a, b):
    """a[i] · b[j] for every i and j."""
    if a.ndim != 1 or b.ndim != 1:
        which, given = ("self", a) if a.ndim != 1 else ("vec2", b)
        raise RuntimeError(f"outer: Expected 1-D argument {which}, but got {given.ndim}-D")
    return multiplication.call2(a.reshape(a.shape[0], 1), b)


def row_times(x, b):
    """(k,) times (k, m)."""
    if x.shape[0] != b.shape[0]:
        raise RuntimeError(cannot_multiply((1, x.shape[0]), b.shape))
    return matmul(x, b)


def folded(a, b):
    """np.matmul with batch dimensions folded: a batch of matrices times one matrix is a single product of all their
    rows, and two batches of one shape are walked as one dimension."""
    if b.ndim <= 2 < a.ndim and a.flags.c_contiguous and a.size:
        rows = a.reshape(-1, a.shape[a.ndim - 1])
        if rows.shape[1] != b.shape[0]:
            raise RuntimeError(cannot_multiply(rows.shape, (b.shape[0], b.shape[1] if b.ndim == 2 else 1)))
        return matmul(rows, b).reshape(a.shape[: a.ndim - 1] + b.shape[1:])
    if a.ndim > 2 or b.ndim > 2 or a.ndim == 0 or b.ndim == 0:
        check_batches(a, b)
        n = a.ndim - 2
        if n > 1 and b.ndim == a.ndim and a.shape[:n] == b.shape[:n] and a.size and b.size:
            return matmul(a.reshape((-1,) + a.shape[n:]), b.reshape((-1,) + b.shape[n:])).reshape(
                a.shape[: n + 1] + b.shape[n + 1 :]
            )
    return matmul(a, b)


def check_batches(a, b):
    """RuntimeError unless the columns of a meet the rows of b and the batch dimensions broadcast."""
    if a.ndim == 0 or b.ndim == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and {b.ndim}D")
    rows = b.shape[b.ndim - 2] if b.ndim > 1 else b.shape[0]
    if a.shape[a.ndim - 1] != rows:
        raise RuntimeError(
            f"matmul: shapes {list(a.shape)} and {list(b.shape)} do not fit: {a.shape[a.ndim - 1]} columns meet "
            f"{rows} rows"
        )
    if a.ndim > 2 and b.ndim > 2 and a.shape[: a.ndim - 2] != b.shape[: b.ndim - 2]:
        broadcast_shapes(a.shape[: a.ndim - 2], b.shape[: b.ndim - 2])


def vdot(a, b):
    """dot with the first vector conjugated."""
    return dot(np.conjugate(a) if a.dtype.kind == "c" else a, b)


def added(input, product, beta, alpha):
    """beta · input + alpha · product in product's memory; for beta 0 input's values play no part."""
    if product.dtype.kind in "iu":
        alpha, beta = int(alpha), int(beta)
    if alpha != 1:
        multiplication.into2(product, product, scalar(alpha, product.dtype))
    if input.shape != product.shape and not stretches(input.shape, product.shape):
        raise RuntimeError(
            f"The expanded size of the tensor must match the existing size: an input of shape {list(input.shape)} does "
            f"not broadcast to the product's shape {list(product.shape)}"
        )
    if beta == 0:
        return product
    if beta != 1:
        input = multiplication.call2(input, scalar(beta, product.dtype))
    return addition.into2(product, product, input)


def stretches(shape, target):
    """Whether `shape` broadcasts to `target`."""
    lead = len(target) - len(shape)
    return lead >= 0 and all(d in (1, target[lead + i]) for i, d in enumerate(shape))


def addmm(input, a, b, beta, alpha):
    """beta · input + alpha · a @ b for matrices a and b."""
    if a.ndim != 2 or b.ndim != 2:
        which, given = ("mat1", a) if a.ndim != 2 else ("mat2", b)
        raise RuntimeError(f"{which} must be a matrix, got {given.ndim}-D tensor")
    return added(input, mm(a, b), beta, alpha)


def addmv(input, a, x, beta, alpha):
    """beta · input + alpha · a @ x for a matrix a and a vector x."""
    if a.ndim != 2 or x.ndim != 1 or input.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {input.ndim}, {a.ndim}, {x.ndim}")
    if input.size not in (1, a.shape[0]):
        raise RuntimeError(
            f"size mismatch, got input ({input.size}), mat ({a.shape[0]}x{a.shape[1]}), vec ({x.shape[0]})"
        )
    return added(input, mv(a, x), beta, alpha)


def addr(input, a, b, beta, alpha):
    """beta · input + alpha · a bᵀ for vectors a and b."""
    return added(input, outer(a, b), beta, alpha)


def baddbmm(input, a, b, beta, alpha):
    """beta · input + alpha · a[i] @ b[i] for two batches of matrices."""
    return added(input, bmm(a, b), beta, alpha)


def addbmm(input, a, b, beta, alpha):
    """beta · input + alpha · Σᵢ a[i] @ b[i]: one product of the batches laid side by side."""
    if a.ndim != 3 or b.ndim != 3 or a.shape[0] != b.shape[0] or a.shape[2] != b.shape[1]:
        bmm(a, b)
    n, k = a.shape[0] * a.shape[2], a.shape[1]
    return added(input, matmul(a.transpose(1, 0, 2).reshape(k, n), b.reshape(n, b.shape[2])), beta, alpha)


def check_linear(x, w):
    """RuntimeError in PyTorch's words unless x (…, in) and w (out, in) or (in,) fit together."""
    if w.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {w.ndim}D")
    if x.ndim == 0 or w.ndim == 0:
        raise RuntimeError("linear: both arguments need to be at least 1D")
    if x.shape[x.ndim - 1] != w.shape[w.ndim - 1]:
        columns = w.shape[0] if w.ndim == 2 else 1
        rows = x.size // max(x.shape[x.ndim - 1], 1)
        raise RuntimeError(cannot_multiply((rows, x.shape[x.ndim - 1]), (w.shape[w.ndim - 1], columns)))


def linear(x, w, b):
    """x · wᵀ + b for x (…, in), w (out, in) or (in,), b None or broadcast to the result (…, out)."""
    if w.ndim == 2 and x.ndim == 2:
        try:
            out = matmul(x, transposed(w, 0, 1))
        except RuntimeError:
            check_linear(x, w)
            raise
    else:
        check_linear(x, w)
        out = folded(x, transposed(w, 0, 1) if w.ndim == 2 else w)
    if b is None:
        return out
    try:
        return addition.into2(out, out, b)
    except RuntimeError:
        raise RuntimeError(
            f"linear: the bias of shape {list(b.shape)} does not fit the result of shape {list(out.shape)}"
        ) from None


def linear_grads(g, x, w, bias_shape, wants):
    """The gradients of `linear`: those wanted of x, w and b; the bias's is g itself where it only has to be summed."""
    if g.dtype.kind == "c":
        x, w = np.conjugate(x), np.conjugate(w)
    gx = gw = gb = None
    if w.ndim == 1:
        g2, w2 = g.reshape(g.shape + (1,)), w.reshape(1, w.shape[0])
    else:
        g2, w2 = g, w
    if wants[0]:
        gx = folded(g2, w2)
    rows = g2 if g2.ndim == 2 else g2.reshape(-1, g2.shape[g2.ndim - 1])
    if wants[1]:
        gw = matmul(transposed(rows, 0, 1), x if x.ndim == 2 else x.reshape(-1, x.shape[x.ndim - 1]))
        if w.ndim == 1:
            gw = gw.reshape(w.shape)
    if wants[2]:
        gb = g
        if len(bias_shape) == 1 and bias_shape[0] == g.shape[g.ndim - 1] and w.ndim == 2:
            gb = addition.reduce(rows, (0,), False)
    return gx, gw, gb


addition = Ufunc(np.add)
multiplication = Ufunc(np.multiply)
