"""autograd.functional: values, the nesting of results, create_graph, strict, refusals."""

import pytest

import chainrule as torch
from chainrule.autograd import functional as F


def t(*values):
    return torch.tensor(values, dtype=torch.float64)


X, Y, V = t(1.0, 2.0), t(3.0, 4.0), t(1.0, 1.0)


def square(x):
    return x * x


def total(x):
    return (x * x).sum()


def both(x, y):
    return x * y.sum(), x.sum() * y


def mixed(x, y):
    return (x * y * x).sum()


def lists(value):
    return [lists(v) for v in value] if isinstance(value, tuple) else value.tolist()


def test_jacobians_are_nested_like_outputs_then_inputs():
    assert lists(F.jacobian(square, X)) == [[2, 0], [0, 4]]
    assert lists(F.jacobian(square, (X,))) == [[[2, 0], [0, 4]]]
    assert lists(F.jacobian(lambda x: (x * 2,), X)) == [[[2, 0], [0, 2]]]
    expected = [[[[7, 0], [0, 7]], [[1, 1], [2, 2]]], [[[3, 3], [4, 4]], [[3, 0], [0, 3]]]]
    for strategy in ("reverse-mode", "forward-mode"):
        assert lists(F.jacobian(both, (X, Y), vectorize=True, strategy=strategy)) == expected
    assert lists(F.jacobian(total, X)) == [2, 4]
    assert F.jacobian(lambda x: x.view(1, 2).expand(3, 2), X).shape == (3, 2, 2)
    assert F.jacobian(lambda x: x[:0], X).shape == (0, 2)


def test_hessians():
    assert lists(F.hessian(total, X)) == [[2, 0], [0, 2]]
    assert lists(F.hessian(mixed, (X, Y))) == [
        [[[6, 0], [0, 8]], [[2, 0], [0, 4]]],
        [[[2, 0], [0, 4]], [[0, 0], [0, 0]]],
    ]
    assert lists(F.hessian(lambda x: x.sum(), X)) == [[0, 0], [0, 0]]
    assert lists(F.hessian(lambda x: (x * x).sum().view(1, 1), X)) == [[2, 0], [0, 2]]


def test_products_with_vectors():
    assert lists(F.vjp(square, X, V)) == [[1, 4], [2, 4]]
    assert lists(F.vjp(total, X)) == [5, [2, 4]]
    assert lists(F.vjp(both, (X, Y), (V, V))) == [[[7, 14], [9, 12]], [[14, 14], [6, 6]]]
    assert lists(F.jvp(square, X, V)) == [[1, 4], [2, 4]]
    assert lists(F.jvp(both, (X, Y), (V, V))) == [[[7, 14], [9, 12]], [[9, 11], [9, 11]]]
    assert lists(F.jvp(square, torch.tensor(2.0))) == [4, 4]
    for product in (F.vhp, F.hvp):
        assert lists(product(total, X, V)) == [5, [2, 2]]
        assert lists(product(mixed, (X, Y), (V, V))) == [19, [[8, 12], [2, 4]]]
        assert lists(product(lambda x: x.sum(), X, V)) == [3, [0, 0]]


def test_results_have_a_graph_only_if_asked_for():
    x = X.clone().requires_grad_()
    assert not F.jacobian(square, x).requires_grad and not F.vjp(square, x, V)[1].requires_grad
    jacobian = F.jacobian(square, x, create_graph=True)
    assert torch.autograd.grad(jacobian.sum(), x)[0].tolist() == [2, 2]
    hessian = F.hessian(lambda v: (v**3).sum(), x, create_graph=True)
    assert torch.autograd.grad(hessian.sum(), x)[0].tolist() == [6, 6]
    out, product = F.jvp(square, x, V, create_graph=True)
    assert out.requires_grad and torch.autograd.grad(product.sum(), x)[0].tolist() == [2, 2]


def test_they_work_where_recording_is_off():
    with torch.no_grad():
        assert lists(F.jacobian(square, X)) == [[2, 0], [0, 4]]
    assert not X.requires_grad


def constant(x):
    return torch.ones(2, dtype=torch.float64)


def test_what_does_not_depend_is_zero_unless_strict():
    assert lists(F.jacobian(constant, X)) == [[0, 0], [0, 0]]
    assert lists(F.vjp(constant, X, V)) == [[1, 1], [0, 0]] == lists(F.jvp(constant, X, V))


@pytest.mark.parametrize("call, text", [
    (lambda: F.jacobian(constant, X, strict=True), "Output 0 of the user-provided function does not require gradients"),
    (lambda: F.jacobian(lambda v, w: v * 2, (X, Y), strict=True), "Output 0 .* is independent of input 1"),
    (lambda: F.jacobian(lambda v: v * 2, X, strict=True, create_graph=True), "jacobian .* is independent of input 0"),
    (lambda: F.hessian(lambda v: v.sum(), X, strict=True), "While computing the hessian"),
    (lambda: F.vjp(constant, X, V, strict=True), "does not require gradients"),
    (lambda: F.jvp(constant, X, V, strict=True), "does not require gradients"),
    (lambda: F.hvp(lambda v: v.sum(), X, V, strict=True), "While computing the hessian"),
    (lambda: F.jacobian(square, X, vectorize=True, strict=True), "not supported together"),
    (lambda: F.hessian(square, X), "should contain a single element"),
    (lambda: F.hessian(lambda v: (v.sum(),), X), "should return a single Tensor"),
    (lambda: F.vjp(square, X), "v can only be None"),
    (lambda: F.jvp(square, X), "v can only be None"),
    (lambda: F.vjp(square, X, t(1.0)), r"should be torch.Size\(\[2\]\) but got torch.Size\(\[1\]\)"),
    (lambda: F.vjp(square, X, (V, V)), "v should contain a single Tensor"),
    (lambda: F.jvp(both, (X, Y), (V,)), "invalid length: should be 2 but got 1"),
])  # fmt: skip
def test_what_is_refused(call, text):
    with pytest.raises(RuntimeError, match=text):
        call()


def test_types_are_checked():
    with pytest.raises(TypeError, match="inputs given to jacobian must be either a Tensor or a tuple"):
        F.jacobian(square, 3)
    with pytest.raises(TypeError, match="outputs of the user-provided function given to jacobian"):
        F.jacobian(lambda x: [x], X)
    with pytest.raises(AssertionError, match="strategy"):
        F.jacobian(square, X, strategy="sideways")
