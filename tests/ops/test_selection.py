"""where, clamps and masks: kinks, ties, bounds that cross, and what they refuse."""

import pytest

import chainrule as T

NAN = float("nan")


def gradient(f, *values):
    """The gradients, which the fast kernels and the rules' own text must give alike."""
    leaves = [T.tensor(v, requires_grad=True) for v in values]
    fast = [g.tolist() for g in T.autograd.grad(f(*leaves).sum(), leaves)]
    assert fast == [g.tolist() for g in T.autograd.grad(f(*leaves).sum(), leaves, create_graph=True)]
    return fast


def test_ties_are_shared():
    for f in (T.maximum, T.minimum):
        a, b = gradient(f, [1.0, 3.0], [1.0, 2.0])
        assert a[0] == b[0] == 0.5 and a[1] + b[1] == 1.0
    for f in (T.fmax, T.fmin):
        assert gradient(f, [1.0, NAN, 2.0], [1.0, 2.0, NAN]) == [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]


def test_a_bound_of_clamp_is_inside():
    assert gradient(lambda x: x.clamp(0, 1), [0.0, 1.0, 0.5, -1.0, 2.0]) == [[1.0, 1.0, 1.0, 0.0, 0.0]]
    x, low, high = gradient(T.clamp, [0.0, 1.0, -2.0, 3.0], [0.0] * 4, [1.0] * 4)
    assert (x, low, high) == ([1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0])


def test_crossed_bounds_give_the_upper_one():
    x, low, high = gradient(T.clamp, [0.0, 5.0], [2.0, 2.0], [1.0, 1.0])
    assert (x, low, high) == ([0.0, 0.0], [0.0, 0.0], [1.0, 1.0])
    assert T.clamp(T.tensor([0.0]), 2, 1).tolist() == [1.0]


def test_clamp_wants_a_bound_and_an_order():
    with pytest.raises(RuntimeError, match="At least one"):
        T.clamp(T.ones(1))
    with pytest.raises(RuntimeError, match="complex"):
        T.clamp(T.tensor([1j]), 0)
    with pytest.raises(RuntimeError, match="can't be cast"):
        T.tensor([1]).clamp_(0.5, 2)
    assert T.tensor([1, 5]).clamp(0.5, 1.5).tolist() == [1.0, 1.5]
    assert T.isnan(T.tensor([NAN]).clamp(0, 1)).item()


def test_where_signatures():
    c = T.tensor([True, False])
    assert T.where(c, 1, 2).dtype == T.int64 and T.where(c, 1.0, 2).dtype == T.float32
    assert T.where(c, T.tensor([1, 2]), 0.5).tolist() == [1.0, 0.5]
    assert T.tensor([1.0, 2.0]).where(c, 0).tolist() == [1.0, 0.0]
    assert [t.tolist() for t in T.where(c)] == [[0]]
    with pytest.raises(RuntimeError, match="boolean"):
        T.where(T.tensor([1, 0]), 1, 2)
    with pytest.raises(TypeError, match="other"):
        T.where(c, 1, "a")


def test_where_keeps_nan_of_the_other_branch_out():
    x = T.tensor([NAN, 1.0], requires_grad=True)
    T.where(T.isnan(x), 0, x * x).sum().backward()
    assert x.grad[1].item() == 2.0


def test_masked_fill_checks_mask_and_value():
    x, m = T.ones(3), T.tensor([True, False, True])
    with pytest.raises(RuntimeError, match="boolean masks"):
        x.masked_fill(T.tensor([1, 0, 1]), 0)
    with pytest.raises(RuntimeError, match="0-dimensional"):
        x.masked_fill(m, T.ones(2))
    with pytest.raises(RuntimeError, match="overflow"):
        x.masked_fill(m, 1j)
    with pytest.raises(RuntimeError, match="broadcast shape"):
        x.masked_fill_(T.ones(2, 3) > 0, 0)
    assert x.masked_fill(T.ones(2, 3) > 0, 0).shape == (2, 3)
    assert T.tensor([1, 2, 3]).masked_fill(m, 7.9).tolist() == [7, 2, 7]
    assert x.tolist() == [1.0, 1.0, 1.0]


def test_masked_fill_in_place_records():
    x = T.tensor([1.0, 2.0], requires_grad=True)
    v = T.tensor(5.0, requires_grad=True)
    y = x * 3
    y.masked_fill_(T.tensor([True, False]), v)
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 3.0] and v.grad.item() == 1.0
