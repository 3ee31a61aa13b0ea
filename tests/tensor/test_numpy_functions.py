"""NumPy's functions on tensors: recorded where a gradient is wanted, NumPy's own results elsewhere."""

import numpy as np
import pytest

import chainrule as T

A = np.array([3.0, 4.0])
CALLS = {
    "exp": lambda x: np.exp(x),
    "add array": lambda x: np.add(x, A),
    "array times": lambda x: A * x,
    "power": lambda x: np.power(x, 3),
    "arctan2": lambda x: np.arctan2(x, A),
    "maximum": lambda x: np.maximum(x, 1.5),
    "sum": lambda x: np.sum(x * x),
    "mean keepdims": lambda x: np.mean(x * x, axis=0, keepdims=True),
    "prod": lambda x: np.prod(x),
    "max": lambda x: np.max(x),
    "std": lambda x: np.std(x, ddof=1),
    "cumsum": lambda x: np.cumsum(x * x),
    "dot": lambda x: np.dot(x, A),
    "outer": lambda x: np.outer(x, x),
    "einsum": lambda x: np.einsum("i,j->ij", x, x),
    "concatenate": lambda x: np.concatenate([x, 2 * x]),
    "stack": lambda x: np.stack([x, x * x], axis=1),
    "where": lambda x: np.where(x > 1.5, x * x, 0.0),
    "clip": lambda x: np.clip(x, 0.0, 1.5),
    "reshape": lambda x: np.reshape(x * x, (2, 1)),
    "transpose": lambda x: np.transpose(np.outer(x, A)),
    "add.reduce": lambda x: np.add.reduce(x * x),
    "diag": lambda x: np.diag(x),
    "trace": lambda x: np.trace(np.outer(x, x)),
    "flip": lambda x: np.flip(x * x),
    "tile": lambda x: np.tile(x, 2),
    "take": lambda x: np.take(x, [1, 1]),
}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_recorded_calls_have_numpys_values_and_the_right_slope(name):
    at, h = np.array([1.2, 2.1]), 1e-6
    x = T.tensor(at, requires_grad=True)
    y = CALLS[name](x)
    wanted = CALLS[name](at)
    assert isinstance(y, T.Tensor) and y.requires_grad
    np.testing.assert_allclose(y.detach().numpy(), wanted, rtol=1e-12)
    cotangent = np.cos(np.arange(wanted.size)).reshape(wanted.shape)
    y.backward(T.from_numpy(cotangent))
    for i in range(2):
        step = np.eye(2)[i] * h
        slope = (cotangent * (CALLS[name](at + step) - CALLS[name](at - step))).sum() / (2 * h)
        np.testing.assert_allclose(x.grad[i].item(), slope, rtol=1e-7, atol=1e-8)


def test_what_has_no_recorded_form_says_so():
    x = T.ones(2, requires_grad=True)
    calls = (
        lambda: np.unique(x),
        lambda: np.cbrt(x),
        lambda: np.exp(x, dtype=np.float64),
        lambda: np.add(x, 1, out=A),
    )
    for call in calls:
        with pytest.raises(RuntimeError, match="Can't call numpy\\(\\) on Tensor that requires grad"):
            call()


def test_without_a_gradient_ufuncs_give_tensors_and_functions_arrays():
    t = T.tensor([1.0, 2.0])
    assert isinstance(np.exp(t), T.Tensor) and np.exp(t).dtype is T.float32
    assert isinstance(np.concatenate([t, t]), np.ndarray) and isinstance(np.stack([t, t]), np.ndarray)
    assert isinstance(np.cumsum(t), T.Tensor) and np.isnan(t).dtype is T.bool
    assert np.allclose(t, [1, 2]) and np.array_equal(t, t) and np.shape(t) == (2,)


def test_no_grad_computes_on_arrays():
    x = T.ones(2, requires_grad=True)
    with T.no_grad():
        assert np.unique(x).tolist() == [1]
    with pytest.raises(RuntimeError, match="requires grad"):
        np.unique(x)


def test_scalars_of_numpy_count_as_python_numbers():
    t = T.tensor([1.0, 2.0])
    for s in (np.float64(2), np.int64(2), np.float32(2)):
        assert (s * t).dtype is T.float32 and (t * s).dtype is T.float32 and (s * t).tolist() == [2, 4]


def test_out_writes_into_arrays_and_tensors():
    t, a = T.tensor([1.0, 4.0]), np.zeros(2)
    assert np.sqrt(t, out=a) is a and a.tolist() == [1, 2]
    before = t._version
    assert np.sqrt(t, out=t) is t and t.tolist() == [1, 2] and t._version > before


def test_operators_take_arrays_on_either_side():
    t, x = T.tensor([1.0, 2.0]), T.tensor([1.0, 2.0], requires_grad=True)
    for left, right in ((t * A, A * t), (t + A, A + t), (t == A, A == t), (t - A, -(A - t))):
        assert isinstance(left, T.Tensor) and T.equal(left, right)
    assert (t * A).dtype is T.float64 and (x * A).requires_grad and (A / x).requires_grad
    with pytest.raises(TypeError, match="must be Tensor, not list"):
        T.mul(t, [1, 2])
