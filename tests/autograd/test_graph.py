"""Edges, versions, and hooks over several tensors."""

import pytest

import chainrule as torch
from chainrule.autograd.graph import (
    GradientEdge,
    Node,
    get_gradient_edge,
    increment_version,
    register_multi_grad_hook,
)  # fmt: skip


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def test_edges():
    x = leaf(1.0, 2.0)
    y = x * 2
    edge = get_gradient_edge(y)
    assert isinstance(edge, GradientEdge) and edge.node is y.grad_fn and edge.output_nr == 0
    assert isinstance(edge.node, Node)
    assert get_gradient_edge(x).node.variable is x
    a, b = y.unbind()
    assert get_gradient_edge(b) == (b.grad_fn, 1, None)
    with pytest.raises(RuntimeError, match="gradient edge"):
        get_gradient_edge(torch.ones(1))


def test_edges_in_place_of_tensors():
    x = leaf(1.0, 2.0)
    y = x * 2
    edge = get_gradient_edge(y)
    z = (y * y).sum()
    assert torch.autograd.grad(z, edge, retain_graph=True)[0].tolist() == [4, 8]
    del y
    ones = torch.ones(2, dtype=torch.float64)
    assert torch.autograd.grad(edge, x, ones, retain_graph=True)[0].tolist() == [2, 2]
    torch.autograd.backward(edge, ones, inputs=[get_gradient_edge(x)])
    assert x.grad.tolist() == [2, 2]


def test_a_node_runs_alone():
    x = leaf(1.0, 2.0)
    y = (x * 3).sum()
    product = y.grad_fn.next_functions[0][0]
    assert y.grad_fn(torch.tensor(2.0, dtype=torch.float64)).tolist() == [2, 2]
    into_x, into_number = product(leaf(1.0, 10.0))
    assert into_x.tolist() == [3, 30] and into_number is None
    assert product.next_functions[0][0](into_x) == () and x.grad.tolist() == [3, 30]
    with pytest.raises(TypeError, match="MulBackward0: expected 1 arguments, got 0 instead"):
        product()
    several = torch.stack(leaf(1.0, 2.0).unbind()).grad_fn.next_functions[0][0]
    assert several(None, torch.ones((), dtype=torch.float64)).tolist() == [0, 1]


def test_versions_are_counted_by_hand():
    a, b = torch.ones(1), torch.ones(1)
    increment_version(a)
    increment_version([a, b])
    assert (a._version, b._version) == (2, 1)


def test_a_hook_over_all():
    a, b, c, calls = leaf(1.0), leaf(2.0), leaf(3.0), []
    handle = register_multi_grad_hook((a, b, c), lambda grads: calls.append([g and g.item() for g in grads]))
    (a * b).backward()
    assert calls == [[2, 1, None]]
    (a * b * c).backward()
    assert calls[1] == [6, 3, 2]
    handle.remove()
    (a * b).backward()
    assert len(calls) == 2


def test_a_hook_over_any():
    a, b, calls = leaf(1.0), leaf(2.0), []
    with register_multi_grad_hook((a, b), calls.append, mode="any"):
        (a * b).backward()
        (a * 3).backward()
    (a * 3).backward()
    assert len(calls) == 2 and calls[1].item() == 3
    with pytest.raises(ValueError, match="mode"):
        register_multi_grad_hook((a,), calls.append, mode="some")
