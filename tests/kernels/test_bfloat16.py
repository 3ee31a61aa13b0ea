"""Widening and narrowing of bfloat16: every value, ties, NaN and layouts."""

import numpy as np
import pytest

EVERY = np.arange(65536, dtype=np.uint16)


def test_widening_appends_zeros(version):
    kernel = version("bfloat16")
    assert np.array_equal(kernel.widen(EVERY).view(np.uint32), EVERY.astype(np.uint32) << 16)


def test_narrowing_a_widened_value_gives_it_back(version):
    kernel = version("bfloat16")
    wide = kernel.widen(EVERY)
    number = ~np.isnan(wide)
    assert np.array_equal(kernel.narrow(wide)[number], EVERY[number])
    assert np.isnan(kernel.widen(kernel.narrow(wide))[~number]).all()


def test_rounds_to_the_nearest_and_ties_to_even(version):
    kernel = version("bfloat16")
    step = 2.0**-7
    values = np.array([1 + step / 2, 1 + 3 * step / 2, 1 + 0.51 * step, 1 + 0.49 * step, -(1 + step / 2)])
    expected = np.array([1, 1 + 2 * step, 1 + step, 1, -1], np.float32)
    for dtype in (np.float32, np.float64):
        assert np.array_equal(kernel.widen(kernel.narrow(values.astype(dtype))), expected)


def test_overflow_rounds_to_infinity_and_nan_never_does(version):
    kernel = version("bfloat16")
    largest = np.finfo(np.float32).max
    nans = np.array([0x7F800001, 0xFF800001, 0x7FFFFFFF, 0xFFFFFFFF], np.uint32).view(np.float32)
    assert np.array_equal(kernel.widen(kernel.narrow(np.array([largest, -np.inf]))), [np.inf, -np.inf])
    assert np.isnan(kernel.widen(kernel.narrow(nans))).all()


@pytest.mark.parametrize("index", [np.s_[:], np.s_[::2], np.s_[:, 1:], np.s_[1, 2]])
def test_any_layout_and_both_versions_alike(twins, index):
    native, plain = twins("bfloat16")
    x = np.random.default_rng(0).standard_normal((3, 4, 5)).transpose(2, 0, 1)[index]
    expected = np.array([plain.narrow(np.array(v)) for v in x.ravel()]).reshape(x.shape)
    for kernel in (native, plain):
        narrow = kernel.narrow(x)
        assert narrow.dtype == np.uint16 and np.array_equal(narrow, expected)
        wide = kernel.widen(narrow[..., :2])
        assert np.array_equal(wide, kernel.widen(np.ascontiguousarray(narrow[..., :2])))


def test_zero_dimensional_results_are_arrays(version):
    kernel = version("bfloat16")
    narrow = kernel.narrow(np.array(1.5))
    assert type(narrow) is np.ndarray and narrow.shape == ()
    assert type(kernel.widen(narrow)) is np.ndarray and kernel.widen(narrow) == 1.5


def test_other_dtypes_are_refused(version):
    kernel = version("bfloat16")
    with pytest.raises(TypeError, match="widen: expected a uint16 array, got int16"):
        kernel.widen(np.zeros(2, np.int16))
    with pytest.raises(TypeError, match="narrow: expected a float32 or float64 array, got int64"):
        kernel.narrow(np.zeros(2, np.int64))
