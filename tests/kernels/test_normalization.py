"""Normalizations against their definitions, their gradients against differences, and both versions alike."""

import numpy as np
import pytest

DTYPES = [np.float32, np.float64]
EPS = 1e-5


def sample(shape, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).normal(1.5, 2.0, shape).astype(dtype)


def close(got, expected, dtype, factor=1):
    scale = factor * (4e-6 if dtype is np.float32 else 1e-12)
    assert got.dtype == dtype
    np.testing.assert_allclose(got, expected, rtol=scale, atol=scale)


def standard(x, axes, centred=True):
    """x to mean 0 (or as it is) and variance 1 along axes, with the mean and the inverse deviation."""
    mean = x.mean(axes, keepdims=True) if centred else np.zeros(())
    rstd = 1 / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + EPS)
    return (x - mean) * rstd, mean, rstd


def differences(loss, array):
    """The gradient of loss() for the float64 array, by central differences."""
    gradient = np.empty_like(array)
    for index in np.ndindex(array.shape):
        kept = array[index]
        array[index] = kept + 1e-5
        above = loss()
        array[index] = kept - 1e-5
        gradient[index] = (above - loss()) / 2e-5
        array[index] = kept
    return gradient


ROWS = [((7, 5), 1), ((3, 40), 1), ((2, 3, 4), 2), ((4, 2100), 1), ((5,), 1), ((2, 1, 3), 2), ((70, 3), 1)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape, ndim", ROWS)
@pytest.mark.parametrize("affine", ["both", "weight", "bias", "neither"])
def test_layer_norm(version, dtype, shape, ndim, affine):
    kernel = version("normalization")
    x = sample(shape, dtype)
    inner = shape[len(shape) - ndim :]
    weight = sample(inner, dtype, 1) if affine in ("both", "weight") else None
    bias = sample(inner, dtype, 2) if affine in ("both", "bias") else None
    axes = tuple(range(len(shape) - ndim, len(shape)))
    xhat, mean, rstd = standard(x.astype(np.float64), axes)
    out, got_mean, got_rstd = kernel.layer_norm(x, ndim, weight, bias, EPS)
    close(out, xhat * (1 if weight is None else weight) + (0 if bias is None else bias), dtype, 3)
    close(got_mean, mean, dtype)
    close(got_rstd, rstd, dtype)
    assert got_mean.shape == got_rstd.shape == mean.shape


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape, ndim", ROWS)
@pytest.mark.parametrize("weighted", [True, False])
def test_rms_norm(version, dtype, shape, ndim, weighted):
    x = sample(shape, dtype)
    weight = sample(shape[len(shape) - ndim :], dtype, 1) if weighted else None
    xhat, _, rstd = standard(x.astype(np.float64), tuple(range(len(shape) - ndim, len(shape))), centred=False)
    out, got = version("normalization").rms_norm(x, ndim, weight, EPS)
    close(out, xhat * (1 if weight is None else weight), dtype, 2)
    close(got, rstd, dtype)


@pytest.mark.parametrize("shape, ndim", [((3, 5), 1), ((2, 3, 4), 2), ((2, 20), 1)])
@pytest.mark.parametrize("weighted", [True, False])
def test_row_gradients_are_the_slopes(version, shape, ndim, weighted):
    kernel = version("normalization")
    x, g = sample(shape), sample(shape, seed=3)
    inner = shape[len(shape) - ndim :]
    weight, bias = (sample(inner, seed=1) if weighted else None), np.zeros(inner)
    _, mean, rstd = kernel.layer_norm(x, ndim, weight, bias, EPS)
    wants = (True, weighted, True)
    gx, gw, gb = kernel.layer_norm_grad(g, x, mean, rstd, weight, ndim, wants)
    loss = lambda: float((g * kernel.layer_norm(x, ndim, weight, bias, EPS)[0]).sum())
    np.testing.assert_allclose(gx, differences(loss, x), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(gb, differences(loss, bias), rtol=1e-6, atol=1e-7)
    assert gb.shape == inner
    if weighted:
        np.testing.assert_allclose(gw, differences(loss, weight), rtol=1e-6, atol=1e-7)
    _, rstd = kernel.rms_norm(x, ndim, weight, EPS)
    gx, gw = kernel.rms_norm_grad(g, x, rstd, weight, ndim, wants[:2])
    loss = lambda: float((g * kernel.rms_norm(x, ndim, weight, EPS)[0]).sum())
    np.testing.assert_allclose(gx, differences(loss, x), rtol=1e-6, atol=1e-7)
    if weighted:
        np.testing.assert_allclose(gw, differences(loss, weight), rtol=1e-6, atol=1e-7)


CHANNELS = [(7, 4), (5, 4, 3), (3, 4, 5, 6), (64, 8), (2, 4, 40)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", CHANNELS)
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("affine", [True, False])
def test_batch_norm(version, dtype, shape, training, affine):
    x = sample(shape, dtype)
    channels = shape[1]
    across = (1, channels) + (1,) * (len(shape) - 2)
    weight, bias = (sample(channels, dtype, seed) if affine else None for seed in (1, 2))
    running_mean, running_var = sample(channels, dtype, 3), np.abs(sample(channels, dtype, 4)) + dtype(0.1)
    wide = x.astype(np.float64)
    if training:
        axes = (0, *range(2, len(shape)))
        xhat, mean, rstd = standard(wide, axes)
        variance = wide.var(axes, ddof=1)
        expected_mean = 0.7 * running_mean + 0.3 * mean.ravel()
        expected_var = 0.7 * running_var + 0.3 * variance
    else:
        expected_mean, expected_var = running_mean.copy(), running_var.copy()
        mean = running_mean.reshape(across).astype(np.float64)
        rstd = 1 / np.sqrt(running_var.reshape(across).astype(np.float64) + EPS)
        xhat = (wide - mean) * rstd
    out, save_mean, save_rstd = version("normalization").batch_norm(
        x, weight, bias, running_mean, running_var, training, 0.3, EPS
    )
    expected = xhat if weight is None else xhat * weight.reshape(across) + bias.reshape(across)
    close(out, expected, dtype, 3)
    close(save_mean, mean.ravel(), dtype)
    close(save_rstd, rstd.ravel(), dtype)
    close(running_mean, expected_mean, dtype)
    close(running_var, expected_var, dtype)


@pytest.mark.parametrize("shape", [(5, 4), (3, 4, 3), (2, 4, 20)])
@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_gradients_are_the_slopes(version, shape, training):
    kernel = version("normalization")
    x, g = sample(shape), sample(shape, seed=3)
    weight, bias = sample(4, seed=1), sample(4, seed=2)
    running = (None, None) if training else (sample(4, seed=5), np.abs(sample(4, seed=6)))
    run = lambda: kernel.batch_norm(x, weight, bias, *running, training, 0.1, EPS)
    loss = lambda: float((g * run()[0]).sum())
    _, mean, rstd = run()
    gx, gw, gb = kernel.batch_norm_grad(g, x, weight, mean, rstd, training, (True, True, True))
    np.testing.assert_allclose(gx, differences(loss, x), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(gw, differences(loss, weight), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(gb, differences(loss, bias), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", CHANNELS)
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("affine", [True, False])
def test_group_norm(version, dtype, shape, groups, affine):
    x = sample(shape, dtype)
    weight, bias = (sample(shape[1], dtype, seed) if affine else None for seed in (1, 2))
    blocks = x.astype(np.float64).reshape(shape[0], groups, -1)
    xhat, mean, rstd = standard(blocks, 2)
    across = (1, shape[1]) + (1,) * (len(shape) - 2)
    expected = xhat.reshape(shape)
    if affine:
        expected = expected * weight.reshape(across) + bias.reshape(across)
    out, got_mean, got_rstd = version("normalization").group_norm(x, groups, weight, bias, EPS)
    close(out, expected, dtype, 3)
    close(got_mean, mean[..., 0], dtype)
    close(got_rstd, rstd[..., 0], dtype)


@pytest.mark.parametrize("shape", [(3, 4), (2, 4, 3), (2, 4, 20)])
@pytest.mark.parametrize("groups", [1, 2])
def test_group_norm_gradients_are_the_slopes(version, shape, groups):
    kernel = version("normalization")
    x, g = sample(shape), sample(shape, seed=3)
    weight, bias = sample(4, seed=1), sample(4, seed=2)
    loss = lambda: float((g * kernel.group_norm(x, groups, weight, bias, EPS)[0]).sum())
    _, mean, rstd = kernel.group_norm(x, groups, weight, bias, EPS)
    gx, gw, gb = kernel.group_norm_grad(g, x, mean, rstd, weight, groups, (True, True, True))
    np.testing.assert_allclose(gx, differences(loss, x), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(gw, differences(loss, weight), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(gb, differences(loss, bias), rtol=1e-6, atol=1e-7)


def test_statistics_survive_a_large_mean(version):
    kernel = version("normalization")
    x = (np.random.default_rng(0).standard_normal((4, 3000)) + 1000).astype(np.float32)
    wide = x.astype(np.float64)
    _, mean, rstd = kernel.layer_norm(x, 1, None, None, 0.0)
    np.testing.assert_allclose(mean[:, 0], wide.mean(1), rtol=1e-7)
    np.testing.assert_allclose(rstd[:, 0], 1 / wide.std(1), rtol=1e-5)
    _, mean, rstd = kernel.batch_norm(np.ascontiguousarray(x.T), None, None, None, None, True, 0.1, 0.0)
    np.testing.assert_allclose(rstd, 1 / wide.std(1), rtol=1e-5)


def test_only_what_is_wanted_is_made(version):
    kernel = version("normalization")
    x, w = sample((3, 4)), sample(4, seed=1)
    _, mean, rstd = kernel.layer_norm(x, 1, w, None, EPS)
    whole = kernel.layer_norm_grad(x, x, mean, rstd, w, 1, (True, True, True))
    for i in range(3):
        got = kernel.layer_norm_grad(x, x, mean, rstd, w, 1, tuple(j == i for j in range(3)))
        assert [part is None for part in got] == [j != i for j in range(3)]
        np.testing.assert_allclose(got[i], whole[i], rtol=1e-14)
    _, mean, rstd = kernel.batch_norm(x, w, None, None, None, True, 0.1, EPS)
    assert kernel.batch_norm_grad(x, x, w, mean, rstd, True, (False, False, True))[:2] == (None, None)
    _, mean, rstd = kernel.group_norm(x, 2, w, None, EPS)
    assert kernel.group_norm_grad(x, x, mean, rstd, w, 2, (False, True, False))[::2] == (None, None)


@pytest.mark.parametrize("dtype", DTYPES)
def test_layouts_and_versions(twins, dtype):
    native, plain = twins("normalization")
    whole = sample((6, 4, 5), dtype)
    weight, bias = sample((8,), dtype, 1)[::2], sample((8,), dtype, 2)[::2]
    for x in (whole, whole[::2], whole.transpose(2, 1, 0), np.broadcast_to(whole[:1], whole.shape)):
        calls = [
            ("batch_norm", (weight, bias, None, None, True, 0.1, EPS)),
            ("group_norm", (2, weight, bias, EPS)),
            ("layer_norm", (2, None, None, EPS)),
            ("rms_norm", (1, None, EPS)),
        ]
        for name, arguments in calls:
            first = getattr(native, name)(x, *arguments)
            for a, b in zip(first, getattr(native, name)(x.copy(), *arguments), strict=True):
                np.testing.assert_array_equal(a, b)
            for a, b in zip(first, getattr(plain, name)(x, *arguments), strict=True):
                close(a, b, dtype, 5)


def test_running_statistics_of_any_layout_are_written(version):
    x = sample((6, 3))
    both = np.zeros((2, 3), np.float32, order="F")
    version("normalization").batch_norm(x, None, None, both[0], both[1], True, 1.0, EPS)
    np.testing.assert_allclose(both, [x.mean(0), x.var(0, ddof=1)], rtol=1e-6)


def test_bad_input(version):
    kernel = version("normalization")
    x = np.zeros((2, 4))
    with pytest.raises(TypeError, match="layer_norm: expected a float32 or float64 array, got int64"):
        kernel.layer_norm(np.zeros((2, 4), np.int64), 1, None, None, EPS)
    with pytest.raises(TypeError, match="layer_norm: expected weight of dtype float64, got float32"):
        kernel.layer_norm(x, 1, np.zeros(4, np.float32), None, EPS)
    with pytest.raises(ValueError, match="layer_norm: expected bias with 4 elements, got 3"):
        kernel.layer_norm(x, 1, None, np.zeros(3), EPS)
    with pytest.raises(ValueError, match="rms_norm: expected 1 to 2 normalized axes, got 3"):
        kernel.rms_norm(x, 3, None, EPS)
    with pytest.raises(ValueError, match="batch_norm: expected at least 2 axes"):
        kernel.batch_norm(np.zeros(3), None, None, None, None, True, 0.1, EPS)
    with pytest.raises(ValueError, match="batch_norm: expected running_mean and running_var"):
        kernel.batch_norm(x, None, None, None, None, False, 0.1, EPS)
    with pytest.raises(ValueError, match="batch_norm: expected running_var with 4 elements, got 3"):
        kernel.batch_norm(x, None, None, np.zeros(4), np.zeros(3), True, 0.1, EPS)
    with pytest.raises(RuntimeError, match="expected num_groups to divide the 4 channels, got 3"):
        kernel.group_norm(x, 3, None, None, EPS)
    with pytest.raises(ValueError, match="layer_norm_grad: expected g like x"):
        kernel.layer_norm_grad(
            np.zeros((4, 2)), x, np.zeros((2, 1)), np.ones((2, 1)), None, 1, (True, False, False)
        )
