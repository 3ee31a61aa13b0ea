"""Variances, covariances and quantiles: signatures, kinks, refused arguments."""

import math

import numpy as np
import pytest

import chainrule as T

NAN = float("nan")


def gradient(f, values):
    x = T.tensor(values, dtype=T.float64, requires_grad=True)
    f(x).backward()
    return x.grad.tolist()


def test_the_three_signatures_of_var_agree():
    x = T.tensor([[1.0, 2.0, 4.0], [0.0, 3.0, 9.0]], dtype=T.float64)
    a = x.numpy()
    rows = ((x.var(1, False), 0), (x.var(1, correction=0), 0), (x.var(1), 1), (x.var(dim=1, correction=2), 2))
    for found, ddof in rows:
        np.testing.assert_allclose(found.numpy(), a.var(1, ddof=ddof))
    for found, ddof in ((x.std(False), 0), (x.std(unbiased=True), 1), (x.std(), 1), (x.std(None, correction=3), 3)):
        np.testing.assert_allclose(found.numpy(), a.std(ddof=ddof))
    assert x.var((0, 1), keepdim=True).shape == (1, 1)


def test_variances_do_not_cancel():
    x = T.tensor([1e8, 1e8 + 1, 1e8 + 2], dtype=T.float64)
    assert x.var().item() == pytest.approx(1)


def test_spread_of_a_constant_has_no_slope():
    assert gradient(lambda x: x.std(), [3.0, 3.0, 3.0]) == [0, 0, 0]
    assert gradient(lambda x: x.var(), [3.0, 3.0, 3.0]) == [0, 0, 0]
    assert gradient(lambda x: x.std(), [1.0, 2.0, 3.0]) == pytest.approx([-0.5, 0, 0.5])


def test_spread_of_too_few_is_nan():
    assert math.isnan(T.ones(1).var().item()) and math.isnan(T.ones(2).std(correction=2).item())


def test_covariances_are_numpys():
    rng = np.random.default_rng(0)
    a, f, w = rng.normal(size=(3, 6)), rng.integers(1, 4, 6), rng.uniform(0.1, 1, 6)
    x = T.from_numpy(a)
    np.testing.assert_allclose(x.cov(correction=0).numpy(), np.cov(a, ddof=0))
    weighted = T.cov(x, fweights=T.from_numpy(f), aweights=T.from_numpy(w))
    np.testing.assert_allclose(weighted.numpy(), np.cov(a, fweights=f, aweights=w))
    np.testing.assert_allclose(T.corrcoef(x).numpy(), np.corrcoef(a))


@pytest.mark.parametrize("way", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles_are_numpys(way):
    a = np.random.default_rng(1).normal(size=(3, 4, 5))
    x, q = T.from_numpy(a), [0.0, 0.2, 0.6, 1.0]
    tq = T.tensor(q, dtype=T.float64)
    np.testing.assert_allclose(x.quantile(tq, interpolation=way).numpy(), np.quantile(a, q, method=way))
    for dim in (0, 1, -1):
        found = x.quantile(tq, dim, interpolation=way)
        np.testing.assert_allclose(found.numpy(), np.quantile(a, q, axis=dim, method=way))
        kept = x.quantile(0.3, dim, True, interpolation=way)
        np.testing.assert_allclose(kept.numpy(), np.quantile(a, 0.3, axis=dim, keepdims=True, method=way))


def test_nan_takes_over_a_quantile_unless_left_out():
    x = T.tensor([[1.0, NAN, 3.0], [1.0, 2.0, 3.0]])
    assert math.isnan(x.quantile(0.1, 1)[0].item()) and x.quantile(0.5, 1)[1].item() == 2
    assert x.nanquantile(0.5, 1).tolist() == [2, 2]


@pytest.mark.parametrize("call, error, words", [
    (lambda x: x.long().var(), RuntimeError, "std and var only support floating"),
    (lambda x: x.var(0, True, correction=0), TypeError, "either 'unbiased' or 'correction'"),
    (lambda x: x.std(3), IndexError, "Dimension out of range"),
    (lambda x: T.cov(T.ones(2, 2, 2)), RuntimeError, "two or fewer dimensions but got 3"),
    (lambda x: T.cov(x, fweights=T.ones(3)), RuntimeError, "fweights to have integral"),
    (lambda x: T.cov(x, aweights=T.ones(2)), RuntimeError, "aweights.*observations \\(3\\)"),
    (lambda x: x.quantile(1.5), RuntimeError, "range \\[0, 1\\] but got 1.5"),
    (lambda x: x.quantile(0.5, interpolation="best"), RuntimeError, "must be one of linear.*but got best"),
    (lambda x: x.quantile(T.ones(1, 1)), RuntimeError, "scalar or 1D"),
    (lambda x: x.quantile(T.ones(1, dtype=T.float64)), RuntimeError, "same dtype"),
    (lambda x: x.long().quantile(0.5), RuntimeError, "float or double"),
    (lambda x: T.ones(0).quantile(0.5), RuntimeError, "non-empty"),
])  # fmt: skip
def test_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(T.ones(2, 3))
