"""Products: which entry runs, dtypes, shapes that do not fit, out= and in-place forms."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.nn import functional as F


@pytest.mark.parametrize(
    ("a", "b", "node"),
    [
        ((3,), (3,), "DotBackward0"),
        ((2, 3), (3,), "MvBackward0"),
        ((2, 3), (3, 4), "MmBackward0"),
        ((2, 3, 4), (4, 5), "UnsafeViewBackward0"),
        ((3,), (3, 2), "SqueezeBackward4"),
    ],
)
def test_matmul_chooses_the_product_by_dimensions(a, b, node):
    assert (torch.ones(a, requires_grad=True) @ torch.ones(b)).grad_fn.name() == node


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: torch.mm(torch.ones(3), torch.ones(3)),
         "mm: expected 2-D tensors, got 1-D and 1-D; for two vectors use torch.dot"),
        (lambda: torch.ones(2, 3) @ torch.ones(4, 5), r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 4x5\)"),
        (lambda: torch.ones(3) @ torch.ones(2, 3), r"mat1 and mat2 shapes cannot be multiplied \(1x3 and 2x3\)"),
        (lambda: torch.ones(2, 3) @ torch.ones(4), r"size mismatch, got input \(2\), mat \(2x3\), vec \(4\)"),
        (lambda: torch.ones(3) @ torch.ones(4), r"inconsistent tensor size, expected tensor \[3\] and src \[4\]"),
        (lambda: torch.bmm(torch.ones(2, 3, 4), torch.ones(2, 5, 5)), r"to be: \[2, 4\] but got: \[2, 5\]"),
        (lambda: torch.ones(2, 3, 4) @ torch.ones(3, 4, 5), r"size of tensor a \(2\) must match .* b \(3\)"),
        (lambda: torch.ones(2, 3) @ torch.tensor(2.0), "need to be at least 1D, but they are 2D and 0D"),
        (lambda: torch.ones(2, 3).mm(torch.ones(3, 4).double()), "same dtype"),
        (lambda: F.linear(torch.ones(5, 4), torch.ones(2, 3)), r"cannot be multiplied \(5x4 and 3x2\)"),
        (lambda: F.linear(torch.ones(5, 3), torch.ones(2, 3), torch.ones(3)), r"bias of shape \[3\]"),
        (lambda: torch.addmm(torch.ones(3, 5), torch.ones(2, 3), torch.ones(3, 4)), r"shape \[3, 5\]"),
        (lambda: torch.outer(torch.ones(2, 2), torch.ones(2)), "Expected 1-D argument self, but got 2-D"),
    ],
)
def test_shapes_and_dtypes_that_do_not_fit(call, message):
    with pytest.raises(RuntimeError, match=message):
        call()


def test_a_number_is_no_operand():
    with pytest.raises(TypeError, match="argument 'other' must be Tensor, not float"):
        torch.matmul(torch.ones(2), 2.0)


def test_booleans_are_not_multiplied():
    with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
        torch.ones(2, 2, dtype=torch.bool) @ torch.ones(2, 2, dtype=torch.bool)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int32, torch.int64])
def test_products_keep_the_dtype(dtype):
    x, y = torch.arange(6).reshape(2, 3).to(dtype), torch.arange(6).reshape(3, 2).to(dtype)
    out = x @ y
    assert out.dtype is dtype and out.tolist() == [[10, 13], [28, 40]]


def test_half_gradients_are_half():
    w = torch.ones(2, 3, dtype=torch.float16, requires_grad=True)
    F.linear(torch.ones(4, 3, dtype=torch.float16), w).sum().backward()
    assert w.grad.dtype is torch.float16 and w.grad.tolist() == [[4.0] * 3] * 2


def test_beta_zero_ignores_what_the_input_holds():
    out = torch.addmm(torch.full((2, 2), float("nan")), torch.eye(2), torch.eye(2), beta=0)
    assert out.tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_integer_products_truncate_alpha():
    i = torch.ones(2, 2, dtype=torch.int32)
    assert torch.addmm(i, i, i, alpha=1.9).tolist() == [[3, 3], [3, 3]]


def test_in_place_addmm_is_recorded():
    x = torch.ones(2, 2, requires_grad=True)
    y = x * 1
    y.addmm_(torch.eye(2) * 2, torch.eye(2))
    assert y.tolist() == [[3.0, 1.0], [1.0, 3.0]]
    y.sum().backward()
    assert x.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_out_is_written():
    out = torch.empty(2, 2)
    assert torch.mm(torch.eye(2), torch.ones(2, 2), out=out) is out and out.tolist() == [[1.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize("shape", [(4, 3), (2, 4, 3), (3,)])
def test_linear_gradients_agree_with_a_recorded_graph(shape):
    rng = np.random.default_rng(0)
    x, w, b = (torch.from_numpy(rng.standard_normal(s)).requires_grad_() for s in (shape, (2, 3), (2,)))
    out = F.linear(x, w, b)
    g = torch.from_numpy(rng.standard_normal(out.shape))
    plain = torch.autograd.grad(out, (x, w, b), g)
    recorded = torch.autograd.grad(F.linear(x, w, b), (x, w, b), g, create_graph=True)
    for p, r in zip(plain, recorded, strict=True):
        np.testing.assert_allclose(p.numpy(), r.detach().numpy(), rtol=1e-12)


def test_gradients_of_an_expanded_cotangent():
    w = torch.ones(3, 2, requires_grad=True)
    (torch.arange(6.0).reshape(2, 3) @ w).sum().backward()
    assert w.grad.tolist() == [[3.0, 3.0], [5.0, 5.0], [7.0, 7.0]]
