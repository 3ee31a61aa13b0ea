"""Subclasses of Tensor and `__torch_function__`."""

import pytest

import chainrule as T
from chainrule import overrides


class Named(T.Tensor):
    def __new__(cls, data, name=None):
        self = super().__new__(cls, data)
        self.name_ = name
        return self

    def __init__(self, data, name=None):
        pass


class Logged(T.Tensor):
    calls = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.calls.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


def test_results_take_the_subclass():
    n = Named([1.0, 2.0], name="n")
    assert n.name_ == "n" and type(n + 1) is Named and type(1 + n) is Named and type(n.detach()) is Named
    assert (n + 1).tolist() == [2, 3] and type(n.sum()) is Named
    assert type(n.tolist()) is list and isinstance(n, T.Tensor)


def test_the_class_is_asked_and_the_graph_goes_on():
    x = T.ones(2, requires_grad=True)
    y = x.as_subclass(Logged)
    Logged.calls.clear()
    z = (y * 3).sum()
    z.backward()
    assert type(z) is Logged and x.grad.tolist() == [3, 3] and Logged.calls[0] == "mul"


def test_no_override_within_the_block():
    y = T.ones(2).as_subclass(Logged)
    Logged.calls.clear()
    with T._C.DisableTorchFunctionSubclass():
        z = y + 1
    assert Logged.calls == [] and type(z) is T.Tensor


def test_parameters_are_plain():
    p = T.nn.Parameter(T.ones(2))
    assert type(p * 2) is T.Tensor and type(p.data) is T.Tensor and type(p.detach()) is T.Tensor
    assert not overrides.has_torch_function((p,))


def test_a_result_of_two_unrelated_subclasses_is_refused():
    with pytest.raises(TypeError, match="Multiple dispatch failed|no implementation found"):
        Named([1.0]) + T.ones(1).as_subclass(Logged)


def test_make_subclass_shares_memory_and_asks_for_a_class():
    t = T.ones(2)
    s = T.Tensor._make_subclass(Named, t, True)
    s.data[0] = 4
    assert type(s) is Named and s.requires_grad and s.is_leaf and t.tolist() == [4, 1]
    with pytest.raises(TypeError, match="subclass of Tensor"):
        T.Tensor._make_subclass(int, t)
    with pytest.raises(RuntimeError, match="can require gradients"):
        T.Tensor._make_subclass(Named, T.ones(1, dtype=T.int64), True)


def test_overrides_module():
    class Like:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return "answered"

    assert overrides.is_tensor_like(Like()) and not overrides.is_tensor_like(3)
    assert overrides.handle_torch_function(T.add, (Like(),), Like(), 1) == "answered"
    assert overrides.resolve_name(T.Tensor.add_) == "torch.Tensor.add_"

    @overrides.wrap_torch_function(lambda a: (a,))
    def mine(a):
        return "plain"

    assert mine(3) == "plain" and mine(Like()) == "answered"


def test_isinstance_of_legacy_types_goes_by_dtype():
    assert isinstance(T.ones(1), T.FloatTensor) and not isinstance(T.ones(1), T.LongTensor)
    assert isinstance(T.ones(1), T.autograd.Variable)
