"""Softmax and its relatives against their definitions in float64, along every axis, and at the infinities."""

import numpy as np
import pytest
from numpy.exceptions import AxisError

SHAPES = [(), (1,), (5,), (3, 10), (4, 1500), (3, 4, 5), (2, 3, 200), (40, 7)]
CASES = [(shape, axis) for shape in SHAPES for axis in range(-max(len(shape), 1), max(len(shape), 1))]


def reference(x, axis):
    """Softmax and log-sum-exp of x along axis in float64, the second with the axis kept."""
    wide = np.asarray(x, np.float64)
    axis = axis if wide.ndim else None
    top = wide.max(axis=axis, keepdims=True)
    e = np.exp(wide - top)
    return e / e.sum(axis=axis, keepdims=True), top + np.log(e.sum(axis=axis, keepdims=True))


def sample(shape, dtype, seed=0):
    return np.asarray(np.random.default_rng(seed).normal(0, 5, shape), dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape, axis", CASES)
def test_forward_and_backward(version, dtype, shape, axis):
    kernel = version("softmax")
    x, g = sample(shape, dtype), sample(shape, dtype, 1)
    p, total = reference(x, axis)
    tight = {"rtol": 4e-6, "atol": 2e-6} if dtype is np.float32 else {"rtol": 1e-12, "atol": 1e-13}
    loose = {name: 100 * value for name, value in tight.items()}
    out, log_out = kernel.softmax(x, axis), kernel.log_softmax(x, axis)
    assert out.dtype == log_out.dtype == dtype and out.shape == shape
    np.testing.assert_allclose(out, p, **tight)
    np.testing.assert_allclose(log_out, x - total, **tight)
    along = axis if shape else None
    wide = g.astype(np.float64)
    gx = p * (wide - (wide * p).sum(axis=along, keepdims=True))
    np.testing.assert_allclose(kernel.softmax_grad(g, out, axis), gx, **loose)
    log_gx = wide - p * wide.sum(axis=along, keepdims=True)
    np.testing.assert_allclose(kernel.log_softmax_grad(g, log_out, axis), log_gx, **loose)
    np.testing.assert_allclose(kernel.logsumexp(x, axis, True), total, **tight)
    kept = kernel.logsumexp(x, axis, False)
    np.testing.assert_allclose(kept, total.squeeze(along) if shape else total, **tight)


@pytest.mark.parametrize("axes", [None, (0,), (0, 1), (1, 2), (0, 2), (-1, 0), (0, 1, 2), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_logsumexp_over_several_axes(version, axes, keepdims):
    x = sample((3, 4, 5), np.float64)
    expected = np.log(np.exp(x).sum(axis=axes, keepdims=keepdims))
    out = version("softmax").logsumexp(x, axes, keepdims)
    assert type(out) is np.ndarray and out.shape == expected.shape
    np.testing.assert_allclose(out, expected, rtol=1e-12)


@pytest.mark.parametrize("axis", [0, 1])
def test_infinities_and_nan(version, axis):
    kernel = version("softmax")
    inf, nan = np.inf, np.nan
    x = np.array([[inf, 1, 2], [nan, 1, 2], [-inf, -inf, -inf], [-inf, inf, 0], [-inf, 0, 0]])
    x = x if axis == 1 else np.ascontiguousarray(x.T)
    out, log_out = kernel.softmax(x, axis), kernel.log_softmax(x, axis)
    if axis == 0:
        out, log_out = out.T, log_out.T
    assert np.isnan(out[1:3]).all() and np.isnan(log_out[1:3]).all()
    assert np.isnan(out[0, 0]) and np.isnan(out[3, 1])
    assert np.array_equal(out[4], [0, 0.5, 0.5]) and np.array_equal(
        log_out[4], [-inf, -np.log(2), -np.log(2)]
    )
    sums = kernel.logsumexp(x, axis, False)
    assert np.array_equal(sums, [inf, nan, -inf, inf, np.log(2)], equal_nan=True)


def test_large_arguments_do_not_overflow(version):
    kernel = version("softmax")
    x = np.array([[1e30, 1e30, 0.0], [-1e30, -1e30, -1e30]], np.float32)
    with np.errstate(all="raise"):
        np.testing.assert_allclose(kernel.softmax(x, 1), [[0.5, 0.5, 0], [1 / 3] * 3], rtol=1e-6)
        np.testing.assert_allclose(kernel.logsumexp(x, 1, False), [1e30, -1e30], rtol=1e-6)


def test_empty(version):
    kernel = version("softmax")
    assert kernel.softmax(np.zeros((0, 3)), 1).shape == (0, 3)
    assert kernel.softmax(np.zeros((3, 0)), 1).shape == (3, 0)
    assert kernel.softmax_grad(np.zeros((3, 0)), np.zeros((3, 0)), 1).shape == (3, 0)
    assert np.array_equal(kernel.logsumexp(np.zeros((2, 0)), 1, False), [-np.inf, -np.inf])


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_layouts_and_versions(twins, name, axis):
    native, plain = twins("softmax")
    whole = sample((6, 7, 8), np.float32)
    for x in (whole.T, whole.transpose(0, 2, 1), whole[::2, :, 1:], np.broadcast_to(whole[:1], whole.shape)):
        first = getattr(native, name)(x, axis)
        assert first.flags.c_contiguous
        np.testing.assert_array_equal(first, getattr(native, name)(x.copy(), axis))
        np.testing.assert_allclose(getattr(plain, name)(x, axis), first, rtol=4e-6, atol=2e-6)
        g = np.broadcast_to(np.float32(1.5), x.shape)
        gradients = [getattr(kernel, f"{name}_grad")(g, first, axis) for kernel in (native, plain)]
        np.testing.assert_allclose(*gradients, atol=1e-5)


def test_bad_input(version):
    kernel = version("softmax")
    with pytest.raises(AxisError):
        kernel.softmax(np.zeros((2, 3)), 2)
    with pytest.raises(AxisError):
        kernel.logsumexp(np.zeros((2, 3)), (0, -3), False)
    with pytest.raises(RuntimeError, match="axis 1 appears more than once"):
        kernel.logsumexp(np.zeros((2, 3)), (1, -1), False)
    with pytest.raises(TypeError, match="softmax: expected a float32 or float64 array, got int64"):
        kernel.softmax(np.zeros((2, 3), np.int64), 0)
    with pytest.raises(ValueError, match="softmax_grad: expected g and out of one shape and dtype"):
        kernel.softmax_grad(np.zeros((2, 3)), np.zeros((3, 2)), 0)
