"""Exponentials and logarithms where they are infinite."""

import math

import pytest

import chainrule as T

INF, NAN = float("inf"), float("nan")


def gradient(f, *values):
    leaves = [T.tensor(v, dtype=T.float64, requires_grad=True) for v in values]
    return [g.tolist() for g in T.autograd.grad(f(*leaves).sum(), leaves)]


def test_logaddexp_of_two_infinities_shares_the_gradient():
    for f in (T.logaddexp, T.logaddexp2):
        assert f(T.tensor(-INF), T.tensor(-INF)).item() == -INF
        assert gradient(f, [-INF, -INF, 1.0], [-INF, 0.0, -INF]) == [[0.5, 0.0, 1.0], [0.5, 1.0, 0.0]]
    with pytest.raises(NotImplementedError, match="Long"):
        T.logaddexp(T.tensor([1]), T.tensor([1]))


def test_second_derivative_of_logaddexp_at_equal_values():
    x = T.tensor(0.3, dtype=T.float64, requires_grad=True)
    (g,) = T.autograd.grad(T.logaddexp(x, T.tensor(0.3, dtype=T.float64)), x, create_graph=True)
    (h,) = T.autograd.grad(g, x)
    assert g.item() == 0.5 and h.item() == 0.25


def test_xlogy_at_zero():
    assert T.xlogy(T.tensor([0.0, 0.0, 0.0, 1.0]), T.tensor([0.0, INF, 2.0, 0.0])).tolist() == [
        0.0,
        0.0,
        0.0,
        -INF,
    ]
    assert math.isnan(T.xlogy(T.tensor(0.0), T.tensor(NAN)).item())
    assert gradient(T.xlogy, [0.0, 0.0], [0.0, 2.0]) == [[0.0, math.log(2)], [0.0, 0.0]]


def test_the_untaken_branch_overflows():
    x = T.tensor([0.0, 1000.0], requires_grad=True)
    T.where(x < 1, x.exp(), x).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]
    y = T.tensor([-1.0, 0.0, 1.0], requires_grad=True)
    T.where(y > 0, y.log(), 0).sum().backward()
    assert y.grad.tolist() == [0.0, 0.0, 1.0]


def test_a_gradient_that_is_not_zero_stays_infinite():
    x = T.tensor([0.0], requires_grad=True)
    x.log().sum().backward()
    assert x.grad.tolist() == [INF]


def test_integers_and_halves():
    assert T.exp(T.tensor([0, 1])).dtype == T.float32
    assert T.log(T.tensor([True])).dtype == T.float32
    for d in (T.float16, T.bfloat16):
        assert T.tanh(T.tensor([0.5]).to(d)).dtype == d
