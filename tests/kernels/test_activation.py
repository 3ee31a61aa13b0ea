"""Activations of comparisons and lines: values at and around their kinks, nan, slopes."""

import numpy as np
import pytest

from chainrule._kernels import activation as kernels

X = np.array([-np.inf, -4.0, -3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 4.0, np.inf])
ONE = np.ones_like(X)


def values(function, *rest):
    with np.errstate(invalid="ignore"):
        return function(X, *rest).tolist()


def test_values():
    assert values(kernels.threshold, 0.5, 9.0) == [9.0] * 7 + [1.0, 3.0, 4.0, np.inf]
    assert values(kernels.hardtanh, -1, 0.5) == [-1.0] * 4 + [-0.5, 0.0] + [0.5] * 5
    assert values(kernels.hardshrink, 0.5) == [-np.inf, -4.0, -3.0, -1.0, 0, 0, 0, 1.0, 3.0, 4.0, np.inf]
    assert values(kernels.softshrink, 0.5) == [-np.inf, -3.5, -2.5, -0.5, 0, 0, 0, 0.5, 2.5, 3.5, np.inf]
    np.testing.assert_allclose(kernels.hardsigmoid(X), np.clip(X / 6 + 0.5, 0, 1), atol=1e-16)
    np.testing.assert_allclose(kernels.hardswish(X[1:]), X[1:] * np.clip(X[1:] / 6 + 0.5, 0, 1), atol=1e-15)
    np.testing.assert_array_equal(kernels.prelu(X, np.array(0.5)), np.where(X > 0, X, X / 2))


def test_slopes_at_the_kinks():
    assert kernels.threshold_grad(ONE, X, 0.5).tolist() == [0.0] * 7 + [1.0] * 4
    assert kernels.hardtanh_grad(ONE, X, -1.0, 1.0).tolist() == [0.0] * 4 + [1.0] * 3 + [0.0] * 4
    assert kernels.shrink_grad(ONE, X, 0.5).tolist() == [1.0] * 4 + [0.0] * 3 + [1.0] * 4
    at = np.array([-4.0, -3.0, 0.0, 3.0, 4.0])
    one = np.ones_like(at)
    assert kernels.hardswish_grad(one, at).tolist() == [0.0, 0.0, 0.5, 1.0, 1.0]
    np.testing.assert_allclose(kernels.hardsigmoid_grad(one, at), [0, 0, 1 / 6, 0, 0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nan_stays_and_dtypes_are_kept(dtype):
    nan = np.array([np.nan], dtype)
    for out in (
        kernels.threshold(nan, 0.1, 2.0), kernels.hardtanh(nan, -1.0, 1.0), kernels.hardsigmoid(nan),
        kernels.hardswish(nan), kernels.hardshrink(nan, 0.5), kernels.softshrink(nan, 0.5),
    ):  # fmt: skip
        assert np.isnan(out).all() and out.dtype == dtype


def test_glu(rng):
    x, g = rng.standard_normal((3, 4, 2)), rng.standard_normal((3, 2, 2))
    a, b = x[:, :2], x[:, 2:]
    s = 1 / (1 + np.exp(-b))
    np.testing.assert_allclose(kernels.glu(x, 1), a * s, rtol=1e-12)
    np.testing.assert_allclose(kernels.glu_grad(g, x, 1), np.concatenate([g * s, g * a * s * (1 - s)], 1), rtol=1e-12)
