"""Layouts for the native loops: what is copied, what is not, and what is refused."""

import numpy as np
import pytest


def test_arrays_already_laid_out_are_not_copied(version):
    kernel = version("dense")
    x = np.zeros((3, 4))
    assert kernel.row_major(x, "f") is x and kernel.one_segment(x, "f") is x
    assert kernel.one_segment(x.T, "f").flags.f_contiguous
    assert np.shares_memory(kernel.one_segment(x.T, "f"), x)


@pytest.mark.parametrize("index", [np.s_[::2], np.s_[:, ::3], np.s_[:, :, 1:], np.s_[None, 1]])
def test_others_are_copied_with_their_values(version, index):
    kernel = version("dense")
    whole = np.arange(120.0).reshape(4, 5, 6)
    for x in (whole[index], whole.transpose(2, 0, 1)[index], np.broadcast_to(whole[:1], (4, 5, 6))[index]):
        rows, segment = kernel.row_major(x, "f"), kernel.one_segment(x, "f")
        assert rows.flags.c_contiguous and np.array_equal(rows, x) and np.array_equal(segment, x)
        like = kernel.same_layout(segment)
        assert like.shape == segment.shape and like.dtype == segment.dtype
        longer = [axis for axis, n in enumerate(segment.shape) if n > 1]
        assert [like.strides[axis] for axis in longer] == [segment.strides[axis] for axis in longer]
        span = sum((segment.shape[axis] - 1) * segment.strides[axis] for axis in longer)
        assert segment.nbytes == span + segment.itemsize


def test_only_float32_and_float64_arrays_pass(version):
    kernel = version("dense")
    for bad, name in ((np.zeros(2, np.float16), "float16"), (np.zeros(2, bool), "bool"), (1.0, "float")):
        with pytest.raises(TypeError, match=f"gelu: expected a float32 or float64 array, got {name}"):
            kernel.row_major(bad, "gelu")
