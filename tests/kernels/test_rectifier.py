"""Kernels that pass or stop a number by a comparison, native and plain."""

import numpy as np
import pytest

SPECIAL = np.array([-np.inf, -2.0, -0.0, 0.0, 0.5, 2.0, np.inf, np.nan])


@pytest.fixture(params=[np.float32, np.float64])
def x(request, rng):
    return np.concatenate([SPECIAL, rng.standard_normal(500)]).astype(request.param)


def test_relu(version, x):
    out = version("rectifier").relu(x)
    np.testing.assert_array_equal(out, np.where(x < 0, 0, x))
    assert out.dtype == x.dtype


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.int8])
def test_relu_of_integers(version, dtype):
    np.testing.assert_array_equal(version("rectifier").relu(np.array([3, 0, 5], dtype)), [3, 0, 5])
    assert version("rectifier").relu(np.array(7, dtype)).dtype == dtype


def test_gate_stops_at_its_bounds(version, x, rng):
    g = rng.standard_normal(x.shape).astype(x.dtype)
    out = version("rectifier").gate(g, x, -2.0, 0.5)
    inside = ~((x <= -2.0) | (x >= 0.5))
    np.testing.assert_array_equal(out, np.where(inside, g, 0))


def test_relu_grad_passes_nan_and_infinity(version, x):
    g = np.ones_like(x)
    out = version("rectifier").relu_grad(g, x)
    np.testing.assert_array_equal(out, np.where(x <= 0, 0, 1))


def test_leaky_relu_and_its_slope(version, x):
    kernel = version("rectifier")
    below = (x * x.dtype.type(0.3)).astype(x.dtype)
    np.testing.assert_array_equal(kernel.leaky_relu(x, 0.3), np.where(x > 0, x, below))
    slope = kernel.leaky_relu_grad(np.ones_like(x), x, 0.3)
    np.testing.assert_array_equal(slope, np.where(x > 0, 1, x.dtype.type(0.3)))


def test_any_layout(version, rng):
    kernel = version("rectifier")
    x = rng.standard_normal((6, 4)).T[::2]
    g = np.broadcast_to(np.array(2.0), x.shape)
    np.testing.assert_array_equal(kernel.relu(x), np.maximum(x, 0))
    np.testing.assert_array_equal(kernel.relu_grad(g, x), np.where(x > 0, 2.0, 0))
    assert kernel.relu(np.array(-1.0)).shape == () and kernel.relu(np.zeros((0, 3))).shape == (0, 3)


def test_shapes_and_dtypes_must_agree(version):
    for g, x in ((np.zeros(3), np.zeros(4)), (np.zeros(3), np.zeros(3, np.float32))):
        with pytest.raises(ValueError, match="leaky_relu_grad: expected g and x of one shape and dtype"):
            version("rectifier").leaky_relu_grad(g, x, 0.1)
        with pytest.raises(ValueError, match="gate: expected g and x of one shape and dtype"):
            version("rectifier").relu_grad(g, x)


def test_twins_agree(twins, rng):
    native, plain = twins("rectifier")
    x, g = rng.standard_normal((2, 1000)).astype(np.float32)
    assert np.array_equal(native.relu(x), plain.relu(x))
    assert np.array_equal(native.gate(g, x, -0.3, np.nan), plain.gate(g, x, -0.3, np.nan))
    assert np.array_equal(native.leaky_relu_grad(g, x, 0.01), plain.leaky_relu_grad(g, x, 0.01))
