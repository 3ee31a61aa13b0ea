"""Chains of very many calls: neither running nor freeing them recurses, whatever the nodes keep."""

import gc

import pytest

import chainrule as torch

N = 100_000


def keep_nothing(y):
    return y + 1.0


def keep_a_number(y):
    return y * 1.0


def keep_an_input(y):
    return y * y


def keep_an_output(y):
    return y.tanh()


def make_a_view(y):
    return y.view(1)


STEPS = [keep_nothing, keep_a_number, keep_an_input, keep_an_output, make_a_view]


def chain(step, n=N):
    x = torch.ones(1, requires_grad=True)
    y = x * 1
    for _ in range(n):
        y = step(y)
    return x, y


@pytest.mark.parametrize("step", STEPS)
def test_backward_runs_through(step):
    x, y = chain(step)
    y.sum().backward()
    assert x.grad.shape == (1,)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("collector", [True, False])
def test_freeing_without_a_backward(step, collector):
    if not collector:
        gc.disable()
    try:
        x, y = chain(step)
        del y
    finally:
        gc.enable()
    assert x.grad is None


@pytest.mark.parametrize("step", [keep_an_input, keep_an_output])
def test_freeing_after_a_backward_that_keeps_the_graph(step):
    x, y = chain(step, 50_000)
    y.sum().backward(retain_graph=True)
    del y
    assert x.grad is not None


def test_a_million_calls():
    x, y = chain(keep_an_input, 1_000_000)
    y.sum().backward()
    assert x.grad.item() == 0 or x.grad.item() >= 1


def test_a_chain_of_the_users_own_functions():
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.x = x
            return x + 0

        @staticmethod
        def backward(ctx, g):
            return g

    x, y = chain(Same.apply, 20_000)
    y.sum().backward()
    del y
    assert x.grad.item() == 1


def test_a_chain_of_in_place_changes():
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    for _ in range(5_000):
        y += 1
        y[:1] += 1
    y.sum().backward()
    assert x.grad.tolist() == [1, 1]


def test_a_chain_with_hooks():
    x, seen = torch.ones(1, requires_grad=True), []
    y = x * 1
    for _ in range(20_000):
        y = y + 1
        y.register_hook(lambda g: seen.append(1))
    y.sum().backward()
    assert len(seen) == 20_000


def test_a_second_derivative_of_a_chain():
    x, y = chain(keep_a_number, 20_000)
    (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
    g.sum().backward()
    assert x.grad.item() == 2
