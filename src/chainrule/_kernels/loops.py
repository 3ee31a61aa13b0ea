"""The plain twin of the native loop driver: the same calls through NumPy's public ufuncs."""

import warnings

import numpy as np

# np.errstate would cost more than the loop it guards
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"chainrule\._kernels")

ROWS_PER_BLOCK = 128


def plain(result):
    """A ufunc gives a NumPy scalar for 0-d operands; kernels give arrays."""
    return result if isinstance(result, np.ndarray) else np.asarray(result)


class Ufunc:
    """One NumPy ufunc, element-wise: call, write into an array, reduce."""

    def __init__(self, ufunc):
        self.ufunc = ufunc
        self.nin = ufunc.nin
        self.inputs = {np.dtype(t[0]) for t in ufunc.types if len(set(t.partition("->")[0])) == 1 and t[0] not in "OMm"}

    def has_loop(self, np_dtype):
        return np_dtype in self.inputs

    def call1(self, a):
        result = self.ufunc(a)
        return result if type(result) is np.ndarray else plain(result)

    def call2(self, a, b):
        if a.shape != b.shape:
            broadcast_shapes(a.shape, b.shape)
        result = self.ufunc(a, b)
        return result if type(result) is np.ndarray else plain(result)

    def into1(self, target, a):
        """Write f(a) into `target`, of a's shape or one a broadcasts to. Overlap is the caller's concern."""
        fits(target, a)
        if self.ufunc is np.negative and not target.flags.c_contiguous:
            # its float loops read wrong elements where source and target step by the same 16 or 64 bytes (NumPy 2.4.6)
            target[...] = self.ufunc(a)
            return target
        self.ufunc(a, out=target, casting="unsafe")
        return target

    def into2(self, target, a, b):
        """Write f(a, b) into `target`, whose shape both broadcast to. Overlap is the caller's concern."""
        fits(target, a)
        fits(target, b)
        self.ufunc(a, b, out=target, casting="unsafe")
        return target

    def reduce(self, a, axes, keepdims):
        """Fold a along `axes` (non-negative, distinct). Float sums are pairwise along every axis."""
        if self.ufunc is np.add and a.dtype.kind in "fc" and len(axes) < a.ndim and a.size > ROWS_PER_BLOCK:
            return self.fold(a, axes, keepdims)
        kind = {"dtype": a.dtype} if self.ufunc in (np.add, np.multiply) else {}
        return plain(self.ufunc.reduce(a, axis=axes, keepdims=keepdims, **kind))

    def fold(self, a, axes, keepdims):
        """NumPy's sum is pairwise along the last axis in memory only: bring the reduced axes there."""
        kept = [i for i in range(a.ndim) if i not in axes]
        rows = np.ascontiguousarray(a.transpose(kept + list(axes)))
        sums = rows.reshape([a.shape[i] for i in kept] + [-1]) if a.size else rows
        out = plain(self.ufunc.reduce(sums, axis=-1 if a.size else tuple(range(len(kept), a.ndim))))
        return out.reshape([1 if i in axes else n for i, n in enumerate(a.shape)]) if keepdims else out


def fits(target, a):
    """Whether a broadcasts to the target's own shape; RuntimeError in PyTorch's words otherwise."""
    if a.shape == target.shape:
        return
    lead = target.ndim - a.ndim
    if lead < 0 or any(d not in (1, target.shape[lead + i]) for i, d in enumerate(a.shape)):
        raise RuntimeError(
            f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(a.shape)}"
        )


def matmul(a, b):
    """The matrix product of the last two axes, as np.matmul; vectors are rows or columns. Result is C-contiguous."""
    rows = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != rows:
        raise RuntimeError(
            f"matmul: shapes {list(a.shape)} and {list(b.shape)} do not fit: {a.shape[-1]} columns meet {rows} rows"
        )
    return plain(
        np.matmul(
            np.ascontiguousarray(a) if 0 in a.strides else a, np.ascontiguousarray(b) if 0 in b.strides else b
        )
    )


def scalar(value, np_dtype):
    """A 0-d array holding a Python number; float overflow gives inf, integer overflow raises RuntimeError."""
    if np_dtype.kind in "iu" and not isinstance(value, (float, complex)):
        limits = np.iinfo(np_dtype)
        if not limits.min <= value <= limits.max:
            raise RuntimeError(f"value cannot be converted to type {np_dtype.name} without overflow")
    return np.asarray(value).astype(np_dtype)


def wrapping_scalar(value, np_dtype):
    """scalar for an operand of an op: integers out of range wrap around, as C casts do."""
    if type(value) is int and np_dtype.kind in "iu":
        bits = 8 * np_dtype.itemsize
        value &= (1 << bits) - 1
        if np_dtype.kind == "i" and value >> (bits - 1):
            value -= 1 << bits
    return scalar(value, np_dtype)


def same_shape(a, b):
    return a.shape == b.shape


def alike(a, b):
    """Same element type and shape."""
    return a.dtype == b.dtype and a.shape == b.shape


def all_finite(a):
    """Whether no element is infinite or nan."""
    return bool(np.isfinite(a).all())


def broadcast_shapes(a, b):
    """The shape both broadcast to; RuntimeError names the sizes that do not fit."""
    if a == b:
        return a
    nd = max(len(a), len(b))
    out = []
    for i in range(nd):
        da = a[i - (nd - len(a))] if i >= nd - len(a) else 1
        db = b[i - (nd - len(b))] if i >= nd - len(b) else 1
        if da != db and 1 not in (da, db):
            raise RuntimeError(
                f"The size of tensor a ({da}) must match the size of tensor b ({db}) at non-singleton dimension {i}"
            )
        out.append(db if da == 1 else da)
    return tuple(out)
