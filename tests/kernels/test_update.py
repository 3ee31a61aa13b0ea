"""Optimizer steps against their recurrences in float64, the two versions against each other, and layouts."""

import numpy as np
import pytest

SHAPES = [(1003,), (16, 8), (5,), ()]


def sample(dtype, seed):
    return [
        np.asarray(np.random.default_rng(seed + i).standard_normal(s), dtype) for i, s in enumerate(SHAPES)
    ]


def zeros(dtype):
    return [np.zeros(shape, dtype) for shape in SHAPES]


def counters():
    return [np.zeros((), np.float32) for _ in SHAPES]


def sgd(kernel, dtype, steps, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False, maximize=False):
    params, buffers = sample(dtype, 0), zeros(dtype) if momentum else None
    options = (0.1, momentum, dampening, weight_decay, nesterov, maximize)
    for k in range(steps):
        kernel.sgd_list(params, sample(dtype, 10 * (k + 1)), buffers, [k == 0] * len(params), *options)
    return params


def sgd_expected(steps, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False, maximize=False):
    params, buffers = sample(np.float64, 0), zeros(np.float64)
    for k in range(steps):
        for i, grad in enumerate(sample(np.float64, 10 * (k + 1))):
            d = (-grad if maximize else grad) + weight_decay * params[i]
            buffers[i] = d if k == 0 else momentum * buffers[i] + (1 - dampening) * d
            moved = d + momentum * buffers[i] if nesterov else buffers[i]
            params[i] = params[i] - 0.1 * (moved if momentum else d)
    return params


def adam(
    kernel, dtype, steps, betas=(0.9, 0.999), weight_decay=0.0, amsgrad=False, maximize=False, decoupled=False
):
    params, means, squares = sample(dtype, 0), zeros(dtype), zeros(dtype)
    highest, count = zeros(dtype) if amsgrad else None, counters()
    for k in range(steps):
        grads = sample(dtype, 10 * (k + 1))
        kernel.adam_list(
            params,
            grads,
            means,
            squares,
            highest,
            count,
            0.01,
            *betas,
            1e-8,
            weight_decay,
            maximize,
            decoupled,
        )
    assert all(step == steps for step in count)
    return params


def adam_expected(
    steps, betas=(0.9, 0.999), weight_decay=0.0, amsgrad=False, maximize=False, decoupled=False
):
    params, means, squares, highest = sample(np.float64, 0), *(zeros(np.float64) for _ in range(3))
    for k in range(1, steps + 1):
        for i, grad in enumerate(sample(np.float64, 10 * k)):
            d = -grad if maximize else grad
            if decoupled:
                params[i] = params[i] * (1 - 0.01 * weight_decay)
            else:
                d = d + weight_decay * params[i]
            means[i] = betas[0] * means[i] + (1 - betas[0]) * d
            squares[i] = betas[1] * squares[i] + (1 - betas[1]) * d * d
            highest[i] = np.maximum(highest[i], squares[i])
            deviation = np.sqrt((highest[i] if amsgrad else squares[i]) / (1 - betas[1] ** k)) + 1e-8
            params[i] = params[i] - 0.01 * means[i] / (1 - betas[0] ** k) / deviation
    return params


def rmsprop(kernel, dtype, steps, centered=False, momentum=0.0, weight_decay=0.0, maximize=False):
    params, squares, count = sample(dtype, 0), zeros(dtype), counters()
    means, buffers = zeros(dtype) if centered else None, zeros(dtype) if momentum else None
    options = (0.01, 0.9, 1e-6, weight_decay, momentum, maximize)
    for k in range(steps):
        kernel.rmsprop_list(params, sample(dtype, 10 * (k + 1)), squares, means, buffers, count, *options)
    assert all(step == steps for step in count)
    return params


def rmsprop_expected(steps, centered=False, momentum=0.0, weight_decay=0.0, maximize=False):
    params, squares, means, buffers = sample(np.float64, 0), *(zeros(np.float64) for _ in range(3))
    for k in range(steps):
        for i, grad in enumerate(sample(np.float64, 10 * (k + 1))):
            d = (-grad if maximize else grad) + weight_decay * params[i]
            squares[i] = 0.9 * squares[i] + 0.1 * d * d
            means[i] = 0.9 * means[i] + 0.1 * d
            variance = squares[i] - means[i] ** 2 if centered else squares[i]
            buffers[i] = momentum * buffers[i] + d / (np.sqrt(variance) + 1e-6)
            params[i] = params[i] - 0.01 * buffers[i]
    return params


def adagrad(kernel, dtype, steps, lr_decay=0.0, weight_decay=0.0, maximize=False):
    params, totals, count = sample(dtype, 0), [a + 1 for a in zeros(dtype)], counters()
    totals = [np.asarray(a) for a in totals]
    for k in range(steps):
        grads = sample(dtype, 10 * (k + 1))
        kernel.adagrad_list(params, grads, totals, count, 0.1, lr_decay, weight_decay, 1e-10, maximize)
    assert all(step == steps for step in count)
    return params


def adagrad_expected(steps, lr_decay=0.0, weight_decay=0.0, maximize=False):
    params, totals = sample(np.float64, 0), [a + 1 for a in zeros(np.float64)]
    for k in range(steps):
        for i, grad in enumerate(sample(np.float64, 10 * (k + 1))):
            d = (-grad if maximize else grad) + weight_decay * params[i]
            totals[i] = totals[i] + d * d
            params[i] = params[i] - 0.1 / (1 + k * lr_decay) * d / (np.sqrt(totals[i]) + 1e-10)
    return params


CASES = [
    (sgd, sgd_expected, {}),
    (sgd, sgd_expected, {"momentum": 0.9}),
    (sgd, sgd_expected, {"momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    (sgd, sgd_expected, {"momentum": 0.8, "dampening": 0.1, "weight_decay": 0.1, "maximize": True}),
    (adam, adam_expected, {}),
    (adam, adam_expected, {"weight_decay": 0.1}),
    (adam, adam_expected, {"weight_decay": 0.1, "decoupled": True}),
    (adam, adam_expected, {"amsgrad": True, "betas": (0.6, 0.7)}),
    (adam, adam_expected, {"betas": (0.3, 0.9), "maximize": True}),
    (rmsprop, rmsprop_expected, {}),
    (rmsprop, rmsprop_expected, {"centered": True, "momentum": 0.9}),
    (rmsprop, rmsprop_expected, {"momentum": 0.5, "weight_decay": 0.1, "maximize": True}),
    (adagrad, adagrad_expected, {}),
    (adagrad, adagrad_expected, {"lr_decay": 0.1, "weight_decay": 0.1, "maximize": True}),
]


@pytest.mark.parametrize("run, expected, options", CASES)
def test_the_recurrence(version, run, expected, options):
    for got, wanted in zip(
        run(version("update"), np.float64, 5, **options), expected(5, **options), strict=True
    ):
        np.testing.assert_allclose(got, wanted, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("run, expected, options", CASES)
def test_versions_differ_by_roundings_only(twins, dtype, run, expected, options):
    scale = 4e-6 if dtype is np.float32 else 1e-14
    for a, b in zip(*(run(kernel, dtype, 4, **options) for kernel in twins("update")), strict=True):
        assert a.dtype == b.dtype == dtype
        np.testing.assert_allclose(a, b, rtol=scale, atol=scale)


def test_one_parameter_form_equals_the_list(version):
    kernel = version("update")
    state = lambda: [
        np.linspace(-1, 1, 20),
        np.full(20, 0.1),
        np.full(20, 0.2),
        np.full(20, 0.3),
        np.full(20, 0.4),
    ]
    one, many, step = state(), state(), np.array(6, np.float32)
    kernel.adam(*one, 7, 0.01, 0.9, 0.99, 1e-8, 0.1, False, True)
    kernel.adam_list(*([a] for a in many), [step], 0.01, 0.9, 0.99, 1e-8, 0.1, False, True)
    assert step == 7
    for a, b in zip(one, many, strict=True):
        np.testing.assert_array_equal(a, b)
    one, many, step = state(), state(), np.array(2.0)
    kernel.adagrad(one[0], one[1], one[2], 3, 0.1, 0.5, 0.0, 1e-10, False)
    kernel.adagrad_list([many[0]], [many[1]], [many[2]], [step], 0.1, 0.5, 0.0, 1e-10, False)
    np.testing.assert_array_equal(one[0], many[0])


@pytest.mark.parametrize("view", [np.s_[::2], np.s_[:, ::-1], np.s_[..., None]])
def test_strided_arrays_are_written_in_place(version, view):
    kernel = version("update")
    arrays = [np.random.default_rng(i).uniform(0.5, 1, (6, 4))[view] for i in range(5)]
    dense = [a.copy() for a in arrays]
    for group in (arrays, dense):
        kernel.adam(*group, 3, 0.01, 0.9, 0.99, 1e-8, 0.1, False, False)
        kernel.sgd(group[0], group[1], group[2], False, 0.1, 0.9, 0.0, 0.0, True, False)
        kernel.rmsprop(*group, 0.1, 0.9, 1e-8, 0.0, 0.9, False)
    for a, b in zip(arrays, dense, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-15)


def test_the_largest_second_moment_is_nan_once_a_gradient_is(version):
    param, grad = np.zeros(3), np.array([np.nan, 1.0, 2.0])
    highest = np.ones(3)
    version("update").adam(
        param, grad, np.zeros(3), np.zeros(3), highest, 1, 0.1, 0.9, 0.9, 1e-8, 0, False, False
    )
    assert np.isnan(highest[0]) and np.array_equal(highest[1:], [1, 1]) and np.isnan(param[0])


def test_nothing_is_written_after_an_error(version):
    kernel = version("update")
    param, mean = np.ones(3), np.ones(3)
    with pytest.raises(
        ValueError, match=r"adam: expected exp_avg_sq like param, float64\(3,\), got float64\(4,\)"
    ):
        kernel.adam(param, np.ones(3), mean, np.ones(4), None, 1, 0.1, 0.9, 0.9, 1e-8, 0, False, False)
    with pytest.raises(ValueError, match="sgd: expected grad like param"):
        kernel.sgd(param, np.ones(3, np.float32), mean, False, 0.1, 0.9, 0, 0, False, False)
    with pytest.raises(TypeError, match="sgd: expected a float32 or float64 array, got int64"):
        kernel.sgd(np.ones(3, np.int64), np.ones(3, np.int64), None, False, 0.1, 0, 0, 0, False, False)
    with pytest.raises(ValueError, match="adam_list: expected 1 grads, one a parameter, got 2"):
        kernel.adam_list(
            [param], [mean, mean], [mean], [mean], None, [np.zeros(())], 0.1, 0.9, 0.9, 0, 0, False, False
        )
    steps = [np.zeros((), np.float32), np.zeros((), np.float32)]
    two = lambda: [np.ones(3), np.ones(3)]
    with pytest.raises(ValueError, match="adam: expected grad like param"):
        kernel.adam_list(
            two(), [mean, np.ones(4)], two(), two(), None, steps, 0.1, 0.9, 0.9, 0, 0, False, False
        )
    assert [float(step) for step in steps] == [1, 0]
    frozen = np.ones(3)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="sgd: expected param to be writeable"):
        kernel.sgd(frozen, np.ones(3), None, False, 0.1, 0, 0, 0, False, False)
    assert np.array_equal(param, np.ones(3)) and np.array_equal(mean, np.ones(3))
    assert np.array_equal(frozen, np.ones(3))
