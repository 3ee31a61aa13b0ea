"""Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict."""

import copy
from collections import OrderedDict

import pytest

import chainrule as torch
from chainrule import nn


def kinds(modules):
    return [type(m).__name__ for m in modules]


def test_sequential_indexing():
    net = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid())
    assert len(net) == 3 and type(net[1]) is nn.Tanh and type(net[-1]) is nn.Sigmoid
    assert type(net[:2]) is nn.Sequential and net[:2][0] is net[0] and list(net[1:]._modules) == ["1", "2"]
    net[1] = nn.Softplus()
    assert kinds(net) == ["ReLU", "Softplus", "Sigmoid"]
    del net[0]
    assert kinds(net) == ["Softplus", "Sigmoid"] and list(net._modules) == ["0", "1"]
    del net[:]
    assert len(net) == 0
    with pytest.raises(IndexError, match="index 5 is out of range"):
        net[5]


def test_sequential_by_name():
    net = nn.Sequential(OrderedDict([("a", nn.ReLU()), ("b", nn.Linear(1, 1))]))
    assert type(net.b) is nn.Linear and net[0] is net.a
    assert list(net.state_dict()) == ["b.weight", "b.bias"]
    assert list(net[:1]._modules) == ["a"]


def test_sequential_growing():
    net = nn.Sequential(nn.ReLU())
    assert net.append(nn.Tanh()) is net
    net.extend([nn.Sigmoid()]).insert(1, nn.Softplus())
    assert kinds(net) == ["ReLU", "Softplus", "Tanh", "Sigmoid"]
    assert type(net.pop(0)) is nn.ReLU and len(net) == 3
    both = net + nn.Sequential(nn.ReLU())
    assert len(both) == 4 and len(net) == 3
    net += nn.Sequential(nn.ReLU())
    assert len(net) == 4
    assert len(net * 2) == 8 and len(3 * net) == 12
    net *= 2
    assert len(net) == 8
    with pytest.raises(ValueError):
        net + [nn.ReLU()]
    with pytest.raises(ValueError):
        net * 0
    with pytest.raises(TypeError):
        net * 1.5
    with pytest.raises(TypeError):
        nn.Sequential(3)


def test_sequential_runs_in_order():
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
    x = torch.ones(1, 2)
    assert torch.equal(net(x), net[2](net[1](net[0](x))))
    net.note = nn.Buffer(torch.ones(1))
    assert torch.equal(net(x), net[2](net[1](net[0](x))))


def test_module_list():
    layers = nn.ModuleList([nn.ReLU()])
    layers.append(nn.Tanh()).extend([nn.Sigmoid()])
    layers.insert(0, nn.Softplus())
    assert kinds(layers) == ["Softplus", "ReLU", "Tanh", "Sigmoid"]
    assert kinds(layers[1:3]) == ["ReLU", "Tanh"] and type(layers[1:3]) is nn.ModuleList
    assert kinds(layers[::-1]) == ["Sigmoid", "Tanh", "ReLU", "Softplus"]
    layers[-1] = nn.Mish()
    assert type(layers[3]) is nn.Mish
    del layers[1:3]
    assert kinds(layers) == ["Softplus", "Mish"] and list(layers._modules) == ["0", "1"]
    assert type(layers.pop(-1)) is nn.Mish
    layers += [nn.ReLU()]
    assert kinds(layers + [nn.Tanh()]) == ["Softplus", "ReLU", "Tanh"] and len(layers) == 2
    with pytest.raises(TypeError, match="ModuleList.extend should be called with an iterable, but got int"):
        layers.extend(3)
    with pytest.raises(IndexError):
        layers[9]
    with pytest.raises(NotImplementedError):
        layers(torch.ones(1))


def test_module_dict():
    d = nn.ModuleDict({"b": nn.ReLU(), "a": nn.Linear(1, 1)})
    assert list(d) == ["b", "a"] and len(d) == 2 and "a" in d and "z" not in d
    assert list(d.keys()) == ["b", "a"] and kinds(d.values()) == ["ReLU", "Linear"]
    d["c"] = nn.Tanh()
    d.update([["d", nn.Mish()]])
    d.update(nn.ModuleDict({"e": nn.ReLU()}))
    assert list(dict(d.items())) == ["b", "a", "c", "d", "e"]
    assert type(d.pop("c")) is nn.Tanh
    del d["d"]
    assert list(d.state_dict()) == ["a.weight", "a.bias"]
    with pytest.raises(KeyError):
        d["gone"]
    with pytest.raises(TypeError):
        d.update(3)
    with pytest.raises(ValueError, match="has length 3; 2 is required"):
        d.update([("a", nn.ReLU(), 1)])
    with pytest.raises(KeyError, match="attribute 'keys' already exists"):
        d["keys"] = nn.ReLU()
    d.clear()
    assert len(d) == 0


def test_parameter_list():
    p = nn.ParameterList([torch.zeros(2), nn.Parameter(torch.ones(1))])
    p.append(torch.ones(3)).extend([torch.ones(4)])
    assert [len(v) for v in p] == [2, 1, 3, 4] and all(isinstance(v, nn.Parameter) for v in p)
    assert [name for name, _ in p.named_parameters()] == ["0", "1", "2", "3"]
    p[-1] = torch.ones(7)
    assert len(p[3]) == 7 and isinstance(p[3], nn.Parameter)
    assert type(p[:2]) is nn.ParameterList and p[:2][0] is p[0]
    p += [torch.ones(5)]
    assert len(p) == 5 and len(copy.deepcopy(p)) == 5
    with pytest.raises(TypeError):
        p.extend(torch.ones(2))
    with pytest.raises(IndexError):
        p[5]
    with pytest.raises(RuntimeError, match="ParameterList should not be called."):
        p()


def test_parameter_dict():
    assert list(nn.ParameterDict({"b": torch.zeros(2), "a": torch.ones(1)})) == ["a", "b"]
    p = nn.ParameterDict([("b", torch.zeros(2)), ("a", torch.ones(1))])
    p["c"] = torch.ones(3)
    assert list(p) == ["b", "a", "c"] and [name for name, _ in p.named_parameters()] == ["b", "a", "c"]
    assert isinstance(p["c"], nn.Parameter) and len(p.pop("b")) == 2 and len(p) == 2
    assert p.get("b") is None and p.setdefault("z", torch.ones(1)) is p["z"]
    assert p.popitem()[0] == "z"
    other = p | nn.ParameterDict({"d": torch.ones(1)})
    assert list(other) == ["a", "c", "d"] and list(p) == ["a", "c"]
    p |= {"e": torch.ones(1)}
    assert list(reversed(p)) == ["e", "c", "a"]
    assert list(p.copy()) == ["a", "c", "e"] and p.copy()["a"] is p["a"]
    assert list(dict(p.items())) == list(p.keys()) and len(list(p.values())) == 3
    assert list(copy.deepcopy(p)) == ["a", "c", "e"]
    with pytest.raises(TypeError):
        p[3] = torch.ones(1)
    with pytest.raises(AttributeError, match="'ParameterDict' object has no attribute 'zz'"):
        p["zz"]
    p.clear()
    assert len(p) == 0 and list(p.parameters()) == []
