"""Norms of elements as vectors, and what is measured or scaled by them.

Norms of matrices are in decomposition.py.
"""

import math

import numpy as np

from chainrule._engine.op import composite, op
from chainrule._kernels.loops import Ufunc, scalar
from chainrule._ops.foundation import copy_out, to_dtype
from chainrule._ops.kinds import Reduction, check_tensor, normal_dim, normal_dims
from chainrule._ops.reduction import addition, is_nonzero, multiplication, nowhere, spread
from chainrule._ops.searching import kind_of, largest, shared, smallest

root, power, size_of = Ufunc(np.sqrt), Ufunc(np.power), Ufunc(np.absolute)


def squared_size(array):
    """|x|², real, without the square root that abs would take of complex numbers."""
    if array.dtype.kind == "c":
        real, imag = array.real, array.imag
        return addition.call2(multiplication.call2(real, real), multiplication.call2(imag, imag))
    return multiplication.call2(array, array)


def array_norm(array, axes, keepdims, ord):
    if ord == 2:
        total = addition.reduce(squared_size(array), axes, keepdims)
        return root.into1(total, total)
    size = size_of.call1(array)
    if math.isinf(ord):
        return (largest if ord > 0 else smallest).reduce(size, axes, keepdims)
    if ord == 0:
        return addition.reduce(is_nonzero(array).astype(size.dtype), axes, keepdims)
    if ord == 1:
        return addition.reduce(size, axes, keepdims)
    total = addition.reduce(power.into2(size, size, scalar(ord, size.dtype)), axes, keepdims)
    return power.into2(total, total, scalar(1 / ord, total.dtype))


def norm_rule(g, input, out, ord, dim, keepdim):
    """g · sgn(x) (|x| / norm)^(ord - 1); zero where the norm is zero (the least subgradient) and at elements that are.

    For the infinite orders the elements of that size share g."""
    if ord == 0:
        return None
    if math.isinf(ord):
        return shared(g, input.abs(), out, dim, keepdim) * input.sgn()
    shape = tuple(input.shape)
    if ord == 1:
        return spread(g, shape, dim, keepdim) * input.sgn()
    nothing = out == 0
    g = spread(g.masked_fill(nothing, 0), shape, dim, keepdim)
    out = spread(out.masked_fill(nothing, 1), shape, dim, keepdim)
    if ord == 2:
        return g * (input / out)
    size = input.abs()
    if ord < 1:
        size = size.masked_fill(size == 0, 1)
    return g * input.sgn() * (size / out) ** (ord - 1)


norm_along = op("vector_norm(input, ord, dim, keepdim)", Reduction(array_norm),
    input=norm_rule, node="LinalgVectorNormBackward0", namespace="linalg", method=False,
    doc="Norms over dimensions of the elements as vectors.")  # fmt: skip


@composite(namespace="linalg", method=False)
def vector_norm(input, ord=2, dim=None, keepdim=False, *, dtype=None, out=None):
    """(Σ |x|^ord)^(1/ord) over `dim` (all if None), real; ord ±inf is the largest (smallest) |x|, 0 counts nonzeros.

    RuntimeError for integers, and for no elements where the norm of nothing has no value."""
    check_tensor(norm_along.op, "input", input)
    if isinstance(ord, (str, bytes)) or not isinstance(ord, (int, float, np.number)):
        raise TypeError(f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type(ord).__name__}")
    if input.dtype.category < 2:
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {kind_of(input.array)}"
        )
    if dtype is not None:
        check_norm_dtype(input.dtype, dtype)
        input = to_dtype(input, dtype) if dtype is not input.dtype else input
    ord = float(ord)
    if ord < 0 or ord == math.inf:
        check_norm_of_nothing(input, ord, dim)
    return norm_along(input, ord, dim, keepdim, out=out)


def check_norm_dtype(have, asked):
    if have.is_complex != asked.is_complex:
        kind, name = ("complex", "complex") if have.is_complex else ("real", "real")
        raise RuntimeError(
            f"linalg.vector_norm: dtype should be {kind} for {name} inputs, but got "
            f"{asked.tensor_type.removesuffix('Tensor')}"
        )


def check_norm_of_nothing(input, ord, dim):
    """RuntimeError where a norm that needs an element is asked of none."""
    axes = normal_dims(None if nowhere(dim) else dim, input.dim())
    empty = [i for i in axes if input.dim() and input.shape[i] == 0]
    if not empty:
        return
    where = "an empty tensor" if len(axes) == input.dim() else f"the dimension {empty[0]}, because it is empty"
    raise RuntimeError(
        f"linalg.vector_norm cannot compute the {ord:g} norm on {where}: the operation does not have an identity"
    )


@composite()
def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The p-norm of all elements or over `dim`; 'fro' is p = 2, 'nuc' the sum of a matrix's singular values."""
    if p == "nuc":
        from chainrule import linalg

        return linalg.matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim, dtype=dtype, out=out)
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    return vector_norm(input, 2 if p is None or p == "fro" else p, dim, keepdim, dtype=dtype, out=out)


@composite()
def dist(input, other, p=2):
    """The p-norm of input - other."""
    return vector_norm(input - other, p)


def scaled_down(input, p, dim, maxnorm):
    if not input.dtype.category >= 2:
        raise RuntimeError(f"renorm: expected a floating point or complex tensor, got {kind_of(input.array)}")
    if input.dim() < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.dim()} dimensions")
    if p <= 0:
        raise RuntimeError(f"renorm: expected p to be positive, got {p}")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    kept = normal_dim(dim, input.dim())
    size = vector_norm(input, p, [i for i in range(input.dim()) if i != kept], True)
    over = size > maxnorm
    return input * (maxnorm / (size.masked_fill(~over, 1) + 1e-7)).masked_fill(~over, 1)


@composite()
def renorm(input, p, dim, maxnorm, *, out=None):
    """The input with every slice along `dim` whose p-norm exceeds maxnorm scaled down to it."""
    return copy_out(scaled_down(input, p, dim, maxnorm), out)


@composite(namespace="Tensor")
def renorm_(input, p, dim, maxnorm):
    """In-place form of `renorm`."""
    return input.copy_(scaled_down(input, p, dim, maxnorm))
