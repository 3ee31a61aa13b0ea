"""Rounding and exceptional values by dtype."""

import pytest

import chainrule as T

NAN, INF = float("nan"), float("inf")


def test_halves_go_to_even():
    assert T.round(T.tensor([-1.5, -0.5, 0.5, 1.5, 2.5])).tolist() == [-2.0, -0.0, 0.0, 2.0, 2.0]
    assert T.round(T.tensor([1.234, 156.0]), decimals=1).tolist() == pytest.approx([1.2, 156.0])
    assert T.round(T.tensor([156.0]), decimals=-1).tolist() == [160.0]


def test_integers_are_whole_already():
    i = T.tensor([1, -2])
    for f in (T.ceil, T.floor, T.trunc, T.fix):
        assert f(i).dtype == T.int64 and f(i).tolist() == [1, -2] and f(i) is not i
    with pytest.raises(NotImplementedError, match="Long"):
        T.frac(i)
    with pytest.raises(NotImplementedError, match="Long"):
        T.round(i, decimals=1)
    with pytest.raises(NotImplementedError, match="Bool"):
        T.floor(T.tensor([True]))
    with pytest.raises(NotImplementedError, match="Complex"):
        T.floor(T.tensor([1j]))


def test_steps_have_slope_zero_even_where_the_cotangent_is_infinite():
    x = T.tensor([1.3, -2.7], requires_grad=True)
    for f in (T.ceil, T.floor, T.trunc, T.round, T.sign):
        (g,) = T.autograd.grad(f(x), x, T.tensor([INF, 1.0]))
        assert g.tolist() == [0.0, 0.0]


def test_nan_to_num_knows_the_largest_number_of_each_dtype():
    a = T.tensor([NAN, INF, -INF])
    assert T.nan_to_num(a.half()).tolist() == [0.0, 65504.0, -65504.0]
    assert T.isfinite(T.nan_to_num(a.bfloat16())).all()
    assert T.nan_to_num(a, nan=1.0, posinf=2.0, neginf=3.0).tolist() == [1.0, 2.0, 3.0]
    a.nan_to_num_(7.0, 8.0, 9.0)
    assert a.tolist() == [7.0, 8.0, 9.0]


def test_nan_to_num_lets_the_gradient_through_numbers_only():
    x = T.tensor([NAN, INF, 2.0], requires_grad=True)
    T.nan_to_num(x).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 1.0]


def test_heaviside_wants_one_dtype():
    with pytest.raises(RuntimeError, match="different dtypes"):
        T.heaviside(T.tensor([1]), T.tensor([1.0]))
    with pytest.raises(TypeError, match="values"):
        T.heaviside(T.tensor([1.0]), 1.0)
    assert T.tensor([-1.0, 0.0, 3.0]).heaviside_(T.tensor(0.5)).tolist() == [0.0, 0.5, 1.0]


def test_copysign_sees_the_sign_of_zero():
    assert T.copysign(T.tensor([1.0, -2.0]), T.tensor([-0.0, 0.0])).tolist() == [-1.0, 2.0]
    assert T.signbit(T.tensor([-0.0, 0.0])).tolist() == [True, False]
