"""Hooks of tensors, leaves and nodes: when they run, what they may return, how they go away."""

import pytest

import chainrule as torch


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def test_the_order_of_hooks():
    x, order = leaf(2.0), []
    y = x * 3
    y.retain_grad()
    y.register_hook(lambda g: order.append("tensor 1"))
    y.register_hook(lambda g: (order.append("tensor 2"), g * 2)[1])
    y.grad_fn.register_prehook(lambda g: order.append("before"))
    y.grad_fn.register_hook(lambda gi, go: order.append("after"))
    x.register_hook(lambda g: order.append("leaf"))
    x.register_post_accumulate_grad_hook(lambda t: order.append(("accumulated", t.grad.item())))
    accumulator = y.grad_fn.next_functions[0][0]
    accumulator.register_prehook(lambda g: order.append("before accumulator"))
    accumulator.register_hook(lambda gi, go: order.append(("after accumulator", gi, go[0].item())))
    y.backward()
    assert order == [
        "tensor 1", "tensor 2", "before", "after", "leaf", "before accumulator", ("accumulated", 6.0),
        ("after accumulator", (), 6.0),
    ]  # fmt: skip
    assert y.grad.item() == 2


def test_each_hook_sees_what_the_one_before_returned():
    x = leaf(1.0)
    x.register_hook(lambda g: g + 1)
    x.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: None)
    (x * 1).backward()
    assert x.grad.item() == 20


def test_a_hook_sees_the_whole_gradient_once():
    x, seen = leaf(1.0), []
    y = x * 2
    y.register_hook(lambda g: seen.append(g.item()))
    x.register_hook(lambda g: seen.append(g.item()))
    (y + y * 3 + x).backward()
    assert seen == [4, 9]


def test_grad_runs_the_tensors_hooks_but_not_those_of_accumulation():
    x, ran = leaf(1.0), []
    x.register_hook(lambda g: g * 2)
    x.register_post_accumulate_grad_hook(lambda t: ran.append(t))
    assert torch.autograd.grad(x * 3, x)[0].item() == 6
    assert ran == [] and x.grad is None


def test_captured_gradients_come_after_the_tensors_hooks():
    x = leaf(1.0)
    y = x * 2
    y.register_hook(lambda g: g * 5)
    y.grad_fn.register_prehook(lambda g: (g[0] * 100,))
    assert torch.autograd.grad(y * 1, y)[0].item() == 5


def test_removal():
    x, seen = leaf(1.0), []
    handles = [
        x.register_hook(lambda g: seen.append("x")),
        x.register_post_accumulate_grad_hook(lambda t: seen.append("p")),
    ]
    y = x * 2
    handles += [
        y.register_hook(lambda g: seen.append("y")),
        y.grad_fn.register_hook(lambda a, b: seen.append("n")),
        y.grad_fn.register_prehook(lambda a: seen.append("b")),
    ]
    for handle in handles:
        handle.remove()
        handle.remove()
    y.backward()
    assert seen == []


def test_a_handle_as_a_context():
    x, seen = leaf(1.0), []
    with x.register_hook(lambda g: seen.append(1)):
        (x * 1).backward()
    (x * 1).backward()
    assert seen == [1]


def test_a_hook_that_removes_itself():
    x, seen = leaf(1.0), []
    handle = x.register_hook(lambda g: (seen.append(1), handle.remove())[0])
    for _ in range(2):
        (x * 1).backward()
    assert seen == [1]


def test_hooks_of_an_unused_output_are_not_called():
    x, seen = leaf(1.0, 2.0), []
    a, b = x.unbind()
    a.register_hook(seen.append)
    b.backward()
    assert seen == [] and x.grad.tolist() == [0, 1]


def test_hooks_and_in_place_changes():
    y, seen = leaf(1.0).clone(), []
    y.register_hook(lambda g: seen.append(("old", g.item())))
    y.retain_grad()
    y.mul_(3)
    y.register_hook(lambda g: seen.append(("new", g.item())))
    (y * 5).backward()
    assert seen == [("new", 5), ("old", 15)]
    assert y.grad.item() == 5 and y.retains_grad


def test_retain_grad_adds_up_and_is_a_copy():
    x = leaf(1.0)
    y = x * 2
    y.retain_grad()
    y.retain_grad()
    z = y * 3
    z.backward(retain_graph=True)
    z.backward()
    assert y.grad.item() == 6 and x.grad.item() == 12
    y.grad.zero_()
    assert x.grad.item() == 12
    assert not x.retains_grad and x.retain_grad() is None and not x.retains_grad


def test_a_dropped_tensor_takes_its_retained_gradient_along():
    x = leaf(1.0)
    y = x * 2
    y.retain_grad()
    z = y * 3
    del y
    z.backward()
    assert x.grad.item() == 6


@pytest.mark.parametrize("answer, error, text", [
    (3, TypeError, "expected Variable, but hook returned 'int'"),
    (torch.ones(3, dtype=torch.float64), RuntimeError, "changed the size"),
    (torch.ones(2), RuntimeError, r"changed the type of value \(was torch.DoubleTensor got torch.FloatTensor\)"),
])  # fmt: skip
def test_wrong_answers_of_a_tensors_hook(answer, error, text):
    x = leaf(1.0, 2.0)
    x.register_hook(lambda g: answer)
    with pytest.raises(error, match=text):
        (x * 1).sum().backward()
    assert x.grad is None


def test_wrong_answers_of_a_nodes_hooks():
    x = leaf(1.0)
    for answer, error, text in (
        (3, TypeError, "expected tuple, but hook returned 'int'"),
        ((None, None, None), RuntimeError, "incorrect number of values"),
        ((torch.ones(3, dtype=torch.float64),), RuntimeError, "changed the size"),
    ):
        y = x * 2
        y.grad_fn.register_prehook(lambda g, answer=answer: answer)
        with pytest.raises(error, match=text):
            y.backward()
    y = x * 2
    y.grad_fn.register_hook(lambda gi, go: (None,) * len(gi))
    y.backward()
    assert x.grad is None


def test_hooks_need_a_gradient_and_a_leaf():
    plain, x = torch.ones(1), leaf(1.0)
    for method in (plain.register_hook, plain.register_post_accumulate_grad_hook):
        with pytest.raises(RuntimeError, match="doesn't require gradient"):
            method(lambda g: g)
    with pytest.raises(RuntimeError, match="retain_grad"):
        plain.retain_grad()
    with pytest.raises(RuntimeError, match="non-leaf"):
        (x * 1).register_post_accumulate_grad_hook(lambda t: None)
    x.register_post_accumulate_grad_hook(lambda t: 3)
    with pytest.raises(TypeError, match="None"):
        (x * 1).backward()


def test_an_optimizer_step_inside_backward():
    x = leaf(1.0)

    def step(p):
        with torch.no_grad():
            p -= 0.5 * p.grad
        p.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * 2).backward()
    assert x.item() == 0 and x.grad is None
