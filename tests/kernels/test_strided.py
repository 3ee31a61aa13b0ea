"""Views from shape, strides and offset."""

import numpy as np

from chainrule._kernels import strided


def test_expand_steps_by_zero():
    a = np.arange(3.0)[:, None]
    wide = strided.expand(a, (2, 3, 4))
    np.testing.assert_array_equal(wide, np.broadcast_to(a, (2, 3, 4)))
    assert wide.strides[0] == 0 and np.shares_memory(wide, a)


def test_transposed_shares_memory():
    a = np.arange(24.0).reshape(2, 3, 4)
    b = strided.transposed(a, 0, 2)
    np.testing.assert_array_equal(b, a.swapaxes(0, 2))
    b[1, 2, 0] = -1
    assert a[0, 2, 1] == -1


def test_strided_reads_with_offset_from_a_view():
    a = np.arange(20.0)[4:]
    np.testing.assert_array_equal(strided.strided(a, (2, 3), (32, 8), 16), [[6, 7, 8], [10, 11, 12]])
    assert strided.strided(a, (0, 3), (32, 8), 16).shape == (0, 3)


def test_what_visits_a_cell_twice():
    a = np.arange(12.0).reshape(3, 4)
    assert not strided.visits_twice(a) and not strided.visits_twice(a.T) and not strided.visits_twice(a[::2, ::2])
    assert strided.visits_twice(strided.expand(np.zeros((3, 1)), (3, 2)))
    assert strided.visits_twice(strided.strided(a, (3, 3), (8, 8), 0))


def test_what_is_dense():
    a = np.arange(12.0).reshape(3, 4)
    assert strided.is_dense(a) and strided.is_dense(a.T)
    assert not strided.is_dense(a[:, ::2]) and not strided.is_dense(strided.expand(np.zeros((3, 1)), (3, 2)))
