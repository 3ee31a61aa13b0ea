"""Several threads: into one leaf, over one graph, and a graph that one builds and another walks."""

import threading

import pytest

import chainrule as torch


def in_threads(n, work):
    failures = []

    def run():
        try:
            work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if failures:
        raise failures[0]


@pytest.mark.parametrize("size", [4, 200_000])
def test_no_addition_into_a_leaf_is_lost(size):
    w = torch.zeros(size, requires_grad=True)

    def work():
        for _ in range(50):
            (w * 1.0).sum().backward()

    in_threads(4, work)
    assert w.grad.min().item() == w.grad.max().item() == 200


def test_walks_over_one_graph():
    x = torch.linspace(0.1, 1, 5, dtype=torch.float64).requires_grad_()
    h = x * 2
    for _ in range(100):
        h = h.sin() + h
    (expected,) = torch.autograd.grad(h.sum(), x, retain_graph=True)

    def work():
        for _ in range(10):
            (g,) = torch.autograd.grad(h.sum(), x, retain_graph=True)
            assert g.equal(expected)

    in_threads(4, work)
    x.grad = None

    def add():
        for _ in range(10):
            (h * 1).sum().backward(retain_graph=True)

    in_threads(4, add)
    assert torch.allclose(x.grad, expected * 40)


def test_a_graph_built_in_one_thread_and_continued_in_another():
    x, parts = torch.ones(2, requires_grad=True), []

    def build():
        y = x * 1
        for _ in range(50):
            y = y * 1.0
        parts.append(y)

    in_threads(1, build)
    (y,) = parts
    (g,) = torch.autograd.grad((y * 3).sum(), y, retain_graph=True)
    assert g.tolist() == [3, 3]
    results = []
    in_threads(1, lambda: results.append(torch.autograd.grad((y * 5).sum(), [y, x])))
    assert [g.tolist() for g in results[0]] == [[5, 5], [5, 5]]


def test_grad_mode_is_each_threads_own():
    seen = []
    with torch.no_grad():
        in_threads(1, lambda: seen.append(torch.is_grad_enabled()))
        assert not torch.is_grad_enabled()
    assert seen == [True]
