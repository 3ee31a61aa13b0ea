"""docs/numerics.md, chainrule's column: what is taken at ties, kinks and singular points."""

import math

import numpy as np
import pytest

import chainrule as T

F = T.nn.functional
INF, NAN = math.inf, math.nan
FIRST = T.tensor([0, 0, 0, 1])


def leaf(*values):
    return T.tensor(values, dtype=T.float64, requires_grad=True)


def one_for_all(name, **options):
    return lambda a, b: getattr(T, name)(
        a, 0, FIRST, b, options["reduce"], include_self=options["include_self"]
    )


def untaken(f):
    """f where its argument is the second one of two, 0 at the first."""
    return lambda x: T.where(T.tensor([False, True]), f(x), 0.0)


# text: function, inputs, gradients (None: no gradient at all)
CHOICES = {
    "maximum": (T.maximum, [(1, 2), (1, 3)], [(0.5, 0), (0.5, 1)]),
    "minimum": (T.minimum, [(1, 2), (1, 3)], [(0.5, 1), (0.5, 0)]),
    "fmax": (T.fmax, [(1, NAN, 2), (1, 1, NAN)], [(1, 0, 1), (0, 1, 0)]),
    "fmin": (T.fmin, [(1, NAN, 2), (1, 1, NAN)], [(1, 0, 1), (0, 1, 0)]),
    "amax": (lambda x: x.amax(0), [(1, 2, 2)], [(0, 0.5, 0.5)]),
    "amin": (lambda x: x.amin(0), [(1, 1, 2)], [(0.5, 0.5, 0)]),
    "aminmax": (lambda x: T.aminmax(x)[0], [(1, 1, 2)], [(0.5, 0.5, 0)]),
    "amax of nan": (lambda x: x.amax(0), [(1, NAN, NAN)], [(0, 0.5, 0.5)]),
    "max": (T.max, [(1, 2, 2)], [(0, 0.5, 0.5)]),
    "min of nan": (T.min, [(1, NAN, NAN)], [(0, 0.5, 0.5)]),
    "median": (T.median, [(1, 2, 2, 2, 3)], [(0, 1 / 3, 1 / 3, 1 / 3, 0)]),
    "max dim": (lambda x: x.max(0)[0], [(1, 2, 2)], [(0, 1, 0)]),
    "max_pool1d": (lambda x: F.max_pool1d(x[None], 3), [(2, 2, 2)], [(1, 0, 0)]),
    "cummax": (lambda x: x.cummax(0)[0], [(1, 1, 0)], [(1, 2, 0)]),
    "scatter_reduce": (
        one_for_all("scatter_reduce", reduce="amax", include_self=True),
        [(5, 1), (5, 5, 5, 1)],
        [(0.25, 0.5), (0.25, 0.25, 0.25, 0.5)],
    ),
    "scatter_reduce without self": (
        one_for_all("scatter_reduce", reduce="amin", include_self=False),
        [(5, 1), (5, 5, 5, 1)],
        [(0, 0), (1 / 3, 1 / 3, 1 / 3, 1)],
    ),
    "index_reduce without self": (
        one_for_all("index_reduce", reduce="amax", include_self=False),
        [(5, 1), (5, 5, 5, 1)],
        [(0, 0), (1 / 3, 1 / 3, 1 / 3, 1)],
    ),
    "clamp": (T.clamp, [(0, 0.5, 1), (0, 0, 0), (1, 1, 1)], [(1, 1, 1), (0, 0, 0), (0, 0, 0)]),
    "clamp crossed": (T.clamp, [(0, 5), (3, 3), (2, 2)], [(0, 0), (0, 0), (1, 1)]),
    "relu": (F.relu, [(0, -0.0)], [(0, 0)]),
    "abs": (T.abs, [(0,)], [(0,)]),
    "sgn": (T.sgn, [(0,)], [(0,)]),
    "angle": (T.angle, [(0,)], [(0,)]),
    "hardtanh": (F.hardtanh, [(-1, 1)], [(0, 0)]),
    "relu6": (F.relu6, [(0, 6)], [(0, 0)]),
    "hardsigmoid": (F.hardsigmoid, [(-3, 3)], [(0, 0)]),
    "softshrink": (F.softshrink, [(-0.5, 0.5)], [(0, 0)]),
    "hardshrink": (F.hardshrink, [(-0.5, 0.5)], [(0, 0)]),
    "leaky_relu": (F.leaky_relu, [(0,)], [(0.01,)]),
    "prelu": (F.prelu, [(0,), (0.25,)], [(0.25,), (0,)]),
    "hypot": (T.hypot, [(0,), (0,)], [(0,), (0,)]),
    "atan2": (T.atan2, [(0,), (0,)], [(0,), (0,)]),
    "round": (T.round, [(0.5,)], [(0,)]),
    "floor_divide": (lambda a, b: a // b, [(7,), (2,)], [(0,), (0,)]),
    "dist": (T.dist, [(1, 2), (1, 2)], [(0, 0), (0, 0)]),
    "std": (T.std, [(2, 2, 2)], [(0, 0, 0)]),
    "a to the 0": (T.pow, [(0, 3), (0, 0)], [(0, 0), (0, math.log(3))]),
    "0 to the b": (T.pow, [(0, 0), (2, 1)], [(0, 1), (0, 0)]),
    "xlogy": (T.xlogy, [(0,), (0,)], [(0,), (0,)]),
    "xlog1py": (T.special.xlog1py, [(0,), (-1,)], [(0,), (0,)]),
    "logsumexp": (lambda x: x.logsumexp(0), [(-INF, -INF)], [(0, 0)]),
    "logcumsumexp": (lambda x: x.logcumsumexp(0), [(-INF, -INF)], [(0, 0)]),
    "logaddexp": (T.logaddexp, [(INF, -INF), (INF, -INF)], [(0.5, 0.5), (0.5, 0.5)]),
    "logaddexp2": (T.logaddexp2, [(INF, -INF), (INF, -INF)], [(0.5, 0.5), (0.5, 0.5)]),
    "softmax": (lambda x: x.softmax(0), [(-INF, -INF)], [(NAN, NAN)]),
    "kl_div": (lambda y: F.kl_div(T.zeros(2), y, reduction="sum"), [(0, 1)], [(0, 1)]),
    "prod": (T.prod, [(2, 0, 3)], [(0, 6, 0)]),
    "prod of tiny numbers": (T.prod, [(1e-200, 1e-200, 1e300)], [(1e100, 1e100, 0)]),
    "cumprod": (lambda x: x.cumprod(0), [(2, 0, 0, 5)], [(1, 2, 0, 0)]),
    "masked_fill": (lambda x: x.log().masked_fill(x == 0, 0), [(0, 1)], [(0, 1)]),
    "clamp of a logarithm": (lambda x: x.log().clamp(min=-5), [(0, 1)], [(0, 1)]),
    "an index left out": (lambda x: x.log()[1:], [(0, 1)], [(0, 1)]),
    "mul keeps 0 · inf": (lambda x: T.where(x > 0, x, x * INF), [(1,)], [(NAN,)]),
    "scatter, twice to one place": (
        lambda a, b: a.scatter(0, T.tensor([0, 0, 1]), b) * T.tensor([10.0, 20, 30]),
        [(0, 0, 0), (1, 2, 3)],
        [(0, 0, 30), (10, 10, 20)],
    ),
    "scatter, source longer than the index": (
        lambda a, b: a.scatter_add(0, T.tensor([1]), b),
        [(0, 0), (1, 2)],
        [(1, 1), (1, 0)],
    ),
    "y.mul_(y)": (lambda x: (y := x * 1).mul_(y), [(1, 2, 3)], [(2, 4, 6)]),
}


@pytest.mark.parametrize("where", CHOICES)
def test_choices(where):
    f, inputs, expected = CHOICES[where]
    leaves = [leaf(*values) for values in inputs]
    for g, e in zip(T.autograd.grad(f(*leaves).sum(), leaves), expected, strict=True):
        np.testing.assert_allclose(g.numpy(), np.broadcast_to(e, g.shape), rtol=1e-12, atol=0)


SINGULAR = {
    "div": (lambda x: 1 / x, 0), "reciprocal": (T.reciprocal, 0), "pow": (lambda x: x**0.5, 0), "sqrt": (T.sqrt, 0),
    "rsqrt": (T.rsqrt, 0), "log": (T.log, 0), "log2": (T.log2, 0), "log10": (T.log10, 0), "log1p": (T.log1p, -1),
    "exp": (T.exp, 1e4), "exp2": (T.exp2, 1e5), "expm1": (T.expm1, 1e4), "sinh": (T.sinh, 1e4), "cosh": (T.cosh, 1e4),
    "asin": (T.asin, 1), "acos": (T.acos, -1), "acosh": (T.acosh, 1), "atanh": (T.atanh, 1), "logit": (T.logit, 0),
    "erfinv": (T.erfinv, 1), "xlogy": (lambda x: T.xlogy(x, x), 0), "lgamma": (T.lgamma, 0), "digamma": (T.digamma, 0),
    "polygamma": (lambda x: T.polygamma(1, x), 0), "hypot": (lambda x: T.hypot(x, x), 0),
}  # fmt: skip


@pytest.mark.parametrize("name", SINGULAR)
def test_zero_stays_zero(name):
    f, singular = SINGULAR[name]
    x = leaf(singular, 0.5 if name != "acosh" else 2)
    (first,) = T.autograd.grad(untaken(f)(x).sum(), x, create_graph=True)
    assert first[0] == 0 and first[1].isfinite() and first[1] != 0
    (second,) = T.autograd.grad(first.sum(), x)
    assert second[1].isfinite()


@pytest.mark.parametrize("p", [-INF, -1, 0.5, 1, 2, 3, INF])
def test_norms_at_zero(p):
    x = leaf(0, 0)
    assert T.autograd.grad(T.linalg.vector_norm(x, p), x)[0].tolist() == [0, 0]


def test_counting_norm_has_no_gradient():
    x = leaf(3, 0)
    assert T.autograd.grad(T.linalg.vector_norm(x, 0), x, allow_unused=True) == (None,)


def test_sinc_is_smooth_at_zero():
    x = leaf(0.0)
    y, found = T.sinc(x), []
    for _ in range(4):
        (y,) = T.autograd.grad(y.sum(), x, create_graph=True)
        found.append(y.item())
    np.testing.assert_allclose(found, [0, -(math.pi**2) / 3, 0, math.pi**4 / 5], rtol=1e-12)


@pytest.mark.parametrize("size", [10, 10_000])
@pytest.mark.parametrize("descending", [False, True])
def test_sorts_are_stable(size, descending):
    x = T.tensor([1.0, 0.0] * (size // 2))
    ones, zeros = list(range(0, size, 2)), list(range(1, size, 2))
    order = ones + zeros if descending else zeros + ones
    assert T.sort(x, descending=descending)[1].tolist() == order
    assert T.argsort(x, descending=descending).tolist() == order
    assert T.topk(x, size // 2, largest=descending)[1].tolist() == order[: size // 2]
    assert T.kthvalue(x, 2)[1].item() == 3


@pytest.mark.parametrize("values", [(1, 1, 1), (2, 2, 1), (0, 0, 0)])
def test_equal_singular_values(values):
    x = T.diag(T.tensor(values, dtype=T.float64)).requires_grad_()
    u, s, vh = T.linalg.svd(x)
    (whole,) = T.autograd.grad(((u * s) @ vh).sum(), x)
    w, v = T.linalg.eigh(x)
    (symmetric,) = T.autograd.grad(((v * w) @ v.mT).sum(), x)
    (rotation,) = T.autograd.grad(T.linalg.eigh(x)[1].sum(), x)
    assert whole.isfinite().all() and symmetric.isfinite().all() and rotation.isfinite().all()
    if any(values):
        np.testing.assert_allclose(whole.numpy(), np.ones((3, 3)), atol=1e-12)
        np.testing.assert_allclose(symmetric.numpy(), np.ones((3, 3)), atol=1e-12)


def test_cofactors_of_a_singular_matrix():
    x = T.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=T.float64, requires_grad=True)
    np.testing.assert_allclose(T.autograd.grad(T.linalg.det(x), x)[0].numpy(), [[4, -2], [-2, 1]], rtol=1e-12)


def test_what_singular_matrices_do_not_have():
    x = T.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=T.float64, requires_grad=True)
    with pytest.raises(T.linalg.LinAlgError, match="singular"):
        T.linalg.slogdet(x)[1].backward()
    (first,) = T.autograd.grad(T.linalg.det(x), x, create_graph=True)
    (second,) = T.autograd.grad(first.square().sum(), x, create_graph=True)
    with pytest.raises(NotImplementedError, match="third derivative"):
        second.sum().backward()


@pytest.mark.parametrize("bad", [NAN, INF])
def test_masked_keys_have_no_influence(bad):
    q = T.ones(1, 2, 2, requires_grad=True)
    k = T.tensor([[[1.0, 2.0], [bad, bad], [0.0, 1.0]]], requires_grad=True)
    keep = T.tensor([True, False, True]).expand(2, 3)
    out = F.scaled_dot_product_attention(q, k, k, attn_mask=keep)
    left = k.detach()[:, [0, 2]].requires_grad_()
    without = F.scaled_dot_product_attention(q, left, left)
    np.testing.assert_allclose(out.detach().numpy(), without.detach().numpy(), rtol=1e-6)
    (found,) = T.autograd.grad(out.sum(), k)
    (expected,) = T.autograd.grad(without.sum(), left)
    np.testing.assert_allclose(found[:, [0, 2]].numpy(), expected.numpy(), rtol=1e-5, atol=1e-7)
    assert found[0, 1].tolist() == [0, 0]
    nothing = F.scaled_dot_product_attention(q, q, q, attn_mask=T.zeros(2, 2, dtype=T.bool))
    assert nothing.tolist() == [[[0, 0], [0, 0]]] and T.autograd.grad(nothing.sum(), q)[0].abs().sum() == 0


def test_complex_gradients_are_conjugate():
    z = T.tensor(1 + 2j, dtype=T.complex128, requires_grad=True)
    assert T.autograd.grad((z * z).real, z)[0].item() == 2 - 4j
    x = T.tensor(2.0, requires_grad=True)
    (g,) = T.autograd.grad((x * (1 + 2j) * (3 - 1j)).real, x)
    assert g.dtype == T.float32 and g.item() == 5


def test_sums_are_pairwise_along_every_axis():
    x = T.full((1_000_000, 3), 0.1)
    exact = 1_000_000 * float(np.float32(0.1))
    for total in (x.sum(0), x.t().contiguous().sum(1), x.mean(0) * 1_000_000):
        np.testing.assert_allclose(total.numpy(), exact, rtol=2e-6)
    assert T.ones(4099, dtype=T.float16).cumsum(0)[-1] == 4100
    assert T.full((1000,), 100, dtype=T.int8).sum().item() == 100_000


def test_overlapping_assignments():
    x = T.arange(8).reshape(2, 4)
    x[:, 1:] = x[:, :-1]
    assert x.tolist() == [[0, 0, 1, 2], [4, 4, 5, 6]]
    with pytest.raises(RuntimeError, match="single memory location"):
        x[:, 1:] += x[:, :-1]
    row = T.arange(4)
    with pytest.raises(RuntimeError, match="single memory location"):
        row[1:] = row[:-1]


def test_rows_of_a_bag_are_divided_by_their_own_counts():
    weight = T.ones(3, 2, requires_grad=True)
    bags = F.embedding_bag(
        T.tensor([0, 0, 1, 2, 0]), weight, T.tensor([0, 3]), mode="sum", scale_grad_by_freq=True
    )
    assert T.autograd.grad(bags.sum(), weight)[0].tolist() == [[1, 1]] * 3


@pytest.mark.parametrize("factor", [0.37, 0.6, 1.09, 1.3, 2.5])
@pytest.mark.parametrize("size", [3, 7, 12])
def test_nearest_backward_is_the_adjoint(size, factor):
    x = T.arange(size, dtype=T.float32).reshape(1, 1, size).requires_grad_()
    y = F.interpolate(x, scale_factor=factor, mode="nearest")
    counts = np.bincount(y.detach().numpy().astype(int).ravel(), minlength=size)
    assert T.autograd.grad(y.sum(), x)[0].ravel().tolist() == counts.tolist()


def test_a_window_in_the_padding_names_an_element():
    values, places = F.max_pool1d(T.tensor([[1.0, 2.0, 3.0]]), 2, 1, 1, dilation=4, return_indices=True)
    assert values.tolist() == [[3.0]] and places.tolist() == [[2]]


def test_once_differentiable_says_so():
    class Square(T.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @T.autograd.function.once_differentiable
        def backward(ctx, g):
            return 2 * g * ctx.saved_tensors[0]

    x = leaf(3)
    (first,) = T.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        T.autograd.grad(first.sum(), x)


def test_hooks_never_get_none():
    class Nothing(T.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return None

    x, seen = leaf(1), []
    y = x * 1
    y.register_hook(seen.append)
    x.register_hook(seen.append)
    Nothing.apply(y).sum().backward()
    assert seen == [] and x.grad is None


def test_seeds_and_gradients_share_no_memory():
    x, z = leaf(1, 2), leaf(1, 2)
    seed = T.ones(2, dtype=T.float64)
    (x + z).backward(seed)
    x.grad.mul_(5)
    assert z.grad.tolist() == seed.tolist() == [1, 1]


def test_optimizers_do_not_share_buffers():
    first, second = T.nn.Parameter(T.ones(2)), T.nn.Parameter(T.ones(2))
    giver, taker = (T.optim.SGD([p], lr=0.1, momentum=0.9) for p in (first, second))
    first.grad, second.grad = T.ones(2), T.ones(2)
    giver.step()
    taker.load_state_dict(giver.state_dict())
    taker.step()
    assert giver.state[first]["momentum_buffer"].tolist() == [1, 1]


def test_tied_parameters_stay_tied():
    net = T.nn.Sequential(T.nn.Linear(2, 2, bias=False), T.nn.Linear(2, 2, bias=False))
    net[1].weight = net[0].weight
    net.load_state_dict({name: T.ones(2, 2) for name in net.state_dict()}, assign=True)
    assert net[0].weight is net[1].weight
