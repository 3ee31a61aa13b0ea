"""Padding against NumPy's, cropping, and the adjoint as the transpose of the map."""

import numpy as np
import pytest

from chainrule._kernels import padding

NUMPY = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@pytest.mark.parametrize("mode", list(NUMPY))
@pytest.mark.parametrize("pad", [(1, 2), (2, 0, 1, 3), (0, 0, 3, 1), (0, 0)])
def test_same_as_numpy(rng, mode, pad):
    x = rng.normal(size=(2, 4, 4))
    widths = [(0, 0)] * (3 - len(pad) // 2) + [pad[k : k + 2] for k in range(len(pad) - 2, -1, -2)]
    extra = {"constant_values": 2.5} if mode == "constant" else {}
    np.testing.assert_array_equal(padding.pad(x, pad, mode, 2.5), np.pad(x, widths, NUMPY[mode], **extra))


@pytest.mark.parametrize(
    ("mode", "pad", "expected"),
    [
        ("constant", (-1, 2), [1, 2, 3, 9, 9]),
        ("constant", (-3, -1), []),
        ("replicate", (-1, 2), [1, 2, 3, 3, 3]),
        ("reflect", (-1, 2), [1, 2, 3, 2, 1]),
        ("circular", (-1, 2), [1, 2, 3, 1, 2]),
    ],
)
def test_negative_amounts_crop(mode, pad, expected):
    np.testing.assert_array_equal(padding.pad(np.arange(4.0), pad, mode, 9), expected)


@pytest.mark.parametrize("mode", list(NUMPY))
@pytest.mark.parametrize("pad", [(1, 2, 3, 0), (-1, 1, 2, -2)])
def test_adjoint_is_the_transpose(rng, mode, pad):
    shape = (2, 4, 3)
    units = np.eye(24).reshape(24, *shape)
    matrix = np.stack([padding.pad(unit, pad, mode).reshape(-1) for unit in units])
    g = rng.normal(size=padding.pad(units[0], pad, mode).shape)
    back = padding.pad_grad(g, shape, pad, mode)
    np.testing.assert_allclose(back, (matrix @ g.reshape(-1)).reshape(shape), atol=1e-14)


@pytest.mark.parametrize(
    ("pad", "mode", "error", "message"),
    [
        ((4, 0), "reflect", RuntimeError, "Padding size should be less"),
        ((5, 0), "circular", RuntimeError, "wrapping around more than once"),
        ((-2, 3), "circular", RuntimeError, "wrapping around more than once"),
        ((-3, -2), "constant", RuntimeError, "negative"),
        ((-3, -2), "replicate", RuntimeError, "negative"),
        ((1, 2, 3), "constant", RuntimeError, "two for each axis"),
        ((1, 1), "mirror", NotImplementedError, "mirror"),
    ],
)
def test_refusals(pad, mode, error, message):
    with pytest.raises(error, match=message):
        padding.pad(np.arange(4.0), pad, mode)
