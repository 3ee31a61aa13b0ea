"""gather, index_select and the writing loops against loops over the elements, and version by version."""

import numpy as np
import pytest

REAL = [np.float32, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8]
EVERY = [*REAL, np.complex64, np.complex128, np.bool_]
COMBINE = {
    "set": lambda a, b: b,
    "add": lambda a, b: a + b,
    "multiply": lambda a, b: a * b,
    "amax": lambda a, b: b if b > a or b != b else a,
    "amin": lambda a, b: b if b < a or b != b else a,
}


def sample(rng, shape, dtype):
    values = rng.integers(0, 4, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.integers(0, 4, shape)
    return np.asarray(values).astype(dtype)


def layouts(x):
    """The same values contiguous, transposed in memory, and in steps."""
    stepped = np.zeros(tuple(2 * n for n in x.shape), x.dtype)[tuple(slice(None, None, 2) for _ in x.shape)]
    stepped[...] = x
    return [x, np.asfortranarray(x), stepped]


@pytest.mark.parametrize("dtype", [*EVERY, np.uint16])
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_gather_reads_what_the_index_names(version, rng, dtype, axis):
    gather = version("lookup").gather
    x = sample(rng, (3, 4, 5), dtype)
    shape = [2, 3, 4]
    shape[axis] = 6
    index = rng.integers(0, x.shape[axis], shape)
    expected = np.empty(shape, dtype)
    for place in np.ndindex(*shape):
        source = list(place)
        source[axis] = index[place]
        expected[place] = x[tuple(source)]
    for laid in layouts(x):
        for at in layouts(index):
            out = gather(laid, axis, at)
            assert out.dtype == x.dtype
            np.testing.assert_array_equal(out, expected)


def test_gather_takes_an_expanded_index(version, rng):
    x, rows = rng.normal(size=(5, 3)), np.array([4, 0, 4, 2])
    np.testing.assert_array_equal(
        version("lookup").gather(x, 0, np.broadcast_to(rows[:, None], (4, 3))), x[rows]
    )


@pytest.mark.parametrize("shape", [(), (0,), (2, 0)])
def test_gather_of_nothing_and_of_a_scalar(version, shape):
    index = np.zeros(shape, np.int64)
    out = version("lookup").gather(np.full(shape, 7.0), 0, index)
    assert isinstance(out, np.ndarray) and out.shape == shape
    np.testing.assert_array_equal(out, np.full(shape, 7.0))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_index_select_is_slices(version, rng, axis):
    x, index = rng.normal(size=(3, 4, 5)), np.array([2, 0, 2])
    for laid in layouts(x):
        out = version("lookup").index_select(laid, axis, index)
        np.testing.assert_array_equal(out, np.stack([x.take(k, axis) for k in index], axis))
        assert out.flags.c_contiguous


@pytest.mark.parametrize("how", list(COMBINE))
@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("axis", [0, 1])
def test_scatter_into_visits_every_element_in_order(version, rng, how, dtype, axis):
    scatter_into = version("lookup").scatter_into
    out, src = sample(rng, (4, 5), dtype), sample(rng, (3, 5), dtype)
    index = rng.integers(0, out.shape[axis], (3, 4))
    expected = out.copy()
    with np.errstate(all="ignore"):
        for i, j in np.ndindex(3, 4):
            place = (index[i, j], j) if axis == 0 else (i, index[i, j])
            expected[place] = COMBINE[how](expected[place], src[i, j])
    for laid in layouts(out):
        mine = laid.copy(order="K")
        assert scatter_into(mine, axis, index, src, how) is mine
        np.testing.assert_array_equal(mine, expected)


@pytest.mark.parametrize("how", list(COMBINE))
@pytest.mark.parametrize("axis", [0, 1])
def test_index_into_writes_slices(version, rng, how, axis):
    out, index = rng.normal(size=(4, 3)), np.array([1, 2, 1])
    shape = [4, 3]
    shape[axis] = 3
    src = rng.normal(size=shape)
    expected = out.copy()
    for k, at in enumerate(index):
        for other in range(shape[1 - axis]):
            place, source = ((at, other), (k, other)) if axis == 0 else ((other, at), (other, k))
            expected[place] = COMBINE[how](expected[place], src[source])
    np.testing.assert_array_equal(version("lookup").index_into(out, axis, index, src, how), expected)


def test_a_scalar_source_is_written_everywhere(version):
    lookup = version("lookup")
    index = np.array([[0, 1], [2, 0]])
    out = lookup.scatter_into(np.zeros((2, 3)), 1, index, np.array(5.0), "add")
    np.testing.assert_array_equal(out, [[5, 5, 0], [5, 0, 5]])
    out = lookup.index_into(np.zeros((2, 3)), 1, np.array([2, 2]), np.array(5.0), "add")
    np.testing.assert_array_equal(out, [[0, 0, 10], [0, 0, 10]])


def test_nan_wins_both_extremes(version):
    for how in ("amax", "amin"):
        out = version("lookup").scatter_into(
            np.array([1.0, np.nan]), 0, np.array([0, 1]), np.array([np.nan, 3.0]), how
        )
        assert np.isnan(out).all()


@pytest.mark.parametrize("bad", [-1, 3])
def test_an_index_out_of_bounds_writes_nothing(version, bad):
    lookup = version("lookup")
    x, index = np.zeros((2, 3)), np.array([[0, bad]])
    for expanded in (index, np.asfortranarray(np.broadcast_to(index, (2, 2)))):
        with pytest.raises(IndexError, match=f"index {bad} is out of bounds for dimension 1 with size 3"):
            lookup.gather(x, 1, expanded)
        with pytest.raises(RuntimeError, match=f"index {bad} is out of bounds for dimension 1 with size 3"):
            lookup.scatter_into(x, 1, expanded, np.ones((2, 2)), "add")
    with pytest.raises(IndexError, match=f"index {bad} is out of bounds"):
        lookup.index_into(x, 1, index[0], np.ones((2, 2)), "set")
    assert not x.any()


def test_refusals(version):
    lookup = version("lookup")
    index = np.array([0])
    with pytest.raises(IndexError, match="axis 1 is out of range"):
        lookup.gather(np.zeros(2), 1, index)
    with pytest.raises(TypeError, match="float32, got float64"):
        lookup.scatter_into(np.zeros(2, np.float32), 0, index, np.ones(1), "add")
    with pytest.raises(TypeError, match="amax has no loop"):
        lookup.scatter_into(np.zeros(2, complex), 0, index, np.ones(1, complex), "amax")


@pytest.mark.parametrize("dtype", EVERY)
def test_versions_agree_bit_for_bit(twins, rng, dtype):
    native, twin = twins("lookup")
    for how in ("set", "add", "multiply"):
        out, src = sample(rng, (50, 7), dtype), sample(rng, (400, 7), dtype)
        index = rng.integers(0, 50, (400, 7))
        a = native.scatter_into(out.copy(), 0, index, src, how)
        b = twin.scatter_into(out.copy(), 0, index, src, how)
        assert a.tobytes() == b.tobytes()
        a = native.index_into(out.copy(), 0, index[:, 0], src, how)
        b = twin.index_into(out.copy(), 0, index[:, 0], src, how)
        assert a.tobytes() == b.tobytes()


def test_large_arrays_release_the_interpreter_and_come_out_right(twins, rng):
    native, twin = twins("lookup")
    x, index = rng.normal(size=(300, 400)), rng.integers(0, 300, (300, 400))
    np.testing.assert_array_equal(native.gather(x, 0, index), twin.gather(x, 0, index))


def test_shapes_that_do_not_go_together(version):
    lookup = version("lookup")
    x = np.zeros((2, 3))
    for index in (np.zeros((3, 1), np.int64), np.zeros(2, np.int64)):
        with pytest.raises(
            RuntimeError, match=r"index of shape .* does not fit \(2, 3\) apart from dimension 1"
        ):
            lookup.gather(x, 1, index)
        with pytest.raises(RuntimeError, match="does not fit"):
            lookup.scatter_into(x, 1, index, np.ones(index.shape), "add")
    with pytest.raises(RuntimeError, match="does not fit"):
        lookup.scatter_into(x, 1, np.zeros((2, 2), np.int64), np.ones((2, 1)), "add")
    for shape in ((2, 3), (1, 2), (2,)):
        with pytest.raises(RuntimeError, match="source of shape"):
            lookup.index_into(x, 1, np.zeros(2, np.int64), np.ones(shape), "add")
    assert not x.any()


def test_negative_indices_wrap(version):
    wrapped = version("lookup").wrapped
    for index in (
        np.array([[0, 2], [-1, -3]]),
        np.array([[0, -1], [2, -3]]).T,
        np.array([[0, 2], [-1, -3]], np.int32),
    ):
        np.testing.assert_array_equal(wrapped(index, 3, 0), [[0, 2], [2, 0]])
    assert wrapped(np.zeros(0, np.int64), 0, 0).shape == (0,)
    for bad in (-4, 3):
        with pytest.raises(IndexError, match=f"index {bad} is out of bounds for dimension 1 with size 3"):
            wrapped(np.array([0, bad]), 3, 1)
