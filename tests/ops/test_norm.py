"""Norms: kinks, ranges, refused arguments."""

import numpy as np
import pytest

import chainrule as T

INF = float("inf")


def gradient(f, values):
    x = T.tensor(values, dtype=T.float64, requires_grad=True)
    f(x).backward()
    return x.grad.tolist()


@pytest.mark.parametrize("order", [2, 1, 3, 0.5, 1.5, INF])
def test_norms_at_zero_have_slope_zero(order):
    assert gradient(lambda x: x.norm(order), [0.0, 0.0]) == [0, 0]
    assert gradient(lambda x: x.norm(order) ** 2, [0.0, 0.0]) == [0, 0]


def test_largest_elements_share_the_slope_of_the_infinite_norm():
    assert gradient(lambda x: x.norm(INF), [1.0, -2.0, 2.0]) == [0, -0.5, 0.5]


def test_norms_of_large_powers_do_not_overflow_backwards():
    assert gradient(lambda x: x.norm(40), [1e6, 1.0]) == pytest.approx([1, 0])


def test_norm_of_half_is_carried_in_float32():
    x = T.full((400,), 100.0, dtype=T.float16)
    assert x.norm().item() == 2000 and x.norm().dtype is T.float16


def test_renorm_scales_only_what_is_too_long():
    x = T.tensor([[3.0, 4.0], [0.3, 0.4]])
    np.testing.assert_allclose(x.renorm(2, 0, 1.0).numpy(), [[0.6, 0.8], [0.3, 0.4]], rtol=1e-6)
    y = x.clone()
    assert y.renorm_(2, 0, 1.0) is y
    np.testing.assert_array_equal(y.numpy(), x.renorm(2, 0, 1.0).numpy())


@pytest.mark.parametrize("call, error, words", [
    (lambda x: x.long().norm(), RuntimeError, "vector_norm.*Got Long"),
    (lambda x: x.norm("abc"), RuntimeError, "Order abc not supported"),
    (lambda x: T.linalg.vector_norm(x, "fro"), TypeError, "'ord'.*must be Number, not str"),
    (lambda x: T.linalg.vector_norm(T.zeros(0), INF), RuntimeError, "inf norm on an empty tensor"),
    (lambda x: T.linalg.vector_norm(x, dtype=T.complex64), RuntimeError, "should be real for real inputs"),
    (lambda x: x.renorm(2, 0, -1), RuntimeError, "maxnorm to be >= 0 but got -1"),
    (lambda x: x.renorm(0, 0, 1), RuntimeError, "p to be positive, got 0"),
    (lambda x: T.ones(3).renorm(2, 0, 1), RuntimeError, "at least 2 dimensions, got 1"),
])  # fmt: skip
def test_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(T.ones(2, 3))
