"""The walk-through of PyTorch's first engine: its snippet, and its engine walking our graph."""

from collections import Counter

import pytest

import chainrule as torch


def test_the_snippet_is_an_error_that_says_what_to_use(run, data):
    done = run(data / "first_snippet.py")
    assert done.returncode == 1
    *_, last = done.stderr.strip().splitlines()
    assert last.startswith("RuntimeError: ")
    assert "mm" in last and "torch.dot" in last and "1-D" in last
    assert f'File "{data / "first_snippet.py"}", line 6' in done.stderr


def test_the_snippet_in_two_dimensions():
    a = torch.autograd.Variable(torch.FloatTensor([[2]]), requires_grad=True)
    b = torch.autograd.Variable(torch.FloatTensor([[3]]))
    loss = torch.mm(a, b).sum()
    loss.backward()
    assert loss.item() == 6
    assert a.grad.tolist() == [[3]] and a.grad.dtype == torch.float32
    assert b.grad is None


def test_what_the_message_advises_works():
    a = torch.FloatTensor([2]).requires_grad_()
    torch.dot(a, torch.FloatTensor([3])).backward()
    assert a.grad.tolist() == [3]


class Useless:
    """Stands where no gradient goes: the first engine had a function there whose requires_grad was False."""

    requires_grad = False
    previous_functions = ()
    output_ids = {0: 0}


class FirstFunction:
    """One of our nodes under the names that the first engine calls."""

    requires_grad = True

    def __init__(self, walk, node):
        self.walk = walk
        self.node = node
        self.output_ids = {0: 0}

    @property
    def previous_functions(self):
        return [(self.walk.function(node), number) for node, number in self.node.previous_functions]

    def _do_backward(self, *grads):
        self.walk.ran.append(self.node.name().rpartition("::")[2])
        if not self.node.previous_functions:
            self.walk.leaves[self.node] = grads[0]
            return ()
        found = self.node(*grads)
        # The first engine adds into what it is given, and one tensor may be the gradient of two inputs.
        return [g if g is None else g.clone() for g in (found if isinstance(found, tuple) else (found,))]


class FirstWalk:
    """The article's engine, run over our graph; notes what ran and what reached the leaves."""

    def __init__(self, text):
        heading = "class ExecutionEngine(object):"
        _, loop, bodies = text.split(heading)
        names = {"Counter": Counter}
        exec(heading + loop, names)
        run_backward = names["ExecutionEngine"].run_backward
        exec(heading + bodies, names)
        self.engine = names["ExecutionEngine"]()
        self.run_backward = run_backward
        self.functions = {}
        self.ran = []
        self.leaves = {}

    def function(self, node):
        if node is None:
            return Useless
        if node not in self.functions:
            self.functions[node] = FirstFunction(self, node)
        return self.functions[node]

    def backward(self, variable, grad):
        class Root:
            creator = self.function(variable.creator)

        self.run_backward(self.engine, Root, grad)


@pytest.fixture
def first_walk(data):
    return FirstWalk((data / "engine.txt").read_text(encoding="utf-8"))


def diamond(x, y):
    shared = torch.tanh(x * y)
    return shared.exp() * shared + (shared.sin() + x * 2)


def test_the_first_engine_walks_our_graph_to_the_same_gradients(first_walk):
    x = torch.tensor([0.7], dtype=torch.float64, requires_grad=True)
    y = torch.tensor([1.3], dtype=torch.float64, requires_grad=True)
    out = diamond(x, y)
    first_walk.backward(out, torch.ones(1, dtype=torch.float64))
    first = {node.variable: grad for node, grad in first_walk.leaves.items()}
    gx, gy = torch.autograd.grad(diamond(x, y), [x, y])
    torch.testing.assert_close(first[x], gx, rtol=1e-14, atol=0)
    torch.testing.assert_close(first[y], gy, rtol=1e-14, atol=0)


def test_the_first_engine_runs_each_of_our_nodes_once(first_walk):
    x = torch.tensor([0.7], requires_grad=True)
    y = torch.tensor([1.3], requires_grad=True)
    first_walk.backward(diamond(x, y), torch.ones(1))
    assert Counter(first_walk.ran) == {
        "AccumulateGrad": 2,
        "AddBackward0": 2,
        "ExpBackward0": 1,
        "MulBackward0": 3,
        "SinBackward0": 1,
        "TanhBackward0": 1,
    }
