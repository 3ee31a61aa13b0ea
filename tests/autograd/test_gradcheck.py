"""gradcheck and gradgradcheck: right functions pass, each kind of fault is found and described."""

import pytest

import chainrule as torch
from chainrule.autograd import Function, gradcheck, gradgradcheck
from chainrule.autograd.gradcheck import GradcheckError


def leaf(*values, dtype=torch.float64):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def function(forward, backward):
    return type("Made", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)}).apply


wrong = function(lambda ctx, x: x * 2, lambda ctx, g: g * 3)
wrong_complex = function(lambda ctx, x: x * 2, lambda ctx, g: g * 2j)
Z = (1 + 2j, 3 - 1j)


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("f, values, dtype", [
    (lambda x: x * x, (1.0, 2.0), torch.float64),
    (lambda x: (x.sin(), x.sum()), (1.0, 2.0), torch.float64),
    (lambda x: x * x, Z, torch.complex128),
    (lambda x: x.conj() * x, Z, torch.complex128),
    (lambda x: x.abs(), Z, torch.complex128),
    (lambda x: torch.complex(x, x * 2), (1.0, 2.0), torch.float64),
])  # fmt: skip
def test_right_gradients_pass(f, values, dtype, fast):
    assert gradcheck(f, leaf(*values, dtype=dtype), fast_mode=fast)


def test_inputs_that_are_not_checked_are_passed_on():
    assert gradcheck(lambda x, k, y: x * k + y, (leaf(1.0), 3, torch.ones(1, dtype=torch.float64)))


def test_a_wrong_gradient_is_shown_as_jacobians():
    with pytest.raises(GradcheckError) as caught:
        gradcheck(lambda x, y: (x * 2, wrong(y)), (leaf(1.0, 2.0), leaf(1.0, 2.0)))
    assert str(caught.value) == (
        "Jacobian mismatch for output 1 with respect to input 1,\n"
        "numerical:tensor([[2.0000, 0.0000],\n        [0.0000, 2.0000]], dtype=torch.float64)\n"
        "analytical:tensor([[3., 0.],\n        [0., 3.]], dtype=torch.float64)\n"
    )
    assert gradcheck(wrong, leaf(1.0), raise_exception=False) is False


def test_a_wrong_gradient_in_fast_mode():
    with pytest.raises(GradcheckError, match="(?s)output 0 with respect to input 0.*fast mode.*slow mode"):
        gradcheck(wrong, leaf(1.0, 2.0), fast_mode=True)


def test_a_wrong_complex_gradient():
    with pytest.raises(GradcheckError, match="imaginary part of complex outputs only, Jacobian mismatch"):
        gradcheck(wrong_complex, leaf(*Z, dtype=torch.complex128))


def test_a_backward_that_varies():
    calls = []
    vary = function(lambda ctx, x: x * 2, lambda ctx, g: (calls.append(1), g * (2 + 1e-9 * len(calls)))[1])
    with pytest.raises(GradcheckError, match="not reentrant"):
        gradcheck(vary, leaf(1.0, 2.0))
    assert gradcheck(vary, leaf(1.0, 2.0), nondet_tol=1e-5)


def test_a_backward_that_ignores_its_seed():
    constant = function(lambda ctx, x: x * 2, lambda ctx, g: g * 0 + 2)
    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        gradcheck(constant, leaf(1.0))


def test_what_is_outside_the_graph_is_constant():
    assert gradcheck(lambda x: torch.ones(1, dtype=torch.float64), leaf(1.0))
    with pytest.raises(GradcheckError, match="expected to be zero"):
        gradcheck(lambda x: x.detach() * 2, leaf(1.0))


def test_inputs_are_checked():
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        gradcheck(lambda x: x, torch.ones(1))
    with pytest.raises(RuntimeError, match="stride 0"):
        gradcheck(lambda x: x * 2, leaf(1.0).expand(2))
    with pytest.warns(UserWarning, match="Input #0 requires gradient and is not a double precision"):
        assert gradcheck(lambda x: x * 2, leaf(1.0, dtype=torch.float32), eps=1e-2, atol=1e-2)


def test_inputs_are_left_as_they_were():
    x = leaf(1.0, 2.0)
    assert gradcheck(lambda x: x * x, x, check_batched_grad=True)
    assert x.tolist() == [1, 2] and x.grad is None and x._version == 0


def test_second_derivatives():
    assert gradgradcheck(lambda x, y: x**3 * y, (leaf(1.0, 2.0), leaf(3.0, 4.0)))
    assert gradgradcheck(lambda x: x**3, leaf(1.0, 2.0), gen_non_contig_grad_outputs=True, fast_mode=True)
    assert gradgradcheck(lambda x: x * x.conj() * x, leaf(*Z, dtype=torch.complex128))
    cut = function(
        lambda ctx, x: (ctx.save_for_backward(x), x**2)[1], lambda ctx, g: g * 2 * ctx.saved_tensors[0].detach()
    )
    assert gradcheck(cut, leaf(1.0, 2.0))
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        gradgradcheck(cut, leaf(1.0, 2.0))
