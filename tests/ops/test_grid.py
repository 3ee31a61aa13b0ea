"""Sampling at grids: the identity, what nearest does to gradients, errors."""

import pytest

import chainrule as torch
from chainrule.nn import functional as F


@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_the_identity_grid_reads_the_input(mode, align_corners):
    x = torch.arange(12.0).reshape(1, 1, 3, 4)
    theta = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    grid = F.affine_grid(theta, x.shape, align_corners=align_corners)
    out = F.grid_sample(x, grid, mode, align_corners=align_corners)
    assert (out - x).abs().max().item() < 1e-4


def test_nearest_gives_the_grid_a_gradient_of_zero():
    grid = torch.zeros((1, 1, 1, 2), requires_grad=True)
    F.grid_sample(torch.ones((1, 1, 3, 3)), grid, "nearest", align_corners=False).sum().backward()
    assert grid.grad.tolist() == [[[[0, 0]]]]


def test_silence_about_corners_warns():
    with pytest.warns(UserWarning, match="align_corners"):
        F.grid_sample(torch.ones((1, 1, 2, 2)), torch.zeros((1, 1, 1, 2)))
    with pytest.warns(UserWarning, match="align_corners"):
        F.affine_grid(torch.zeros((1, 2, 3)), (1, 1, 2, 2))


@pytest.mark.parametrize(
    ("error", "words", "grid", "options"),
    [
        (RuntimeError, "size 2 in last dimension", (2, 3, 3, 3), {}),
        (RuntimeError, "same batch size", (1, 3, 3, 2), {}),
        (RuntimeError, "same number of dimensions", (2, 3, 2), {}),
        (ValueError, "but got: 'cubic'", (2, 3, 3, 2), {"mode": "cubic"}),
        (ValueError, "but got: 'mirror'", (2, 3, 3, 2), {"padding_mode": "mirror"}),
    ],
)
def test_errors_say_what_is_wrong(error, words, grid, options):
    with pytest.raises(error, match=words):
        F.grid_sample(torch.ones((2, 4, 6, 6)), torch.zeros(grid), align_corners=False, **options)


def test_affine_maps_must_fit_the_size():
    with pytest.raises(NotImplementedError, match="4D and 5D"):
        F.affine_grid(torch.zeros((2, 2, 3)), (2, 1, 3), align_corners=False)
    with pytest.raises(ValueError, match="Nx2x3"):
        F.affine_grid(torch.zeros((2, 3, 3)), (2, 1, 3, 3), align_corners=False)
