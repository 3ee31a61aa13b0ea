"""Rows by index, bags of rows, and their gradients."""

import numpy as np
import pytest

from chainrule._kernels import embedding as kernels


@pytest.fixture
def weight():
    return np.array([[1.0, -1], [2, -2], [4, -4], [8, -8]])


def test_rows_and_their_gradient(weight):
    indices = np.array([[3, 0], [3, 3]])
    np.testing.assert_array_equal(kernels.embedding(weight, indices), weight[indices])
    g = np.arange(8.0).reshape(2, 2, 2)
    expected = np.zeros((4, 2))
    np.add.at(expected, indices, g)
    np.testing.assert_array_equal(kernels.embedding_grad(g, indices, 4), expected)
    np.testing.assert_array_equal(kernels.embedding_grad(g, indices, 4, 3), expected * [[1], [0], [0], [0]])
    np.testing.assert_allclose(
        kernels.embedding_grad(g, indices, 4, None, True), expected / [[1], [1], [1], [3]]
    )
    with pytest.raises(IndexError, match="index 4 is out of bounds for dimension 0 with size 4"):
        kernels.embedding(weight, np.array([4]))


INDICES, OFFSETS = np.array([3, 0, 1, 1, 2]), np.array([0, 2, 2])
BAGS = [[3, 0], [], [1, 1, 2]]


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding_idx", [None, 1])
@pytest.mark.parametrize("include_last_offset", [False, True])
def test_bags(weight, mode, padding_idx, include_last_offset):
    offsets = np.append(OFFSETS, 5) if include_last_offset else OFFSETS
    out, bag, size, at = kernels.embedding_bag(
        weight, INDICES, offsets, mode, None, include_last_offset, padding_idx
    )
    bags = [[k for k in rows if k != padding_idx] for rows in BAGS]
    reduce = {"sum": np.sum, "mean": np.mean, "max": np.max}[mode]
    np.testing.assert_array_equal(out, [reduce(weight[rows], 0) if rows else [0, 0] for rows in bags])
    np.testing.assert_array_equal(size, [len(rows) for rows in bags])
    g = np.array([[1.0, 2], [3, 4], [5, 6]])
    expected = np.zeros_like(weight)
    for rows, part in zip(bags, g, strict=True):
        for k in rows:
            if mode == "max":
                for column in range(2):
                    if k == rows[int(np.argmax(weight[rows, column]))]:
                        expected[k, column] = part[column]
            else:
                expected[k] += part / (len(rows) if mode == "mean" else 1)
    back = kernels.embedding_bag_grad(g, INDICES, bag, size, at, 4, mode, None, padding_idx)
    np.testing.assert_allclose(back, expected)


def test_weighted_bags(weight):
    weights = np.array([1.0, 2, 3, 4, 5])
    out, bag, size, at = kernels.embedding_bag(weight, INDICES, OFFSETS, "sum", weights, False, 1)
    np.testing.assert_array_equal(out, [[10, -10], [0, 0], [20, -20]])
    g = np.array([[1.0, 10], [0, 0], [2, 1]])
    back = kernels.embedding_bag_grad(g, INDICES, bag, size, at, 4, "sum", weights, 1)
    np.testing.assert_array_equal(back, [[2, 20], [0, 0], [10, 5], [1, 10]])
    back = kernels.embedding_bag_weights_grad(g, weight, INDICES, bag)
    np.testing.assert_array_equal(back, [-72, -9, 0, 0, 4])


def test_a_row_is_divided_by_its_own_frequency(weight):
    out, bag, size, at = kernels.embedding_bag(weight, INDICES, OFFSETS, "sum")
    back = kernels.embedding_bag_grad(np.ones((3, 2)), INDICES, bag, size, at, 4, "sum", scale_by_freq=True)
    np.testing.assert_array_equal(back, np.ones((4, 2)))


@pytest.mark.parametrize(
    ("offsets", "message"), [([1, 2], "to be 0"), ([0, 3, 2], "in order"), ([0, 6], "at most 5")]
)
def test_bags_that_are_none(weight, offsets, message):
    with pytest.raises(ValueError, match=message):
        kernels.embedding_bag(weight, INDICES, np.array(offsets), "sum")
