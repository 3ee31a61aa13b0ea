"""Softmax: implied dimensions, dtypes, extremes."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.nn import functional as F


@pytest.mark.parametrize("shape, dim", [((3,), 0), ((2, 3), 1), ((2, 3, 4), 0), ((2, 3, 4, 5), 1)])
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "softmin"])
def test_implied_dimension_warns(name, shape, dim):
    x = torch.randn(shape)
    with pytest.warns(UserWarning, match=f"Implicit dimension choice for {name} has been deprecated"):
        implied = getattr(F, name)(x)
    np.testing.assert_array_equal(implied.numpy(), getattr(F, name)(x, dim).numpy())


def test_dtype_is_applied_first():
    x = torch.tensor([1, 2])
    assert F.softmax(x, 0, dtype=torch.float64).dtype is torch.float64
    h = torch.tensor([1.0, 2.0], dtype=torch.float16, requires_grad=True)
    F.log_softmax(h, 0, dtype=torch.float32).sum().backward()
    assert h.grad.dtype is torch.float16
    with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
        F.softmax(x, 0)


def test_extremes():
    inf = float("inf")
    assert F.softmax(torch.tensor([-inf, 0.0]), 0).tolist() == [0.0, 1.0]
    assert F.log_softmax(torch.tensor([1e30, 0.0]), 0).tolist() == [0.0, pytest.approx(-1e30)]
    assert np.isnan(F.softmax(torch.tensor([-inf, -inf]), 0).tolist()).all()
    assert F.softmax(torch.ones(0, 3), 1).shape == (0, 3)


def test_out_of_range_dimension():
    with pytest.raises(IndexError, match=r"expected to be in range of \[-1, 0\], but got 5"):
        F.softmax(torch.ones(3), 5)


def test_gumbel_softmax():
    torch.manual_seed(0)
    hard = F.gumbel_softmax(torch.zeros(2, 3), hard=True)
    np.testing.assert_allclose(hard.numpy(), HARD, atol=1e-6)
    x = torch.zeros(4, 3, requires_grad=True)
    torch.manual_seed(1)
    soft = F.gumbel_softmax(x, tau=0.5)
    np.testing.assert_allclose(soft.sum(1).tolist(), 1.0, rtol=1e-6)
    torch.manual_seed(1)
    (F.gumbel_softmax(x, tau=0.5, hard=True) * torch.arange(3.0)).sum().backward()
    (g,) = torch.autograd.grad((soft * torch.arange(3.0)).sum(), x)
    np.testing.assert_allclose(x.grad.numpy(), g.numpy(), rtol=1e-6)


HARD = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
