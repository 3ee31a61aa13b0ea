"""Running folds, differences and integrals: zeros, ties, dtypes, refused arguments."""

import numpy as np
import pytest

import chainrule as T

INF, NAN = float("inf"), float("nan")


def gradient(f, values):
    x = T.tensor(values, dtype=T.float64, requires_grad=True)
    f(x).sum().backward()
    return x.grad.tolist()


def test_running_products_at_zeros():
    assert gradient(lambda x: x.cumprod(0), [2.0, 0.0, 3.0, 4.0]) == [1, 32, 0, 0]
    assert gradient(lambda x: x.cumprod(0), [2.0, 0.0, 0.0, 4.0]) == [1, 2, 0, 0]
    assert gradient(lambda x: x.cumprod(0), [0.0]) == [1]


def test_running_log_sums_of_impossibilities():
    assert gradient(lambda x: x.logcumsumexp(0), [-INF, -INF]) == [0, 0]
    assert gradient(lambda x: x.logcumsumexp(0), [-INF, 2.0]) == [0, 1]
    x = [800.0, -700.0, 801.0]
    np.testing.assert_allclose(T.tensor(x).logcumsumexp(0).numpy(), np.logaddexp.accumulate(x), rtol=1e-6)
    assert np.isfinite(gradient(lambda x: x.logcumsumexp(0), x)).all()


def test_of_equal_extremes_the_last_gets_the_gradient():
    assert gradient(lambda x: x.cummax(0).values, [1.0, 2.0, 2.0, 0.0]) == [1, 1, 2, 0]
    assert gradient(lambda x: x.cummin(0)[0], [2.0, 2.0, 2.0]) == [1, 1, 1]
    values, indices = T.tensor([1.0, NAN, 3.0]).cummax(0)
    assert indices.tolist() == [0, 1, 1] and np.isnan(values.numpy()[1:]).all()
    assert not indices.requires_grad


def test_in_place_forms_keep_the_history():
    x = T.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1
    assert y.cumprod_(0) is y
    y.sum().backward()
    assert x.grad.tolist() == [9, 4, 2]
    z = T.arange(4)
    assert z.cumsum_(0).tolist() == [0, 1, 3, 6]


def test_running_sums_of_halves_are_rounded_once():
    x = T.ones(4000, dtype=T.float16)
    assert x.cumsum(0)[-1].item() == 4000


def test_differences_of_too_few_are_empty():
    assert T.ones(2, 3).diff(5).shape == (2, 0)
    assert T.tensor([True, False, False]).diff().tolist() == [True, False]
    x = T.ones(3)
    assert x.diff(0).tolist() == [1, 1, 1] and x.diff(0) is not x


def test_integrals_of_polynomials():
    x = T.linspace(0, 2, 5, dtype=T.float64)
    assert T.trapezoid(3 * x + 1, x).item() == pytest.approx(8)
    assert T.trapezoid(3 * x + 1, dx=0.5).item() == pytest.approx(8)
    assert T.cumulative_trapezoid(2 * x, x).tolist() == pytest.approx([0.25, 1, 2.25, 4])
    assert T.trapezoid(T.ones(2, 1)).tolist() == [0, 0]


def test_slopes_of_a_parabola_are_exact():
    x = T.tensor([0.0, 1.0, 3.0, 4.5, 5.0], dtype=T.float64)
    (g,) = T.gradient(x**2, spacing=(x,), edge_order=2)
    np.testing.assert_allclose(g.numpy(), 2 * x.numpy())
    (g,) = T.gradient(T.arange(5) ** 2, edge_order=2)
    assert g.tolist() == [0, 2, 4, 6, 8]
    rows, columns = T.gradient(T.arange(6.0).reshape(2, 3), spacing=[0.5, 2.0])
    assert rows.tolist() == [[6, 6, 6]] * 2 and columns.tolist() == [[0.5] * 3] * 2


@pytest.mark.parametrize("call, error, words", [
    (lambda x: x.cumsum(2), IndexError, "Dimension out of range"),
    (lambda x: x.cumsum("a"), TypeError, "must be int, not str"),
    (lambda x: x.to(T.complex64).cummax(0), NotImplementedError, "cummax.*ComplexFloat"),
    (lambda x: x.long().logcumsumexp(0), NotImplementedError, "logcumsumexp.*Long"),
    (lambda x: T.tensor(1.0).diff(), RuntimeError, "at least one-dimensional"),
    (lambda x: x.diff(-1), RuntimeError, "non-negative but got -1"),
    (lambda x: x.diff(prepend=x[0]), RuntimeError, "same dimension as input"),
    (lambda x: T.trapezoid(x > 0), RuntimeError, "trapezoid.*bool input for `y`"),
    (lambda x: T.trapezoid(x, T.ones(2)), RuntimeError, "one `x` value for each sample"),
    (lambda x: T.trapezoid(T.tensor(1.0)), IndexError, "no dimensions"),
    (lambda x: T.gradient(x, edge_order=3), RuntimeError, "edge_order=1 and edge_order=2"),
    (lambda x: T.gradient(x, spacing=[1.0]), RuntimeError, "length 2, but got length 1"),
    (lambda x: T.gradient(x, spacing=(T.ones(2), T.ones(2))), RuntimeError, "length of its dimension 3"),
    (lambda x: T.gradient(x[:1]), RuntimeError, "at least edge_order\\+1"),
])  # fmt: skip
def test_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(T.ones(2, 3))


def test_the_recurrence_is_its_own_adjoint():
    from chainrule._ops.scan import recurrence

    f = T.tensor([[0.5, 0.0, -2.0, 1.5]], dtype=T.float64, requires_grad=True)
    t = T.tensor([[1.0, 2.0, 3.0, -1.0]], dtype=T.float64, requires_grad=True)
    assert recurrence(f, t, 1, False).tolist() == [[1, 2, -1, -2.5]]
    assert recurrence(f, t, 1, True).tolist() == [[2, 2, 5, -1]]
    for reverse in (False, True):
        assert T.autograd.gradcheck(lambda f, t, r=reverse: recurrence(f, t, 1, r), (f, t))
        assert T.autograd.gradgradcheck(lambda f, t, r=reverse: recurrence(f, t, 1, r), (f, t))
