"""Stable sorting and selection against Python's own sort."""

import numpy as np
import pytest

DTYPES = [np.float32, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8, np.bool_]
LENGTHS = [0, 1, 2, 47, 48, 49, 100, 700]


def ordered(line, descending):
    """Places in stable order, nan as the largest value: Python's sort is stable."""
    key = [(value != value, 0 if value != value else value) for value in line.tolist()]
    return (
        sorted(range(len(key)), key=key.__getitem__, reverse=False)
        if not descending
        else [len(key) - 1 - k for k in sorted(range(len(key)), key=key[::-1].__getitem__)][::-1]
    )


def sample(rng, shape, dtype):
    x = rng.integers(-40, 40, shape)
    if np.dtype(dtype).kind == "f":
        x = np.where(rng.random(shape) < 0.05, np.nan, x / 4)
        x = np.where(rng.random(shape) < 0.05, -0.0, x)
        x = np.where(rng.random(shape) < 0.02, np.inf, np.where(rng.random(shape) < 0.02, -np.inf, x))
    return x.astype(dtype)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_stable_sort(version, rng, dtype, n, descending):
    x = sample(rng, (3, n), dtype)
    given = x.copy()
    values, places = version("selection").stable_sort(x, descending)
    np.testing.assert_array_equal(x, given)
    assert values.dtype == dtype and places.dtype == np.int64
    for row in range(3):
        np.testing.assert_array_equal(places[row], np.array(ordered(x[row], descending), np.int64))
        # bits, not values: -0 keeps its sign and a nan its payload
        assert values[row].tobytes() == x[row][places[row]].tobytes()


def test_large_integers_keep_their_order(version):
    x = np.array([2**62, -(2**62), 2**62 + 1, -1, 0, np.iinfo(np.int64).min, np.iinfo(np.int64).max] * 20)
    np.testing.assert_array_equal(version("selection").stable_sort(x, False)[0], np.sort(x))


@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("k", [0, 1, 5, 30])
@pytest.mark.parametrize("dtype", DTYPES)
def test_first_few(version, rng, dtype, k, largest):
    x = sample(rng, (2, 3, 30), dtype)
    values, places = version("selection").first_few(np.asfortranarray(x), k, largest)
    assert values.shape == places.shape == (2, 3, k)
    for row in np.ndindex(2, 3):
        np.testing.assert_array_equal(places[row], np.array(ordered(x[row], largest)[:k], np.int64))
        np.testing.assert_array_equal(values[row], x[row][places[row]])


def test_complex_has_no_order(version):
    with pytest.raises(TypeError, match="sorting"):
        version("selection").stable_sort(np.zeros(3, complex), False)
