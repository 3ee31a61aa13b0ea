"""The base class: groups, hooks, state dicts, copies."""

import copy
import json
import pickle
from pathlib import Path

import pytest

import chainrule
from chainrule import nn, optim
from chainrule.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
    required,
)

STORED = json.loads((Path(__file__).parents[1] / "reference" / "optim.json").read_text())


def one(value=1.0, size=2):
    return nn.Parameter(chainrule.full((size,), value))


def stepped(cls=optim.Adam, **options):
    param = one()
    optimizer = cls([param], lr=0.1, **options)
    param.grad = chainrule.ones(2)
    optimizer.step()
    return optimizer, param


@pytest.mark.parametrize("name", STORED["reprs"])
def test_repr_is_pytorchs(name):
    assert repr(getattr(optim, name)([one()])) == STORED["reprs"][name]


@pytest.mark.parametrize(
    ("params", "kind", "message"),
    [
        (lambda p: p, TypeError, "should be an iterable of Tensors or dicts, but got torch.FloatTensor"),
        (lambda p: [], ValueError, "optimizer got an empty parameter list"),
        (lambda p: [{"params": {p}}], TypeError, "the ordering of tensors in sets"),
        (lambda p: [3], TypeError, "can only optimize Tensors, but one of the params is int"),
        (lambda p: [p * 2], ValueError, "can't optimize a non-leaf Tensor"),
        (lambda p: [{"params": p}, {"params": p}], ValueError, "more than one parameter group"),
        (lambda p: [("a", p), one()], ValueError, "Some param names are missing"),
        (
            lambda p: [{"params": [("a", p)]}, {"params": [one()]}],
            ValueError,
            "without names to the optimizer",
        ),
    ],
)
def test_bad_parameters(params, kind, message):
    with pytest.raises(kind, match=message):
        optim.SGD(params(one()))


def test_a_refused_group_changes_nothing():
    optimizer = optim.SGD([one()])
    with pytest.raises(TypeError, match="param_group must be a dict"):
        optimizer.add_param_group([one()])
    bad = {"params": [one(), "no"]}
    with pytest.raises(TypeError):
        optimizer.add_param_group(bad)
    assert len(optimizer.param_groups) == 1 and list(bad) == ["params"]


def test_duplicates_warn():
    param = one()
    with pytest.warns(UserWarning, match="duplicate parameters"):
        optim.SGD([param, param])


def test_groups_have_options_of_their_own():
    a, b = one(), one()
    optimizer = optim.SGD([{"params": a}, {"params": iter([b]), "lr": 0.5}], lr=0.25)
    a.grad, b.grad = chainrule.ones(2), chainrule.ones(2)
    optimizer.step()
    assert a.tolist() == [0.75, 0.75] and b.tolist() == [0.5, 0.5]
    optimizer.add_param_group({"params": one(), "momentum": 0.9})
    assert [group["lr"] for group in optimizer.param_groups] == [0.25, 0.5, 0.25]
    assert optimizer.param_groups[2]["momentum"] == 0.9


def test_required_options():
    class Needy(Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": required})

    with pytest.raises(ValueError, match="required optimization parameter lr"):
        Needy([one()])
    assert Needy([{"params": one(), "lr": 1}]).param_groups[0]["lr"] == 1


def test_named_parameters():
    layer = nn.Linear(2, 1)
    optimizer = optim.SGD(layer.named_parameters(), lr=0.1)
    assert optimizer.param_groups[0]["param_names"] == ["weight", "bias"]
    state = optimizer.state_dict()
    assert state["param_groups"][0]["param_names"] == ["weight", "bias"]
    unnamed = optim.SGD(layer.parameters())
    unnamed.load_state_dict(state)
    assert unnamed.param_groups[0]["param_names"] == ["weight", "bias"]


def test_zero_grad():
    optimizer, param = stepped()
    held = param.grad
    optimizer.zero_grad(set_to_none=False)
    assert param.grad is held and held.tolist() == [0.0, 0.0]
    optimizer.zero_grad()
    assert param.grad is None


def test_zero_grad_detaches_a_recorded_gradient():
    param = one()
    optimizer = optim.SGD([param])
    (param**2).sum().backward(create_graph=True)
    optimizer.zero_grad(set_to_none=False)
    assert param.grad.grad_fn is None and not param.grad.requires_grad


def test_the_closure_runs_with_gradients_and_its_loss_comes_back():
    param = one()
    optimizer = optim.SGD([param], lr=0.5)

    def closure():
        optimizer.zero_grad()
        loss = (param**2).sum()
        loss.backward()
        return loss

    with chainrule.no_grad():
        assert optimizer.step(closure).item() == 2.0
    assert param.tolist() == [0.0, 0.0]
    assert optimizer.step() is None


def test_step_hooks_run_in_order_and_may_change_the_arguments():
    calls = []
    optimizer, _ = stepped()
    handles = [
        register_optimizer_step_pre_hook(lambda *a: calls.append("every pre")),
        optimizer.register_step_pre_hook(lambda o, args, kwargs: calls.append(("pre", len(args), kwargs))),
        optimizer.register_step_post_hook(lambda o, args, kwargs: calls.append("post")),
        register_optimizer_step_post_hook(lambda *a: calls.append("every post")),
    ]
    optimizer.step()
    assert calls == ["every pre", ("pre", 1, {}), "post", "every post"]
    for handle in handles:
        handle.remove()
    optimizer.step()
    assert len(calls) == 4

    with optimizer.register_step_pre_hook(lambda o, args, kwargs: ((o, lambda: 7.0), {})):
        assert optimizer.step() == 7.0
    with optimizer.register_step_pre_hook(lambda *a: 3), pytest.raises(RuntimeError, match="but got 3"):
        optimizer.step()


def test_hooks_run_once_around_an_overriding_step():
    calls = []

    class Mine(optim.SGD):
        def step(self, closure=None):
            calls.append("step")
            return super().step(closure)

    optimizer = Mine([one()])
    optimizer.register_step_pre_hook(lambda *a: calls.append("pre"))
    optimizer.step()
    assert calls == ["pre", "step"]


def test_state_dict_is_plain_data_in_pytorchs_format():
    optimizer, param = stepped()
    state = optimizer.state_dict()
    assert list(state) == ["state", "param_groups"]
    assert list(state["state"]) == [0] and list(state["state"][0]) == ["step", "exp_avg", "exp_avg_sq"]
    assert state["state"][0]["step"].dtype == chainrule.float32 and state["state"][0]["step"].dim() == 0
    assert list(state["param_groups"][0])[-1] == "params" and state["param_groups"][0]["params"] == [0]


def test_loaded_state_is_a_copy():
    first, param = stepped(optim.SGD, momentum=0.9)
    other = one()
    second = optim.SGD([other], lr=0.5, momentum=0.9)
    second.load_state_dict(first.state_dict())
    assert second.param_groups[0]["lr"] == 0.1
    other.grad = chainrule.full((2,), 100.0)
    second.step()
    assert first.state[param]["momentum_buffer"].tolist() == [1.0, 1.0]
    assert second.state[other]["momentum_buffer"].tolist() == pytest.approx([100.9, 100.9])


def test_training_goes_on_from_a_state_dict_as_if_nothing_had_happened():
    first, param = stepped()
    twin = nn.Parameter(param.detach().clone())
    second = optim.Adam([twin])
    second.load_state_dict(pickle.loads(pickle.dumps(first.state_dict())))
    for p, optimizer in ((param, first), (twin, second)):
        p.grad = chainrule.full((2,), -0.5)
        optimizer.step()
    assert twin.tolist() == param.tolist()


def test_loaded_state_takes_the_parameters_dtype_except_the_step():
    first, _ = stepped()
    wide = nn.Parameter(chainrule.ones(2, dtype=chainrule.float64))
    second = optim.Adam([wide])
    second.load_state_dict(first.state_dict())
    assert second.state[wide]["exp_avg"].dtype == chainrule.float64
    assert second.state[wide]["step"].dtype == chainrule.float32
    wide.grad = chainrule.ones_like(wide)
    second.step()


def test_state_dicts_that_do_not_fit():
    first, _ = stepped()
    with pytest.raises(ValueError, match="doesn't match the size of optimizer's group"):
        optim.Adam([one(), one()]).load_state_dict(first.state_dict())
    with pytest.raises(ValueError, match="different number of parameter groups"):
        optim.Adam([{"params": one()}, {"params": one()}]).load_state_dict(first.state_dict())


def test_old_state_dicts_have_numbers_for_steps_and_fewer_options():
    first, _ = stepped()
    state = first.state_dict()
    state["state"][0]["step"] = 4
    del state["param_groups"][0]["amsgrad"]
    param = one()
    second = optim.Adam([param])
    second.load_state_dict(state)
    assert second.state[param]["step"].item() == 4.0
    assert second.param_groups[0]["amsgrad"] is False


def test_state_dict_hooks():
    optimizer, _ = stepped()
    calls = []
    optimizer.register_state_dict_pre_hook(lambda o: calls.append("save"))
    optimizer.register_state_dict_post_hook(lambda o, state: {**state, "extra": 1})
    optimizer.register_load_state_dict_pre_hook(lambda o, state: calls.append("second"))
    optimizer.register_load_state_dict_pre_hook(lambda o, state: calls.append("first"), prepend=True)
    optimizer.register_load_state_dict_post_hook(lambda o: calls.append("loaded"))
    state = optimizer.state_dict()
    assert state["extra"] == 1
    optimizer.load_state_dict(state)
    assert calls == ["save", "first", "second", "loaded"]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))])
def test_copies_are_independent_and_work(copied):
    optimizer, param = stepped()
    twin = copied(optimizer)
    (twin_param,) = twin.param_groups[0]["params"]
    assert twin_param is not param
    twin_param.grad = chainrule.ones(2)
    twin.step()
    assert twin.state[twin_param]["step"].item() == 2.0 and optimizer.state[param]["step"].item() == 1.0
    assert repr(twin) == repr(optimizer)


def test_deepcopy_of_model_and_optimizer_together_keeps_them_together():
    layer = nn.Linear(2, 1)
    layer2, optimizer2 = copy.deepcopy((layer, optim.SGD(layer.parameters())))
    assert optimizer2.param_groups[0]["params"][0] is layer2.weight


def test_the_bare_base_class_has_no_step():
    with pytest.raises(NotImplementedError):
        Optimizer([one()], {}).step()


def test_a_users_optimizer():
    class SignDescent(Optimizer):
        def __init__(self, params, lr=0.1):
            super().__init__(params, {"lr": lr})

        @chainrule.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for param in group["params"]:
                    param.add_(param.grad.sign(), alpha=-group["lr"])

    param = one()
    param.grad = chainrule.tensor([3.0, -2.0])
    SignDescent([param], lr=0.5).step()
    assert param.tolist() == [0.5, 1.5]
