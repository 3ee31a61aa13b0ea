"""Maxima and sums over windows against plain loops, on windows of every kind pooling makes."""

import numpy as np
import pytest

from chainrule._kernels.pooling import adaptive_spans, average_spans, sliding_spans

SPANS = [
    ((7,), sliding_spans((7,), (3,), (2,), (1,), (1,), True)),
    ((6, 9), sliding_spans((6, 9), (2, 3), (2, 1), (1, 1), (1, 2), False)),
    ((4, 5, 6), sliding_spans((4, 5, 6), (2, 2, 2), (1, 2, 3), (0, 1, 1), (1, 1, 2), True)),
    ((5, 8), average_spans((5, 8), (3, 2), (2, 2), (1, 0), True, True, None, np.dtype(float))[0]),
    ((7, 5), adaptive_spans((7, 5), (3, 4), np.dtype(float))[0]),
    ((40, 41), sliding_spans((40, 41), (3, 3), (1, 2), (1, 1), (1, 1), False)),
]


def windows(spans):
    """Each output place with the input places of its window, in order."""
    counts = [len(starts) for starts, _, _ in spans]
    for out in np.ndindex(*counts):
        axes = [range(starts[k], stops[k], step) for k, (starts, stops, step) in zip(out, spans, strict=True)]
        yield out, [(d, h, w) for d in axes[0] for h in axes[1] for w in axes[2]]


def volume(rng, spatial, dtype=np.float64):
    return rng.integers(-3, 4, (2, *(1,) * (3 - len(spatial)), *spatial)).astype(dtype)


@pytest.mark.parametrize(("spatial", "spans"), SPANS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8])
def test_max_windows(version, rng, spatial, spans, dtype):
    x = volume(rng, spatial, dtype)
    out, index = version("windows").max_windows(x, spans)
    assert out.dtype == dtype and index.dtype == np.int64
    for place, window in windows(spans):
        for plane in range(2):
            best = None
            for at in window:
                if best is None or x[plane][at] > x[plane][best]:
                    best = at
            assert out[plane][place] == x[plane][best]
            assert index[plane][place] == np.ravel_multi_index(best, x.shape[1:])


def test_the_last_nan_of_a_window_counts(version):
    spans = sliding_spans((6,), (3,), (1,), (0,), (1,), False)
    x = np.array([1, np.nan, 5, np.nan, 2, 9]).reshape(1, 1, 1, 6)
    out, index = version("windows").max_windows(x, spans)
    assert np.isnan(out[0, 0, 0, :4]).all()
    np.testing.assert_array_equal(index.ravel(), [1, 3, 3, 3])


def test_minus_infinity_still_has_a_place(version):
    spans = sliding_spans((4,), (2,), (2,), (0,), (1,), False)
    out, index = version("windows").max_windows(np.full((1, 1, 1, 4), -np.inf), spans)
    assert (out == -np.inf).all()
    np.testing.assert_array_equal(index.ravel(), [0, 2])


@pytest.mark.parametrize(("spatial", "spans"), SPANS)
def test_sums_and_their_adjoint(version, rng, spatial, spans):
    module = version("windows")
    x = volume(rng, spatial)
    out = module.sum_windows(x, spans)
    g = rng.integers(-3, 4, out.shape).astype(float)
    back = np.zeros_like(x)
    for place, window in windows(spans):
        for plane in range(2):
            assert out[plane][place] == sum(x[plane][at] for at in window)
            for at in window:
                back[plane][at] += g[plane][place]
    np.testing.assert_array_equal(module.spread_windows(g, x.shape[1:], spans), back)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("spatial", "spans"), SPANS)
def test_versions_agree(twins, rng, spatial, spans, dtype):
    native, twin = twins("windows")
    x = rng.normal(size=volume(rng, spatial).shape).astype(dtype)
    x[rng.random(x.shape) < 0.1] = np.nan
    for mine, theirs in zip(native.max_windows(x, spans), twin.max_windows(x, spans), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    x = np.nan_to_num(x)
    np.testing.assert_array_equal(native.sum_windows(x, spans), twin.sum_windows(x, spans))
    g = native.sum_windows(x, spans)
    ulps = {"rtol": 8 * np.finfo(dtype).eps, "atol": 8 * np.finfo(dtype).eps}
    np.testing.assert_allclose(
        native.spread_windows(g, x.shape[1:], spans), twin.spread_windows(g, x.shape[1:], spans), **ulps
    )


def test_refusals(version):
    module = version("windows")
    spans = sliding_spans((4,), (2,), (2,), (0,), (1,), False)
    with pytest.raises(TypeError, match="max pooling"):
        module.max_windows(np.zeros((1, 1, 1, 4), complex), spans)
    with pytest.raises(TypeError, match="average pooling"):
        module.sum_windows(np.zeros((1, 1, 1, 4), np.int8), spans)
