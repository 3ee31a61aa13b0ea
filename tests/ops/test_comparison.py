"""Comparisons and tests of elements: what they refuse and what they make of nan."""

import pytest

import chainrule as T

NAN, INF = float("nan"), float("inf")


def test_results_are_boolean_and_carry_no_graph():
    x = T.tensor([1.0, 2.0], requires_grad=True)
    for y in (x == 1, x != 1, x < 2, x <= 2, x > 1, x >= 1, T.isnan(x), T.logical_not(x)):
        assert y.dtype == T.bool and not y.requires_grad


def test_complex_numbers_have_no_order():
    z = T.tensor([1 + 1j])
    for call in (lambda: z < z, lambda: z <= 1, lambda: z > z, lambda: z >= 1, lambda: T.tensor([1.0]) < 1j):
        with pytest.raises(RuntimeError, match="complex"):
            call()
    assert (z == 1 + 1j).tolist() == [True]


def test_in_place_comparisons_keep_the_dtype():
    x = T.tensor([1.0, 2.0])
    assert x.eq_(1).tolist() == [1.0, 0.0] and x.dtype == T.float32
    assert T.tensor([2, 0]).logical_and_(T.tensor([1, 1])).tolist() == [1, 0]


def test_isclose():
    a = T.tensor([1.0, INF, NAN])
    assert T.isclose(a, a).tolist() == [True, True, False]
    assert T.isclose(a, a, equal_nan=True).tolist() == [True, True, True]
    assert not T.allclose(a, a) and T.allclose(a[:2], a[:2])
    with pytest.raises(RuntimeError, match="Float did not match Double"):
        T.isclose(a, a.double())
    with pytest.raises(RuntimeError, match="rtol"):
        T.isclose(a, a, rtol=-1)


def test_equal_is_a_python_bool():
    a = T.tensor([1.0, 2.0])
    assert T.equal(a, a.clone()) is True
    assert T.equal(a, a[:1]) is False
    with pytest.raises(TypeError, match="other"):
        T.equal(a, 1)


def test_16_bit_floats_are_tested_by_value():
    for d in (T.float16, T.bfloat16):
        a = T.tensor([NAN, INF, 1.0, -0.0]).to(d)
        assert T.isnan(a).tolist() == [True, False, False, False]
        assert T.isfinite(a).tolist() == [False, False, True, True]
        assert T.logical_not(a).tolist() == [False, False, False, True]
