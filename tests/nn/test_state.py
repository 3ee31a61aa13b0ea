"""state_dict and load_state_dict."""

import io
import pickle
from collections import OrderedDict

import pytest

import chainrule as torch
from chainrule import nn


def make():
    return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Linear(3, 1, bias=False))


KEYS = [
    "0.weight",
    "0.bias",
    "1.weight",
    "1.bias",
    "1.running_mean",
    "1.running_var",
    "1.num_batches_tracked",
    "2.weight",
]


def test_contents():
    net = make()
    state = net.state_dict()
    assert isinstance(state, OrderedDict) and list(state) == KEYS
    assert state["0.weight"].data_ptr() == net[0].weight.data_ptr()
    assert not state["0.weight"].requires_grad
    assert net.state_dict(keep_vars=True)["0.weight"] is net[0].weight
    assert list(net.state_dict(prefix="net.")) == ["net." + key for key in KEYS]
    assert state._metadata[""] == {"version": 1} and state._metadata["1"] == {"version": 2}
    destination = OrderedDict(other=1)
    assert net.state_dict(destination=destination) is destination and len(destination) == 9


def test_round_trip():
    a, b = make(), make()
    a(torch.randn(4, 2))
    result = b.load_state_dict(pickle.loads(pickle.dumps(a.state_dict())))
    assert repr(result) == "<All keys matched successfully>"
    assert result.missing_keys == [] and result.unexpected_keys == []
    for key, value in a.state_dict().items():
        assert torch.equal(value, b.state_dict()[key])
    assert b[0].weight is not a[0].weight


def test_strict_errors():
    net = make()
    state = net.state_dict()
    del state["0.bias"]
    state["0.weights"] = torch.ones(1)
    state["7.x"] = torch.ones(1)
    state["2.weight"] = torch.ones(2, 3)
    with pytest.raises(RuntimeError) as caught:
        net.load_state_dict(state)
    assert str(caught.value) == (
        "Error(s) in loading state_dict for Sequential:\n"
        '\tMissing key(s) in state_dict: "0.bias". \n'
        '\tUnexpected key(s) in state_dict: "7.x", "0.weights". \n'
        "\tsize mismatch for 2.weight: copying a param with shape torch.Size([2, 3]) from checkpoint, "
        "the shape in current model is torch.Size([1, 3])."
    )
    with pytest.raises(RuntimeError, match="size mismatch"):
        net.load_state_dict(state, strict=False)
    del state["2.weight"]
    result = net.load_state_dict(state, strict=False)
    assert result.missing_keys == ["0.bias", "2.weight"]
    assert sorted(result.unexpected_keys) == ["0.weights", "7.x"]
    assert repr(result).startswith("_IncompatibleKeys(missing_keys=['0.bias', '2.weight'], unexpected_keys=[")


def test_wrong_kinds():
    net = nn.Linear(1, 1)
    with pytest.raises(TypeError, match="Expected state_dict to be dict-like, got <class 'list'>."):
        net.load_state_dict([])
    with pytest.raises(
        RuntimeError, match='While copying the parameter named "weight", expected torch.Tensor'
    ):
        net.load_state_dict({"weight": 3, "bias": torch.zeros(1)})


def test_loading_copies_and_ignores_gradient():
    net = nn.Linear(1, 1)
    weight = net.weight
    given = torch.full((1, 1), 4.0, dtype=torch.float64)
    net.load_state_dict({"weight": given, "bias": torch.zeros(1)})
    assert net.weight is weight and weight.item() == 4 and weight.dtype == torch.float32 and weight.is_leaf
    given.fill_(9)
    assert weight.item() == 4


def test_scalar_from_one_element():
    net = nn.Module()
    net.s = nn.Parameter(torch.tensor(1.0))
    net.load_state_dict({"s": torch.tensor([5.0])})
    assert net.s.item() == 5


def test_assign():
    net = nn.Linear(2, 1)
    net.weight.requires_grad_(False)
    given = {"weight": torch.ones(1, 2, dtype=torch.float64), "bias": nn.Parameter(torch.zeros(1))}
    net.load_state_dict(given, assign=True)
    assert net.weight.dtype == torch.float64 and not net.weight.requires_grad
    assert isinstance(net.weight, nn.Parameter) and net.bias is given["bias"]
    assert net.weight.data_ptr() == given["weight"].data_ptr()
    buffers = nn.BatchNorm1d(2)
    state = nn.BatchNorm1d(2).state_dict()
    buffers.load_state_dict(state, assign=True)
    assert buffers.running_mean is state["running_mean"]
    assert buffers.load_state_dict(buffers.state_dict(), assign=True).missing_keys == []


def test_assign_keeps_ties():
    def tied():
        net = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.Linear(2, 2), "c": nn.Linear(2, 2)})
        net["b"].weight = net["a"].weight
        return net

    source, net = tied(), tied()
    net.load_state_dict(source.state_dict(), assign=True)
    assert net["a"].weight is net["b"].weight
    assert net["c"].weight is not net["a"].weight
    assert torch.equal(net["a"].weight, source["a"].weight)
    # Entries that differ: the last one wins, as when values are copied.
    state = source.state_dict()
    state["b.weight"] = torch.full((2, 2), 7.0)
    copied = tied()
    copied.load_state_dict(state)
    net.load_state_dict(state, assign=True)
    assert net["a"].weight is net["b"].weight and torch.equal(net["a"].weight, copied["a"].weight)


def test_batchnorm_before_counting():
    state = nn.BatchNorm1d(2).state_dict()
    del state["num_batches_tracked"]
    del state._metadata
    assert nn.BatchNorm1d(2).load_state_dict(state).missing_keys == []


def test_extra_state():
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.n = 0

        def get_extra_state(self):
            return {"n": self.n}

        def set_extra_state(self, state):
            self.n = state["n"]

    a, b = nn.Sequential(Counter()), nn.Sequential(Counter())
    a[0].n = 5
    state = a.state_dict()
    assert state["0._extra_state"] == {"n": 5}
    b.load_state_dict(state)
    assert b[0].n == 5
    with pytest.raises(RuntimeError, match='Missing key.*"0._extra_state"'):
        b.load_state_dict({})
    with pytest.raises(RuntimeError, match='Unexpected key.*"0._extra_state"'):
        nn.Sequential(nn.ReLU()).load_state_dict(state)


def test_hooks_around_saving():
    net = make()
    seen = []
    handle = net[0].register_state_dict_pre_hook(lambda m, prefix, keep: seen.append((prefix, keep)))
    net[0].register_state_dict_post_hook(lambda m, state, prefix, meta: state.__delitem__(prefix + "bias"))
    assert "0.bias" not in net.state_dict() and seen == [("0.", False)]
    handle.remove()
    net.state_dict()
    assert len(seen) == 1
    old = nn.Linear(1, 1)
    old._register_state_dict_hook(lambda m, state, prefix, meta: {"all": 1})
    assert old.state_dict() == {"all": 1}
    new = nn.Linear(1, 1)
    new.register_state_dict_post_hook(lambda m, state, prefix, meta: 1)
    with pytest.raises(RuntimeError, match="state_dict post-hook must return None"):
        new.state_dict()


def test_hooks_around_loading():
    net = make()
    seen = []

    def rename(module, state, prefix, meta, strict, missing, unexpected, errors):
        seen.append(("pre", type(module).__name__, prefix))
        if prefix + "w" in state:
            state[prefix + "weight"] = state.pop(prefix + "w")

    def after(module, keys):
        seen.append(("post", type(module).__name__))
        keys.missing_keys.clear()

    net[0].register_load_state_dict_pre_hook(rename)
    net.register_load_state_dict_post_hook(after)
    state = net.state_dict()
    state["0.w"] = state.pop("0.weight")
    del state["0.bias"]
    net.load_state_dict(state)
    assert seen == [("pre", "Linear", "0."), ("post", "Sequential")]
    assert "0.w" in state
    plain = nn.Linear(1, 1)
    plain._register_load_state_dict_pre_hook(lambda state, prefix, *rest: seen.append(prefix))
    plain.load_state_dict(plain.state_dict())
    assert seen[-1] == ""
    bad = nn.Linear(1, 1)
    bad.register_load_state_dict_post_hook(lambda m, keys: 1)
    with pytest.raises(AssertionError):
        bad.load_state_dict(bad.state_dict())


def test_metadata_reaches_the_layer_and_stays_clean():
    net = make()
    state = net.state_dict()
    net.load_state_dict(state, assign=True)
    assert state._metadata["1"] == {"version": 2}


def test_saved_in_a_file():
    net = make()
    file = io.BytesIO()
    pickle.dump(net, file)
    file.seek(0)
    again = pickle.load(file)
    assert list(again.state_dict()) == KEYS


def test_prefix_removed():
    state = nn.Sequential(nn.Linear(1, 1)).state_dict()
    nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "0.")
    assert list(state) == ["weight", "bias"]
