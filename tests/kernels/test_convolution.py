"""Convolution against the defining sum, its adjoints against finite linearity, fold against unfold."""

import itertools

import numpy as np
import pytest

from chainrule._kernels import convolution as conv

CASES = [  # N, C_in, C_out, groups, spatial, kernel, stride, padding, dilation
    (2, 2, 3, 1, (7,), (3,), (2,), (1,), (1,)),
    (2, 4, 6, 2, (6, 5), (3, 2), (1, 2), (1, 0), (1, 2)),
    (3, 3, 3, 3, (5, 5), (3, 3), (1, 1), (1, 1), (1, 1)),
    (2, 3, 4, 1, (4, 4), (1, 1), (1, 1), (0, 0), (1, 1)),
    (1, 2, 2, 1, (4, 4), (1, 1), (2, 1), (0, 1), (1, 1)),
    (1, 2, 4, 2, (3, 4, 5), (2, 1, 3), (1, 2, 1), (0, 1, 2), (2, 1, 1)),
    (0, 2, 3, 1, (6,), (3,), (1,), (0,), (1,)),
]


def sample(rng, shape, dtype):
    values = rng.normal(size=shape)
    return (values + 1j * rng.normal(size=shape) if np.dtype(dtype).kind == "c" else values).astype(dtype)


def defined(x, weight, stride, padding, dilation, groups):
    """out[n, o, p] = Σ over c, t of x[n, c, p · stride - padding + t · dilation] · weight[o, c, t]."""
    kernel = weight.shape[2:]
    size = conv.conv_output_size(x.shape[2:], kernel, stride, padding, dilation)
    x = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)])
    out = np.zeros((len(x), len(weight), *size), x.dtype)
    per = len(weight) // groups
    for n, o, p in itertools.product(range(len(x)), range(len(weight)), np.ndindex(*size)):
        channels = range(o // per * weight.shape[1], (o // per + 1) * weight.shape[1])
        for (c, channel), t in itertools.product(enumerate(channels), np.ndindex(*kernel)):
            at = tuple(a * s + b * d for a, s, b, d in zip(p, stride, t, dilation, strict=True))
            out[(n, o, *p)] += x[(n, channel, *at)] * weight[(o, c, *t)]
    return out


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
def test_forward_and_adjoints(rng, case, dtype):
    n, c_in, c_out, groups, spatial, kernel, *geometry = case
    x, weight = sample(rng, (n, c_in, *spatial), dtype), sample(rng, (c_out, c_in // groups, *kernel), dtype)
    bias = sample(rng, (c_out,), dtype)
    expected = defined(x, weight, *geometry, groups)
    close = {"rtol": 1e-4, "atol": 1e-4} if dtype is np.float32 else {"rtol": 1e-10, "atol": 1e-10}
    for laid in (x, np.asfortranarray(x)):
        out = conv.conv_forward(laid, weight, None, *geometry, groups)
        assert out.dtype == dtype and out.flags.c_contiguous
        np.testing.assert_allclose(out, expected, **close)
    biased = conv.conv_forward(x, weight, bias, *geometry, groups)
    np.testing.assert_allclose(biased, expected + bias.reshape(-1, *(1,) * len(spatial)), **close)
    # <g, conv(x, w)> is linear in x and in w: each adjoint gives the same number
    g = sample(rng, expected.shape, dtype)
    product = (g * expected).sum()
    close = {name: 50 * value for name, value in close.items()}
    gx = conv.conv_grad_input(g, weight, x.shape, *geometry, groups)
    gw = conv.conv_grad_weight(g, x, weight.shape, *geometry, groups)
    assert gx.shape == x.shape and gw.shape == weight.shape
    np.testing.assert_allclose((gx * x).sum(), product, **close)
    np.testing.assert_allclose((gw * weight).sum(), product, **close)
    if n:
        unit = np.zeros(x.shape, dtype)
        unit[(0, c_in - 1, *(s // 2 for s in spatial))] = 1
        seen = defined(unit, weight, *geometry, groups)
        np.testing.assert_allclose(gx[unit == 1], [(g * seen).sum()], **close)


def test_more_images_than_a_block_holds(rng, monkeypatch):
    x, weight = rng.normal(size=(7, 2, 6, 6)), rng.normal(size=(3, 2, 3, 3))
    geometry = ((1, 1), (1, 1), (1, 1), 1)
    whole = conv.conv_forward(x, weight, None, *geometry)
    g = rng.normal(size=whole.shape)
    gx = conv.conv_grad_input(g, weight, x.shape, *geometry)
    gw = conv.conv_grad_weight(g, x, weight.shape, *geometry)
    monkeypatch.setattr(conv, "CACHED_BYTES", 2 * 2 * 9 * 36 * 8)
    np.testing.assert_allclose(conv.conv_forward(x, weight, None, *geometry), whole, rtol=1e-12)
    np.testing.assert_allclose(conv.conv_grad_input(g, weight, x.shape, *geometry), gx, rtol=1e-12)
    np.testing.assert_allclose(
        conv.conv_grad_weight(g, x, weight.shape, *geometry), gw, rtol=1e-10, atol=1e-12
    )


@pytest.mark.parametrize("output_padding", [(0, 0), (1, 0), (2, 1)])
def test_transposed_is_the_adjoint_with_gradients(rng, output_padding):
    stride, padding, dilation, groups = (2, 1), (1, 0), (3, 2), 2
    x, weight, bias = rng.normal(size=(2, 4, 3, 4)), rng.normal(size=(4, 3, 2, 2)), rng.normal(size=6)
    out = conv.conv_transpose_forward(x, weight, bias, stride, padding, output_padding, groups, dilation)
    expected = np.zeros((2, 6, 6 + output_padding[0], 6 + output_padding[1]))
    padded = np.zeros((2, 6, 30, 30))
    for n, c, i, j, o, a, b in np.ndindex(2, 4, 3, 4, 3, 2, 2):
        padded[n, c // 2 * 3 + o, 2 * i + 3 * a, j + 2 * b] += x[n, c, i, j] * weight[c, o, a, b]
    expected = padded[:, :, 1:, :][:, :, : out.shape[2], : out.shape[3]] + bias[:, None, None]
    assert out.shape == (2, 6, 6 + output_padding[0], 6 + output_padding[1])
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-12)
    g = rng.normal(size=out.shape)
    product = (g * (out - bias[:, None, None])).sum()
    gx = conv.conv_transpose_grad_input(g, weight, x.shape, stride, padding, dilation, groups)
    gw = conv.conv_transpose_grad_weight(g, x, weight.shape, stride, padding, dilation, groups)
    np.testing.assert_allclose([(gx * x).sum(), (gw * weight).sum()], [product, product], rtol=1e-10)


def test_a_kernel_longer_than_the_padded_input_is_refused():
    with pytest.raises(RuntimeError, match=r"the kernel spans \(5,\), the padded input \(4,\)"):
        conv.conv_forward(np.zeros((1, 1, 2)), np.zeros((1, 1, 3)), None, (1,), (1,), (2,), 1)


def test_unfold_columns_and_fold_back(rng):
    x = rng.normal(size=(2, 3, 5, 6))
    cols = conv.unfold(x, (2, 3), (1, 2), (1, 0), (2, 1))
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (0, 0)])
    assert cols.shape == (2, 18, 6)
    for column, (i, j) in enumerate(itertools.product(range(3), range(2))):
        patch = padded[:, :, 2 * i : 2 * i + 2, j : j + 5 : 2]
        np.testing.assert_array_equal(cols[:, :, column], patch.reshape(2, 18))
    back = conv.fold(cols, (5, 6), (2, 3), (1, 2), (1, 0), (2, 1))
    counts = conv.fold(np.ones_like(cols), (5, 6), (2, 3), (1, 2), (1, 0), (2, 1))
    np.testing.assert_allclose(back, x * counts)
