"""Fused losses against their definitions, their gradients against differences, and the checks of targets."""

import numpy as np
import pytest

SHAPES = [(5,), (7, 10), (3, 4, 6), (2, 5, 3, 4), (300, 3), (2, 1500), (4, 3, 150)]


def sample(shape, dtype=np.float64, seed=0):
    return np.asarray(np.random.default_rng(seed).normal(0, 3, shape), dtype)


def targets(shape, seed=1):
    axis = 0 if len(shape) == 1 else 1
    rest = shape[:axis] + shape[axis + 1 :]
    return np.asarray(np.random.default_rng(seed).integers(0, shape[axis], rest))


def expected_loss(x, target, weight, ignore, reduction, smoothing):
    axis = 0 if x.ndim == 1 else 1
    scores = np.moveaxis(np.asarray(x, np.float64), axis, -1)
    weight = np.ones(scores.shape[-1]) if weight is None else weight.astype(np.float64)
    losses, total = np.zeros(target.shape), 0.0
    for index in np.ndindex(target.shape):
        t = target[index]
        if t == ignore:
            continue
        row = scores[index]
        negative = row.max() + np.log(np.exp(row - row.max()).sum()) - row
        spread = (weight * negative).sum() / row.size
        losses[index] = (1 - smoothing) * weight[t] * negative[t] + smoothing * spread
        total += weight[t]
    return {"none": losses, "sum": losses.sum(), "mean": losses.sum() / total if total else np.nan}[reduction]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize(
    "weighted, ignore, smoothing", [(0, -100, 0.0), (1, 1, 0.0), (1, -100, 0.1), (0, 1, 0.2)]
)
def test_cross_entropy(version, dtype, shape, reduction, weighted, ignore, smoothing):
    kernel = version("loss")
    x, target = sample(shape, dtype), targets(shape)
    classes = shape[0] if len(shape) == 1 else shape[1]
    weight = np.abs(sample(classes, dtype, 2)) + dtype(0.1) if weighted else None
    loss, normalizer, total = kernel.cross_entropy(x, target, weight, ignore, reduction, smoothing)
    expected = np.asarray(expected_loss(x, target, weight, ignore, reduction, smoothing))
    assert type(loss) is np.ndarray and loss.dtype == total.dtype == dtype and loss.shape == expected.shape
    scale = 1e-5 if dtype is np.float32 else 1e-12
    np.testing.assert_allclose(loss, expected, rtol=scale, atol=scale)
    if not smoothing:
        axis = 0 if len(shape) == 1 else 1
        logs = x - np.log(np.exp(x.astype(np.float64)).sum(axis, keepdims=True))
        nll, nll_total = kernel.nll_loss(logs.astype(dtype), target, weight, ignore, reduction)
        np.testing.assert_allclose(nll, expected, rtol=scale, atol=scale)
        np.testing.assert_allclose(nll_total, total, rtol=1e-6)


@pytest.mark.parametrize("shape", [(5,), (4, 3), (2, 3, 4)])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize(
    "weighted, ignore, smoothing", [(0, -100, 0.0), (1, 1, 0.0), (1, -100, 0.1), (0, 1, 0.2)]
)
def test_gradients_are_the_slopes(version, shape, reduction, weighted, ignore, smoothing):
    kernel = version("loss")
    x, target = sample(shape), targets(shape)
    weight = np.abs(sample(shape[0] if len(shape) == 1 else shape[1], seed=2)) + 0.1 if weighted else None
    arguments = (target, weight, ignore, reduction)
    loss, normalizer, total = kernel.cross_entropy(x, *arguments, smoothing)
    g = sample(loss.shape, seed=3)
    for name in ("cross_entropy", "nll_loss"):
        extra = (smoothing,) if name == "cross_entropy" else ()
        expected = np.empty_like(x)
        for index in np.ndindex(shape):
            kept, losses = x[index], []
            for step in (1e-5, -1e-5):
                x[index] = kept + step
                losses.append((g * getattr(kernel, name)(x, *arguments, *extra)[0]).sum())
            x[index] = kept
            expected[index] = (losses[0] - losses[1]) / 2e-5
        if name == "cross_entropy":
            got = kernel.cross_entropy_grad(g, x, normalizer, *arguments, smoothing, total)
        else:
            got = kernel.nll_loss_grad(g, x, *arguments, total)
        np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_versions_agree_on_gradients(twins, dtype, shape, smoothing):
    x, target = sample(shape, dtype), targets(shape)
    gradients = []
    for kernel in twins("loss"):
        loss, normalizer, total = kernel.cross_entropy(x, target, None, 1, "mean", smoothing)
        g = np.ones_like(loss)
        gradients.append(
            kernel.cross_entropy_grad(g, x, normalizer, target, None, 1, "mean", smoothing, total)
        )
    assert gradients[0].dtype == gradients[1].dtype == dtype
    np.testing.assert_allclose(*gradients, atol=1e-6 if dtype is np.float32 else 1e-14)


def test_large_scores_keep_their_digits(version):
    kernel = version("loss")
    x = np.array([[1000.0, 998.0], [-1e30, 1e30]], np.float32)
    loss, _, _ = kernel.cross_entropy(x, np.array([0, 1]), None, -100, "none", 0.0)
    np.testing.assert_allclose(loss, [np.log1p(np.exp(-2.0)), 0], rtol=1e-6)


def test_nothing_to_average_is_nan(version):
    kernel = version("loss")
    loss, _, total = kernel.cross_entropy(np.zeros((2, 3)), np.array([-100, -100]), None, -100, "mean", 0.0)
    assert np.isnan(loss) and total == 0
    loss, normalizer, total = kernel.cross_entropy(
        np.zeros((0, 3)), np.zeros(0, np.int64), None, -100, "sum", 0.0
    )
    assert loss == 0
    gx = kernel.cross_entropy_grad(
        np.ones(()), np.zeros((0, 3)), normalizer, np.zeros(0, np.int64), None, -100, "sum", 0.0, total
    )
    assert gx.shape == (0, 3)


def test_ignored_scores_get_no_gradient_whatever_they_are(version):
    kernel = version("loss")
    x = np.array([[np.nan, np.inf], [0.0, 0.0]])
    target = np.array([-1, 0])
    loss, normalizer, total = kernel.cross_entropy(x, target, None, -1, "sum", 0.0)
    np.testing.assert_allclose(loss, np.log(2))
    gx = kernel.cross_entropy_grad(np.ones(()), x, normalizer, target, None, -1, "sum", 0.0, total)
    np.testing.assert_allclose(gx, [[0, 0], [-0.5, 0.5]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [True, False])
def test_binary_cross_entropy_with_logits(version, dtype, weighted):
    kernel = version("loss")
    x, g = sample((4, 25), dtype), sample((4, 25), dtype, 1)
    y = np.random.default_rng(2).uniform(0, 1, (4, 25)).astype(dtype)
    p = np.abs(sample((4, 25), dtype, 3)) if weighted else None
    wide, factor = x.astype(np.float64), 1 if p is None else p.astype(np.float64)
    expected = factor * y * np.log1p(np.exp(-wide)) + (1 - y) * np.log1p(np.exp(wide))
    scale = 1e-5 if dtype is np.float32 else 1e-12
    out = kernel.binary_cross_entropy_with_logits(x, y, p)
    np.testing.assert_allclose(out, expected, rtol=scale, atol=scale)
    s = 1 / (1 + np.exp(-wide))
    slope = (1 - y) * s - factor * y * (1 - s)
    gx = kernel.binary_cross_entropy_with_logits_grad(g, x, y, p)
    np.testing.assert_allclose(gx, g * slope, rtol=scale, atol=3 * scale)
    assert out.dtype == gx.dtype == dtype


def test_logits_far_out_neither_overflow_nor_lose_the_loss(version):
    kernel = version("loss")
    x, y = np.array([1e4, -1e4, 1e4, -1e4]), np.array([1.0, 0.0, 0.0, 1.0])
    with np.errstate(all="raise"):
        out = kernel.binary_cross_entropy_with_logits(x, y, None)
    np.testing.assert_allclose(out, [0, 0, 1e4, 1e4])
    gx = kernel.binary_cross_entropy_with_logits_grad(np.ones(4), x, y, None)
    np.testing.assert_allclose(gx, [0, 0, 1, -1])


def test_layouts(version):
    kernel = version("loss")
    whole = sample((6, 8, 5))
    x, target = whole.transpose(2, 1, 0), np.arange(60).reshape(6, 10)[:, ::2].T % 8
    loss, normalizer, total = kernel.cross_entropy(x, target, None, -100, "none", 0.0)
    same, _, _ = kernel.cross_entropy(x.copy(), target.copy(), None, -100, "none", 0.0)
    np.testing.assert_array_equal(loss, same)
    g = np.broadcast_to(2.0, loss.shape)
    gx = kernel.cross_entropy_grad(g, x, normalizer, target, None, -100, "none", 0.0, total)
    np.testing.assert_allclose(gx.sum(1), 0, atol=1e-14)


def test_bad_input(version):
    kernel = version("loss")
    x = np.zeros((2, 3))
    for name, extra in (("cross_entropy", (0.0,)), ("nll_loss", ())):
        function = getattr(kernel, name)
        with pytest.raises(IndexError, match="Target 3 is out of bounds"):
            function(x, np.array([0, 3]), None, -100, "mean", *extra)
        with pytest.raises(IndexError, match="Target -1 is out of bounds"):
            function(x, np.array([-1, 0]), None, -100, "mean", *extra)
        with pytest.raises(ValueError, match=r"expected target of the shape of input \(2, 3\)"):
            function(x, np.array([[0, 1]]), None, -100, "mean", *extra)
        with pytest.raises(TypeError, match="expected an int64 target, got float64"):
            function(x, np.zeros(2), None, -100, "mean", *extra)
        with pytest.raises(RuntimeError, match="expected weight with 3 elements, one a class, got 2"):
            function(x, np.array([0, 1]), np.ones(2), -100, "mean", *extra)
        with pytest.raises(ValueError, match="expected reduction 'none', 'mean' or 'sum', got 'max'"):
            function(x, np.array([0, 1]), None, -100, "max", *extra)
    with pytest.raises(ValueError, match="expected target like input"):
        kernel.binary_cross_entropy_with_logits(x, np.zeros(3), None)
