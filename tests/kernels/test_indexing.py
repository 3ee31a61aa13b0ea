"""Selecting, writing and filling by index and mask, in copies and in place."""

import numpy as np
import pytest

from chainrule._kernels import indexing, scatter


@pytest.fixture
def x():
    return np.arange(12.0).reshape(3, 4)


def test_writes_leave_the_input_alone_unless_it_is_out(x):
    given, index, src = x.copy(), np.array([2, 0]), np.full((2, 4), 100.0)
    writers = {
        "add": lambda out: indexing.index_add(x, 0, index, src, out=out),
        "copy": lambda out: indexing.index_copy(x, 0, index, src, out=out),
        "fill": lambda out: indexing.index_fill(x, 0, index, 5, out=out),
        "put": lambda out: indexing.put(x, index, src[0, :2], out=out),
        "index_put": lambda out: indexing.index_put(x, (index,), src, True, out=out),
        "masked": lambda out: indexing.masked_scatter(x, x > 8, src.ravel(), out=out),
        "scatter": lambda out: scatter.scatter(x, 0, index[:, None], src, out=out),
        "reduce": lambda out: scatter.scatter_reduce(x, 0, index[:, None], src, "mean", out=out),
    }
    for name, write in writers.items():
        fresh = write(None)
        np.testing.assert_array_equal(x, given, err_msg=name)
        assert write(x) is x, name
        np.testing.assert_array_equal(x, fresh, err_msg=name)
        assert not np.array_equal(fresh, given), name
        x[...] = given


def test_repeated_indices(x):
    index, src = np.array([1, 1, 0]), np.arange(1.0, 13).reshape(3, 4)
    np.testing.assert_array_equal(
        indexing.index_add(x, 0, index, src), x + np.stack([src[2], src[0] + src[1], 0 * src[0]])
    )
    np.testing.assert_array_equal(indexing.index_copy(x, 0, index, src), np.stack([src[2], src[1], x[2]]))


def test_fill_counts_from_the_end(x):
    np.testing.assert_array_equal(indexing.index_fill(x, 1, np.array([-1, 1]), 0), x * [1, 0, 1, 0])
    with pytest.raises(IndexError, match="index -5 is out of bounds for dimension 1 with size 4"):
        indexing.index_fill(x, 1, np.array([-5]), 0)


def test_take_and_put_count_in_c_order(x):
    index = np.array([[0, -1], [5, 5]])
    np.testing.assert_array_equal(indexing.take(x.T, index), x.T.ravel()[index])
    out = indexing.put(x.T, index, np.array([[1.0, 2], [3, 4]]), True)
    expected = x.T.copy()
    for at, value in ((0, 1), (11, 2), (5, 7)):
        expected[np.unravel_index(at, expected.shape)] += value
    np.testing.assert_array_equal(out, expected)
    in_place = np.asfortranarray(x)
    indexing.put(in_place, np.array([1]), np.array([50.0]), out=in_place)
    assert in_place[0, 1] == 50
    with pytest.raises(IndexError, match="index 12 is out of bounds"):
        indexing.take(x, np.array([12]))


@pytest.mark.parametrize(
    "indices",
    [
        (np.array([0, 2, 0]),),
        (np.array([-1, 2, 0]), np.array([3, -1, 0])),
        (np.array([[0], [1]]), np.array([1, 1])),
        (slice(None, None, 2), np.array([1, 1, 3])),
        (np.array([1, 1]), None, slice(1, 3)),
        (Ellipsis, np.array([0, 0])),
        (np.array([True, False, True]),),
        (1,),
        (2, 3),
        (np.array([], np.int64),),
    ],
)
def test_index_put_adds_once_for_each_mention(x, rng, indices):
    for laid in (x, np.asfortranarray(x)):
        values = rng.normal(size=laid[indices].shape)
        expected = laid.copy()
        np.add.at(expected, indices, values)
        np.testing.assert_allclose(indexing.index_put(laid, indices, values, True), expected)
        in_place = laid.copy(order="K")
        np.testing.assert_allclose(
            indexing.index_put(in_place, indices, values, True, out=in_place), expected
        )
        expected = laid.copy()
        expected[indices] = values
        np.testing.assert_array_equal(indexing.index_put(laid, indices, values), expected)
        back = np.zeros_like(x)
        np.add.at(back, indices, values)
        np.testing.assert_allclose(indexing.index_grad(values, indices, x.shape), back)


def test_more_indices_than_axes(x):
    for indices in ((np.array([0]),) * 3, (0, 0, 0)):
        for accumulate in (False, True):
            with pytest.raises(IndexError, match="too many indices"):
                indexing.index_put(x, indices, np.array(1.0), accumulate)


def test_index_put_broadcasts_values(x):
    out = indexing.index_put(x, (np.array([0, 0, 1]),), np.array(1.0), True)
    np.testing.assert_array_equal(out, x + np.array([2, 1, 0])[:, None])


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("indices", [(np.array([0, 3]),), (slice(None), np.array([0, 4]))])
def test_index_put_out_of_bounds(x, accumulate, indices):
    given = x.copy()
    with pytest.raises(IndexError, match="out of bounds for dimension [01] with size [34]"):
        indexing.index_put(x, indices, np.array(1.0), accumulate, out=x)
    np.testing.assert_array_equal(x, given)


def test_masks(x):
    mask = np.array([True, False, False, True])
    np.testing.assert_array_equal(indexing.masked_select(x, mask), [0, 3, 4, 7, 8, 11])
    np.testing.assert_array_equal(indexing.masked_select(np.array(3.0), np.array([True, True])), [3, 3])
    out = indexing.masked_scatter(x, mask, np.arange(100.0, 110))
    np.testing.assert_array_equal(out[:, [0, 3]], [[100, 101], [102, 103], [104, 105]])
    np.testing.assert_array_equal(out[:, 1:3], x[:, 1:3])
    with pytest.raises(RuntimeError, match="at least 6 elements, got 5"):
        indexing.masked_scatter(x, mask, np.arange(5.0))


def test_nonzero():
    np.testing.assert_array_equal(indexing.nonzero(np.array([[0, 2], [3, 0]])), [[0, 1], [1, 0]])
    assert indexing.nonzero(np.array(1.0)).shape == (1, 0)
    assert indexing.nonzero(np.array(0.0)).shape == (0, 0)
    assert indexing.nonzero(np.zeros((2, 0, 3))).shape == (0, 3)
    assert indexing.nonzero(np.ones(2)).dtype == np.int64


def test_one_hot():
    np.testing.assert_array_equal(indexing.one_hot(np.array([2, 0])), [[0, 0, 1], [1, 0, 0]])
    assert indexing.one_hot(np.array(1), 4).tolist() == [0, 1, 0, 0]
    assert indexing.one_hot(np.zeros((2, 0), np.int64), 3).shape == (2, 0, 3)
    for index, classes, message in (
        ([3], 3, "smaller"),
        ([-1], 3, "non-negative"),
        ([], -1, "infer"),
        ([0], 0, "positive"),
    ):
        with pytest.raises(RuntimeError, match=message):
            indexing.one_hot(np.array(index, np.int64), classes)


@pytest.mark.parametrize(
    ("reduce", "with_self", "without"),
    [
        ("sum", [9, 6, 30], [8, 4, 30]),
        ("prod", [15, 8, 30], [15, 4, 30]),
        ("mean", [3, 3, 30], [4, 4, 30]),
        ("amax", [5, 4, 30], [5, 4, 30]),
        ("amin", [1, 2, 30], [3, 4, 30]),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.uint8])
def test_reductions_with_and_without_the_element_itself(reduce, with_self, without, dtype):
    x, index, src = np.array([1, 2, 30], dtype), np.array([0, 1, 0]), np.array([5, 4, 3], dtype)
    for include_self, expected in ((True, with_self), (False, without)):
        for function in (scatter.scatter_reduce, scatter.index_reduce):
            out = function(x, 0, index, src, reduce, include_self)
            assert out.dtype == dtype
            np.testing.assert_array_equal(out, expected)


def test_scatter_multiply_and_add(x):
    index = np.array([[0, 0], [1, 3]])
    src = np.array([[2.0, 3], [4, 5]])
    out = scatter.scatter_multiply(x + 1, 1, index, src)
    np.testing.assert_array_equal(out[:2], [[6, 2, 3, 4], [5, 24, 7, 40]])
    np.testing.assert_array_equal(scatter.scatter_add(x, 1, index, src)[:2], [[5, 1, 2, 3], [4, 9, 6, 12]])
    with pytest.raises(RuntimeError, match="got median"):
        scatter.scatter_reduce(x, 1, index, src, "median")
