"""Activations: slopes at kinks, in-place forms, draws, refusals."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.nn import functional as F

INF, NAN = float("inf"), float("nan")


def slopes(function, values):
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    function(x).sum().backward()
    return x.grad.tolist()


@pytest.mark.parametrize(
    "name, values, wanted",
    [
        ("relu", [0.0, INF, -INF], [0.0, 1.0, 0.0]),
        ("hardtanh", [-1.0, 1.0, 0.5], [0.0, 0.0, 1.0]),
        ("relu6", [0.0, 6.0, 3.0], [0.0, 0.0, 1.0]),
        ("leaky_relu", [0.0, 1.0], [0.01, 1.0]),
        ("hardsigmoid", [-3.0, 3.0, 0.0], [0.0, 0.0, 1 / 6]),
        ("hardswish", [-3.0, 3.0, 0.0, 4.0], [0.0, 1.0, 0.5, 1.0]),
        ("hardshrink", [-0.5, 0.5, 0.6], [0.0, 0.0, 1.0]),
        ("softshrink", [-0.5, 0.5, 0.6], [0.0, 0.0, 1.0]),
        ("elu", [0.0, INF, -INF], [1.0, 1.0, 0.0]),
        ("softplus", [21.0, INF, -INF], [1.0, 1.0, 0.0]),
        ("logsigmoid", [0.0, INF, -INF], [0.5, 0.0, 1.0]),
        ("gelu", [40.0, -40.0], [1.0, 0.0]),
    ],
)
def test_slopes_at_kinks_and_far_out(name, values, wanted):
    np.testing.assert_allclose(slopes(getattr(F, name), values), wanted, atol=1e-15)
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad(getattr(F, name)(x).sum(), x, create_graph=True)
    np.testing.assert_allclose(g.detach().numpy(), wanted, atol=1e-15)


def test_threshold_replaces_its_bound():
    assert F.threshold(torch.tensor([0.5, 0.6]), 0.5, 9.0).tolist()[0] == 9.0
    assert slopes(lambda x: F.threshold(x, 0.5, 9.0), [0.5, 0.6]) == [0.0, 1.0]


@pytest.mark.parametrize("name", ["relu", "hardtanh", "hardshrink", "softshrink", "leaky_relu", "elu", "threshold"])
def test_nan_stays(name):
    args = (0.1, 2.0) if name == "threshold" else ()
    assert np.isnan(getattr(F, name)(torch.tensor([NAN]), *args).tolist()).all()


def test_second_derivatives_far_out_are_finite():
    for function in (F.elu, F.celu, F.selu, F.softplus, F.logsigmoid, F.mish, F.silu, F.gelu):
        x = torch.tensor([-800.0, 800.0], dtype=torch.float64, requires_grad=True)
        (g,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
        (h,) = torch.autograd.grad(g.sum(), x)
        assert np.isfinite(h.numpy()).all(), function.__name__


def test_in_place():
    x = torch.tensor([-1.0, 2.0])
    assert F.relu(x, inplace=True) is x and x.tolist() == [0.0, 2.0]
    y = torch.tensor([-1.0, 2.0])
    assert y.relu_() is y and torch.relu_(y) is y and F.elu_(y) is y and y.tolist() == [0.0, 2.0]
    leaf = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        F.silu(leaf, inplace=True)
    for name in ("leaky_relu_", "hardtanh_", "celu_", "selu_", "rrelu_", "threshold_"):
        z = torch.tensor([-1.0, 0.5])
        assert getattr(F, name)(z, *((0.1, 2.0) if name == "threshold_" else ())) is z


def test_integers():
    assert F.relu(torch.tensor([-1, 2])).dtype is torch.int64
    assert F.relu6(torch.tensor([-1, 7])).tolist() == [0, 6]
    assert F.softsign(torch.tensor([1])).dtype is torch.float32


@pytest.mark.parametrize(
    "name, words",
    [("elu", "elu_cpu"), ("gelu", "GeluKernelImpl"), ("silu", "silu_cpu"), ("softplus", "softplus_cpu"),
     ("hardswish", "hardswish_cpu"), ("logsigmoid", "log_sigmoid_cpu"), ("mish", "mish_cpu"), ("glu", "glu_cpu")],
)  # fmt: skip
def test_smooth_ones_refuse_integers(name, words):
    with pytest.raises(NotImplementedError, match=f"\"{words}\" not implemented for 'Long'"):
        getattr(F, name)(torch.ones(2, dtype=torch.int64))


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: F.relu(torch.tensor([True])), RuntimeError, "Boolean inputs not supported for relu"),
        (lambda: F.gelu(torch.ones(2), approximate="x"), RuntimeError, "approximate argument must be"),
        (lambda: F.celu(torch.ones(2), 0.0), RuntimeError, "alpha cannot be 0 for CELU"),
        (lambda: F.hardtanh(torch.ones(2), 1.0, 0.0), ValueError, "min_val cannot be greater than max_val"),
        (lambda: F.softshrink(torch.ones(2), -1.0), RuntimeError, "lambda must"),
        (lambda: F.rrelu(torch.ones(2), 0.5, 0.1), RuntimeError, "Lower bound should be less than"),
        (lambda: F.glu(torch.ones(3)), RuntimeError, "Halving dimension must be even, but dimension 0 is size 3"),
        (lambda: F.glu(torch.tensor(1.0)), RuntimeError, "glu does not support scalars"),
        (lambda: F.prelu(torch.ones(2, 3), torch.ones(2)), RuntimeError, "parameter numbers = 2 and channel size = 3"),
        (lambda: F.prelu(torch.ones(2, 3), torch.ones(3, 1)), RuntimeError, "scalar or 1D tensor, but got: ndim = 2"),
        (lambda: F.prelu(torch.ones(2), torch.ones(1).double()), RuntimeError, "Got Float and Double"),
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_drawn_slopes_are_pytorchs():
    torch.manual_seed(0)
    got = F.rrelu(-torch.ones(4), training=True).tolist()
    np.testing.assert_allclose(got, RRELU, rtol=1e-6)


RRELU = [-0.3270943760871887, -0.27246248722076416, -0.22070477902889252, -0.31682243943214417]
