"""im2col against a loop over taps and positions, and col2im as its adjoint."""

import numpy as np
import pytest

GEOMETRIES = [  # spatial, kernel, stride, padding, dilation, extent
    ((7,), (3,), (2,), (1,), (1,), (4,)),
    ((5, 6), (3, 2), (1, 1), (1, 0), (1, 1), (5, 5)),
    ((6, 9), (2, 3), (2, 3), (2, 1), (3, 2), (4, 3)),
    ((2, 3), (1, 4), (1, 1), (0, 3), (1, 2), (2, 3)),
    ((4, 5, 6), (2, 3, 2), (1, 2, 2), (1, 1, 0), (1, 1, 2), (5, 3, 2)),
    ((3, 3), (2, 2), (1, 1), (0, 0), (1, 1), (1, 1)),
]
DTYPES = [
    np.float32,
    np.float64,
    np.complex64,
    np.complex128,
    np.int8,
    np.int16,
    np.int32,
    np.int64,
    np.uint8,
]


def patches(x, kernel, stride, padding, dilation, extent):
    cols = np.zeros((*x.shape[:2], *kernel, *extent), x.dtype)
    for tap in np.ndindex(*kernel):
        for position in np.ndindex(*extent):
            at = [
                p * s - pad + t * d
                for p, s, pad, t, d in zip(position, stride, padding, tap, dilation, strict=True)
            ]
            if all(0 <= a < n for a, n in zip(at, x.shape[2:], strict=True)):
                cols[(slice(None), slice(None), *tap, *position)] = x[(slice(None), slice(None), *at)]
    return cols


@pytest.mark.parametrize("dtype", [*DTYPES, np.bool_, np.uint16])
@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_im2col(version, rng, geometry, dtype):
    spatial, *rest = geometry
    x = rng.integers(0, 100, (2, 3, *spatial)).astype(dtype)
    expected = patches(x, *rest)
    im2col = version("patches").im2col
    np.testing.assert_array_equal(im2col(x, *rest), expected)
    np.testing.assert_array_equal(im2col(np.asfortranarray(x), *rest), expected)
    out = np.ones(expected.size, dtype)
    assert im2col(x, *rest, out) is out
    np.testing.assert_array_equal(out.reshape(expected.shape), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_col2im_is_the_adjoint(version, rng, geometry, dtype):
    spatial, kernel, stride, padding, dilation, extent = geometry
    cols = rng.integers(0, 3, (2, 3, *kernel, *extent)).astype(dtype)
    back = version("patches").col2im(cols, spatial, stride, padding, dilation)
    assert back.shape == (2, 3, *spatial) and back.dtype == dtype
    # each element is what the patches of its unit vector select
    for at in np.ndindex(*spatial):
        unit = np.zeros((1, 1, *spatial), dtype)
        unit[(0, 0, *at)] = 1
        chosen = cols * patches(unit, kernel, stride, padding, dilation, extent)
        np.testing.assert_array_equal(
            back[(slice(None), slice(None), *at)], chosen.reshape(2, 3, -1).sum(2).astype(dtype)
        )


def test_no_images(version):
    assert version("patches").im2col(np.zeros((0, 2, 4)), (2,), (1,), (0,), (1,), (3,)).shape == (0, 2, 2, 3)
    assert version("patches").col2im(np.zeros((0, 2, 2, 3)), (4,), (1,), (0,), (1,)).shape == (0, 2, 4)


def test_col2im_refuses_what_it_cannot_add(version):
    with pytest.raises(TypeError, match="col2im"):
        version("patches").col2im(np.zeros((1, 1, 2, 3), bool), (4,), (1,), (0,), (1,))


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_versions_agree_bit_for_bit(twins, rng, geometry):
    native, twin = twins("patches")
    spatial, kernel, stride, padding, dilation, extent = geometry
    cols = rng.normal(size=(2, 3, *kernel, *extent)).astype(np.float32)
    a = native.col2im(cols, spatial, stride, padding, dilation)
    b = twin.col2im(cols, spatial, stride, padding, dilation)
    assert a.tobytes() == b.tobytes()
