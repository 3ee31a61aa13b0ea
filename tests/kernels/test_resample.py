"""Resizing: which inputs are chosen, exactness on straight lines, adjoints."""

import numpy as np
import pytest

from chainrule._kernels import resample

MODES = {
    1: ["nearest", "nearest-exact", "linear", "area"],
    2: ["nearest", "nearest-exact", "bilinear", "bicubic", "area"],
    3: ["nearest", "nearest-exact", "trilinear", "area"],
}
CASES = [(axes, mode) for axes, modes in MODES.items() for mode in modes]


@pytest.mark.parametrize(
    ("mode", "size", "scales", "expected"),
    [
        ("nearest", 6, None, [0, 0, 1, 2, 2, 3]),
        ("nearest-exact", 6, None, [0, 1, 1, 2, 3, 3]),
        ("nearest", 2, None, [0, 2]),
        ("nearest-exact", 2, None, [1, 3]),
        ("nearest", 8, (2.139,), [0, 0, 0, 1, 1, 2, 2, 3]),
    ],
)
def test_which_element_is_nearest(mode, size, scales, expected):
    out = resample.interpolate(np.arange(4.0)[None, None], (size,), mode, scales=scales)
    np.testing.assert_array_equal(out[0, 0], expected)


def test_two_axes_double_exactly_whatever_the_scale():
    x = np.arange(4.0).reshape(1, 1, 4, 1)
    out = resample.interpolate(x, (8, 1), "nearest", scales=(2.139, 1.0))
    np.testing.assert_array_equal(out.ravel(), [0, 0, 1, 1, 2, 2, 3, 3])


def test_linear_by_hand():
    x = np.array([[[0.0, 10, 20]]])
    out = resample.interpolate(x, (6,), "linear")
    np.testing.assert_allclose(out[0, 0], [0, 2.5, 7.5, 12.5, 17.5, 20])
    out = resample.interpolate(x, (5,), "linear", align_corners=True)
    np.testing.assert_allclose(out[0, 0], [0, 5, 10, 15, 20])
    out = resample.interpolate(x, (4,), "linear", scales=(1.5,))
    np.testing.assert_allclose(out[0, 0], np.maximum((np.arange(4) + 0.5) / 1.5 - 0.5, 0).clip(0, 2) * 10)


def test_cubic_by_hand():
    x = np.zeros((1, 1, 1, 7))
    x[..., 3] = 1
    out = resample.interpolate(x, (1, 14), "bicubic")
    # Keys' kernel with a = -0.75 at distances 1/4, 3/4, 5/4, 7/4
    near = [1.25 * d**3 - 2.25 * d**2 + 1 for d in (0.25, 0.75)]
    far = [-0.75 * d**3 + 3.75 * d**2 - 6 * d + 3 for d in (1.25, 1.75)]
    side = [far[1], far[0], near[1], near[0]]
    np.testing.assert_allclose(out[0, 0, 0], [0, 0, 0, *side, *side[::-1], 0, 0, 0], atol=1e-15)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("size", [(3, 4), (11, 13)])
def test_weights_add_up_to_one(mode, antialias, size):
    out = resample.interpolate(np.full((1, 1, 6, 7), 2.0), size, mode, antialias=antialias)
    np.testing.assert_allclose(out, 2.0)


def test_antialias_averages_what_it_skips():
    x = np.zeros((1, 1, 1, 8))
    x[..., 0] = 1
    plain = resample.interpolate(x, (1, 2), "bilinear")
    smooth = resample.interpolate(x, (1, 2), "bilinear", antialias=True)
    assert plain[..., 0] == 0
    # a triangle of half-width 4 around 2: weights 5, 7, 7, 5, 3, 1 of 28 on places 0 to 5
    np.testing.assert_allclose(smooth[0, 0, 0], [5 / 28, 0])


@pytest.mark.parametrize("same", [2, 5])
def test_the_same_size_changes_nothing(rng, same):
    x = rng.normal(size=(1, 2, same, same))
    for mode in MODES[2]:
        np.testing.assert_allclose(resample.interpolate(x, (same, same), mode), x, atol=1e-15)


@pytest.mark.parametrize(("axes", "mode"), CASES)
@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("antialias", [False, True])
def test_adjoint_is_the_transpose(rng, axes, mode, align_corners, antialias):
    shape, size = (1, 1, *(4, 3, 2)[:axes]), (3, 5, 4)[:axes]
    count = int(np.prod(shape))
    units = np.eye(count).reshape(count, *shape)
    matrix = np.stack(
        [resample.interpolate(u, size, mode, align_corners, None, antialias).ravel() for u in units]
    )
    g = rng.normal(size=(1, 1, *size))
    back = resample.interpolate_grad(g, shape, mode, align_corners, None, antialias)
    np.testing.assert_allclose(back, (matrix @ g.ravel()).reshape(shape), atol=1e-13)


def test_float32_stays_float32(rng):
    x = rng.normal(size=(1, 1, 5, 5)).astype(np.float32)
    for mode in MODES[2]:
        out = resample.interpolate(x, (7, 3), mode)
        assert out.dtype == np.float32
        assert resample.interpolate_grad(out, x.shape, mode).dtype == np.float32


def test_unknown_mode():
    with pytest.raises(NotImplementedError, match="lanczos"):
        resample.interpolate(np.zeros((1, 1, 2)), (3,), "lanczos")
