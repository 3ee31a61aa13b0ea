"""What is no tensor, array or node where compiled code, which reads fields unchecked, expects one."""

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


@pytest.mark.parametrize("loss", [torch.nn.functional.huber_loss, torch.nn.functional.smooth_l1_loss])
def test_scalars_that_numpy_made_are_arrays_again(loss):
    x, y = torch.tensor(1.5, requires_grad=True), torch.tensor(1.0, requires_grad=True)
    loss(x, y).backward()
    assert (x.grad + 1).item() == 1.5 and (y.grad + 1).item() == 0.5


def test_a_method_of_nothing_is_a_type_error():
    with pytest.raises(TypeError, match="conj"):
        torch.Tensor.conj(None)
