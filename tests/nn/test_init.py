"""nn.init: errors, values that are not drawn, generators. The draws themselves are in test_reference."""

import math

import pytest

import chainrule as torch
from chainrule import nn
from chainrule.nn import init


def test_gains():
    assert (
        init.calculate_gain("linear") == init.calculate_gain("sigmoid") == init.calculate_gain("conv3d") == 1
    )
    assert init.calculate_gain("tanh") == 5 / 3 and init.calculate_gain("relu") == math.sqrt(2)
    assert init.calculate_gain("selu") == 0.75
    assert init.calculate_gain("leaky_relu") == math.sqrt(2 / (1 + 0.01**2))
    assert init.calculate_gain("leaky_relu", 0) == math.sqrt(2)
    with pytest.raises(ValueError, match="Unsupported nonlinearity gelu"):
        init.calculate_gain("gelu")
    with pytest.raises(ValueError, match="negative_slope True not a valid number"):
        init.calculate_gain("leaky_relu", True)


def test_fixed_values():
    x = torch.empty(2, 3)
    assert init.ones_(x) is x and x.sum().item() == 6
    assert init.zeros_(x).sum().item() == 0
    assert init.constant_(x, 2.5).tolist() == [[2.5] * 3] * 2
    assert init.eye_(x).tolist() == [[1, 0, 0], [0, 1, 0]]
    kernel = init.dirac_(torch.empty(3, 3, 3))
    signal = torch.randn(1, 3, 6)
    assert torch.equal(nn.functional.conv1d(signal, kernel, padding=1), signal)


def test_no_graph():
    p = nn.Parameter(torch.empty(3, 3))
    for fill in (init.normal_, init.orthogonal_, init.xavier_uniform_, init.eye_, init.trunc_normal_):
        assert fill(p) is p
    init.sparse_(p, 0.5)
    assert p.grad_fn is None and p.requires_grad and p.is_leaf


def test_orthogonal():
    q = init.orthogonal_(torch.empty(3, 5), gain=2.0)
    assert torch.allclose(q @ q.T, 4 * torch.eye(3), atol=1e-5)
    q = init.orthogonal_(torch.empty(6, 2, 2))
    assert torch.allclose(q.view(6, 4).T @ q.view(6, 4), torch.eye(4), atol=1e-5)


def test_sparse_counts():
    x = init.sparse_(torch.empty(10, 4), 0.25)
    assert ((x == 0).sum(0) == 3).all()


def test_trunc_normal_stays_inside():
    for mean, std, a, b in ((0, 1, -2, 2), (0, 1, 1.5, 4), (3, 0.5, -1, 2)):
        x = init.trunc_normal_(torch.empty(500), mean, std, a, b) if mean < 3 else None
        if x is None:
            with pytest.warns(UserWarning, match="mean is more than 2 std"):
                x = init.trunc_normal_(torch.empty(500), 5, std, a, b)
        assert x.min().item() >= a and x.max().item() <= b


def test_generator():
    one = torch.Generator().manual_seed(3)
    two = torch.Generator().manual_seed(3)
    torch.manual_seed(0)
    a = init.kaiming_normal_(torch.empty(4, 4), generator=one)
    torch.manual_seed(1)
    assert torch.equal(a, init.kaiming_normal_(torch.empty(4, 4), generator=two))


def test_errors():
    flat = torch.empty(3)
    for fill in (init.xavier_uniform_, init.xavier_normal_, init.kaiming_uniform_, init.kaiming_normal_):
        with pytest.raises(
            ValueError, match="Fan in and fan out can not be computed for tensor with fewer than 2"
        ):
            fill(flat)
    with pytest.raises(ValueError, match="Mode fan not supported"):
        init.kaiming_uniform_(torch.empty(2, 2), mode="fan")
    with pytest.raises(ValueError, match="Only tensors with 2 dimensions are supported"):
        init.eye_(flat)
    with pytest.raises(ValueError, match="Only tensors with 2 dimensions are supported"):
        init.sparse_(flat, 0.1)
    with pytest.raises(ValueError, match="Only tensors with 3, 4, or 5 dimensions are supported"):
        init.dirac_(flat)
    with pytest.raises(ValueError, match="dim 0 must be divisible by groups"):
        init.dirac_(torch.empty(3, 2, 2), groups=2)
    with pytest.raises(ValueError, match="Only tensors with 2 or more dimensions are supported"):
        init.orthogonal_(flat)
    with pytest.warns(UserWarning, match="Initializing zero-element tensors is a no-op"):
        init.kaiming_uniform_(torch.empty(0, 2))


def test_older_names():
    x = torch.empty(2, 2)
    with pytest.warns(
        FutureWarning, match="`nn.init.constant` is now deprecated in favor of `nn.init.constant_`"
    ):
        assert init.constant(x, 3.0) is x
    assert x.sum().item() == 12
