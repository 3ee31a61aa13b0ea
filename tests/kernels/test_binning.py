"""Counting into bins, searching in order, distinct values, quantiles."""

import bisect

import numpy as np
import pytest

from chainrule._kernels import binning, quantile, unique

NAN = float("nan")


def test_bincount():
    x = np.array([1, 3, 1])
    np.testing.assert_array_equal(binning.bincount(x), [0, 2, 0, 1])
    np.testing.assert_array_equal(
        binning.bincount(x, np.array([0.5, 1, 2], np.float32), 6), [0, 2.5, 0, 1, 0, 0]
    )
    assert binning.bincount(x, np.ones(3, np.float32)).dtype == np.float32
    assert binning.bincount(np.array([], np.int64), None, 2).tolist() == [0, 0]
    for bad in (np.array([-1]), np.array([[1]]), np.array([1.0])):
        with pytest.raises(RuntimeError, match="non-negative"):
            binning.bincount(bad)


def test_histc():
    x = np.array([0.0, 1, 1.5, 2, 3, 4, NAN, 9], np.float32)
    out = binning.histc(x, 4, 0, 4)
    assert out.dtype == np.float32
    np.testing.assert_array_equal(out, [1, 2, 1, 2])
    np.testing.assert_array_equal(binning.histc(np.array([1.0, 2, 5]), 2), [2, 1])
    np.testing.assert_array_equal(binning.histc(np.full(3, 7.0), 3), [0, 3, 0])
    with pytest.raises(RuntimeError, match="max must be larger"):
        binning.histc(x, 2, 3, 1)
    with pytest.raises(RuntimeError, match="not finite"):
        binning.histc(x, 2)


@pytest.mark.parametrize("right", [False, True])
def test_searchsorted(rng, right):
    side = bisect.bisect_right if right else bisect.bisect_left
    lines, values = np.sort(rng.integers(0, 9, (2, 3, 5)), -1), rng.integers(0, 9, (2, 3, 4))
    expected = [side(lines[i, j].tolist(), values[i, j, k]) for i, j, k in np.ndindex(2, 3, 4)]
    out = binning.searchsorted(lines, values, right)
    assert out.dtype == np.int64
    np.testing.assert_array_equal(out.ravel(), expected)
    np.testing.assert_array_equal(
        binning.bucketize(values, lines[0, 0], right)[0, 0],
        [side(lines[0, 0].tolist(), v) for v in values[0, 0]],
    )
    shuffled = lines[..., ::-1]
    sorter = np.broadcast_to(np.arange(5)[::-1], lines.shape)
    np.testing.assert_array_equal(binning.searchsorted(shuffled, values, right, sorter), out)
    assert binning.searchsorted(lines[:, :, :0], values, right).tolist() == np.zeros((2, 3, 4), int).tolist()
    with pytest.raises(RuntimeError, match="a line for each line"):
        binning.searchsorted(lines, values[:1], right)


def test_unique_elements():
    x = np.array([[3, 1, 3], [2, 1, 1]])
    values, inverse, counts = unique.unique(x)
    np.testing.assert_array_equal(values, [1, 2, 3])
    np.testing.assert_array_equal(inverse, [[2, 0, 2], [1, 0, 0]])
    np.testing.assert_array_equal(counts, [3, 1, 2])
    values, inverse, counts = unique.unique_consecutive(x)
    np.testing.assert_array_equal(values, [3, 1, 3, 2, 1])
    np.testing.assert_array_equal(inverse, [[0, 1, 2], [3, 4, 4]])
    np.testing.assert_array_equal(counts, [1, 1, 1, 1, 2])


def test_every_nan_is_distinct():
    values, _, counts = unique.unique(np.array([NAN, 1, NAN, 1]))
    np.testing.assert_array_equal(values, [1, NAN, NAN])
    np.testing.assert_array_equal(counts, [2, 1, 1])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_unique_slices(rng, axis):
    x = rng.integers(0, 2, (6, 8, 2))
    values, inverse, counts = unique.unique(x, axis)
    slices = [tuple(x.take(k, axis).ravel()) for k in range(x.shape[axis])]
    distinct = sorted(set(slices))
    assert [tuple(values.take(k, axis).ravel()) for k in range(values.shape[axis])] == distinct
    assert [distinct[k] for k in inverse] == slices
    assert counts.tolist() == [slices.count(k) for k in distinct]


@pytest.mark.parametrize("shape", [(0,), (0, 2), ()])
def test_unique_of_little(shape):
    values, inverse, counts = unique.unique(np.ones(shape))
    assert values.shape == counts.shape == ((1,) if shape == () else (0,))
    assert inverse.shape == shape


@pytest.mark.parametrize("interpolation", quantile.BETWEEN)
@pytest.mark.parametrize("q", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_quantile_same_as_numpy(rng, interpolation, q, axis):
    x = rng.normal(size=(6, 7))
    out = quantile.quantile(x, np.array(q), axis, interpolation)
    np.testing.assert_allclose(out, np.quantile(x, q, axis, method=interpolation))
    out = quantile.quantile(x, np.array([q, 1 - q]), axis, interpolation, True)
    np.testing.assert_allclose(out, np.quantile(x, [q, 1 - q], axis, method=interpolation, keepdims=True))


def test_quantile_and_nan():
    x, q = np.array([[1.0, NAN, 3], [1, 2, 3], [NAN, NAN, NAN]]), np.array(0.5)
    np.testing.assert_array_equal(quantile.quantile(x, q, 1), [NAN, 2, NAN])
    np.testing.assert_array_equal(quantile.quantile(x, q, 1, ignore_nan=True), [2, 2, NAN])
    out = quantile.quantile(np.array([1.0, 3]), q, 0)
    assert isinstance(out, np.ndarray) and out.shape == () and out == 2
    with pytest.raises(RuntimeError, match=r"range \[0, 1\]"):
        quantile.quantile(x, np.array(1.5), 1)
    with pytest.raises(RuntimeError, match="non-empty"):
        quantile.quantile(x[:, :0], q, 1)
