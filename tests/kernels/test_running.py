"""Running sums, extremes and recurrences against loops over each line."""

import numpy as np
import pytest

REAL = [np.float32, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8]


def along(line_function, x, axis, dtype=None):
    return np.apply_along_axis(line_function, axis, x).astype(dtype or x.dtype)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cumulate_carries_in_float64(version, rng, dtype, axis):
    x = rng.normal(size=(5, 6, 7)).astype(dtype)
    for product, start in ((False, 0.0), (True, 1.0)):

        def running(line, product=product, start=start):
            total, out = start, []
            for value in line:
                total = total * float(value) if product else total + float(value)
                out.append(total)
            return np.array(out)

        expected = along(running, x.astype(float), axis, dtype)
        for laid in (x, np.asfortranarray(x)):
            np.testing.assert_array_equal(version("running").cumulate(laid, axis, product), expected)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [*REAL, np.bool_])
def test_extremes_take_the_last_tie(version, rng, dtype, axis):
    x = rng.integers(0, 3, (6, 5)).astype(dtype)
    module = version("running")
    for function, at_least in ((module.cummax, np.greater_equal), (module.cummin, np.less_equal)):
        values, index = function(x, axis)
        assert values.dtype == dtype and index.dtype == np.int64
        for other in range(x.shape[1 - axis]):
            line = x[:, other] if axis == 0 else x[other]
            got = (values[:, other], index[:, other]) if axis == 0 else (values[other], index[other])
            best = 0
            for k in range(len(line)):
                if at_least(line[k], line[best]):
                    best = k
                assert got[1][k] == best
                assert got[0][k] == line[best]


def test_nan_stays_and_the_latest_nan_counts(version):
    x = np.array([1.0, np.nan, 3.0, np.nan, 0.0])
    for function in (version("running").cummax, version("running").cummin):
        values, index = function(x, 0)
        np.testing.assert_array_equal(values, [1, *[np.nan] * 4])
        np.testing.assert_array_equal(index, [0, 1, 1, 3, 3])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
def test_recurrence(version, rng, dtype, reverse, axis):
    factor, term = rng.normal(size=(2, 4, 5)).astype(dtype)
    out = version("running").recurrence(factor, term, axis, reverse)
    rows = [np.moveaxis(a, axis, 0) for a in (factor, term, out)]
    factor, term, out = [a[::-1] for a in rows] if reverse else rows
    expected = term[0]
    for k in range(len(term)):
        if k:
            expected = term[k] + factor[k] * expected
        np.testing.assert_allclose(out[k], expected, rtol=1e-5 if out.itemsize < 16 else 1e-13)


@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (0, 2)])
def test_empty_and_scalar(version, shape):
    module = version("running")
    x = np.full(shape, 2.0)
    for out in (module.cumulate(x, 0, False), *module.cummax(x, 0), module.recurrence(x, x, 0, True)):
        assert isinstance(out, np.ndarray) and out.shape == shape


def test_refusals(version):
    module = version("running")
    with pytest.raises(IndexError, match="axis 2"):
        module.cummax(np.zeros((2, 2)), 2)
    with pytest.raises(TypeError, match="running extremes"):
        module.cummin(np.zeros(2, complex), 0)
    with pytest.raises(TypeError, match="running sums"):
        module.cumulate(np.zeros(2, int), 0, False)
    with pytest.raises(TypeError, match="differ"):
        module.recurrence(np.zeros(2), np.zeros(3), 0, False)


@pytest.mark.parametrize("axis", [0, 1])
def test_versions_agree_bit_for_bit(twins, rng, axis):
    native, twin = twins("running")
    x = rng.normal(size=(300, 200)).astype(np.float32)
    for product in (False, True):
        assert native.cumulate(x, axis, product).tobytes() == twin.cumulate(x, axis, product).tobytes()
    x = np.round(x)
    x[rng.random(x.shape) < 0.01] = np.nan
    for name in ("cummax", "cummin"):
        for a, b in zip(getattr(native, name)(x, axis), getattr(twin, name)(x, axis), strict=True):
            np.testing.assert_array_equal(a, b)
