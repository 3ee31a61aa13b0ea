"""Nothing outlives its use: with the cyclic collector off, reference counts alone free every graph."""

import gc
import sys
import weakref

import pytest

import chainrule as torch


@pytest.fixture(autouse=True)
def without_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        return 2 * x * g


def in_place(x):
    y = x * 1
    y[:1].mul_(2)
    y.exp_()
    return y.sum()


def hooked(x):
    y = x * 2
    y.register_hook(lambda g: g * 1)
    y.retain_grad()
    y.grad_fn.register_hook(lambda a, b: None)
    return y.sum()


USES = {
    "forward only": lambda x: x.exp().sum(),
    "backward": lambda x: x.exp().sum().backward(),
    "backward twice": lambda x: [x.exp().sum().backward() for _ in range(2)],
    "retained": lambda x: x.exp().sum().backward(retain_graph=True),
    "grad": lambda x: torch.autograd.grad(x.tanh().sum(), x),
    "second derivative": lambda x: torch.autograd.grad(
        torch.autograd.grad((x**3).sum(), x, create_graph=True)[0].sum(), x
    ),
    "grad of an inner value": lambda x: (lambda y: torch.autograd.grad((y * y).sum(), y))(x * 2),
    "hooks": lambda x: hooked(x).backward(),
    "hooks, forward only": hooked,
    "in place": lambda x: in_place(x).backward(),
    "in place, forward only": in_place,
    "several outputs": lambda x: sum(x.unbind()).backward(),
    "own function": lambda x: Square.apply(x).sum().backward(),
    "own function, forward only": lambda x: Square.apply(x),
    "own function, second derivative": lambda x: torch.autograd.grad(
        torch.autograd.grad(Square.apply(x).sum(), x, create_graph=True)[0].sum(), x
    ),
    "functional": lambda x: torch.autograd.functional.hessian(lambda v: (v**3).sum(), x.detach()),
    "no_grad": lambda x: torch.no_grad()(lambda: x.exp())(),
    "detach": lambda x: x.exp().detach(),
    "edges": lambda x: torch.autograd.graph.get_gradient_edge(x.exp()),
    "saved values": lambda x: (x * x).grad_fn._saved_self,
}


@pytest.mark.parametrize("use", USES)
def test_a_leaf_dies_with_its_last_name(use):
    x = leaf(1.0, 2.0)
    USES[use](x)
    gone = weakref.ref(x)
    del x
    assert gone() is None


@pytest.mark.parametrize("use", USES)
def test_values_inside_die_with_their_graph(use):
    x = leaf(1.0, 2.0)
    y = x + 1
    gone = weakref.ref(y)
    USES[use](y)
    del y
    x.grad = None
    assert gone() is None


def test_an_error_leaves_nothing_behind():
    x = leaf(1.0, 2.0)
    y = x.exp()

    def fail(g):
        raise ValueError

    x.register_hook(fail)
    with pytest.raises(ValueError):
        y.sum().backward()
    gone = weakref.ref(y)
    del y
    sys.last_value = None
    assert gone() is None


def test_nothing_of_earlier_steps_stays():
    w, h, refs = leaf(1.0, 1.0), torch.zeros(2, dtype=torch.float64), []
    for i in range(5):
        inp = torch.ones(2, dtype=torch.float64) * i
        refs.append(weakref.ref(inp))
        h = torch.tanh(h * w + inp * w)
        h.sum().backward()
        h = h.detach()
        del inp
    assert all(r() is None for r in refs)


def test_saved_values_go_as_soon_as_their_node_has_run():
    x, seen = leaf(1.0), []
    y = x * 1
    z = y * y
    gone = weakref.ref(y)
    del y
    x.register_hook(lambda g: seen.append(gone() is None))
    z.backward()
    assert seen == [True]


def live_objects():
    return sum(isinstance(o, (torch.Tensor, torch.autograd.graph.Node)) for o in gc.get_objects())


def test_a_thousand_steps_leave_as_many_objects_as_one():
    w, b = leaf(0.5, 0.5), leaf(0.1)
    x = torch.tensor([1.0, 2.0], dtype=torch.float64)

    def step():
        loss = ((x * w).sum() + b - 1).pow(2).sum()
        loss.backward()
        with torch.no_grad():
            for p in (w, b):
                p -= 0.01 * p.grad
                p.grad = None

    for _ in range(5):
        step()
    gc.collect()
    before = live_objects(), sys.getallocatedblocks()
    for _ in range(1000):
        step()
    assert live_objects() == before[0]
    # Collecting finds no garbage; it only empties the interpreter's own lists of objects for reuse.
    assert gc.collect() == 0
    assert sys.getallocatedblocks() - before[1] < 200
