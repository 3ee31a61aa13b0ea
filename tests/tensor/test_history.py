"""A tensor's part in the graph: flags, gradients, and the ways out."""

import pytest

import chainrule as T


def test_requires_grad_is_for_floats_and_leaves():
    t = T.ones(2)
    assert t.requires_grad_() is t and t.requires_grad
    t.requires_grad = False
    assert not t.requires_grad
    with pytest.raises(RuntimeError, match="only Tensors of floating point dtype can require gradients"):
        T.ones(2, dtype=T.int64).requires_grad_()
    with pytest.raises(RuntimeError, match="must be a bool"):
        t.requires_grad = 1
    y = t.requires_grad_() * 2
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        y.requires_grad = False


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (1, TypeError, "grad of type int"),
        (T.ones(3), RuntimeError, "of size '\\[3\\]' to a tensor of size '\\[2\\]'"),
        (T.ones(2, dtype=T.float64), RuntimeError, "dtype"),
    ],
)
def test_grad_must_fit(value, error, text):
    w = T.ones(2, requires_grad=True)
    with pytest.raises(error, match=text):
        w.grad = value
    assert w.grad is None


def test_grad_is_set_deleted_and_never_the_tensor_itself():
    w = T.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="can't assign Variable as its own grad"):
        w.grad = w
    g = T.ones(2)
    w.grad = g
    assert w.grad is g
    del w.grad
    assert w.grad is None


def test_data_shares_memory_outside_the_graph():
    w = T.ones(2, requires_grad=True)
    w.data.mul_(3)
    assert w.tolist() == [3, 3] and not w.data.requires_grad and w.data.is_leaf


def test_data_may_be_replaced_by_another_shape():
    w = T.ones(2, requires_grad=True)
    (w * 2).sum().backward()
    graph = w * 3
    w.data = T.zeros(3)
    w.grad = None
    assert w.shape == (3,) and w.requires_grad and w.is_leaf
    (w * 2).sum().backward()
    assert w.grad.tolist() == [2, 2, 2] and graph.shape == (2,)
    with pytest.raises(TypeError, match="has to be a tensor"):
        w.data = 1
    with pytest.raises(RuntimeError, match="must be floating point or complex"):
        w.data = T.ones(3, dtype=T.int64)


def test_detach_in_place_makes_a_leaf_but_not_of_a_view():
    w = T.ones(2, requires_grad=True)
    y = w * 2
    assert y.detach_() is y and y.is_leaf and not y.requires_grad
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        (w * 2)[:1].detach_()


def test_retains_grad():
    w = T.ones(2, requires_grad=True)
    y = w * 2
    assert not y.retains_grad
    y.retain_grad()
    y.sum().backward()
    assert y.retains_grad and y.grad.tolist() == [1, 1]
