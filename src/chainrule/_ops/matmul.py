"""Matrix and vector products, and the linear layer's function.

Products of two tensors are entries of their own by the operands' dimensions, as PyTorch's graph shows them; `matmul`
chooses among them. Two more entries multiply by a transpose without making a view of it: the derivatives are made of
them. Contractions of many dimensions are in einsum, factorizations in decomposition.
"""

from chainrule._engine.op import Op, Options, composite, grads, op, registry
from chainrule._engine.record import record
from chainrule._engine.tensor import Tensor, get_slots, wrap
from chainrule._engine.thread_state import current
from chainrule._kernels import products
from chainrule._kernels.products import Product
from chainrule._ops.kinds import Contraction, Elementwise

slots = get_slots()

mm = op("mm(input, mat2)", Contraction(Product(products.mm)),
    input=lambda g, mat2: times_transposed(g, mat2.conj()),
    mat2=lambda g, input: transposed_times(input.conj(), g),
    doc="The product of two matrices: (n, k) and (k, m) give (n, m).")  # fmt: skip

mv = op("mv(input, vec)", Contraction(Product(products.mv)),
    input=lambda g, vec: outer_product(g, vec.conj()),
    vec=lambda g, input: transposed_times(input.conj(), g),
    doc="A matrix times a vector: (n, k) and (k,) give (n,).")  # fmt: skip

dot = op("dot(input, tensor)", Contraction(Product(products.dot)),
    input=lambda g, tensor: g * tensor.conj(),
    tensor=lambda g, input: g * input.conj(),
    doc="The sum of the products of two vectors' elements; nothing is conjugated.")  # fmt: skip

bmm = op("bmm(input, mat2)", Contraction(Product(products.bmm)),
    input=lambda g, mat2: times_transposed(g, mat2.conj()),
    mat2=lambda g, input: transposed_times(input.conj(), g),
    doc="Products of matrices in two batches: (b, n, k) and (b, k, m) give (b, n, m).")  # fmt: skip

times_transposed = op("times_transposed(input, other)", Contraction(Product(products.right_transposed)),
    input=lambda g, other: matmul(g, other.conj()),
    other=lambda g, input: transposed_times(g, input.conj()),
    method=False, namespace="_engine",
    doc="input @ other.mT, without a view of other.")  # fmt: skip

# `other` may be a vector only where `input` is a matrix.
transposed_times = op("transposed_times(input, other)", Contraction(Product(products.left_transposed)),
    input=lambda g, other: times_transposed(other.conj(), g) if other.ndim > 1 else outer_product(other.conj(), g),
    other=lambda g, input: matmul(input.conj(), g),
    method=False, namespace="_engine",
    doc="input.mT @ other, without a view of input.")  # fmt: skip

outer_product = op("outer_product(input, vec2)", Contraction(Product(products.outer)),
    input=lambda g, vec2: matmul(g, vec2.conj()),
    vec2=lambda g, input: transposed_times(g, input.conj()),
    method=False, namespace="_engine", node="MulBackward0",
    doc="input[i] · vec2[j] for two vectors of one dtype.")  # fmt: skip

# A row times a matrix: PyTorch adds a dimension, multiplies matrices and drops it again.
row_product = op("row_product(input, mat2)", Contraction(Product(products.row_times)),
    input=lambda g, mat2: matmul(mat2.conj(), g),
    mat2=lambda g, input: outer_product(input.conj(), g),
    method=False, namespace="_engine", node="SqueezeBackward4",
    doc="(k,) times (k, m).")  # fmt: skip


def left_cotangent(g, other):
    """The cotangent of input in input @ other with batch dimensions: g · otherᴴ."""
    if other.ndim == 1:
        return g.unsqueeze(-1) * other.conj()
    if g.ndim < other.ndim:
        return times_transposed(g.unsqueeze(-2), other.conj()).squeeze(-2)
    return times_transposed(g, other.conj())


def right_cotangent(g, input, other_shape):
    """The cotangent of other: inputᴴ · g, the rows of all batches in one product where other has none."""
    n = len(other_shape)
    if n == 1:
        return transposed_times(input.conj().reshape(-1, input.shape[-1]), g.reshape(-1))
    if n == 2:
        return transposed_times(input.conj().reshape(-1, input.shape[-1]), g.reshape(-1, g.shape[-1]))
    if input.ndim == 1:
        return input.conj().unsqueeze(-1) * g.unsqueeze(-2)
    return transposed_times(input.conj(), g)


vdot = op("vdot(input, other)", Contraction(Product(products.vdot)),
    input=lambda g, other: g.conj() * other,
    other=lambda g, input: g * input,
    doc="The sum of the products of two vectors' elements, the first vector conjugated.")  # fmt: skip

outer = op("outer(input, vec2)", Elementwise(products.outer, tensors=2, inplace=False), aliases=["ger"],
    input=lambda g, vec2: matmul(g, like(g, vec2.conj())),
    vec2=lambda g, input: transposed_times(g, like(g, input.conj())),
    node="MulBackward0",
    doc="input[i] · vec2[j] for every pair of elements of two vectors, as a matrix.")  # fmt: skip


def like(g, t):
    """t in g's dtype: the operands of a product that promoted them."""
    return t if t.meta.dtype is g.meta.dtype else t.to(g.dtype)


def scaled(g, factor):
    """g times the conjugate of a Python number."""
    return g if factor == 1 else g * factor.conjugate()


addmm = op("addmm(input, mat1, mat2, *, beta=1, alpha=1)", Contraction(products.addmm, tensors=3, inplace=True),
    input=lambda g, beta: scaled(g, beta),
    mat1=lambda g, mat2, alpha: scaled(times_transposed(g, mat2.conj()), alpha),
    mat2=lambda g, mat1, alpha: scaled(transposed_times(mat1.conj(), g), alpha),
    doc="beta · input + alpha · mat1 @ mat2; for beta 0 input's values play no part.")  # fmt: skip

addmv = op("addmv(input, mat, vec, *, beta=1, alpha=1)", Contraction(products.addmv, tensors=3, inplace=True),
    input=lambda g, beta: scaled(g, beta),
    mat=lambda g, vec, alpha: scaled(outer_product(g, vec.conj()), alpha),
    vec=lambda g, mat, alpha: scaled(transposed_times(mat.conj(), g), alpha),
    doc="beta · input + alpha · mat @ vec; for beta 0 input's values play no part.")  # fmt: skip

addr = op("addr(input, vec1, vec2, *, beta=1, alpha=1)", Contraction(products.addr, tensors=3, inplace=True),
    input=lambda g, beta: scaled(g, beta),
    vec1=lambda g, vec2, alpha: scaled(matmul(g, vec2.conj()), alpha),
    vec2=lambda g, vec1, alpha: scaled(transposed_times(g, vec1.conj()), alpha),
    doc="beta · input + alpha · vec1[i] · vec2[j]; for beta 0 input's values play no part.")  # fmt: skip

baddbmm = op("baddbmm(input, batch1, batch2, *, beta=1, alpha=1)",
    Contraction(products.baddbmm, tensors=3, inplace=True),
    input=lambda g, beta: scaled(g, beta),
    batch1=lambda g, batch2, alpha: scaled(times_transposed(g, batch2.conj()), alpha),
    batch2=lambda g, batch1, alpha: scaled(transposed_times(batch1.conj(), g), alpha),
    doc="beta · input + alpha · batch1 @ batch2, matrix by matrix.")  # fmt: skip

addbmm = op("addbmm(input, batch1, batch2, *, beta=1, alpha=1)",
    Contraction(products.addbmm, tensors=3, inplace=True),
    input=lambda g, beta: scaled(g, beta),
    batch1=lambda g, batch2, alpha: scaled(times_transposed(g, batch2.conj()), alpha),
    batch2=lambda g, batch1, alpha: scaled(transposed_times(batch1.conj(), g), alpha),
    doc="beta · input + alpha · the sum of batch1[i] @ batch2[i].")  # fmt: skip


def registered(entry, method=True):
    """Put an entry of a class of its own into the table and return its public function, as `op` does."""
    entry.method = method
    registry[entry.namespace, entry.signature.text] = entry
    entry.function.op = entry
    return entry.function


class MatrixProduct(Op):
    """The entry of matmul: vectors, matrices and batches of matrices go to the entries for them."""

    def chosen(self, x, y):
        """The entry for operands of few dimensions; this one where batches broadcast or fold."""
        n, k = len(x.meta.shape), len(y.meta.shape)
        if n == 2:
            if k == 2:
                return self.matrices
            if k == 1:
                return self.matrix_vector
        elif n == 1:
            if k == 1:
                return self.vectors
            if k == 2:
                return self.vector_matrix
        return self

    def call2(self, x, y):
        if isinstance(x, Tensor) and isinstance(y, Tensor):
            a, b = x, y
            if not (current().special or a.override or b.override):
                entry = self.chosen(a, b)
                return Op.call2(self, a, b) if entry is self else entry.call2(a, b)
        return self.call((x, y))

    def rcall2(self, x, y):
        return self.call((y, x))

    def run(self, args):
        x, y = args
        if isinstance(x, Tensor) and isinstance(y, Tensor):
            entry = self.chosen(x, y)
            if entry is not self:
                return entry.run(args)
        return Op.run(self, args)


entry = MatrixProduct(
    "matmul(input, other)",
    Contraction(Product(products.folded)),
    {"input": left_cotangent, "other": right_cotangent},
    Options(
        node="UnsafeViewBackward0",
        doc="The matrix product of the last two dimensions, those before them broadcast; vectors are rows or columns.",
    ),
)
entry.matrices, entry.matrix_vector, entry.vectors, entry.vector_matrix = mm.op, mv.op, dot.op, row_product.op
matmul = registered(entry)


def linear_cotangents(g, input, weight, bias_shape, wants):
    """Cotangents of input @ weight.mT + bias; a sum over bias's missing dimensions is the engine's."""
    gx = gw = None
    if weight.ndim == 1:
        gx = g.unsqueeze(-1) * weight.conj() if wants[0] else None
        gw = (g.unsqueeze(-1) * input.conj()) if wants[1] else None
        return gx, gw, g
    if wants[0]:
        gx = matmul(g, weight.conj())
    if wants[1]:
        if input.ndim == 1:
            gw = outer_product(g, input.conj())
        elif input.ndim == 2:
            gw = transposed_times(g, input.conj())
        else:
            gw = transposed_times(g.reshape(-1, g.shape[-1]), input.conj().reshape(-1, input.shape[-1]))
    return gx, gw, g


class Linear(Op):
    """The entry of linear: three plain tensors (or two) of one float dtype take a short way of their own."""

    def call(self, args):
        x, w, b = args
        s = current()
        if s.special or not isinstance(x, Tensor) or not isinstance(w, Tensor) or not self.plain(x, w, b):
            return Op.call(self, args)
        out = wrap(products.linear(x.array, w.array, None if b is None else b.array))
        if s.grad_enabled:
            mask = self.wanted_mask(args)
            if mask:
                record(self, self.plan_for(mask), self.places, args, [out], (), s)
        return out

    def plain(self, x, w, b):
        """Whether nothing but the product is asked for: no overrides, no meta tensors, one dtype that needs no cast."""
        d = x.meta.dtype
        if d is not w.meta.dtype or d.category < 2 or d.is_half or x.override or w.override or x.on_meta or w.on_meta:
            return False
        if b is None:
            return True
        return isinstance(b, Tensor) and b.meta.dtype is d and not b.override and not b.on_meta


linear = registered(
    Linear(
        "linear(input, weight, bias=None)",
        Contraction(products.linear, tensors=3),
        dict.fromkeys(("input", "weight", "bias"), grads("input weight bias", linear_cotangents)),
        Options(
            fast=dict.fromkeys(("input", "weight", "bias"), products.linear_grads),
            namespace="nn.functional",
            node="AddmmBackward0",
            doc="input · weightᵀ + bias: (…, in), (out, in) and (out,) give (…, out).",
        ),
    )
)


@composite("nn.functional")
@composite(method=False)
def bilinear(input1, input2, weight, bias=None):
    """Σᵢⱼ input1[…, i] · weight[k, i, j] · input2[…, j] + bias[k]."""
    if input1.meta.shape[:-1] != input2.meta.shape[:-1]:
        raise RuntimeError(
            f"bilinear(): input batch dimensions do not match: got {list(input1.meta.shape)} and "
            f"{list(input2.meta.shape)}"
        )
    for number, (t, n) in enumerate(((input1, weight.meta.shape[1]), (input2, weight.meta.shape[2])), 1):
        if t.meta.shape[-1] != n:
            raise RuntimeError(
                f"bilinear(): input{number} size does not match weight size: got {t.meta.shape[-1]} but expected {n}"
            )
    k, n, m = weight.meta.shape
    left = matmul(input1, weight.permute(1, 0, 2).reshape(n, k * m)).reshape(input1.meta.shape[:-1] + (k, m))
    out = matmul(left, input2.unsqueeze(-1)).squeeze(-1)
    return out if bias is None else out + bias


slots.matmul = matmul.op
