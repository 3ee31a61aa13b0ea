"""`.grad`: added in place, never shared with another leaf, the user's seed, or a node's values."""

import pytest

import chainrule as torch


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("build", [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: (a + b).view(1, 2),
    lambda a, b: torch.stack([a, b]),
    lambda a, b: a + b.exp(),
])  # fmt: skip
def test_two_leaves_share_nothing(build):
    a, b = leaf(1.0, 1.0), leaf(1.0, 1.0)
    out = build(a, b)
    seed = torch.ones(out.shape, dtype=torch.float64)
    out.backward(seed, retain_graph=True)
    b_before = b.grad.clone()
    a.grad.mul_(100)
    assert b.grad.equal(b_before) and seed.equal(torch.ones_like(seed))
    b.grad.add_(7)
    assert seed.equal(torch.ones_like(seed))


@pytest.mark.parametrize("path", [
    lambda x: x,
    lambda x: x + 0,
    lambda x: x.view(3),
    lambda x: x.reshape(3),
    lambda x: x.clone(),
    lambda x: x.t(),
    lambda x: x.expand(3),
    lambda x: x.unbind()[0].unsqueeze(0).expand(3),
])  # fmt: skip
def test_the_users_seed_stays_the_users(path):
    seed, x = torch.ones(3, dtype=torch.float64), leaf(0.0, 0.0, 0.0)
    path(x).backward(seed)
    x.grad.add_(7)
    assert seed.tolist() == [1, 1, 1]


def test_the_gradient_of_a_hook_stays_the_hooks():
    kept = torch.full((2,), 3.0, dtype=torch.float64)
    x = leaf(1.0, 2.0)
    y = x * 1
    y.register_hook(lambda g: kept)
    y.sum().backward()
    x.grad.mul_(2)
    assert kept.tolist() == [3, 3]


def test_a_kept_gradient_is_not_written():
    x, kept = leaf(1.0, 2.0), []
    y = x * 1
    x.register_hook(kept.append)
    (y.sum() + (x * 2).sum()).backward()
    x.grad.mul_(10)
    assert kept[0].tolist() == [3, 3]


def test_values_of_the_graph_stay():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    out = (x * y).sum()
    out.backward(retain_graph=True)
    x.grad.mul_(10)
    out.backward()
    assert y.tolist() == [3, 4] and y.grad.tolist() == [2, 4] and x.grad.tolist() == [33, 44]


def test_the_second_gradient_is_added_in_place():
    x = leaf(1.0, 2.0)
    (x * 2).sum().backward()
    grad, version = x.grad, x.grad._version
    (x * 3).sum().backward()
    assert x.grad is grad and grad.tolist() == [5, 5] and grad._version == version + 1


def test_a_recorded_gradient_is_replaced_not_written():
    x = leaf(2.0)
    with pytest.warns(UserWarning, match="create_graph"):
        (x * x * x).backward(create_graph=True)
    first = x.grad
    with pytest.warns(UserWarning, match="create_graph"):
        (x * x * x).backward(create_graph=True)
    assert x.grad is not first and first.item() == 12 and x.grad.item() == 24
    (second,) = torch.autograd.grad(x.grad, x)
    assert second.item() == 24
    x.grad = None


def test_a_gradient_lies_in_memory_as_its_leaf_does():
    x = torch.ones(3, 2, dtype=torch.float64).t().requires_grad_()
    (x * torch.arange(6.0, dtype=torch.float64).view(2, 3)).sum().backward()
    assert x.grad.stride() == x.stride()
    assert x.grad.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_broadcast_gradient_has_memory_of_its_own():
    x = leaf(1.0, 2.0, 3.0)
    x.sum().backward()
    assert x.grad.stride() == (1,)
    x.grad[0] = 5
    assert x.grad.tolist() == [5, 1, 1]


def test_assigning_checks_shape_and_dtype():
    x = leaf(1.0, 2.0)
    x.grad = torch.ones(2, dtype=torch.float64)
    long = torch.ones(3, dtype=torch.float64)
    for wrong, error in ((long, RuntimeError), (torch.ones(2), RuntimeError), (3, TypeError)):
        with pytest.raises(error, match="assign"):
            x.grad = wrong
    x.grad = None
    assert x.grad is None
