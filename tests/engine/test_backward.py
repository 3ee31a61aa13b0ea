"""The walk: what is visited, in which order, what arrives where, and what is left when something goes wrong."""

import os
import signal

import pytest

import chainrule as torch
from chainrule._engine.backward import GraphTask


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


class Two(torch.autograd.Function):
    """Two outputs; notes what backward got."""

    got = []

    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g0, g1):
        Two.got.append((g0, g1))
        return sum(g * k for g, k in ((g0, 2), (g1, 3)) if g is not None)


def test_gradients_of_every_path_are_summed():
    x = leaf(2.0)
    a = x * 3
    (a * a + a + a.exp() * 0).backward()
    assert x.grad.item() == (2 * 6 + 1) * 3


def test_an_output_without_gradient_is_undefined():
    x = leaf(1.0)
    Two.got.clear()
    a, b = Two.apply(x)
    b.backward()
    (got,) = Two.got
    assert got[0] is None and got[1].item() == 1
    assert x.grad.item() == 3


def test_both_outputs_arrive_in_one_call():
    x = leaf(1.0)
    Two.got.clear()
    a, b = Two.apply(x)
    (a * b + a).backward()
    assert [(g0.item(), g1.item()) for g0, g1 in Two.got] == [(4, 2)]


def test_nothing_arrives_at_all():
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return None

    x = leaf(1.0)
    y = x * 2
    a, b = y.unsqueeze(0).expand(2, 1).unbind()
    (Nothing.apply(a) + Nothing.apply(b)).backward()
    assert x.grad is None


def test_the_same_root_twice_counts_twice():
    x = leaf(2.0)
    y = x * x
    torch.autograd.backward([y, y])
    assert x.grad.item() == 8


def test_a_root_below_another_root():
    x = leaf(2.0)
    y = x * 3
    z = y * y
    torch.autograd.backward([z, y])
    assert x.grad.item() == 2 * 6 * 3 + 3


def test_a_leaf_as_root():
    x = leaf(2.0)
    x.backward()
    x.backward(torch.tensor([5.0], dtype=torch.float64))
    assert x.grad.tolist() == [6]


@pytest.mark.parametrize("build, twice", [
    (lambda x: x + 1, True),
    (lambda x: x.sum(), True),
    (lambda x: x.view(1), True),
    (lambda x: x * x, False),
    (lambda x: x.exp(), False),
])  # fmt: skip
def test_a_second_walk_needs_what_the_first_has_freed(build, twice):
    y = build(leaf(2.0))
    y.backward()
    if twice:
        y.backward()
        return
    with pytest.raises(RuntimeError, match="a second time"):
        y.backward()


def test_retain_graph_keeps_everything():
    x = leaf(2.0)
    y = (x * x).exp()
    for _ in range(3):
        y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="retain_graph=True"):
        y.backward()


def test_create_graph_implies_retain_graph():
    x = leaf(2.0)
    y = x * x
    torch.autograd.grad(y, x, create_graph=True)
    torch.autograd.grad(y, x)


def visited(output, target):
    """How many nodes are looked at for the gradient of one tensor in another."""
    task = GraphTask(False, False, False)
    roots = [output.grad_fn]
    task.restrict(roots, {target.grad_fn})
    task.count_dependencies(roots)
    return task.visited


def test_visits_are_restricted_to_what_leads_to_the_inputs():
    x, ran = leaf(1.0), []
    old = x * 1
    for _ in range(100):
        old = old * 1.0
        old.grad_fn.register_prehook(lambda g: ran.append("old"))
    q = old * 1
    side = q.sin()
    side.grad_fn.register_prehook(lambda g: ran.append("side"))
    p = leaf(1.0)
    (g,) = torch.autograd.grad(q * q * p + side, q, retain_graph=True)
    assert ran == ["side"]
    ran.clear()
    torch.autograd.grad(q * q * p + side, p)
    assert ran == [] and x.grad is None and p.grad is None


@pytest.mark.parametrize("age", [1, 1000])
def test_restricted_visits_do_not_go_into_old_history(age):
    x = leaf(1.0)
    old = x * 1
    for _ in range(age):
        old = old * 1.0
    q = old * 1
    assert visited((q * q).sum(), q) == 6


def test_gradients_are_cast_to_what_they_belong_to():
    half = torch.ones(2, dtype=torch.float16, requires_grad=True)
    single = torch.ones(2, requires_grad=True)
    double = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
    (half * single * double).sum().backward()
    assert (half.grad.dtype, single.grad.dtype, double.grad.dtype) == (torch.float16, torch.float32, torch.float64)
    assert half.grad.tolist() == [2, 2] and double.grad.shape == (2, 2)


def test_a_real_leaf_of_a_complex_result_gets_the_real_part():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z = x * (3 + 4j)
    (z * z.conj()).real.sum().backward()
    assert x.grad.dtype == torch.float32
    assert x.grad.tolist() == pytest.approx([50, 100])


def fails_once(kind):
    """A hook that raises the first time."""
    state = []

    def hook(g):
        if not state:
            state.append(1)
            raise kind

    return hook


@pytest.mark.parametrize("kind", [ValueError("no"), KeyboardInterrupt(), StopIteration()])
def test_an_error_in_a_hook_leaves_everything_usable(kind):
    x = leaf(2.0)
    a = x * x
    b = a * a
    out = b + a
    a.register_hook(fails_once(kind))
    with pytest.raises(type(kind)):
        out.backward(retain_graph=True)
    assert x.grad is None and torch.is_grad_enabled()
    out.backward(retain_graph=True)
    assert x.grad.item() == 2 * 2 + 4 * 8
    out.backward()
    assert x.grad.item() == 2 * (2 * 2 + 4 * 8)


def test_an_error_in_a_rule_leaves_everything_usable():
    class Fails(torch.autograd.Function):
        fail = True

        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            if Fails.fail:
                raise ZeroDivisionError("in the rule")
            return g

    x = leaf(2.0)
    y = Fails.apply(x * x) * x
    with pytest.raises(ZeroDivisionError, match="in the rule"):
        torch.autograd.grad(y, x, retain_graph=True)
    Fails.fail = False
    assert torch.autograd.grad(y, x)[0].item() == 12


def test_ctrl_c_stops_a_long_walk():
    x = leaf(1.0)
    y = x * 1
    for _ in range(5000):
        y = y * 1.0
    fire = lambda g: os.kill(os.getpid(), signal.SIGINT)
    handle = y.register_hook(fire)
    with pytest.raises(KeyboardInterrupt):
        y.backward(retain_graph=True)
    handle.remove()
    assert x.grad is None
    y.backward()
    assert x.grad.item() == 1


def test_backward_inside_backward():
    x, inner = leaf(2.0), leaf(3.0)

    def hook(g):
        with torch.enable_grad():
            (inner * inner).backward()
        return g * 2

    y = x * x
    y.register_hook(hook)
    (y * 1).backward()
    assert x.grad.item() == 8 and inner.grad.item() == 6


def test_a_walk_inside_a_walk_over_the_same_graph():
    x = leaf(2.0)
    a = x * x
    b = a * a
    seen = []

    def hook(g):
        if not seen:
            seen.append(None)
            seen.append(torch.autograd.grad(b, x, retain_graph=True)[0].item())

    a.register_hook(hook)
    (b + a).backward(retain_graph=True)
    assert seen[1] == 32 and x.grad.item() == 36


def test_grad_mode_inside_rules_follows_create_graph():
    class Mode(torch.autograd.Function):
        seen = []

        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            Mode.seen.append(torch.is_grad_enabled())
            return g

    x = leaf(1.0)
    y = Mode.apply(x)
    torch.autograd.grad(y, x, retain_graph=True)
    torch.autograd.grad(y, x, create_graph=True)
    assert Mode.seen == [False, True]


def test_next_functions_and_their_old_names():
    x = leaf(1.0)
    a, b = Two.apply(x)
    c = a * b
    assert c.grad_fn.next_functions == ((a.grad_fn, 0), (b.grad_fn, 1))
    assert c.grad_fn.previous_functions == c.grad_fn.next_functions and c.creator is c.grad_fn
    (accumulator, number), = a.grad_fn.next_functions
    assert accumulator.variable is x and number == 0 and accumulator.next_functions == ()
    assert accumulator.name() == "AccumulateGrad"


def test_a_node_describes_what_it_receives():
    x = leaf(1.0, 2.0)
    (entry,) = (x * 2).grad_fn._input_metadata
    assert tuple(entry.shape) == (2,) and entry.dtype == torch.float64
    assert "_saved_self" in dir((x * x).grad_fn) and (x * x).grad_fn._saved_self is x
    node = (x * 2).grad_fn
    node.metadata["note"] = 3
    assert node.metadata == {"note": 3} and node.requires_grad
