"""Scans of every kind of number, and gradients of products with zeros among the factors."""

import numpy as np
import pytest

from chainrule._kernels import scan


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint8, np.bool_])
def test_whole_numbers_run_in_int64(dtype):
    x = np.ones((300, 2), dtype) if dtype is np.bool_ else np.full((300, 2), 100, dtype)
    out = scan.cumsum(x, 0)
    assert out.dtype == np.int64
    assert out[-1, 0] == 300 * int(x[0, 0])
    assert scan.cumprod(x[:4], 0)[-1, 0] == int(x[0, 0]) ** 4


def test_float32_sums_are_carried_in_float64():
    x = np.full(1_000_000, 0.1, np.float32)
    exact = np.float32(np.float64(x[0]) * 1_000_000)
    assert abs(scan.cumsum(x, 0)[-1] - exact) <= np.spacing(exact)


def test_complex(rng):
    x = (rng.normal(size=(4, 3)) + 1j * rng.normal(size=(4, 3))).astype(np.complex64)
    for function, ufunc in ((scan.cumsum, np.add), (scan.cumprod, np.multiply)):
        out = function(x, 1)
        assert out.dtype == np.complex64
        np.testing.assert_allclose(out, ufunc.accumulate(x, 1), rtol=1e-5)


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_logcumsumexp(rng, axis, dtype):
    x = rng.normal(size=(4, 5)).astype(dtype)
    np.testing.assert_allclose(scan.logcumsumexp(x, axis), np.log(np.cumsum(np.exp(x), axis)), rtol=1e-12)
    np.testing.assert_allclose(scan.logcumsumexp(x.real + 1000, axis), scan.logcumsumexp(x.real, axis) + 1000)


def test_logcumsumexp_at_the_edges():
    x = np.array([-np.inf, -np.inf, 1.0, np.inf, 2.0, np.nan, 0.0])
    np.testing.assert_array_equal(
        scan.logcumsumexp(x, 0), [-np.inf, -np.inf, 1, np.inf, np.inf, np.nan, np.nan]
    )
    assert scan.logcumsumexp(np.full(2, -np.inf, complex), 0)[1].real == -np.inf


@pytest.mark.parametrize("axis", [0, 1])
def test_product_gradients_need_no_division(rng, axis):
    x = rng.normal(size=(4, 5))
    x[rng.random(x.shape) < 0.4] = 0
    g = rng.normal(size=x.shape)
    whole = rng.normal(size=[1 if k == axis else n for k, n in enumerate(x.shape)])
    running, total = np.zeros_like(x), np.zeros_like(x)
    for place in np.ndindex(*x.shape):
        # both products are linear in each factor: the slope is the product with that factor's unit vector
        others = x.copy()
        line = [slice(None), slice(None)]
        line[1 - axis] = place[1 - axis]
        line = tuple(line)
        others[place] = 1
        steps = np.cumprod(others[line])
        steps[: place[axis]] = 0
        running[place] = (g[line] * steps).sum()
        total[place] = whole[line][0] * np.prod(others[line])
    np.testing.assert_allclose(scan.cumprod_grad(g, x, axis), running, atol=1e-14)
    np.testing.assert_allclose(scan.prod_grad(whole, x, axis), total, atol=1e-14)


def test_product_of_everything():
    x = np.array([[2.0, 0.0], [3.0, 4.0]])
    np.testing.assert_array_equal(scan.prod_grad(np.array(10.0), x), [[0, 240], [0, 0]])


@pytest.mark.parametrize("shape", [(), (0,), (1,)])
def test_short_lines(shape):
    x = np.full(shape, 3.0)
    for out in (scan.cumsum(x, 0), scan.cumprod(x, 0), scan.logcumsumexp(x, 0), scan.cumprod_grad(x, x, 0)):
        assert isinstance(out, np.ndarray)
        np.testing.assert_array_equal(out, x)
    np.testing.assert_array_equal(scan.prod_grad(x, x, 0 if shape else None), np.full(shape, 3.0))
