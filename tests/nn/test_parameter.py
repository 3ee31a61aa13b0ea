"""Parameter and Buffer."""

import copy
import pickle

import pytest

import chainrule as torch
from chainrule import nn


def test_shares_memory_and_is_a_leaf():
    data = torch.ones(2)
    p = nn.Parameter(data)
    data[0] = 5
    assert p[0].item() == 5 and p.is_leaf and p.requires_grad
    x = torch.ones(2, requires_grad=True) * 2
    assert nn.Parameter(x).grad_fn is None
    assert not nn.Parameter(data, requires_grad=False).requires_grad
    assert nn.Parameter().shape == (0,)
    assert isinstance(p, torch.Tensor) and isinstance(p, nn.Parameter)
    assert not isinstance(data, nn.Parameter)


def test_results_are_plain_tensors():
    p = nn.Parameter(torch.ones(2))
    for result in (p * 2, p + p, p[0], p.detach(), p.data, p.view(2, 1), -p):
        assert type(result) is torch.Tensor


def test_rejects_what_is_no_tensor():
    with pytest.raises(TypeError):
        nn.Parameter([1.0])
    with pytest.raises(RuntimeError):
        nn.Parameter(torch.ones(2, dtype=torch.int64))


def test_copy_and_pickle():
    p = nn.Parameter(torch.tensor([1.0, 2.0]), requires_grad=False)
    p.tag = 3
    for q in (copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        assert type(q) is nn.Parameter and not q.requires_grad and q.tolist() == [1.0, 2.0]
    assert pickle.loads(pickle.dumps(p)).tag == 3
    pair = copy.deepcopy([p, p])
    assert pair[0] is pair[1]


def test_buffer():
    data = torch.ones(2)
    b = nn.Buffer(data, persistent=False)
    assert isinstance(b, nn.Buffer) and not isinstance(data, nn.Buffer) and not b.persistent
    data[0] = 3
    assert b[0].item() == 3
