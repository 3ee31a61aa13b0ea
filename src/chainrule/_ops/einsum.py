"""Contractions over labelled dimensions: einsum, tensordot, inner, kron, and chains of matrix products.

einsum is taken apart into pairs: each is one entry, `contract`, whose derivatives are contractions again. What concerns
one operand alone (diagonals, sums) is done by views and sums around it.
"""

from functools import lru_cache

import numpy as np

from chainrule._engine.op import composite, op
from chainrule._engine.tensor import Tensor
from chainrule._kernels import contraction
from chainrule._ops.foundation import copy_out
from chainrule._ops.kinds import Contraction, normal_dim
from chainrule._ops.matmul import matmul
from chainrule._ops.searching import kind_of

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

contract = op("contract(input, other, labels, other_labels, out_labels)", Contraction(contraction.contract),
    input=lambda g, other, labels, other_labels, out_labels: contract(
        g, other.conj(), out_labels, other_labels, labels),
    other=lambda g, input, labels, other_labels, out_labels: contract(
        g, input.conj(), out_labels, labels, other_labels),
    method=False, namespace="_engine", node="EinsumBackward0",
    doc="The sum of products of two operands over the labels that the result has not.")  # fmt: skip


def first_seen_sizes(operands):
    """The size of each label; RuntimeError where two operands disagree and neither has size 1."""
    sizes = {}
    for k, (t, labels) in enumerate(operands):
        for label, n in zip(labels, t.meta.shape, strict=True):
            known = sizes.get(label, 1)
            if n != known and 1 not in (n, known):
                raise RuntimeError(
                    f"einsum(): subscript {name_of(label)} has size {n} for operand {k} which does not broadcast with "
                    f"previously seen size {known}"
                )
            sizes[label] = known if n == 1 else n
    return sizes


def name_of(label):
    return LETTERS[label] if label < 52 else "..."


def without_repeats(t, labels, number):
    """A label that appears twice in an operand means its diagonal."""
    labels = list(labels)
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            i = labels.index(label)
            j = labels.index(label, i + 1)
            n, m = t.meta.shape[i], t.meta.shape[j]
            if n != m:
                raise RuntimeError(
                    f"einsum(): subscript {name_of(label)} is repeated for operand {number} but the sizes don't match, "
                    f"{m} != {n}"
                )
            t = t.diagonal(0, i, j)
            labels = [x for k, x in enumerate(labels) if k not in (i, j)] + [label]
    return t, tuple(labels)


def summed_over(t, labels, gone):
    """The sum over the dimensions labelled `gone`."""
    dims = [i for i, label in enumerate(labels) if label in gone]
    if not dims:
        return t, labels
    return t.sum(dims), tuple(label for label in labels if label not in gone)


def pair(first, second, keep):
    """Two labelled operands as one, with only the labels in `keep` left, in that order."""
    (a, a_labels), (b, b_labels) = first, second
    sizes_a = dict(zip(a_labels, a.meta.shape, strict=True))
    sizes_b = dict(zip(b_labels, b.meta.shape, strict=True))
    # a label that ends here and that the other operand lacks, or has with size 1, is summed before the product
    gone_a = {x for x in a_labels if x not in keep and (x not in sizes_b or sizes_b[x] != sizes_a[x])}
    gone_b = {x for x in b_labels if x not in keep and (x not in sizes_a or sizes_b[x] != sizes_a[x])}
    a, a_labels = summed_over(a, a_labels, gone_a)
    b, b_labels = summed_over(b, b_labels, gone_b)
    out = tuple(x for x in keep if x in a_labels or x in b_labels)
    return contract(a, b, a_labels, b_labels, out), out


@lru_cache(maxsize=512)
def path_of(labels, shapes, out):
    """The order in which more than two operands are taken together: pairs of positions."""
    if max((x for operand in labels for x in operand), default=0) >= 52:
        return None
    arguments = []
    for operand, shape in zip(labels, shapes, strict=True):
        arguments += [np.broadcast_to(np.float32(0), shape), list(operand)]
    return tuple(np.einsum_path(*arguments, list(out), optimize="greedy")[0][1:])


def contracted(operands, out):
    """The contraction of labelled operands to the labels `out`."""
    operands = [without_repeats(t, labels, k) for k, (t, labels) in enumerate(operands)]
    first_seen_sizes(operands)
    path = None
    if len(operands) > 2:
        path = path_of(tuple(x for _, x in operands), tuple(t.meta.shape for t, _ in operands), out)
    for positions in path or ((0, 1),) * (len(operands) - 1):
        taken = [operands[i] for i in positions]
        operands = [x for i, x in enumerate(operands) if i not in positions]
        result = taken[0]
        for k in range(1, len(taken)):
            rest = operands + taken[k + 1 :]
            keep = out
            if rest:
                later = set(out).union(*(labels for _, labels in rest))
                keep = tuple(x for x in dict.fromkeys(result[1] + taken[k][1]) if x in later)
            result = pair(result, taken[k], keep)
        operands.append(result)
    t, labels = operands[0]
    if labels == out and len(labels) > 0:
        return t
    gone = [x for x in labels if x not in out]
    t = t.permute([labels.index(x) for x in (*out, *gone)])
    return t.sum(list(range(len(out), len(labels)))) if gone else t


@lru_cache(maxsize=512)
def parse(equation, ndims):
    """The labels of every operand's dimensions and of the result's; an ellipsis gets labels from 52 up."""
    left, arrow, right = equation.partition("->")
    operands = [subscripts(part, k, equation) for k, part in enumerate(left.split(","))]
    if len(operands) != len(ndims):
        more = "fewer" if len(ndims) < len(operands) else "more"
        raise RuntimeError(f"einsum(): {more} operands were provided than specified in the equation")
    labels, wide = widened(operands, ndims)
    if arrow:
        out = subscripts(right, None, equation)
    else:
        out = ([...] if wide else []) + implicit(operands)
    return labels, output_labels(out, operands, wide)


def implicit(operands):
    """The labels that appear once in all operands together, in order: the result's where none are given."""
    seen = [x for part in operands for x in part if x is not ...]
    return sorted(x for x in set(seen) if seen.count(x) == 1)


def subscripts(part, number, equation):
    """The labels in one part of an equation; `...` stands for the ellipsis."""
    found = []
    i = 0
    place = "the output" if number is None else f"operand {number}"
    while i < len(part):
        char = part[i]
        if char == ".":
            if part[i : i + 3] != "..." or ... in found:
                raise RuntimeError(f"einsum(): found '.' for {place} that is not part of any ellipsis")
            found.append(...)
            i += 3
            continue
        if char in LETTERS:
            found.append(LETTERS.index(char))
        elif char != " ":
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {equation.index(char)} in the equation string, "
                "subscripts must be in [a-zA-Z]"
            )
        i += 1
    return found


def widened(operands, ndims):
    """Every operand's labels with the ellipsis spelled out, and the number of dimensions it stands for at most."""
    wide = 0
    for k, (part, n) in enumerate(zip(operands, ndims, strict=True)):
        named = len(part) - (... in part)
        if named > n or (named < n and ... not in part):
            misfit = "is more than" if ... in part else "does not match"
            tail = "" if ... in part else " and no ellipsis was given"
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({named}) {misfit} the number of dimensions ({n}) "
                f"for operand {k}{tail}"
            )
        wide = max(wide, n - named if ... in part else 0)
    labels = []
    for part, n in zip(operands, ndims, strict=True):
        count = n - (len(part) - 1)
        spelled = []
        for x in part:
            spelled += range(52 + wide - count, 52 + wide) if x is ... else [x]
        labels.append(tuple(spelled))
    return tuple(labels), wide


def output_labels(out, operands, wide):
    """The result's labels, checked: each once and known."""
    seen = {x for part in operands for x in part}
    spelled = []
    for x in out:
        if x is ...:
            spelled += range(52, 52 + wide)
            continue
        if out.count(x) > 1:
            raise RuntimeError(f"einsum(): output subscript {name_of(x)} appears more than once in the output")
        if x not in seen:
            raise RuntimeError(
                f"einsum(): output subscript {name_of(x)} does not appear in the equation for any input operand"
            )
        spelled.append(x)
    return tuple(spelled)


def parse_sublists(arguments):
    """The form `op1, labels1, op2, labels2, …[, out_labels]` with labels as lists of ints and `...`."""
    tensors = list(arguments[0 : len(arguments) - len(arguments) % 2 : 2])
    given = [list(x) for x in arguments[1::2]]
    out = list(arguments[-1]) if len(arguments) % 2 else None
    for part in [*given, out or []]:
        for x in part:
            if x is not ... and not 0 <= x < 52:
                raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
    labels, wide = widened(given, [t.array.ndim for t in tensors])
    if out is None:
        out = ([...] if wide else []) + implicit(given)
    return tensors, labels, output_labels(out, given, wide)


@composite(method=False)
def einsum(*args):
    """Σ of products of the operands' elements by an equation such as 'bij,bjk->bik', or by lists of labels.

    More than two operands are taken in pairs, in a greedy order."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    if isinstance(args[0], Tensor):
        tensors, labels, out = parse_sublists(args)
    else:
        tensors = args[1] if len(args) == 2 and isinstance(args[1], (list, tuple)) else args[1:]
        for t in tensors:
            if not isinstance(t, Tensor):
                raise TypeError(f"einsum(): operands must be Tensors, not {type(t).__name__}")
        labels, out = parse(args[0], tuple(t.array.ndim for t in tensors))
    return contracted(list(zip(tensors, labels, strict=True)), out)


def contracted_dims(a, b, dims):
    """tensordot's `dims` as two lists of non-negative dims."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, (list, tuple)):
        if len(dims) != 2:
            raise RuntimeError(f"tensordot expects dims to be an int or two lists of dims, got {dims}")
        pair_of = [[d] if isinstance(d, int) else list(d) for d in dims]
        if len(pair_of[0]) != len(pair_of[1]):
            raise RuntimeError("both dimension lists should have same length")
        return [[normal_dim(d, t.array.ndim) for d in ds] for t, ds in zip((a, b), pair_of, strict=True)]
    if dims < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
    if dims > min(a.array.ndim, b.array.ndim):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
    return [list(range(a.array.ndim - dims, a.array.ndim)), list(range(dims))]


@composite(method=False)
def tensordot(a, b, dims=2, out=None):
    """Σ of products over `dims` of both tensors: the last of a with the first of b, or two lists of dims."""
    dims_a, dims_b = contracted_dims(a, b, dims)
    for i, j in zip(dims_a, dims_b, strict=True):
        n, m = a.meta.shape[i], b.meta.shape[j]
        if n != m and 1 not in (n, m):
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {n} in dim {i} and second has size {m} in "
                f"dim {j}"
            )
    labels = tuple(range(a.array.ndim))
    other = [a.array.ndim + k for k in range(b.array.ndim)]
    for i, j in zip(dims_a, dims_b, strict=True):
        other[j] = i
    keep = [x for x in labels if x not in dims_a] + [x for j, x in enumerate(other) if j not in dims_b]
    return copy_out(pair((a, labels), (b, tuple(other)), tuple(keep))[0], out)


@composite()
def inner(input, other, *, out=None):
    """Σ over the last dimension of both: (…, n) and (___, n) give (…, ___)."""
    if input.array.ndim == 0 or other.array.ndim == 0:
        return copy_out(input * other, out)
    if input.meta.shape[-1] != other.meta.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.meta.shape)} and {list(other.meta.shape)}"
        )
    return tensordot(input, other, ([-1], [-1]), out)


@composite()
def kron(input, other, *, out=None):
    """The Kronecker product: every element of input times the whole of other, as one large tensor."""
    n = max(input.array.ndim, other.array.ndim)
    a = (1,) * (n - input.array.ndim) + input.meta.shape
    b = (1,) * (n - other.array.ndim) + other.meta.shape
    rows = input.reshape([x for k in a for x in (k, 1)]) * other.reshape([x for k in b for x in (1, k)])
    return copy_out(rows.reshape([k * m for k, m in zip(a, b, strict=True)]), out)


@composite("linalg")
def vecdot(x, y, *, dim=-1, out=None):
    """Σ conj(x)·y along one dimension, the others broadcast."""
    if x.meta.dtype.category < 2:
        raise RuntimeError(
            f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {kind_of(x.array)}"
        )
    return copy_out((x.conj() * y).sum(dim), out)


def best_order(sizes):
    """Where to split a chain of matrices of sizes[i] × sizes[i + 1] so that the fewest products are formed.

    Dynamic programming over the length of the part (Cormen et al., Introduction to Algorithms, matrix chains)."""
    n = len(sizes) - 1
    cost = [[0] * n for _ in range(n)]
    split = [[0] * n for _ in range(n)]
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            options = [
                (cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            ]
            cost[i][j], split[i][j] = min(options)
    return split


def chained(matrices):
    """The product of a list of matrices, in the order that costs least."""
    split = best_order([m.meta.shape[0] for m in matrices] + [matrices[-1].meta.shape[1]])
    results = []
    work = [(0, len(matrices) - 1, False)]
    while work:
        i, j, ready = work.pop()
        if i == j:
            results.append(matrices[i])
        elif ready:
            right = results.pop()
            results.append(matmul(results.pop(), right))
        else:
            k = split[i][j]
            work += [(i, j, True), (k + 1, j, False), (i, k, False)]
    return results[0]


@composite("linalg")
def multi_dot(tensors, *, out=None):
    """The product of two or more matrices in the cheapest order; the first and the last may be vectors."""
    tensors = list(tensors)
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    first, last = tensors[0], tensors[-1]
    for k, t in enumerate(tensors):
        low = 1 if k in (0, len(tensors) - 1) else 2
        if not low <= t.array.ndim <= 2:
            expected = "1D or 2D" if low == 1 else "2D"
            raise RuntimeError(f"multi_dot(): tensor {k} must be {expected} but got {t.array.ndim}D")
        if t.dtype is not first.dtype:
            raise RuntimeError(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {first.dtype} and tensor {k} "
                f"{t.dtype}"
            )
    matrices = [*tensors]
    if first.array.ndim == 1:
        matrices[0] = first.unsqueeze(0)
    if last.array.ndim == 1:
        matrices[-1] = last.unsqueeze(1)
    for k in range(len(matrices) - 1):
        if matrices[k].meta.shape[1] != matrices[k + 1].meta.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {k} and {k + 1} with shapes {list(tensors[k].meta.shape)} and "
                f"{list(tensors[k + 1].meta.shape)} cannot be multiplied"
            )
    result = chained(matrices)
    if last.array.ndim == 1:
        result = result.squeeze(-1)
    if first.array.ndim == 1:
        result = result.squeeze(0)
    return copy_out(result, out)


@composite(method=False)
def chain_matmul(*matrices, out=None):
    """The product of matrices in the cheapest order; `linalg.multi_dot` takes a list."""
    for k, t in enumerate(matrices):
        if t.array.ndim != 2:
            raise RuntimeError(f"chain_matmul(): expected 2-D tensors, but tensor {k} has {t.array.ndim} dimensions")
    if not matrices:
        raise RuntimeError("chain_matmul(): expected one or more matrices")
    return copy_out(matrices[0].clone() if len(matrices) == 1 else chained(list(matrices)), out)
