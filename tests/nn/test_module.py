"""Module: the attribute protocol, walking, modes, conversion, copies."""

import copy
import pickle

import pytest

import chainrule as torch
from chainrule import nn
from chainrule.nn.modules import module as module_file


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 3)
        self.b = nn.Sequential(nn.ReLU(), nn.Linear(3, 1))
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("count", torch.zeros(1))
        self.register_buffer("scratch", torch.zeros(1), persistent=False)
        self.note = "plain"

    def forward(self, x):
        return self.b(self.a(x)) * self.scale


def raises(kind, text, act):
    with pytest.raises(kind) as caught:
        act()
    assert text in caught.value.args[0]


def test_assignment_registers():
    net = Net()
    assert [name for name, _ in net.named_parameters()] == [
        "scale",
        "a.weight",
        "a.bias",
        "b.1.weight",
        "b.1.bias",
    ]
    assert [name for name, _ in net.named_buffers()] == ["count", "scratch"]
    assert [name for name, _ in net.named_modules()] == ["", "a", "b", "b.0", "b.1"]
    assert [name for name, _ in net.named_children()] == ["a", "b"]
    assert net._parameters == {"scale": net.scale}
    assert list(net._buffers) == ["count", "scratch"]
    assert set(net._modules.values()) == {net.a, net.b}
    assert net.note == "plain" and "note" not in net._member_roles


def test_assignment_changes_roles():
    net = nn.Module()
    net.x = 3
    net.x = nn.Parameter(torch.ones(1))
    assert list(net._parameters) == ["x"]
    raises(
        TypeError,
        "as parameter 'x' (torch.nn.Parameter or None expected)",
        lambda: setattr(net, "x", nn.Linear(1, 1)),
    )
    net.register_buffer("y", torch.ones(1))
    net.y = nn.Linear(1, 1)
    assert not net._buffers and list(net._modules) == ["y"]
    net.y = nn.Parameter(torch.ones(1))
    assert not net._modules and list(net._parameters) == ["x", "y"]
    del net.x, net.y
    net.x = nn.Linear(1, 1)
    net.x = None
    assert net.x is None and dict(net._modules) == {"x": None}
    del net.x
    assert not hasattr(net, "x") and not net._modules
    net.x = nn.Buffer(torch.ones(1), persistent=False)
    assert list(net._buffers) == ["x"] and not net.state_dict()
    net.x = torch.zeros(2)
    assert net._buffers["x"].shape == (2,)
    with pytest.raises(AttributeError):
        del net.missing


def test_assignment_errors():
    net = Net()
    raises(
        TypeError,
        "cannot assign 'torch.FloatTensor' as parameter 'scale' (torch.nn.Parameter or None expected)",
        lambda: setattr(net, "scale", torch.ones(1)),
    )
    raises(
        TypeError,
        "cannot assign 'int' as child module 'a' (torch.nn.Module or None expected)",
        lambda: setattr(net, "a", 3),
    )
    raises(
        TypeError,
        "cannot assign 'str' as buffer 'count' (torch.nn.Buffer, torch.Tensor or None expected)",
        lambda: setattr(net, "count", "x"),
    )
    raises(AttributeError, "'Net' object has no attribute 'missing'", lambda: net.missing)


def test_assignment_before_init():
    class Early(nn.Module):
        def __init__(self, value):
            self.x = value

    raises(
        AttributeError,
        "cannot assign parameters before Module.__init__() call",
        lambda: Early(nn.Parameter(torch.ones(1))),
    )
    raises(AttributeError, "cannot assign module before Module.__init__() call", lambda: Early(nn.ReLU()))
    assert Early(3).x == 3


def test_register_errors():
    net = Net()
    leaf = nn.Parameter(torch.ones(1))
    raises(TypeError, "parameter name should be a string. Got int", lambda: net.register_parameter(3, leaf))
    raises(KeyError, 'parameter name can\'t contain "."', lambda: net.register_parameter("a.b", leaf))
    raises(KeyError, 'parameter name can\'t be empty string ""', lambda: net.register_parameter("", leaf))
    raises(KeyError, "attribute 'note' already exists", lambda: net.register_parameter("note", leaf))
    raises(
        TypeError,
        "cannot assign 'torch.FloatTensor' object to parameter 'p' (torch.nn.Parameter or None required)",
        lambda: net.register_parameter("p", torch.ones(1)),
    )
    raises(
        KeyError, "attribute 'forward' already exists", lambda: net.register_buffer("forward", torch.ones(1))
    )
    raises(
        TypeError,
        "cannot assign 'list' object to buffer 'q' (torch Tensor or None required)",
        lambda: net.register_buffer("q", [1]),
    )
    raises(TypeError, "int is not a Module subclass", lambda: net.add_module("m", 3))
    raises(TypeError, "module name should be a string. Got int", lambda: net.add_module(3, nn.ReLU()))
    raises(KeyError, "attribute 'scale' already exists", lambda: net.add_module("scale", nn.ReLU()))
    raises(KeyError, 'module name can\'t contain ".", got: a.b', lambda: net.add_module("a.b", nn.ReLU()))
    raises(KeyError, 'module name can\'t be empty string ""', lambda: net.add_module("", nn.ReLU()))
    assert list(net._parameters) == ["scale"]


def test_non_leaf_parameter():
    p = nn.Parameter(torch.ones(1)).detach().requires_grad_() * 2
    p._is_param = True
    raises(
        ValueError,
        "Cannot assign non-leaf Tensor to parameter 'w'",
        lambda: nn.Module().register_parameter("w", p),
    )


def test_init_takes_no_arguments():
    raises(TypeError, "__init__() got an unexpected keyword argument 'x'", lambda: nn.Module(x=1))
    raises(TypeError, "__init__() takes 1 positional argument but 3 were given", lambda: nn.Module(1, 2))

    class Other:
        def __init__(self, x):
            self.x = x

    class Both(nn.Module, Other):
        call_super_init = True

    assert Both(x=4).x == 4


def test_views_of_members():
    net = Net()
    net._parameters["extra"] = nn.Parameter(torch.zeros(2))
    assert net.extra is net._parameters["extra"] and len(list(net.parameters())) == 6
    assert net._parameters.pop("extra").shape == (2,)
    assert not hasattr(net, "extra")
    with pytest.raises(KeyError):
        net._parameters["a"]
    assert "a" in net._modules and "a" not in net._parameters
    assert isinstance(net._modules.copy(), dict)
    copied = copy.deepcopy(net._parameters)
    assert isinstance(copied, dict) and copied["scale"] is not net.scale
    # The way in which functional clones are made.
    clone = Net.__new__(Net)
    clone.__dict__ = net.__dict__.copy()
    clone._parameters = clone._parameters.copy()
    clone._parameters["scale"] = nn.Parameter(torch.full((1,), 3.0))
    assert net.scale.item() == 1 and clone.scale.item() == 3 and clone.a is net.a


def test_wrapper_that_falls_back():
    class Wrapper(nn.Module):
        def __init__(self, module):
            super().__init__()
            self.module = module

        def __getattr__(self, name):
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(self.module, name)

    wrapped = Wrapper(nn.Linear(2, 3))
    assert wrapped.in_features == 2
    with pytest.raises(AttributeError):
        _ = wrapped.nothing


def test_get_and_set_by_path():
    net = Net()
    assert net.get_submodule("") is net and net.get_submodule("b.1") is net.b[1]
    assert net.get_parameter("b.1.bias") is net.b[1].bias
    assert net.get_buffer("count") is net.count
    raises(AttributeError, "Net has no attribute `c`", lambda: net.get_submodule("c"))
    raises(AttributeError, "`weight` is not an nn.Module", lambda: net.get_submodule("a.weight"))
    raises(AttributeError, "Linear has no attribute `w`", lambda: net.get_parameter("a.w"))
    raises(AttributeError, "`in_features` is not an nn.Parameter", lambda: net.get_parameter("a.in_features"))
    raises(AttributeError, "`weight` is not a buffer", lambda: net.get_buffer("a.weight"))
    net.set_submodule("b.1", nn.Tanh())
    assert isinstance(net.b[1], nn.Tanh)
    raises(AttributeError, "Net has no attribute `z`", lambda: net.set_submodule("z", nn.Tanh(), strict=True))
    raises(
        ValueError,
        "Cannot set the submodule without a target name!",
        lambda: net.set_submodule("", nn.Tanh()),
    )


def test_shared_members_appear_once():
    layer = nn.Linear(2, 2)
    net = nn.Sequential(layer, nn.ReLU(), layer)
    assert [name for name, _ in net.named_modules()] == ["", "0", "1"]
    assert [name for name, _ in net.named_modules(remove_duplicate=False)] == ["", "0", "1", "2"]
    assert [name for name, _ in net.named_parameters()] == ["0.weight", "0.bias"]
    assert [name for name, _ in net.named_parameters(prefix="net", remove_duplicate=False)] == [
        "net.0.weight",
        "net.0.bias",
        "net.2.weight",
        "net.2.bias",
    ]
    assert len(list(net.children())) == 2
    assert list(net.named_parameters(recurse=False)) == []


def test_apply_order_and_modes():
    net = Net()
    seen = []
    assert net.apply(lambda m: seen.append(type(m).__name__)) is net
    assert seen == ["Linear", "ReLU", "Linear", "Sequential", "Net"]
    assert net.eval() is net and not any(m.training for m in net.modules())
    net.b.train()
    assert net.b[1].training and not net.a.training
    raises(ValueError, "training mode is expected to be boolean", lambda: net.train(1))
    net.requires_grad_(False)
    assert not any(p.requires_grad for p in net.parameters())


def test_train_of_a_child_may_be_overridden():
    class Frozen(nn.BatchNorm1d):
        def train(self, mode=True):
            return super().train(False)

    net = nn.Sequential(Frozen(2), nn.ReLU()).train()
    assert net.training and net[1].training and not net[0].training


def test_zero_grad():
    layer = nn.Linear(2, 1)
    layer(torch.ones(1, 2)).sum().backward()
    kept = layer.weight.grad
    layer.zero_grad(set_to_none=False)
    assert layer.weight.grad is kept and kept.abs().sum().item() == 0
    layer.zero_grad()
    assert layer.weight.grad is None and layer.bias.grad is None


def test_conversion_keeps_the_objects():
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    weight = net[0].weight
    net(torch.ones(3, 2)).sum().backward()
    assert net.double() is net
    assert net[0].weight is weight and weight.dtype == torch.float64
    assert weight.grad.dtype == torch.float64
    assert net[1].running_mean.dtype == torch.float64
    assert net[1].num_batches_tracked.dtype == torch.int64
    assert net.to(torch.float32)[0].weight.dtype == torch.float32
    assert net.to(torch.ones(1, dtype=torch.float64))[0].weight.dtype == torch.float64
    assert net.to("cpu", torch.float32)[0].weight.dtype == torch.float32
    assert net.to(device="cpu", dtype=torch.float64)[0].weight.dtype == torch.float64
    assert net.half()[0].weight.dtype == torch.float16
    assert net.bfloat16()[0].weight.dtype == torch.bfloat16
    assert net.float()[0].weight.is_leaf and net[0].weight.requires_grad
    assert net.cpu() is net
    raises(
        TypeError,
        "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch.int64",
        lambda: net.to(torch.int64),
    )
    with pytest.raises(TypeError):
        net.to(nothing=1)


def test_meta_and_back():
    layer = nn.Linear(2, 3, device="meta")
    assert layer.weight.is_meta
    layer.to_empty(device="cpu")
    assert not layer.weight.is_meta and isinstance(layer.weight, nn.Parameter) and layer.weight.requires_grad
    assert nn.utils.skip_init(nn.Linear, 2, 3).bias.shape == (3,)


def test_forward_is_required():
    raises(
        NotImplementedError,
        'Module [Module] is missing the required "forward" function',
        lambda: nn.Module()(1),
    )


def test_deepcopy_and_pickle():
    net = Net()
    net.a.weight.tag = "kept"
    net(torch.ones(1, 2)).sum().backward()
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert list(other.state_dict()) == list(net.state_dict())
        assert other.a.weight is not net.a.weight
        assert torch.equal(other.a.weight, net.a.weight) and isinstance(other.a.weight, nn.Parameter)
        assert other._non_persistent_buffers_set == {"scratch"}
        other.a.weight.data.zero_()
        assert net.a.weight.abs().sum().item() > 0
    assert net.a.bias.grad is not None and copy.deepcopy(net).a.bias.grad is None
    assert pickle.loads(pickle.dumps(net)).a.weight.tag == "kept"
    tied = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])
    tied[1].weight = tied[0].weight
    copied = copy.deepcopy(tied)
    assert copied[0].weight is copied[1].weight


def test_shallow_copy():
    net = Net()
    other = copy.copy(net)
    assert other.a is net.a and other.scale is net.scale
    other.extra = nn.Parameter(torch.ones(1))
    del other.a
    assert "extra" not in dict(net.named_parameters()) and "a.weight" in dict(net.named_parameters())
    assert [name for name, _ in other.named_children()] == ["b"]


def test_state_of_pytorchs_own_pickles():
    layer = nn.Linear.__new__(nn.Linear)
    weight = nn.Parameter(torch.ones(1, 1))
    layer.__setstate__(
        {
            "training": True,
            "_parameters": {"weight": weight, "bias": None},
            "_buffers": {},
            "_modules": {},
            "in_features": 1,
            "out_features": 1,
        }
    )
    assert layer.weight is weight and layer.bias is None
    assert layer(torch.ones(1, 1)).item() == 1


def test_dir_hides_numbers():
    names = dir(nn.Sequential(nn.ReLU()))
    assert "0" not in names and "append" in names and "training" in names


def test_registration_hooks():
    seen = []
    handles = [
        module_file.register_module_parameter_registration_hook(lambda m, name, p: seen.append(name)),
        module_file.register_module_buffer_registration_hook(lambda m, name, b: seen.append(name)),
        module_file.register_module_module_registration_hook(lambda m, name, c: nn.Tanh()),
    ]
    try:
        net = nn.Module()
        net.p = nn.Parameter(torch.ones(1))
        net.register_buffer("b", None)
        net.c = nn.ReLU()
    finally:
        for handle in handles:
            handle.remove()
    assert seen == ["p", "b"] and isinstance(net.c, nn.Tanh)
    assert isinstance(nn.Sequential(nn.ReLU())[0], nn.ReLU)


def test_extra_repr_of_several_lines():
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.ReLU()

        def extra_repr(self):
            return "one\ntwo"

    assert repr(Layer()) == "Layer(\n  one\n  two\n  (inner): ReLU()\n)"


def test_a_deep_chain_of_modules_is_walked():
    net = nn.Module()
    top = net
    for _ in range(5000):
        net.inner = nn.Module()
        net = net.inner
    assert sum(1 for _ in top.modules()) == 5001
