"""Special functions and activations: values, identities, slopes, limits, and both versions alike."""

import math

import numpy as np
import pytest

DTYPES = [np.float32, np.float64]
X = np.concatenate([np.linspace(-9, 9, 401), [-0.0, 1e-8, -1e-8, 30.0, -30.0, 60.0, -60.0]])
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan])

# name, further arguments, the function of a Python float
FUNCTIONS = [
    ("erf", (), math.erf),
    ("erfc", (), math.erfc),
    ("sigmoid", (), lambda x: 1 / (1 + math.exp(-x))),
    ("log_sigmoid", (), lambda x: min(x, 0.0) - math.log1p(math.exp(-abs(x)))),
    ("softplus", (1.0, 20.0), lambda x: x if x > 20 else max(x, 0.0) + math.log1p(math.exp(-abs(x)))),
    ("softplus", (2.0, 5.0), lambda x: x if 2 * x > 5 else math.log1p(math.exp(2 * x)) / 2),
    ("gelu", ("none",), lambda x: x * math.erfc(-x / math.sqrt(2)) / 2),
    (
        "gelu",
        ("tanh",),
        lambda x: x / (1 + math.exp(-2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) if x > -10 else 0.0,
    ),
    ("silu", (), lambda x: x / (1 + math.exp(-x))),
    ("mish", (), lambda x: x * math.tanh(math.log1p(math.exp(x)))),
    ("elu", (1.0, 1.0, 1.0), lambda x: x if x > 0 else math.expm1(x)),
    ("elu", (1.7, 1.1, 0.6), lambda x: 1.1 * x if x > 0 else 1.1 * 1.7 * math.expm1(0.6 * x)),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name, arguments, formula", FUNCTIONS)
def test_values(version, dtype, name, arguments, formula):
    x = X.astype(dtype)
    expected = np.array([formula(float(v)) for v in x])
    tolerance = {"rtol": 8e-6, "atol": 1e-37} if dtype is np.float32 else {"rtol": 2e-13, "atol": 1e-300}
    np.testing.assert_allclose(getattr(version("special"), name)(x, *arguments), expected, **tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
def test_erf_is_within_two_units_in_the_last_place(version, dtype):
    x = np.random.default_rng(1).uniform(-4, 4, 5000).astype(dtype)
    expected = np.array([math.erf(float(v)) for v in x])
    error = np.abs(version("special").erf(x) - expected) / np.spacing(np.abs(expected).astype(dtype))
    assert error.max() <= 2


@pytest.mark.parametrize("dtype", DTYPES)
def test_erfinv_undoes_erf(version, dtype):
    kernel = version("special")
    y = np.concatenate([np.linspace(-0.999, 0.999, 301), [1e-12, -1e-12, 1 - 2.0**-20]]).astype(dtype)
    x = kernel.erfinv(y).astype(np.float64)
    np.testing.assert_allclose([math.erf(v) for v in x], y, rtol=3e-7 if dtype is np.float32 else 2e-15)
    edges = kernel.erfinv(np.array([1, -1, 1.5, np.nan], dtype))
    assert np.array_equal(edges, [np.inf, -np.inf, np.nan, np.nan], equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_lgamma(version, dtype):
    kernel = version("special")
    x = np.concatenate([np.linspace(0.1, 40, 200), np.linspace(-5.9, -0.15, 40)]).astype(dtype)
    expected = [math.lgamma(float(v)) for v in x]
    scale = 1e-6 if dtype is np.float32 else 2e-13
    np.testing.assert_allclose(kernel.lgamma(x), expected, rtol=scale, atol=scale)
    poles = kernel.lgamma(np.array([0, -1, -2, np.inf, -np.inf], dtype))
    assert np.array_equal(poles, np.full(5, np.inf))


@pytest.mark.parametrize("dtype", DTYPES)
def test_digamma(version, dtype):
    kernel = version("special")
    scale = 1e-6 if dtype is np.float32 else 1e-14
    euler = 0.5772156649015329
    harmonic = np.cumsum(1 / np.arange(1, 30))
    n = np.arange(2, 31).astype(dtype)
    np.testing.assert_allclose(kernel.digamma(n), harmonic - euler, rtol=scale)
    half = np.array([0.5, 0.25, 1.0], dtype)
    expected = [-euler - 2 * math.log(2), -euler - math.pi / 2 - 3 * math.log(2), -euler]
    np.testing.assert_allclose(kernel.digamma(half), expected, rtol=scale)
    x = np.array([-0.3, -1.7, -5.0625, -1e-5], np.float64)
    np.testing.assert_allclose(kernel.digamma(x) + 1 / x, kernel.digamma(x + 1), rtol=1e-9, atol=1e-9)
    edges = kernel.digamma(np.array([0.0, -0.0, -1, -7], dtype))
    assert np.array_equal(edges, [-np.inf, np.inf, np.nan, np.nan], equal_nan=True)


GRADIENTS = [
    ("log_sigmoid", ()),
    ("softplus", (1.0, 20.0)),
    ("softplus", (2.0, 5.0)),
    ("gelu", ("none",)),
    ("gelu", ("tanh",)),
    ("silu", ()),
    ("mish", ()),
    ("elu", (1.7, 1.1, 0.6)),
]


@pytest.mark.parametrize("name, arguments", GRADIENTS)
def test_gradients_are_the_slopes(version, name, arguments):
    kernel = version("special")
    x = np.linspace(-6, 6, 121) + 0.0123
    x = x[np.abs(2 * x - 5) > 1e-3]
    h = 1e-5
    function = getattr(kernel, name)
    slope = (function(x + h, *arguments) - function(x - h, *arguments)) / (2 * h)
    g = np.linspace(-2, 2, x.size)
    gradient = getattr(kernel, f"{name}_grad")
    np.testing.assert_allclose(gradient(g, x, *arguments), g * slope, rtol=1e-8, atol=1e-9)
    single = gradient(g.astype(np.float32), x.astype(np.float32), *arguments)
    np.testing.assert_allclose(single, g * slope, rtol=1e-5, atol=2e-6)


def test_gradients_from_results(version):
    kernel = version("special")
    g, out = np.array([2.0, -1.0, 3.0]), np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(kernel.tanh_grad(g, out), g * (1 - out * out), rtol=1e-15)
    np.testing.assert_allclose(kernel.sigmoid_grad(g, out), g * out * (1 - out), rtol=1e-15)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "name, arguments, limits",
    [
        ("erf", (), [0, -0.0, 1, -1]),
        ("erfc", (), [1, 1, 0, 2]),
        ("sigmoid", (), [0.5, 0.5, 1, 0]),
        ("log_sigmoid", (), [-math.log(2), -math.log(2), 0, -np.inf]),
        ("softplus", (1.0, 20.0), [math.log(2), math.log(2), np.inf, 0]),
        ("silu", (), [0, -0.0, np.inf, np.nan]),
        ("mish", (), [0, -0.0, np.inf, np.nan]),
        ("gelu", ("none",), [0, -0.0, np.inf, np.nan]),
        ("elu", (1.0, 1.0, 1.0), [0, -0.0, np.inf, -1]),
    ],
)
def test_limits(version, dtype, name, arguments, limits):
    got = getattr(version("special"), name)(SPECIAL.astype(dtype), *arguments)
    np.testing.assert_allclose(got, [*limits, np.nan], rtol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name, arguments", GRADIENTS)
def test_gradients_far_out(version, dtype, name, arguments):
    x = np.array([0.0, -0.0, 500.0, -500.0, np.nan], dtype)
    got = getattr(version("special"), f"{name}_grad")(np.ones(5, dtype), x, *arguments)
    assert np.isfinite(got[:4]).all() and np.isnan(got[4])
    assert got[0] == pytest.approx(got[1]) or name == "elu"
    outer = {"log_sigmoid": (0, 1), "elu": (1.1, 0)}.get(name, (1, 0))
    np.testing.assert_allclose(got[2:4], outer, rtol=1e-6, atol=1e-30)


def test_no_warning_leaves_a_kernel(version):
    kernel = version("special")
    with np.errstate(all="raise"):
        for name, arguments, _ in FUNCTIONS:
            getattr(kernel, name)(np.array([np.inf, -np.inf, np.nan, 1e30, -1e30, 1e-300]), *arguments)
        for name in ("erfinv", "lgamma", "digamma"):
            getattr(kernel, name)(np.array([2.0, 1.0, 0.0, -1.0, np.nan, 1e-300]))


ALL = [(name, arguments) for name, arguments, _ in FUNCTIONS] + [
    ("erfinv", ()),
    ("lgamma", ()),
    ("digamma", ()),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name, arguments", ALL)
def test_both_versions_agree_over_layouts(twins, dtype, name, arguments):
    native, plain = (getattr(module, name) for module in twins("special"))
    whole = np.random.default_rng(2).uniform(-0.99, 3, (3, 4, 5)).astype(dtype)
    scale = 4e-6 if dtype is np.float32 else 1e-13
    views = [whole, whole.T, whole.transpose(0, 2, 1), whole[::2, 1:, ::3], whole[1, 1, 1:2].reshape(())]
    for x in [*views, np.broadcast_to(whole[:1], (3, 4, 5)), whole[:0]]:
        first, second = native(x, *arguments), plain(x, *arguments)
        assert first.shape == second.shape == x.shape and first.dtype == second.dtype == dtype
        np.testing.assert_allclose(first, second, rtol=scale, atol=scale, equal_nan=True)
        np.testing.assert_array_equal(first, native(x.copy(), *arguments))


@pytest.mark.parametrize("name, arguments", GRADIENTS)
def test_gradients_take_any_layout(twins, name, arguments):
    native, plain = (getattr(module, f"{name}_grad") for module in twins("special"))
    x = np.random.default_rng(3).standard_normal((4, 6)).astype(np.float32)
    g = np.broadcast_to(np.float32(2), (6, 4))
    expected = native(g.copy(), x.T.copy(), *arguments)
    np.testing.assert_array_equal(native(g, x.T, *arguments), expected)
    np.testing.assert_allclose(plain(g, x.T, *arguments), expected, rtol=4e-6, atol=4e-6)


def test_bad_input(version):
    kernel = version("special")
    with pytest.raises(TypeError, match="erf: expected a float32 or float64 array, got int64"):
        kernel.erf(np.arange(3))
    with pytest.raises(TypeError, match="gelu: expected a float32 or float64 array, got list"):
        kernel.gelu([1.0], "none")
    with pytest.raises(RuntimeError, match="expected approximate to be 'none' or 'tanh', got 'erf'"):
        kernel.gelu(np.zeros(2), "erf")
    with pytest.raises(ValueError, match="silu_grad: expected g and x of one shape"):
        kernel.silu_grad(np.zeros(2), np.zeros(3))
    with pytest.raises(ValueError, match="silu_grad: expected g and x of one shape"):
        kernel.silu_grad(np.zeros(2, np.float32), np.zeros(2))
