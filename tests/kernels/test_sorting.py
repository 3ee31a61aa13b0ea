"""Order along an axis: places, ties, nan, and the shapes results come in."""

import numpy as np
import pytest

from chainrule._kernels import extrema, sorting

NAN = float("nan")


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("descending", [False, True])
def test_sort_along_any_axis(rng, axis, descending):
    x = rng.integers(0, 3, (4, 60, 3)).astype(np.float32)
    for laid in (x, np.asfortranarray(x)):
        values, places = sorting.sort(laid, axis, descending)
        expected = np.argsort(-x if descending else x, axis, kind="stable")
        np.testing.assert_array_equal(places, expected)
        np.testing.assert_array_equal(values, np.take_along_axis(x, expected, axis))
        np.testing.assert_array_equal(sorting.argsort(laid, axis, descending), expected)
    assert values.flags.c_contiguous and places.dtype == np.int64


def test_nan_is_the_largest():
    x = np.array([NAN, 1, np.inf, NAN, -np.inf])
    np.testing.assert_array_equal(sorting.sort(x, 0)[1], [4, 1, 2, 0, 3])
    np.testing.assert_array_equal(sorting.sort(x, 0, True)[1], [0, 3, 2, 1, 4])
    np.testing.assert_array_equal(sorting.topk(x, 3, 0)[1], [0, 3, 2])


@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize(("n", "k"), [(5, 0), (5, 5), (200, 3), (200, 40), (200, 60), (40, 39)])
@pytest.mark.parametrize("axis", [0, 1])
def test_topk(rng, n, k, largest, axis):
    x = rng.normal(size=(n, 3) if axis == 0 else (3, n))
    values, places = sorting.topk(x, k, axis, largest)
    expected = np.argsort(-x if largest else x, axis).take(range(k), axis)
    np.testing.assert_array_equal(places, expected)
    np.testing.assert_array_equal(values, np.take_along_axis(x, expected, axis))


@pytest.mark.parametrize("keepdims", [False, True])
def test_order_statistics(rng, keepdims):
    x = rng.permutation(60).reshape(4, 15).astype(float)
    ordered = np.sort(x, 1)
    for value, place, rank in (
        (*sorting.kthvalue(x, 4, 1, keepdims), 3),
        (*sorting.median(x, 1, keepdims), 7),
        (*sorting.median(x[:, :14], -1, keepdims), None),
    ):
        line = np.sort(x[:, :14], 1)[:, 6] if rank is None else ordered[:, rank]
        assert value.shape == place.shape == ((4, 1) if keepdims else (4,))
        np.testing.assert_array_equal(value.ravel(), line)
        np.testing.assert_array_equal(x[np.arange(4), place.ravel()], line)


def test_medians_and_nan():
    x = np.array([[3.0, NAN, 1, NAN, 2], [5, 4, 3, 2, 1], [NAN] * 5])
    value, place = sorting.median(x, 1)
    np.testing.assert_array_equal(value, [NAN, 3, NAN])
    np.testing.assert_array_equal(place, [1, 2, 0])
    value, place = sorting.nanmedian(x, 1)
    np.testing.assert_array_equal(value, [2, 3, NAN])
    np.testing.assert_array_equal(place, [4, 2, 0])


def test_mode_is_the_smallest_of_the_most_frequent_at_its_last_place():
    value, place = sorting.mode(np.array([[1, 3, 3, 2, 2, 2, 3], [5, 4, 5, 4, 1, 1, 0]]), 1)
    np.testing.assert_array_equal(value, [2, 1])
    np.testing.assert_array_equal(place, [5, 5])


def test_scalars():
    x = np.array(3.0)
    for value, place in (
        sorting.sort(x, 0),
        sorting.topk(x, 1, 0),
        sorting.kthvalue(x, 1, 0),
        sorting.median(x, 0),
        sorting.mode(x, 0),
        extrema.max_along(x, 0),
    ):
        assert isinstance(value, np.ndarray) and value.shape == place.shape == ()
        assert value == 3 and place == 0 and place.dtype == np.int64


def test_ranks_out_of_range():
    with pytest.raises(RuntimeError, match="expected 0 to 3 .*got 4"):
        sorting.topk(np.zeros((2, 3)), 4, 1)
    with pytest.raises(RuntimeError, match="expected 1 to 3, got 0"):
        sorting.kthvalue(np.zeros((2, 3)), 0, 1)
    for function in (sorting.median, sorting.nanmedian, sorting.mode, extrema.max_along, extrema.argmin):
        with pytest.raises(IndexError, match="non-zero size"):
            function(np.zeros((2, 0)), 1)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_extremes_stand_at_their_first_place(axis, keepdims):
    x = np.array([[2.0, 5, 5], [NAN, 1, 5], [2, NAN, 0]])
    values, places = extrema.max_along(x, axis, keepdims)
    np.testing.assert_array_equal(values.ravel(), [NAN, NAN, 5] if axis == 0 else [5, NAN, NAN])
    np.testing.assert_array_equal(places.ravel(), [1, 2, 0] if axis == 0 else [1, 0, 1])
    assert values.ndim == places.ndim == 1 + keepdims
    np.testing.assert_array_equal(extrema.argmax(x, axis, keepdims), places)
    values, places = extrema.min_along(x, axis, keepdims)
    np.testing.assert_array_equal(values.ravel(), [NAN, NAN, 0] if axis == 0 else [2, NAN, NAN])
    np.testing.assert_array_equal(extrema.argmin(x, axis, keepdims), places)


def test_place_in_the_whole_array():
    place = extrema.argmax(np.array([[1, 7], [7, 0]]))
    assert isinstance(place, np.ndarray) and place == 1 and place.dtype == np.int64


def test_ties_share_a_gradient():
    x = np.array([[1.0, 3, 3], [2, 2, 2]])
    back = extrema.ties_grad(np.array([[6.0], [9]]), x, x.max(1, keepdims=True), (1,))
    np.testing.assert_array_equal(back, [[0, 3, 3], [3, 3, 3]])
