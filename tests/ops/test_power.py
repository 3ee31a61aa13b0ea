"""Powers and roots: integers, zeros, the choice of entry, and slopes that are infinite."""

import pytest

import chainrule as T


def test_integers_to_negative_powers():
    i = T.tensor([3, -1, 1])
    with pytest.raises(RuntimeError, match="negative integer powers"):
        i**-1
    assert (i ** T.tensor([-1, -1, -2])).tolist() == [0, -1, 1]
    assert (2**i).tolist() == [8, 0, 2]


def test_integer_powers_stay_integers():
    i = T.tensor([3, -4])
    assert (i**2).tolist() == [9, 16] and (i**2).dtype == T.int64
    assert (i**0.5).dtype == T.float32
    assert (T.tensor([True, False]) ** 2).tolist() == [1, 0]
    assert T.float_power(i, 2).dtype == T.float64


def test_the_entry_depends_on_which_side_is_a_number():
    x = T.tensor([2.0], requires_grad=True)
    names = [y.grad_fn.name() for y in (x**2, x**2.5, x**x, 2**x, T.square(x), T.pow(2, x))]
    assert names == [
        "PowBackward0",
        "PowBackward0",
        "PowBackward1",
        "PowBackward2",
        "PowBackward0",
        "PowBackward2",
    ]


def test_zeroth_power_is_flat_everywhere():
    x = T.tensor([0.0, -1.0], requires_grad=True)
    (x**0).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]
    y = T.tensor([0.0, 2.0], requires_grad=True)
    (y ** T.tensor([0.0, 0.0])).sum().backward()
    assert y.grad.tolist() == [0.0, 0.0]


def test_powers_of_zero_are_flat_in_the_exponent():
    b = T.tensor([2.0, 0.0], requires_grad=True)
    (T.tensor([0.0, 0.0]) ** b).sum().backward()
    assert b.grad.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "f", [lambda x: x.sqrt(), lambda x: x**0.5, lambda x: x.rsqrt(), lambda x: x.reciprocal()]
)
def test_an_exact_zero_meets_an_infinite_slope(f):
    x = T.tensor([0.0, 4.0], requires_grad=True)
    T.where(x == 0, x, f(x)).sum().backward()
    assert x.grad[0].item() == 1.0 and T.isfinite(x.grad).all()


def test_second_derivative_through_an_exact_fit():
    # d²/dx² of (sqrt(x) · 0) is 0 at x = 0, and the sum's slope is linear in g at 0
    x = T.tensor([0.0, 1.0], dtype=T.float64, requires_grad=True)
    (g,) = T.autograd.grad(T.where(x == 0, 0, x.sqrt()).sum(), x, create_graph=True)
    (h,) = T.autograd.grad(g.sum(), x)
    assert g.tolist() == [0.0, 0.5] and h.tolist() == [0.0, -0.25]


def test_in_place_powers():
    x = T.tensor([3.0], requires_grad=True)
    y = x * 1
    y **= 3
    y.backward()
    assert x.grad.item() == 27.0
    i = T.tensor([3])
    with pytest.raises(RuntimeError, match="can't be cast"):
        i.pow_(0.5)
    with pytest.raises(RuntimeError, match="float_power_"):
        T.tensor([2.0]).float_power_(2)


def test_overrides_are_told_of_the_public_functions():
    seen = []

    class Watched(T.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append(func)
            return super().__torch_function__(func, types, args, kwargs or {})

    x = T.ones(2).as_subclass(Watched)
    assert (x**2 + x**3).tolist() == [2.0, 2.0] and T.square(x).tolist() == [1.0, 1.0]
    assert seen[:3] == [T.pow, T.pow, T.add] and T.square in seen
