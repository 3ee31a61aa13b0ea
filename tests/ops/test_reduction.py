"""Folds: accumulators, forms of dim, kinks and zeros, refused arguments."""

import numpy as np
import pytest

import chainrule as T

INF, NAN = float("inf"), float("nan")


def gradient(f, values):
    x = T.tensor(values, dtype=T.float64, requires_grad=True)
    f(x).backward()
    return x.grad.tolist()


@pytest.mark.parametrize("dtype", [T.float16, T.bfloat16])
def test_sums_of_halves_are_carried_in_float32(dtype):
    # 4096 + 1 is no half: a sum carried in 16 bits would stop growing
    x = T.ones(6000, dtype=dtype)
    assert x.sum().item() == T.tensor(6000.0).to(dtype).item()
    assert x.mean().item() == 1
    assert x.reshape(3, 2000).sum(1).dtype is dtype


def test_sums_are_pairwise_along_every_axis():
    x = T.full((1_000_000, 2), 0.1)
    # naive float32 summation is off by about 1 % here
    assert abs(x.sum(0)[0].item() - 100_000) < 1
    assert abs(x.sum().item() - 200_000) < 1
    assert abs(x.t().mean(1)[1].item() - 0.1) < 1e-6


@pytest.mark.parametrize("dtype", [T.bool, T.uint8, T.int8, T.int16, T.int32])
def test_integers_are_summed_in_int64(dtype):
    x = T.ones(300, dtype=dtype)
    for result in (x.sum(), x.sum(0), x.cumsum(0)[-1], x.nansum()):
        assert result.dtype is T.int64 and result.item() == 300
    assert x.prod().dtype is T.int64


def test_dtype_is_applied_before_the_fold():
    x = T.tensor([60000, 60000], dtype=T.float16)
    assert x.sum().item() == INF
    assert x.sum(dtype=T.float32).item() == 120000
    assert T.tensor([True, True]).sum(dtype=T.float32).dtype is T.float32


@pytest.mark.parametrize("dim, shape", [
    (None, ()), (0, (3, 4)), (-1, (2, 3)), ((0, 2), (3,)), ([-1, 0], (3,)), ((), ()), ((0, 1, 2), ()),
])  # fmt: skip
def test_dim_in_all_its_forms(dim, shape):
    x = T.arange(24.0).reshape(2, 3, 4)
    kept = tuple(range(3)) if dim in (None, ()) else tuple(d % 3 for d in ([dim] if isinstance(dim, int) else dim))
    for fold in (T.sum, T.mean, T.amax, T.nansum):
        assert fold(x, dim).shape == shape
        with_ones = fold(x, dim, keepdim=True)
        assert with_ones.shape == tuple(1 if i in kept else n for i, n in enumerate(x.shape))
        np.testing.assert_array_equal(with_ones.numpy().reshape(shape), fold(x, dim).numpy())


@pytest.mark.parametrize("call, error, words", [
    (lambda x: x.sum(2), IndexError, "expected to be in range of \\[-2, 1\\], but got 2"),
    (lambda x: x.sum((0, -2)), RuntimeError, "dim 0 appears multiple times"),
    (lambda x: x.sum(1.5), TypeError, "int or tuple of ints, not float"),
    (lambda x: x.long().mean(), RuntimeError, "mean.*Input dtype must be.*Got: Long"),
    (lambda x: x.mean(dtype=T.int32), RuntimeError, "mean.*Optional dtype must be.*Got: Int"),
    (lambda x: x.prod((0, 1)), TypeError, "prod.*'dim' must be int, not tuple"),
    (lambda x: x.long().nanmean(), RuntimeError, "nanmean.*Long"),
    (lambda x: T.zeros(0, 3).amax(), RuntimeError, "amax.*Expected reduction dim"),
    (lambda x: T.zeros(0, 3).amin(0), IndexError, "amin.*dim 0 to have non-zero size"),
    (lambda x: x.to(T.complex64).amax(), NotImplementedError, "ComplexFloat"),
    (lambda x: x.to(T.complex64).nansum(), RuntimeError, "nansum.*complex"),
    (lambda x: x.aminmax(dim=(0, 1)), TypeError, "aminmax.*'dim' must be int"),
])  # fmt: skip
def test_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(T.ones(2, 3))


def test_folds_of_nothing():
    e = T.zeros(0, 3)
    assert e.sum().item() == 0 and e.prod().item() == 1
    assert e.all().item() is True and e.any().item() is False
    assert np.isnan(e.mean().item()) and np.isnan(e.mean(0).numpy()).all()
    assert e.logsumexp(0).tolist() == [-INF] * 3
    assert e.amax(1).shape == (0,)


def test_ties_share_the_gradient():
    assert gradient(lambda x: x.amax(), [1.0, 3.0, 3.0]) == [0, 0.5, 0.5]
    assert gradient(lambda x: x.amin(0), [1.0, 1.0, 3.0]) == [0.5, 0.5, 0]
    assert gradient(lambda x: T.aminmax(x).max, [2.0, 2.0]) == [0.5, 0.5]
    # nan is the extreme of any line with one
    assert gradient(lambda x: x.amax(), [1.0, NAN, NAN]) == [0, 0.5, 0.5]


def test_products_at_zeros():
    assert gradient(lambda x: x.prod(), [2.0, 0.0, 3.0, 4.0]) == [0, 24, 0, 0]
    assert gradient(lambda x: x.prod(), [2.0, 0.0, 0.0, 4.0]) == [0, 0, 0, 0]
    x = T.tensor([2.0, 0.0, 0.0, 4.0], dtype=T.float64, requires_grad=True)
    (g,) = T.autograd.grad(x.prod(), x, create_graph=True)
    (h,) = T.autograd.grad(g[1], x)
    assert h.tolist() == [0, 0, 8, 0]


def test_logsumexp_of_impossibilities():
    assert gradient(lambda x: x.logsumexp(0), [-INF, -INF]) == [0, 0]
    assert gradient(lambda x: x.logsumexp(0), [-INF, 1.0]) == [0, 1]
    assert T.tensor([1000.0, 1000.0]).logsumexp(0).item() == pytest.approx(1000 + np.log(2))
    assert T.tensor([INF, 0.0]).logsumexp(0).item() == INF
    assert T.tensor([1, 2]).logsumexp(0).dtype is T.float32


def test_the_gradient_of_a_sum_takes_no_memory_until_it_is_a_leafs():
    x = T.zeros(3, 4, requires_grad=True)
    y = x * 1
    seen = []
    y.register_hook(lambda g: seen.append(g.stride()))
    y.sum().backward()
    assert seen == [(0, 0)] and x.grad.stride() == (4, 1)


def test_out_forms():
    x = T.arange(6.0).reshape(2, 3)
    out = T.empty(0)
    assert T.sum(x, 0, out=out) is out and out.tolist() == [3, 5, 7]
    assert T.prod(x, 1, out=out) is out and out.tolist() == [0, 60]
    low, high = T.empty(0), T.empty(0)
    T.aminmax(x, dim=1, out=(low, high))
    assert low.tolist() == [0, 3] and high.tolist() == [2, 5]
    with pytest.raises(RuntimeError, match="out="):
        T.sum(x.requires_grad_(), 0, out=out)


def test_sum_to_a_size_it_could_be_broadcast_from():
    x = T.ones(2, 3, 4)
    assert x.sum_to_size(3, 1).tolist() == [[8], [8], [8]] and x.sum_to_size((2, 3, 4)) is x
    with pytest.raises(RuntimeError, match="\\[5\\]} is not expandable to size {\\[2, 3, 4\\]"):
        x.sum_to_size(5)


def test_truth_of_bytes_stays_bytes():
    assert T.tensor([1, 2], dtype=T.uint8).all().dtype is T.uint8
    assert T.tensor([NAN, 0.0]).any().item() is True
    assert T.tensor([[0, 2], [0, 0]]).any(()).tolist() == [[False, True], [False, False]]
