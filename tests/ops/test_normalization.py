"""Normalization: running moments, 16-bit floats, mixed dtypes, refusals."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.nn import functional as F


def test_running_moments():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((5, 2, 3))
    mean, var = torch.zeros(2, dtype=torch.float64), torch.ones(2, dtype=torch.float64)
    F.batch_norm(torch.from_numpy(x), mean, var, training=True, momentum=0.3)
    np.testing.assert_allclose(mean.numpy(), 0.3 * x.mean((0, 2)))
    np.testing.assert_allclose(var.numpy(), 0.7 + 0.3 * x.var((0, 2), ddof=1))
    F.batch_norm(torch.from_numpy(x), mean, var, training=False, momentum=0.3)
    np.testing.assert_allclose(mean.numpy(), 0.3 * x.mean((0, 2)))


def test_running_moments_of_samples():
    x = np.random.default_rng(0).standard_normal((5, 2, 3))
    mean, var = torch.zeros(2, dtype=torch.float64), torch.ones(2, dtype=torch.float64)
    F.instance_norm(torch.from_numpy(x), mean, var, momentum=0.3)
    np.testing.assert_allclose(mean.numpy(), 0.3 * x.mean(2).mean(0))
    np.testing.assert_allclose(var.numpy(), 0.7 + 0.3 * x.var(2, ddof=1).mean(0))


def test_training_twice_before_one_backward():
    mean, var = torch.zeros(2), torch.ones(2)
    x = torch.randn(4, 2, requires_grad=True)
    (F.batch_norm(x, mean, var, training=True) + F.batch_norm(x * 2, mean, var, training=True)).sum().backward()
    assert x.grad.shape == (4, 2)


def test_evaluation_keeps_the_moments_it_used():
    mean, var = torch.zeros(2), torch.ones(2)
    x = torch.ones(4, 2, requires_grad=True)
    out = F.batch_norm(x, mean, var, eps=0.0)
    var.fill_(100.0)
    out.sum().backward()
    assert x.grad.tolist() == [[1.0, 1.0]] * 4


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_16_bit_floats_are_computed_in_float32(dtype):
    x = (torch.randn(4, 6) * 100 + 300).to(dtype)
    wide = x.float()
    for out, wanted in (
        (F.layer_norm(x, (6,)), F.layer_norm(wide, (6,))),
        (F.rms_norm(x, (6,)), F.rms_norm(wide, (6,))),
        (F.group_norm(x, 3), F.group_norm(wide, 3)),
        (F.batch_norm(x, None, None, training=True), F.batch_norm(wide, None, None, training=True)),
        (F.layer_norm(x, (6,), torch.ones(6), torch.zeros(6)), F.layer_norm(wide, (6,))),
    ):
        assert out.dtype is dtype and out.tolist() == wanted.to(dtype).tolist()


def test_half_running_moments_move():
    mean, var = torch.zeros(2, dtype=torch.bfloat16), torch.ones(2, dtype=torch.bfloat16)
    F.batch_norm(torch.ones(4, 2, dtype=torch.bfloat16), mean, var, training=True, momentum=0.5)
    assert mean.tolist() == [0.5, 0.5] and var.tolist() == [0.5, 0.5]


X = torch.ones(2, 3)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: F.layer_norm(X, [2]), RuntimeError, r"normalized_shape=\[2\], expected input with shape \[\*, 2\]"),
        (lambda: F.layer_norm(X, [3], torch.ones(2)), RuntimeError, "Expected weight to be of same shape"),
        (lambda: F.layer_norm(X, []), RuntimeError, "at least 1-dimensional"),
        (lambda: F.layer_norm(X.long(), [3]), NotImplementedError, "not implemented for 'Long'"),
        (lambda: F.layer_norm(X.double(), [3], torch.ones(3)), RuntimeError, "mixed dtype"),
        (lambda: F.rms_norm(X, [2]), RuntimeError, r"expected input with shape \[\*2\]"),
        (lambda: F.group_norm(X, 2), RuntimeError, "divisible by num_groups"),
        (lambda: F.group_norm(torch.ones(3), 1), RuntimeError, "at least 2 dimensions"),
        (lambda: F.batch_norm(X[:1], None, None, training=True), ValueError, "Expected more than 1 value per channel"),
        (lambda: F.batch_norm(X, None, None), RuntimeError, "running_mean must be defined in evaluation mode"),
        (lambda: F.batch_norm(X, torch.ones(2), torch.ones(2)), RuntimeError, "should contain 3 elements not 2"),
        (lambda: F.instance_norm(torch.ones(2, 3, 1)), ValueError, "Expected more than 1 spatial element"),
        (lambda: F.local_response_norm(X, 2), ValueError, "Expected 3D or higher"),
        (lambda: F.layer_norm([1.0], [1]), TypeError, "argument 'input' must be Tensor, not list"),
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()
