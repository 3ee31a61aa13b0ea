"""Losses: the older reduction arguments, warnings, ignored targets, extremes, refusals."""

import math
import warnings

import numpy as np
import pytest

import chainrule as torch
from chainrule.nn import functional as F

INF = float("inf")
X, Y = torch.tensor([[1.0, 2.0], [3.0, 5.0]]), torch.tensor([[0.0, 2.0], [1.0, 1.0]])


@pytest.mark.parametrize("options, name", [((True, None), "mean"), ((False, None), "sum"), ((None, False), "none"),
                                           ((False, True), "sum"), ((None, True), "mean")])  # fmt: skip
def test_older_reduction_arguments(options, name):
    with pytest.warns(UserWarning, match=f"please use reduction='{name}' instead"):
        old = F.mse_loss(X, Y, *options)
    assert old.tolist() == F.mse_loss(X, Y, reduction=name).tolist()
    with pytest.warns(UserWarning, match=f"please use reduction='{name}' instead"):
        F.cross_entropy(X, torch.tensor([0, 1]), size_average=options[0], reduce=options[1])


@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"])
def test_broadcasting_warns(name):
    with pytest.warns(UserWarning, match=r"Using a target size \(torch.Size\(\[2\]\)\) that is different"):
        out = getattr(F, name)(X, torch.ones(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert out.item() == getattr(F, name)(X, torch.ones(2, 2)).item()


def test_mean_of_kl_div_warns():
    with pytest.warns(UserWarning, match="'batchmean' divides"):
        F.kl_div(X.log_softmax(1), Y, reduction="mean")


@pytest.mark.parametrize(
    "name",
    ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div", "soft_margin_loss", "poisson_nll_loss",
     "hinge_embedding_loss", "binary_cross_entropy_with_logits"],
)  # fmt: skip
def test_unknown_reductions(name):
    with pytest.raises(ValueError, match="x is not a valid value for reduction"):
        getattr(F, name)(X, Y, reduction="x")


@pytest.mark.parametrize("name", ["cross_entropy", "nll_loss"])
def test_unknown_reductions_of_classes(name):
    with pytest.raises(ValueError, match="z is not a valid value for reduction"):
        getattr(F, name)(X, torch.tensor([0, 1]), reduction="z")


def test_means_of_nothing():
    empty = torch.zeros(0, 3, requires_grad=True)
    assert math.isnan(F.mse_loss(empty, torch.zeros(0, 3)).item())
    assert F.mse_loss(empty, torch.zeros(0, 3), reduction="sum").item() == 0.0
    x = torch.ones(2, 3, requires_grad=True)
    none = torch.tensor([-100, -100])
    loss = F.cross_entropy(x, none)
    loss.backward()
    assert math.isnan(loss.item()) and x.grad.tolist() == [[0.0] * 3] * 2
    (g,) = torch.autograd.grad(F.nll_loss(x, none, reduction="sum"), x, create_graph=True)
    assert g.tolist() == [[0.0] * 3] * 2


def test_any_ignore_index():
    x = torch.zeros(3, 3, dtype=torch.float64)
    out = F.cross_entropy(x, torch.tensor([0, 255, 1]), ignore_index=255, reduction="none")
    np.testing.assert_allclose(out.numpy(), [math.log(3), 0, math.log(3)])
    assert F.cross_entropy(x, torch.tensor([0, 1, 2], dtype=torch.uint8)).item() == pytest.approx(math.log(3))


def test_cross_entropy_is_log_softmax_and_nll():
    x = torch.tensor([[800.0, 0.0, -800.0], [1.0, 2.0, 3.0]], dtype=torch.float64, requires_grad=True)
    t = torch.tensor([2, 0])
    loss, parts = F.cross_entropy(x, t), F.nll_loss(F.log_softmax(x, 1), t)
    assert loss.item() == pytest.approx(parts.item(), rel=1e-14)
    (g,), (h,) = torch.autograd.grad(loss, x), torch.autograd.grad(parts, x)
    np.testing.assert_allclose(g.numpy(), h.numpy(), atol=1e-15)
    assert loss.grad_fn.name() == "NllLossBackward0"


def test_certain_probabilities():
    p = torch.tensor([0.0, 1.0, 0.0, 1.0], requires_grad=True)
    out = F.binary_cross_entropy(p, torch.tensor([0.0, 1.0, 1.0, 0.0]), reduction="none")
    assert out.tolist() == [0.0, 0.0, 100.0, 100.0]
    out.sum().backward()
    assert np.isfinite(p.grad.numpy()).all()


def test_logits_far_out():
    x = torch.tensor([-1000.0, 1000.0, -1000.0, 1000.0], requires_grad=True)
    out = F.binary_cross_entropy_with_logits(x, torch.tensor([0.0, 1.0, 1.0, 0.0]), reduction="none")
    assert out.tolist() == [0.0, 0.0, 1000.0, 1000.0]
    out.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, -1.0, 1.0]


def test_huber_weights_do_not_enter_the_divisor():
    w = torch.full((2, 2), 3.0)
    assert F.huber_loss(X, Y, weight=w).item() == pytest.approx(3 * F.huber_loss(X, Y).item())
    assert F.mse_loss(X, Y, weight=w).item() == pytest.approx(F.mse_loss(X, Y).item())
    with pytest.raises(ValueError, match="Weights and input must have the same size"):
        F.l1_loss(X, Y, weight=torch.ones(2))


def test_multilabel_lists_end_at_the_first_minus_one():
    x = torch.tensor([[0.1, 0.2, 0.4, 0.8]])
    out = F.multilabel_margin_loss(x, torch.tensor([[3, 0, -1, 1]]))
    assert out.item() == pytest.approx(0.85)


def test_alignments_that_do_not_exist():
    x = torch.zeros(2, 1, 3, requires_grad=True)
    args = (torch.tensor([[1, 1, 2]]), (2,), (3,))
    assert F.ctc_loss(x.log_softmax(2), *args).item() == INF
    zero = F.ctc_loss(x.log_softmax(2), *args, zero_infinity=True)
    zero.backward()
    assert zero.item() == 0.0 and x.grad.tolist() == np.zeros((2, 1, 3)).tolist()


CLASSES = torch.tensor([0, 1])
SCORES = torch.ones(2, 3)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: F.cross_entropy(SCORES, torch.tensor([0, 3])), IndexError, "Target 3 is out of bounds"),
        (lambda: F.nll_loss(SCORES, torch.tensor([0, -4])), IndexError, "Target -4 is out of bounds"),
        (lambda: F.cross_entropy(SCORES, torch.tensor([0])), ValueError, r"\(2\) to match target batch_size \(1\)"),
        (lambda: F.cross_entropy(SCORES, torch.tensor([0.0, 1.0])), RuntimeError, "Long or Byte, but got Float"),
        (lambda: F.cross_entropy(SCORES, SCORES.long()), RuntimeError, "class probabilities, got Long"),
        (lambda: F.cross_entropy(SCORES, CLASSES, torch.ones(2)), RuntimeError, "all 3 classes or no classes"),
        (lambda: F.cross_entropy(SCORES, CLASSES, label_smoothing=2.0), RuntimeError, "between 0.0 and 1.0. Got: 2"),
        (lambda: F.cross_entropy(torch.ones(2, 3, 4), CLASSES), RuntimeError, r"target size \[2, 4\], got \[2\]"),
        (lambda: F.cross_entropy(SCORES, SCORES, ignore_index=1), RuntimeError, "for floating point target"),
        (lambda: F.nll_loss(torch.tensor(1.0), torch.tensor(0)), ValueError, "Expected 1 or more dimensions"),
        (lambda: F.mse_loss(torch.ones(3), torch.ones(4)), RuntimeError, r"size of tensor a \(3\) must match"),
        (lambda: F.mse_loss(X.long(), Y.long()), NotImplementedError, "\"mse_cpu\" not implemented for 'Long'"),
        (lambda: F.mse_loss(X, 1.0), TypeError, "argument 'target' must be Tensor, not float"),
        (lambda: F.binary_cross_entropy(X, Y), RuntimeError, "should be between 0 and 1"),
        (lambda: F.binary_cross_entropy(X, Y[0]), ValueError, "is deprecated. Please ensure they have the same size"),
        (lambda: F.binary_cross_entropy_with_logits(X, Y[0]), ValueError, "must be the same as input size"),
        (lambda: F.huber_loss(X, Y, delta=0.0), RuntimeError, "non-positive values for delta"),
        (lambda: F.smooth_l1_loss(X, Y, beta=-1.0), RuntimeError, "negative values for beta"),
        (lambda: F.gaussian_nll_loss(X, Y, -torch.ones(2, 2)), ValueError, "var has negative entry"),
        (lambda: F.gaussian_nll_loss(X, Y, torch.ones(3)), ValueError, "var is of incorrect size"),
        (lambda: F.gaussian_nll_loss(X, Y, Y, reduction="x"), ValueError, "x is not valid"),
        (lambda: F.triplet_margin_loss(X[0], X, X[0]), RuntimeError, "anchor 1D, positive 2D, and negative 1D"),
        (lambda: F.triplet_margin_loss(X, X, X, margin=-1.0), ValueError, "margin must be greater than 0, got -1.0"),
        (lambda: F.cosine_embedding_loss(X, X, X), RuntimeError, "0D or 1D target tensor expected"),
        (lambda: F.margin_ranking_loss(X, X[0], X[0]), RuntimeError, "All input tensors should have same dimension"),
        (lambda: F.multi_margin_loss(SCORES, torch.tensor([0, 5])), RuntimeError, "target out of range"),
        (lambda: F.multi_margin_loss(SCORES, CLASSES, p=3), ValueError, "only p == 1 and p == 2 supported"),
        (lambda: F.multilabel_margin_loss(SCORES, torch.full((2, 3), 3)), RuntimeError, "'target' is out of range"),
        (lambda: F.ctc_loss(torch.zeros(2, 1, 3), torch.tensor([[1]]), (3,), (1,)), RuntimeError, "at most 2"),
        (lambda: F.ctc_loss(torch.zeros(2, 1, 3), CLASSES[None], (2,), (1,), blank=3), RuntimeError, "in label range"),
    ],
)  # fmt: skip
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_16_bit_gradients_add_up(dtype):
    x = torch.tensor([1.0, 2.0], dtype=dtype, requires_grad=True)
    for _ in range(2):
        (F.mse_loss(x, -x) + (x * x + x * x * x).sum()).backward()
    assert x.grad.tolist() == [2 * (4 + 2 + 3), 2 * (8 + 4 + 12)]
