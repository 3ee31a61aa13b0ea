"""Dropout: PyTorch's draws for a seed, layouts, forms, refusals."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.nn import functional as F

# What PyTorch 2.13 keeps under seed 0.
HALF = [[0, 0, 1, 0, 0, 0, 1, 1], [0, 1, 1, 1, 1, 0, 1, 1], [1, 1, 0, 0, 1, 0, 1, 0]]
TRANSPOSED = [[0, 0, 1, 1], [1, 1, 1, 1], [1, 0, 1, 1]]
CHANNELS = [[0, 0, 1, 0, 1, 0], [1, 1, 1, 1, 1, 1]]


def test_draws_are_pytorchs():
    torch.manual_seed(0)
    assert F.dropout(torch.ones(3, 8)).tolist() == (2.0 * np.array(HALF)).tolist()
    torch.manual_seed(0)
    assert F.dropout(torch.ones(4, 3).t(), 0.25).gt(0).int().tolist() == TRANSPOSED
    torch.manual_seed(0)
    assert F.dropout1d(torch.ones(2, 6, 2), 0.3)[:, :, 0].gt(0).int().tolist() == CHANNELS
    torch.manual_seed(0)
    low, high = -0.7791939377784729, 0.7791939377784729
    np.testing.assert_allclose(F.alpha_dropout(torch.zeros(4), 0.5, True).tolist(), [low, low, high, low], rtol=1e-6)


@pytest.mark.parametrize("name", ["dropout", "alpha_dropout", "feature_alpha_dropout", "dropout1d"])
def test_without_training_nothing_is_drawn(name):
    x = torch.ones(2, 3, 4)
    before = torch.get_rng_state().tolist()
    assert getattr(F, name)(x, 0.5, False) is x
    assert getattr(F, name)(x, 0.0, True) is x
    assert getattr(F, name)(torch.ones(0, 3, 4), 0.5, True).shape == (0, 3, 4)
    assert torch.get_rng_state().tolist() == before


def test_all_dropped():
    x = torch.ones(2, 3, requires_grad=True)
    for name in ("dropout", "alpha_dropout", "feature_alpha_dropout"):
        out = getattr(F, name)(x, 1.0, True)
        assert out.tolist() == np.zeros((2, 3)).tolist()
        (g,) = torch.autograd.grad(out.sum(), x)
        assert g.tolist() == np.zeros((2, 3)).tolist()


def test_in_place():
    shapes = {"dropout": (3, 4), "alpha_dropout": (3, 4), "dropout1d": (3, 4), "dropout2d": (2, 3, 4, 4),
              "dropout3d": (3, 2, 2, 2)}  # fmt: skip
    for name, shape in shapes.items():
        x = torch.ones(shape)
        torch.manual_seed(3)
        wanted = getattr(F, name)(x, 0.5, True).tolist()
        torch.manual_seed(3)
        assert getattr(F, name)(x, 0.5, True, inplace=True) is x and x.tolist() == wanted


def test_whole_channels():
    torch.manual_seed(0)
    for name, shape in (("dropout1d", (5, 6, 7)), ("dropout2d", (5, 6, 3, 2)), ("dropout3d", (5, 6, 2, 3, 2))):
        kept = (getattr(F, name)(torch.ones(shape)).numpy() != 0).reshape(5, 6, -1)
        assert (kept.all(2) | ~kept.any(2)).all() and kept.any() and not kept.all()


@pytest.mark.parametrize("p", [-0.1, 1.1])
def test_p_is_a_probability(p):
    for name in ("dropout", "alpha_dropout", "feature_alpha_dropout", "dropout1d", "dropout2d", "dropout3d"):
        with pytest.raises(ValueError, match="dropout probability has to be between 0 and 1"):
            getattr(F, name)(torch.ones(2, 2, 2, 2), p)


def test_dimensions():
    with pytest.raises(RuntimeError, match="dropout1d: Expected 2D or 3D input, but received a 4D input"):
        F.dropout1d(torch.ones(1, 1, 1, 1))
    with pytest.warns(UserWarning, match="dropout2d: Received a 2-D input"):
        F.dropout2d(torch.ones(2, 2))
    with pytest.warns(UserWarning, match="dropout2d: Received a 3D input"):
        F.dropout2d(torch.ones(2, 2, 2))
    with pytest.warns(UserWarning, match="dropout3d: Received a 3-D input"):
        F.dropout3d(torch.ones(2, 2, 2))
    with pytest.raises(RuntimeError, match="Feature dropout requires at least 2 dimensions"):
        F.feature_alpha_dropout(torch.ones(3), 0.5, True)
