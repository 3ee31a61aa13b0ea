"""Sums, quotients and remainders: what they refuse, and their values where rounding and zeros matter."""

import math

import numpy as np
import pytest

import chainrule as T

INF = float("inf")


def test_booleans_are_not_subtracted():
    b, i = T.tensor([True, False]), T.tensor([1, 2])
    for call in (lambda: b - b, lambda: b - 1, lambda: 1 - b, lambda: i - b, lambda: T.rsub(b, 1)):
        with pytest.raises(RuntimeError, match="logical_not"):
            call()
    with pytest.raises(RuntimeError, match="Negation"):
        T.neg(b)
    with pytest.raises(RuntimeError, match="abs"):
        abs(b)


def test_alpha_must_fit_the_result():
    i = T.tensor([1, 2])
    with pytest.raises(RuntimeError, match="must not be a floating point"):
        T.add(i, i, alpha=1.5)
    with pytest.raises(RuntimeError, match="Boolean alpha"):
        T.sub(i, i, alpha=True)
    with pytest.raises(TypeError, match="alpha"):
        T.add(i, i, alpha="2")
    assert T.add(i, i, alpha=3).tolist() == [4, 8]
    assert T.tensor([1.0]).double().add(i, alpha=0.1).dtype == T.float64


def test_integers_divided_by_zero():
    i = T.tensor([7, -7])
    for call in (
        lambda: i // 0,
        lambda: i % 0,
        lambda: T.fmod(i, 0),
        lambda: T.div(i, 0, rounding_mode="trunc"),
    ):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            call()
    assert (i / 0).tolist() == [INF, -INF]


def test_rounding_of_quotients():
    i = T.tensor([7, -7])
    assert (i // 2).tolist() == [3, -4] and (i % 3).tolist() == [1, 2]
    assert T.div(i, 2, rounding_mode="trunc").tolist() == [3, -3] and T.fmod(i, 3).tolist() == [1, -1]
    assert T.div(i, 2, rounding_mode="floor").dtype == T.int64
    assert (T.tensor([-7.0]) % INF).tolist() == [INF]
    with pytest.raises(RuntimeError, match="rounding_mode"):
        T.div(i, 2, rounding_mode="up")
    q, r = divmod(i, 4)
    assert q.tolist() == [1, -2] and r.tolist() == [3, 1]


def test_rounded_quotients_have_slope_zero():
    x = T.tensor([5.3, -2.2], requires_grad=True)
    for y in (x // 2, T.div(x, 2, rounding_mode="trunc")):
        (g,) = T.autograd.grad(y.sum(), x)
        assert g.tolist() == [0.0, 0.0]


def test_zero_over_zero_in_an_untaken_branch():
    x = T.tensor([0.0, 2.0], requires_grad=True)
    T.where(x == 0, x, 1 / x).sum().backward()
    assert x.grad.tolist() == [1.0, -0.25]
    y = T.tensor([0.0, 2.0], requires_grad=True)
    T.where(y == 0, 0, y / y).sum().backward()
    assert y.grad.tolist() == [0.0, 0.0]


def test_addcdiv_takes_no_integers():
    i = T.tensor([1, 2])
    with pytest.raises(RuntimeError, match="addcdiv"):
        T.addcdiv(i, i, i)


def test_lerp_meets_both_ends_exactly():
    a, b = T.tensor([0.1]), T.tensor([0.7])
    assert T.lerp(a, b, 0.0).item() == a.item() and T.lerp(a, b, 1.0).item() == b.item()
    with pytest.raises(RuntimeError, match="`end`"):
        T.lerp(a, b.double(), 0.5)
    with pytest.raises(NotImplementedError, match="Long"):
        T.lerp(T.tensor([1]), T.tensor([2]), 1)


def test_in_place_results_must_fit_the_dtype():
    i = T.tensor([1, 2])
    for call in (lambda: i.add_(1.5), lambda: i.div_(2), lambda: i.reciprocal_()):
        with pytest.raises(RuntimeError, match="can't be cast"):
            call()
    assert i.tolist() == [1, 2]


def test_in_place_forms_record():
    x = T.tensor([1.5, -2.0], requires_grad=True)
    y = x * 1
    y.add_(x, alpha=3).mul_(x).sub_(1).div_(x + 5)
    y.sum().backward()
    # y = (4 x² - 1) / (x + 5)
    want = [(8 * v * (v + 5) - (4 * v * v - 1)) / (v + 5) ** 2 for v in (1.5, -2.0)]
    assert all(math.isclose(a, b, rel_tol=1e-5) for a, b in zip(x.grad.tolist(), want, strict=True))


def test_numpy_numbers_keep_their_kind():

    i = T.tensor([1, 2], dtype=T.int32)
    assert (i * np.int64(2)).dtype == T.int32
    assert (i * np.float32(2)).dtype == T.float32
    assert (i * np.bool_(True)).dtype == T.int32
