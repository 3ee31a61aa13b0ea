"""Where windows are and what averages divide by, by hand and against loops."""

import numpy as np
import pytest

from chainrule._kernels import pooling


@pytest.mark.parametrize(
    ("n", "kernel", "stride", "padding", "dilation", "ceil_mode", "expected"),
    [
        (7, 3, 2, 0, 1, False, 3),
        (8, 3, 2, 0, 1, False, 3),
        (8, 3, 2, 0, 1, True, 4),
        (6, 2, 3, 1, 1, True, 3),
        (5, 2, 3, 1, 1, True, 2),  # a third window would start in the right padding
        (4, 2, 4, 1, 1, True, 2),
        (9, 3, 2, 1, 2, False, 4),
    ],
)
def test_output_size(n, kernel, stride, padding, dilation, ceil_mode, expected):
    got = pooling.pool_output_size((n,), (kernel,), (stride,), (padding,), (dilation,), ceil_mode)
    assert got == (expected,)


def test_max_pool_and_its_gradient():
    x = np.array([[[1.0, 5, 2, 2], [5, 0, 2, 9], [7, 7, 0, 1], [7, 3, 4, 4]]])
    out, index = pooling.max_pool(x, (2, 2), (2, 2), (0, 0), (1, 1), False)
    np.testing.assert_array_equal(out, [[[5, 9], [7, 4]]])
    np.testing.assert_array_equal(index, [[[1, 7], [8, 14]]])
    g = np.array([[[1.0, 2], [3, 4]]])
    expected = np.zeros(16)
    expected[[1, 7, 8, 14]] = [1, 2, 3, 4]
    np.testing.assert_array_equal(pooling.max_pool_grad(g, index, x.shape, 2), expected.reshape(x.shape))


def test_overlapping_maxima_add_up():
    x = np.array([[0.0, 9, 0]])
    _, index = pooling.max_pool(x, (2,), (1,), (0,), (1,), False)
    back = pooling.max_pool_grad(np.array([[1.0, 10]]), index, x.shape, 1)
    np.testing.assert_array_equal(back, [[0, 11, 0]])


@pytest.mark.parametrize(("batch", "axes"), [((), 2), ((3,), 2), ((2, 3), 1), ((2, 2), 3), ((0, 2), 2)])
def test_batch_axes_and_dilation(rng, batch, axes):
    x = rng.normal(size=(*batch, *(7, 6, 5)[:axes]))
    ones, twos = (1,) * axes, (2,) * axes
    out, index = pooling.max_pool(x, twos, twos, ones, twos, False)
    assert out.shape == batch + out.shape[len(batch) :] == index.shape
    for plane in np.ndindex(*batch):
        values, places = out[plane].ravel(), index[plane].ravel()
        padded = np.pad(x[plane], 1, constant_values=-np.inf)
        expected = [
            padded[tuple(slice(2 * p, 2 * p + 3, 2) for p in at)].max()
            for at in np.ndindex(*out.shape[len(batch) :])
        ]
        np.testing.assert_array_equal(values, expected)
        np.testing.assert_array_equal(x[plane].ravel()[places], values)


@pytest.mark.parametrize(
    ("count_include_pad", "divisor_override", "divisors"),
    [(True, None, [2, 2, 2]), (False, None, [1, 2, 2]), (False, 5, [5, 5, 5])],
)
def test_average_divisors(count_include_pad, divisor_override, divisors):
    x = np.arange(1.0, 6.0)[None]
    given = ((2,), (2,), (1,), False, count_include_pad, divisor_override)
    np.testing.assert_allclose(pooling.avg_pool(x, *given), [np.array([1, 5, 9]) / divisors])
    back = pooling.avg_pool_grad(np.array([[1.0, 10, 100]]), x.shape, *given)
    np.testing.assert_allclose(back, [np.array([1, 10, 10, 100, 100]) / np.array(divisors)[[0, 1, 1, 2, 2]]])


def test_positions_past_the_padded_input_never_count():
    # ceil mode: the last window covers place 4 and two places that are not even padding
    out = pooling.avg_pool(np.arange(1.0, 6.0)[None], (3,), (2,), (0,), True, True)
    np.testing.assert_allclose(out, [[2, 4]])
    out = pooling.avg_pool(np.arange(1.0, 7.0)[None], (3,), (2,), (0,), True, True)
    np.testing.assert_allclose(out, [[2, 4, 5.5]])


def test_whole_numbers_are_cut_towards_zero():
    out = pooling.avg_pool(np.array([[-3, -4, 3, 4]]), (2,), (2,), (0,), False, True)
    np.testing.assert_array_equal(out, [[-3, 3]])


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (5, 4), (7, 9)])
def test_adaptive(rng, size):
    x = rng.normal(size=(2, 3, 5, 4))
    average = pooling.adaptive_avg_pool(x, size)
    largest, index = pooling.adaptive_max_pool(x, size)
    g = rng.normal(size=average.shape)
    back = np.zeros_like(x)
    for i, j in np.ndindex(*size):
        rows = slice(i * 5 // size[0], -(-(i + 1) * 5 // size[0]))
        columns = slice(j * 4 // size[1], -(-(j + 1) * 4 // size[1]))
        part = x[:, :, rows, columns]
        np.testing.assert_allclose(average[:, :, i, j], part.mean((2, 3)))
        np.testing.assert_array_equal(largest[:, :, i, j], part.max((2, 3)))
        back[:, :, rows, columns] += g[:, :, i : i + 1, j : j + 1] / part[0, 0].size
    np.testing.assert_allclose(pooling.adaptive_avg_pool_grad(g, x.shape, 2), back, atol=1e-14)
    taken = np.take_along_axis(x.reshape(2, 3, 20), index.reshape(2, 3, -1), 2)
    np.testing.assert_array_equal(taken, largest.reshape(2, 3, -1))


def test_a_kernel_longer_than_the_input_is_refused():
    with pytest.raises(RuntimeError, match=r"too small: a kernel of \(4, 2\)"):
        pooling.max_pool(np.zeros((1, 3, 3)), (4, 2), (1, 1), (0, 0), (1, 1), False)
    with pytest.raises(RuntimeError, match="too small"):
        pooling.avg_pool(np.zeros((1, 3)), (4,), (1,), (0,), False, True)


def test_empty_planes_are_refused():
    with pytest.raises(RuntimeError, match="non-empty"):
        pooling.adaptive_max_pool(np.zeros((2, 0)), (1,))


def test_taking_at_and_writing_back_to_the_maxima(rng):
    x = rng.normal(size=(2, 3, 4, 6))
    out, index = pooling.max_pool(x, (2, 3), (2, 3), (0, 0), (1, 1), False)
    np.testing.assert_array_equal(pooling.max_pool_take(x, index, 2), out)
    back = pooling.max_unpool(out, index, (4, 6))
    np.testing.assert_array_equal(back, np.where(np.isin(x, out), x, 0))
    assert pooling.max_pool_take(x[:0], index[:0], 2).shape == (0, 3, 2, 2)
    assert pooling.max_unpool(out[:0], index[:0], (4, 6)).shape == (0, 3, 4, 6)
    with pytest.raises(IndexError, match="out of bounds for dimension 1 with size 6"):
        pooling.max_unpool(out, index, (2, 3))
