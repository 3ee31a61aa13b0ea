"""Hooks around a module's call: what they see, what they replace, in which order they run."""

import copy
import pickle

import pytest

import chainrule as torch
from chainrule import nn
from chainrule.nn.modules import module as module_file


class Add(nn.Module):
    def forward(self, x, y=1.0):
        return x + y


def test_pre_hook_replaces_arguments():
    m = Add()
    handle = m.register_forward_pre_hook(lambda module, args: args[0] * 10)
    assert m(torch.ones(1)).item() == 11
    m.register_forward_pre_hook(lambda module, args: (args[0] + 1, 5.0))
    assert m(torch.ones(1)).item() == 16
    handle.remove()
    assert m(torch.ones(1)).item() == 7


def test_pre_hook_with_keywords():
    m = Add()
    m.register_forward_pre_hook(lambda module, args, kwargs: (args, {"y": kwargs["y"] * 2}), with_kwargs=True)
    assert m(torch.ones(1), y=3.0).item() == 7
    bad = Add()
    bad.register_forward_pre_hook(lambda module, args, kwargs: 3, with_kwargs=True)
    with pytest.raises(RuntimeError, match="forward pre-hook must return None or a tuple"):
        bad(torch.ones(1))


def test_forward_hook_replaces_output():
    m = Add()
    seen = []
    m.register_forward_hook(lambda module, args, out: seen.append((len(args), out.item())))
    m.register_forward_hook(lambda module, args, kwargs, out: out * kwargs["y"], with_kwargs=True)
    assert m(torch.ones(1), y=4.0).item() == 20
    assert seen == [(1, 5.0)]


def test_order_and_prepend():
    m = Add()
    seen = []

    def note(name):
        return lambda *args: seen.append(name)

    globals_ = [
        module_file.register_module_forward_pre_hook(note("every pre")),
        module_file.register_module_forward_hook(note("every post")),
    ]
    try:
        m.register_forward_pre_hook(note("pre 1"))
        m.register_forward_pre_hook(note("pre 0"), prepend=True)
        m.register_forward_hook(note("post 1"))
        m.register_forward_hook(note("post 0"), prepend=True)
        m(torch.ones(1))
    finally:
        for handle in globals_:
            handle.remove()
    assert seen == ["every pre", "pre 0", "pre 1", "every post", "post 0", "post 1"]
    m(torch.ones(1))
    assert seen[6:] == ["pre 0", "pre 1", "post 0", "post 1"]


def test_always_call():
    class Fails(nn.Module):
        def forward(self, x):
            raise ValueError("no")

    m = Fails()
    seen = []
    m.register_forward_hook(lambda *args: seen.append("skipped"))
    m.register_forward_hook(lambda module, args, out: seen.append(out), always_call=True)
    with pytest.raises(ValueError, match="no"):
        m(torch.ones(1))
    assert seen == [None]

    def breaks(*args):
        raise KeyError("hook")

    m.register_forward_hook(breaks, always_call=True)
    with pytest.warns(UserWarning, match="silenced"), pytest.raises(ValueError, match="no"):
        m(torch.ones(1))


def test_handles():
    m = Add()
    with m.register_forward_hook(lambda *args: torch.zeros(1)):
        assert m(torch.ones(1)).item() == 0
    assert m(torch.ones(1)).item() == 2
    m.register_forward_hook(lambda *args: torch.zeros(1))
    assert len(m._forward_hooks) == 1
    m._forward_hooks.clear()
    assert m(torch.ones(1)).item() == 2


def double(module, args, out):
    return out * 2


def test_hooks_are_copied_and_pickled():
    m = Add()
    m.register_forward_hook(double)
    assert copy.deepcopy(m)(torch.ones(1)).item() == 4
    assert pickle.loads(pickle.dumps(m))(torch.ones(1)).item() == 4


def test_full_backward_hook():
    m = nn.Linear(2, 1, bias=False)
    m.weight.data.fill_(3.0)
    seen = []

    def hook(module, grad_input, grad_output):
        seen.append((module is m, grad_input[0].tolist(), grad_output[0].tolist()))
        return (grad_input[0] * 10,)

    m.register_full_backward_hook(hook)
    x = torch.ones(1, 2, requires_grad=True)
    m(x).sum().backward()
    assert seen == [(True, [[3.0, 3.0]], [[1.0]])]
    assert x.grad.tolist() == [[30.0, 30.0]] and m.weight.grad.tolist() == [[1.0, 1.0]]


def test_full_backward_pre_hook():
    m = nn.Linear(2, 1, bias=False)
    m.weight.data.fill_(3.0)
    order = []
    m.register_full_backward_hook(lambda module, gi, go: order.append(("after", go[0].item())))
    m.register_full_backward_pre_hook(lambda module, go: order.append(("before", go[0].item())))
    m.register_full_backward_pre_hook(lambda module, go: (go[0] * 2,), prepend=True)
    x = torch.ones(1, 2, requires_grad=True)
    m(x).sum().backward()
    assert order == [("before", 2.0), ("after", 2.0)]
    assert m.weight.grad.tolist() == [[2.0, 2.0]] and x.grad.tolist() == [[6.0, 6.0]]


def test_backward_hooks_of_several_modules_run_in_backward_order():
    net = nn.Sequential(nn.Linear(1, 1), nn.Tanh(), nn.Linear(1, 1))
    seen = []
    for i, m in enumerate(net):
        m.register_full_backward_hook(lambda module, gi, go, i=i: seen.append(i))
    net.register_full_backward_hook(lambda module, gi, go: seen.append("net"))
    net(torch.ones(1, 1, requires_grad=True)).sum().backward()
    assert seen == [2, 1, 0, "net"]


def test_several_inputs_and_outputs():
    class Two(nn.Module):
        def forward(self, x, flag, y):
            return x * y, x + y, flag

    m = Two()
    seen = []
    m.register_full_backward_hook(lambda module, gi, go: seen.append((gi, go)))
    x = torch.tensor(2.0, requires_grad=True)
    y = torch.tensor(3.0, requires_grad=True)
    a, b, flag = m(x, "kept", y)
    assert flag == "kept"
    (a + b).backward()
    grad_input, grad_output = seen[0]
    assert grad_input[1] is None and [grad_input[0].item(), grad_input[2].item()] == [4.0, 3.0]
    assert grad_output[2] is None and [grad_output[0].item(), grad_output[1].item()] == [1.0, 1.0]


def test_backward_hook_without_input_gradient():
    m = nn.Linear(1, 1)
    seen = []
    m.register_full_backward_hook(lambda module, gi, go: seen.append((gi, go[0].item())))
    with pytest.warns(UserWarning, match="no inputs require gradients"):
        m(torch.ones(1, 1)).sum().backward()
    assert seen == [((None,), 1.0)]
    m.register_full_backward_hook(lambda module, gi, go: (go[0],))
    with (
        pytest.warns(UserWarning),
        pytest.raises(RuntimeError, match="Backward hook for Modules where no input requires gradient"),
    ):
        m(torch.ones(1, 1)).sum().backward()


def test_backward_hook_errors():
    m = Add()
    m.register_full_backward_hook(lambda module, gi, go: (gi[0], gi[0]))
    with pytest.raises(
        RuntimeError, match="Backward hook returned an invalid number of grad_input, got 2, but"
    ):
        m(torch.ones(1, requires_grad=True)).sum().backward()
    m = Add()
    m.register_full_backward_pre_hook(lambda module, go: (go[0], go[0]))
    with pytest.raises(
        RuntimeError, match="Backward pre hook returned an invalid number of grad_output, got 2"
    ):
        m(torch.ones(1, requires_grad=True)).sum().backward()
    m = Add()
    m.register_full_backward_hook(lambda *args: None)
    with pytest.raises(
        RuntimeError, match="Cannot use both regular backward hooks and full backward hooks on a"
    ):
        m.register_backward_hook(lambda *args: None)


def test_backward_hook_under_no_grad_and_odd_output():
    m = Add()
    m.register_full_backward_hook(lambda *args: 1 / 0)
    with torch.no_grad():
        assert m(torch.ones(1, requires_grad=True)).item() == 2

    class Named(nn.Module):
        def forward(self, x):
            return {"out": x}

    odd = Named()
    odd.register_full_backward_hook(lambda *args: None)
    with pytest.warns(
        UserWarning, match="module output should be a Tensor or a tuple of Tensors but received"
    ):
        odd(torch.ones(1, requires_grad=True))


def test_double_backward_through_a_hooked_module():
    m = nn.Tanh()
    m.register_full_backward_hook(lambda module, gi, go: None)
    x = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad(m(x), x, create_graph=True)
    (gg,) = torch.autograd.grad(g, x)
    t = torch.tanh(x).item()
    assert gg.item() == pytest.approx(-2 * t * (1 - t * t))


def test_older_backward_hook():
    m = Add()
    seen = []
    m.register_backward_hook(lambda module, gi, go: seen.append(go[0].item()))
    m(torch.ones(1, requires_grad=True)).sum().backward()
    assert seen == [1.0]


def test_global_backward_hooks():
    seen = []
    handles = [
        module_file.register_module_full_backward_pre_hook(lambda m, go: seen.append("before")),
        module_file.register_module_full_backward_hook(lambda m, gi, go: seen.append("after")),
    ]
    m = nn.Tanh()
    m.register_full_backward_hook(lambda m, gi, go: seen.append("own"))
    try:
        m(torch.ones(1, requires_grad=True)).sum().backward()
    finally:
        for handle in handles:
            handle.remove()
    assert seen == ["before", "after", "own"]
