"""Objects of the engine that nobody filled: compiled code reads fields unchecked, so none may be had from outside."""

import copy
import pickle

import pytest

import chainrule as torch


class Silent(torch.Tensor):
    def __init__(self, *values):
        pass


class Made(torch.Tensor):
    def __new__(cls, values):
        return torch.Tensor.__new__(cls)


def test_subclasses_that_fill_nothing_are_empty_tensors():
    for t in (Silent(), Made([1.0])):
        assert t.shape == (0,) and (t + 1).tolist() == [] and isinstance(t + 1, type(t))


def test_a_silent_constructor_keeps_its_arguments():
    assert Silent([1.0, 2.0]).tolist() == [1, 2] and Silent(2, 3).shape == (2, 3)


def test_nodes_are_neither_made_nor_copied():
    y = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(TypeError, match="cannot create"):
        type(y.grad_fn)()
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot pickle 'MulBackward0' object"):
            attempt(y.grad_fn)
