"""Squared differences, native and plain."""

import numpy as np
import pytest


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 1000, 60_000])
def test_sum_and_gradient(version, rng, dtype, n):
    kernel = version("errors")
    x, y = rng.standard_normal((2, n)).astype(dtype)
    d = (x - y).astype(np.float64)
    out = kernel.squared_error(x, y, 0.5)
    assert out.shape == () and out.dtype == dtype
    np.testing.assert_allclose(out, 0.5 * (d * d).sum(), rtol=1e-6 if dtype is np.float32 else 1e-13)
    each = kernel.squared_errors(x, y)
    np.testing.assert_array_equal(each, (x - y) * (x - y))
    g = kernel.squared_error_grad(np.array(3, dtype), x, y, 0.5)
    np.testing.assert_allclose(g, 3 * d, rtol=1e-6)
    assert g.dtype == dtype and each.dtype == dtype


def test_a_sum_in_float32_does_not_drift(version):
    x = np.full(1_000_000, 0.1, np.float32)
    out = version("errors").squared_error(x, np.zeros_like(x), 1.0)
    np.testing.assert_allclose(out, 1_000_000 * float(np.float32(0.1)) ** 2, rtol=1e-7)


def test_any_layout(version, rng):
    kernel = version("errors")
    x, y = rng.standard_normal((6, 4)).T, rng.standard_normal((8, 6))[::2]
    np.testing.assert_allclose(kernel.squared_error(x, y, 1.0), ((x - y) ** 2).sum())
    np.testing.assert_allclose(kernel.squared_error_grad(np.array(1.0), x, y, 1.0), 2 * (x - y))


def test_what_does_not_fit_is_refused(version):
    kernel = version("errors")
    with pytest.raises(ValueError, match="squared_error: expected x and y of one shape and dtype"):
        kernel.squared_error(np.zeros(3), np.zeros(4), 1.0)
    with pytest.raises(ValueError, match="squared_errors: expected x and y of one shape and dtype"):
        kernel.squared_errors(np.zeros(3), np.zeros(3, np.float32))
    with pytest.raises(ValueError, match="squared_error_grad: expected one element"):
        kernel.squared_error_grad(np.zeros(3), np.zeros(3), np.zeros(3), 1.0)


def test_twins_agree(twins, rng):
    native, plain = twins("errors")
    x, y = rng.standard_normal((2, 999)).astype(np.float32)
    np.testing.assert_allclose(native.squared_error(x, y, 1 / 999), plain.squared_error(x, y, 1 / 999), rtol=1e-7)
    assert np.array_equal(native.squared_errors(x, y), plain.squared_errors(x, y))
    g = np.array(0.7, np.float32)
    np.testing.assert_array_equal(native.squared_error_grad(g, x, y, 0.1), plain.squared_error_grad(g, x, y, 0.1))
