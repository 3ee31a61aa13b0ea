"""Embeddings: padding, norms, frequencies, bags, one-hot vectors, refusals."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.nn import functional as F


def table():
    return torch.arange(12.0).reshape(4, 3).requires_grad_()


def test_padding_gets_no_gradient_in_any_order():
    w = table()
    i = torch.tensor([0, 1, 1, 3])
    (g,) = torch.autograd.grad((F.embedding(i, w, padding_idx=1) ** 3).sum(), w, create_graph=True)
    assert g[1].tolist() == [0.0] * 3 and g[3].tolist() == [243.0, 300.0, 363.0]
    (h,) = torch.autograd.grad(g.sum(), w)
    assert h.tolist() == [[0.0, 6.0, 12.0], [0.0] * 3, [0.0] * 3, [54.0, 60.0, 66.0]]


def test_frequencies_divide():
    w = table()
    F.embedding(torch.tensor([1, 1, 2]), w, scale_grad_by_freq=True).sum().backward()
    assert w.grad.tolist() == [[0.0] * 3, [1.0] * 3, [1.0] * 3, [0.0] * 3]


def test_norms_are_cut_in_place():
    w = torch.tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]])
    out = F.embedding(torch.tensor([0, 1, 0]), w, max_norm=1.0)
    np.testing.assert_allclose(out.numpy(), [[0.6, 0.8], [0.3, 0.4], [0.6, 0.8]], rtol=1e-6)
    np.testing.assert_allclose(w.numpy(), [[0.6, 0.8], [0.3, 0.4], [6.0, 8.0]], rtol=1e-6)
    leaf = torch.ones(2, 3, requires_grad=True)
    F.embedding(torch.tensor([1]), leaf, max_norm=1.0, norm_type=1.0).sum().backward()
    np.testing.assert_allclose(leaf.detach().numpy(), [[1] * 3, [1 / 3] * 3], rtol=1e-6)
    assert leaf.grad.tolist() == [[0.0] * 3, [1.0] * 3]


def test_bags_of_nothing_and_of_padding():
    w = table()
    flat, offsets = torch.tensor([1, 2, 1]), torch.tensor([0, 0, 2])
    for mode in ("sum", "mean", "max"):
        out = F.embedding_bag(flat, w, offsets, mode=mode, padding_idx=1)
        assert out[0].tolist() == [0.0] * 3 and out[1].tolist() == [6.0, 7.0, 8.0] and out[2].tolist() == [0.0] * 3
        (g,) = torch.autograd.grad(out.sum(), w)
        assert g.tolist() == [[0.0] * 3, [0.0] * 3, [1.0] * 3, [0.0] * 3]


def test_bags_accept_their_older_argument_order():
    w, i = torch.ones(3, 2), torch.tensor([[0, 1]])
    assert F.embedding_bag(w, i, mode="sum").tolist() == [[2.0, 2.0]]


def test_one_hot():
    assert F.one_hot(torch.tensor([2, 0])).tolist() == [[0, 0, 1], [1, 0, 0]]
    assert F.one_hot(torch.tensor(1), 2).tolist() == [0, 1]
    assert F.one_hot(torch.zeros(0, dtype=torch.int64), 3).shape == (0, 3)


W = torch.ones(3, 2)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: F.embedding(torch.tensor([1.0]), W), RuntimeError, "Long, Int; but got torch.FloatTensor"),
        (lambda: F.embedding(torch.tensor([3]), W), IndexError, "index out of range in self"),
        (lambda: F.embedding(torch.tensor([-1]), W), IndexError, "index out of range in self"),
        (lambda: F.embedding(torch.tensor([1]), W, padding_idx=3), AssertionError, "must be within num_embeddings"),
        (lambda: F.embedding(torch.tensor([1]), torch.ones(3)), RuntimeError, "'weight' must be 2-D"),
        (lambda: F.embedding_bag(torch.tensor([1]), W), ValueError, "offsets has to be a 1D Tensor but got None"),
        (lambda: F.embedding_bag(torch.tensor([[1]]), W, mode="x"), ValueError, "mode has to be one of"),
        (lambda: F.embedding_bag(torch.tensor([[1]]), W, per_sample_weights=torch.ones(1, 1)), NotImplementedError,
         "only supported for mode='sum'"),
        (lambda: F.embedding_bag(torch.tensor([[1]]), W, torch.tensor([0])), ValueError, "offsets has to be None"),
        (lambda: F.embedding_bag(torch.tensor([[1]]), W, mode="max", scale_grad_by_freq=True), ValueError,
         "max mode does not support"),
        (lambda: F.one_hot(torch.tensor([1.0])), RuntimeError, "only applicable to index tensor of type LongTensor"),
        (lambda: F.one_hot(torch.tensor([-1])), RuntimeError, "Class values must be non-negative"),
        (lambda: F.one_hot(torch.tensor([5]), 3), RuntimeError, "Class values must be smaller than num_classes"),
        (lambda: F.one_hot(torch.zeros(0, dtype=torch.int64)), RuntimeError, "Can not infer total number of classes"),
    ],
)  # fmt: skip
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()
