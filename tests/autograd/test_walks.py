"""backward and grad: arguments, checks and messages."""

import warnings

import pytest

import chainrule as torch
from chainrule.autograd import backward, grad


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def ones(*shape):
    return torch.ones(*shape, dtype=torch.float64)


def test_several_outputs_and_seeds():
    x = leaf(1.0, 2.0)
    backward([x.sum(), x * 2], [None, ones(2)])
    assert x.grad.tolist() == [3, 3]
    assert grad((x.sum(), (x * x).sum()), [x], [None, None])[0].tolist() == [3, 5]


def test_only_these_inputs():
    x, z = leaf(1.0, 2.0), leaf(3.0)
    y = x * z
    y.sum().backward(inputs=[x], retain_graph=True)
    assert x.grad.tolist() == [3, 3] and z.grad is None
    y.sum().backward(inputs=y)
    assert y.grad.tolist() == [1, 1] and x.grad.tolist() == [3, 3]


def test_unused_inputs():
    x, other = leaf(1.0, 2.0), leaf(5.0)
    with pytest.raises(RuntimeError, match="at index 1 appears to not have been used.*allow_unused=True"):
        grad(x.sum(), [x, other])
    assert grad(x.sum(), other, allow_unused=True) == (None,)
    assert grad(x.sum(), other, materialize_grads=True)[0].tolist() == [0]
    with pytest.raises(ValueError, match="materialize_grads"):
        grad(x.sum(), other, allow_unused=False, materialize_grads=True)


def test_a_batch_of_seeds():
    x = leaf(1.0, 2.0)
    (g,) = grad(x * x, x, torch.eye(2, dtype=torch.float64), is_grads_batched=True)
    assert g.tolist() == [[2, 0], [0, 4]]
    assert grad(x * x, x, ones(0, 2), is_grads_batched=True)[0].shape == (0, 2)
    with pytest.raises(RuntimeError, match="is_grads_batched=True.*shape of torch.Size"):
        grad(x * x, x, ones(2, 3), is_grads_batched=True)
    with pytest.raises(RuntimeError, match="batch"):
        grad(x.sum(), x, is_grads_batched=True)


def test_seeds_of_another_float_type_are_cast():
    x = leaf(1.0, 2.0)
    assert grad(x * 2, x, torch.ones(2))[0].dtype == torch.float64
    assert grad(x * 2, x, torch.ones(2, dtype=torch.int64))[0].tolist() == [2, 2]


def test_seeds_that_require_a_gradient():
    x, seed = leaf(3.0), leaf(1.0)
    (g,) = grad(x * x, x, seed, create_graph=True)
    assert grad(g, seed, retain_graph=True)[0].item() == 6 and grad(g, x)[0].item() == 2


X = leaf(1.0, 2.0)
Z = torch.tensor([1 + 2j], requires_grad=True)
WRONG = [
    (lambda: backward(3), TypeError, "int"),
    (lambda: ones(1).backward(), RuntimeError, "element 0 of tensors does not require grad"),
    (lambda: grad((X.sum(), ones(())), X), RuntimeError, "element 1 of tensors does not require grad"),
    (lambda: (X * 2).backward(), RuntimeError, "implicitly created only for scalar outputs"),
    (lambda: (Z * 2).sum().backward(), RuntimeError, "only for real scalar outputs but got torch.complex64"),
    (lambda: backward((X.sum(), X.sum()), (ones(()),)), RuntimeError, "got 2 tensors and 1 gradients"),
    (lambda: X.sum().backward(inputs=[]), RuntimeError, r"`inputs` argument to `backward\(\)` cannot be empty"),
    (lambda: grad(X.sum(), []), RuntimeError, r"`inputs` argument to `grad\(\)` cannot be empty"),
    (lambda: (X * 2).backward(ones(3)), RuntimeError, r"grad_output\[0\] has a shape of torch.Size\(\[3\]\) and"),
    (lambda: (X * 2).backward(ones(2, 1)), RuntimeError, "Mismatch in shape"),
    (lambda: backward([X * 2], [3.0]), TypeError, "gradients can be either Tensors or None, but got float"),
    (lambda: (X * 2).backward(torch.ones(2, dtype=torch.complex128)), RuntimeError, "Mismatch in dtype"),
    (lambda: (Z * 2).sum().backward(torch.ones(())), RuntimeError, "Mismatch in dtype"),
    (lambda: grad(X.sum(), ones(1)), RuntimeError, "One of the differentiated Tensors does not require grad"),
    (lambda: grad(X.sum(), [3]), TypeError, "inputs, got int"),
]


@pytest.mark.parametrize("k", range(len(WRONG)))
def test_what_is_refused(k):
    call, error, text = WRONG[k]
    with pytest.raises(error, match=text):
        call()


def test_warnings():
    x = leaf(1.0)
    with pytest.warns(FutureWarning, match="grad_variables"):
        backward(x * 2, grad_variables=ones(1))
    with pytest.raises(RuntimeError, match="both passed"), pytest.warns(FutureWarning):
        backward(x * 2, ones(1), grad_variables=ones(1))
    with pytest.warns(FutureWarning, match="only_inputs"):
        grad(x * 2, x, only_inputs=False)
    with pytest.warns(UserWarning, match="create_graph=True"):
        (x * x).backward(create_graph=True)
    x.grad = None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        grad(x * x, x, create_graph=True)


def test_anomaly_mode_finds_a_nan_and_names_the_line():
    x = leaf(0.0, 1.0)
    y = (x * 0) / x
    y.sum().backward()
    with pytest.warns(UserWarning, match="Anomaly"), torch.autograd.detect_anomaly():
        z = (x * 0) / x
        with pytest.raises(RuntimeError, match="returned nan values in its 1th output") as caught:
            z.sum().backward()
    assert any(__file__ in note for note in caught.value.__notes__)
    with pytest.warns(UserWarning), torch.autograd.detect_anomaly(check_nan=False):
        ((x * 0) / x).sum().backward()
    with torch.autograd.set_detect_anomaly(True):
        with pytest.raises(RuntimeError, match="DivBackward0"):
            ((x * 0) / x).sum().backward()
    ((x * 0) / x).sum().backward()


def test_an_error_in_a_rule_names_the_forward_line():
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            raise ValueError("no")

    y = Fails.apply(leaf(1.0))
    with pytest.raises(ValueError, match="no") as caught:
        y.backward()
    line = test_an_error_in_a_rule_names_the_forward_line.__code__.co_firstlineno + 10
    assert caught.value.__notes__ == [f"in the backward of FailsBackward, called at {__file__}:{line}"]


def test_variable():
    t = leaf(1.0)
    v = torch.autograd.Variable(t)
    assert isinstance(t, torch.autograd.Variable) and not v.requires_grad and v.data_ptr() == t.data_ptr()
    assert torch.autograd.Variable(torch.ones(1), requires_grad=True).requires_grad
    with pytest.raises(TypeError, match="Variable data has to be a tensor"):
        torch.autograd.Variable(3)
