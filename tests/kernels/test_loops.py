"""The loop driver: NumPy's results from any shapes, strides and dtypes; sums pairwise along every axis."""

import subprocess
import sys

import numpy as np
import pytest

from chainrule._kernels import loops

MULTIPLY, ADD, MAXIMUM = (loops.Ufunc(u) for u in (np.multiply, np.add, np.maximum))
UNARY = (np.negative, np.exp, np.sqrt, np.tanh, np.absolute, np.square, np.sin, np.log, np.floor, np.rint, np.isnan)


def scattered(rng, shape, dtype):
    """An array of this shape whose memory order is a random permutation, sometimes stepped."""
    wide = [n * 2 if n and rng.random() < 0.3 else n for n in shape]
    order = rng.permutation(len(shape))
    base = np.asarray(rng.standard_normal([wide[i] for i in order])).astype(dtype)
    back = base.transpose(np.argsort(order))
    steps = [slice(None, None, 2) if w != n else slice(None) for w, n in zip(wide, shape, strict=True)]
    return back[(*steps, Ellipsis)]


@pytest.mark.parametrize("seed", range(40))
def test_binary_calls_broadcast_over_any_strides(seed):
    rng = np.random.default_rng(seed)
    for _ in range(25):
        full = [int(rng.integers(0 if rng.random() < 0.1 else 1, 5)) for _ in range(rng.integers(0, 5))]
        shapes = []
        for _ in range(2):
            k = int(rng.integers(0, len(full) + 1))
            shapes.append([n if rng.random() < 0.7 else 1 for n in full[len(full) - k :]])
        dtype = rng.choice(["f4", "f8", "i8", "c8"])
        a, b = (scattered(rng, shape, dtype) for shape in shapes)
        got = MULTIPLY.call2(a, b)
        assert isinstance(got, np.ndarray)
        np.testing.assert_array_equal(got, a * b)
        target = np.zeros(np.broadcast_shapes(a.shape, b.shape), dtype)
        MULTIPLY.into2(target, a, b)
        np.testing.assert_array_equal(target, a * b)


@pytest.mark.parametrize("ufunc", UNARY, ids=lambda u: u.__name__)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_unary_calls_over_steps(ufunc, dtype):
    kernel = loops.Ufunc(ufunc)
    for step in (1, 2, 3, 4, 5, 8, 16):
        for count in (0, 1, 3, 4, 8, 17):
            a = np.arange(1.0, 1 + count * step, dtype=dtype)[::step]
            expected = ufunc(np.array(a, order="C"))
            np.testing.assert_array_equal(kernel.call1(a), expected)
            wide = np.zeros((count, step), expected.dtype)
            kernel.into1(wide[:, 0], a)
            np.testing.assert_array_equal(wide[:, 0], expected)
            assert not wide[:, 1:].any()


@pytest.mark.parametrize("seed", range(30))
def test_reductions_over_any_axes(seed):
    rng = np.random.default_rng(seed)
    for _ in range(20):
        shape = [int(rng.integers(1, 6)) for _ in range(rng.integers(0, 5))]
        a = scattered(rng, shape, rng.choice(["f4", "f8"]))
        axes = tuple(i for i in range(a.ndim) if rng.random() < 0.5)
        for keepdims in (False, True):
            total = ADD.reduce(a, axes, keepdims)
            assert isinstance(total, np.ndarray) and total.dtype == a.dtype
            np.testing.assert_allclose(total, np.add.reduce(a, axis=axes, keepdims=keepdims), rtol=1e-4, atol=1e-5)
            np.testing.assert_array_equal(
                MAXIMUM.reduce(a, axes, keepdims), np.maximum.reduce(a, axis=axes, keepdims=keepdims)
            )


@pytest.mark.parametrize("shape, axes", [((1_000_000, 1), (0,)), ((300_000, 3), (0,)), ((3, 300_000), (0, 1))])
def test_sums_are_pairwise(shape, axes):
    a = np.full(shape, 0.1, np.float32)
    exact = 0.1 * np.prod([shape[i] for i in axes])
    np.testing.assert_allclose(ADD.reduce(a, axes, False), exact, rtol=2e-6)


def test_sums_of_nothing():
    assert ADD.reduce(np.zeros((0, 3), np.float32), (0,), False).tolist() == [0, 0, 0]
    assert loops.Ufunc(np.multiply).reduce(np.zeros((2, 0)), (1,), True).tolist() == [[1], [1]]


def test_integer_loops_that_can_raise_go_through_the_ufunc():
    power = loops.Ufunc(np.power)
    with pytest.raises(ValueError):
        power.call2(np.array([2]), np.array([-1]))
    assert power.call2(np.array([2]), np.array([3])).tolist() == [8]


def test_no_warning_escapes():
    """In a fresh interpreter: pytest replaces the filters that plain mode relies on."""
    program = (
        "import numpy as np; from chainrule._kernels import loops; zero = np.zeros(3)\n"
        "assert np.isneginf(loops.Ufunc(np.log).call1(zero)).all()\n"
        "assert np.isnan(loops.Ufunc(np.true_divide).call2(zero, zero)).all()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_sizes_that_do_not_fit_are_named():
    with pytest.raises(RuntimeError, match=r"size of tensor a \(3\) must match the size of tensor b \(4\)"):
        ADD.call2(np.zeros(3), np.zeros(4))
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        ADD.into2(np.zeros(3), np.zeros((2, 3)), np.zeros(3))


@pytest.mark.parametrize("seed", range(10))
def test_matmul_takes_any_strides(seed):
    rng = np.random.default_rng(seed)
    for _ in range(20):
        m, k, n, batch = (int(x) for x in rng.integers(0, 5, 4))
        for left, right in (
            ((m, k), (k, n)), ((k,), (k, n)), ((m, k), (k,)), ((k,), (k,)), ((batch, m, k), (batch, k, n)),
            ((batch, m, k), (k, n)), ((m, k), (batch, k, n)), ((2, batch, m, k), (batch, k, n)),
        ):  # fmt: skip
            a, b = scattered(rng, left, "f4"), scattered(rng, right, "f4")
            got = loops.matmul(a, b)
            assert isinstance(got, np.ndarray)
            np.testing.assert_allclose(got, np.matmul(a, b), rtol=1e-5, atol=1e-5)
    stretched = np.broadcast_to(np.float32(2), (3, 3))
    np.testing.assert_array_equal(loops.matmul(stretched, stretched), np.full((3, 3), 12))
