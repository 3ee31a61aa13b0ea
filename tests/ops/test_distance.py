"""Distances: equal rows, zero vectors, and inputs that do not fit."""

import math

import numpy as np
import pytest

import chainrule as torch
from chainrule.nn import functional as F


@pytest.mark.parametrize("p", [1, 1.5, 2, 3, math.inf])
def test_equal_rows_have_no_gradient(p):
    x = torch.ones(2, 3, requires_grad=True)
    torch.cdist(x, torch.ones(4, 3), p).sum().backward()
    assert x.grad.tolist() == [[0.0] * 3] * 2


def test_zero_vectors_have_finite_results_and_gradients():
    x = torch.zeros(2, 3, requires_grad=True)
    out = F.normalize(x)
    out.sum().backward()
    assert out.tolist() == [[0.0] * 3] * 2 and np.isfinite(x.grad.numpy()).all()
    assert F.cosine_similarity(torch.zeros(2, 2), torch.ones(2, 2)).tolist() == [0.0, 0.0]


def test_the_product_form_agrees_with_differences():
    rng = np.random.default_rng(0)
    x, y = (torch.from_numpy(rng.standard_normal((n, 5))) for n in (40, 30))
    exact = torch.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist")
    np.testing.assert_allclose(torch.cdist(x, y).numpy(), exact.numpy(), rtol=1e-10)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: torch.cdist(torch.ones(2), torch.ones(2, 2)), RuntimeError, "at least 2D tensors, X1 got: 1D"),
        (lambda: torch.cdist(torch.ones(2, 3), torch.ones(2, 2)), RuntimeError, "X1: 3 X2: 2"),
        (lambda: torch.cdist(torch.ones(2, 2).long(), torch.ones(2, 2)), RuntimeError, "X1 got: Long"),
        (lambda: torch.cdist(torch.ones(2, 2), torch.ones(2, 2), p=-1), RuntimeError, "non-negative p values"),
        (lambda: torch.cdist(torch.ones(2, 2), torch.ones(2, 2), compute_mode="q"), ValueError, "q is not a valid"),
        (lambda: torch.cdist(torch.ones(2, 2).half(), torch.ones(2, 2).half()), NotImplementedError, "'Half'"),
        (lambda: torch.pdist(torch.ones(2, 2, 2)), RuntimeError, "pdist only supports 2D tensors, got: 3D"),
        (lambda: F.cosine_similarity(torch.ones(2).long(), torch.ones(2).long(), 0), RuntimeError, "floating point"),
    ],
)
def test_inputs_that_do_not_fit(call, error, message):
    with pytest.raises(error, match=message):
        call()
