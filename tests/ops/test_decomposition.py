"""Linear algebra: matrices that cannot be taken, gradients at equal values, and precision against NumPy."""

import math

import numpy as np
import pytest

import chainrule as torch

zero = torch.zeros(3, 3)
one_zero = torch.stack([torch.eye(3), zero])
SINGULAR = "The diagonal element 1 is zero, the inversion could not be completed because the input matrix is singular."


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: torch.linalg.inv(zero), r"linalg.inv: " + SINGULAR),
        (lambda: torch.linalg.inv(one_zero), r"linalg.inv: \(Batch element 1\): " + SINGULAR),
        (lambda: torch.linalg.solve(zero, torch.ones(3)), "solver failed because the input matrix is singular"),
        (lambda: torch.linalg.solve(one_zero, torch.ones(3)), r"solve: \(Batch element 1\): The solver failed"),
        (lambda: torch.linalg.cholesky(zero), r"leading minor of order 1 is not positive-definite"),
        (lambda: torch.linalg.cholesky(torch.diag(torch.tensor([1.0, 2.0, -1.0]))), "minor of order 3"),
        (lambda: torch.linalg.cholesky(one_zero), r"linalg.cholesky: \(Batch element 1\): The factorization"),
        (lambda: torch.linalg.svd(zero * math.nan), "contained non-finite values"),
        (lambda: torch.linalg.eigh(zero * math.nan), "failed to converge"),
    ],
)
def test_matrices_without_a_result(call, message):
    with pytest.raises(torch.linalg.LinAlgError, match=message):
        call()


def test_the_error_is_a_runtime_error():
    assert issubclass(torch.linalg.LinAlgError, RuntimeError)
    with pytest.raises(RuntimeError, match=r"U\[1,1\] is zero"):
        torch.linalg.lu_factor(zero)


@pytest.mark.parametrize("name", ["inv", "det", "slogdet", "cholesky", "eigh", "eigvals", "matrix_exp"])
def test_inputs_that_are_no_square_float_matrices(name):
    f = getattr(torch.linalg, name)
    with pytest.raises(RuntimeError, match="must have at least 2 dimensions"):
        f(torch.ones(3))
    with pytest.raises(RuntimeError, match="must be batches of square matrices, but they are 2 by 3 matrices"):
        f(torch.ones(2, 3))
    with pytest.raises(RuntimeError, match="Expected a floating point or complex tensor as input. Got Int"):
        f(torch.ones(3, 3, dtype=torch.int32))
    if name != "matrix_exp":
        with pytest.raises(NotImplementedError, match="Got Half"):
            f(torch.ones(3, 3, dtype=torch.float16))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: torch.linalg.solve(torch.eye(3), torch.ones(4, 2)), r"equation AX = B \(3x3 and 4x2\)"),
        (lambda: torch.linalg.solve(torch.eye(3), torch.ones(3).double()), "A of type Float and B of type Double"),
        (lambda: torch.linalg.solve_triangular(torch.eye(3), torch.ones(3), upper=True), "B must have at least 2"),
        (lambda: torch.linalg.qr(torch.eye(3), mode="x"), "unrecognized mode 'x'"),
        (lambda: torch.linalg.eigh(torch.eye(3), UPLO="X"), "to be 'L' or 'U', but got X"),
        (lambda: torch.linalg.matrix_norm(torch.eye(3), 3), "Order 3 not supported"),
        (lambda: torch.linalg.tensorinv(torch.ones(2, 3)), "Expected self to satisfy the requirement"),
    ],
)
def test_arguments_that_do_not_fit(call, message):
    with pytest.raises(RuntimeError, match=message):
        call()


def test_info_instead_of_an_error():
    inverse, info = torch.linalg.inv_ex(one_zero)
    assert info.tolist() == [0, 1] and info.dtype is torch.int32 and inverse[0].tolist() == torch.eye(3).tolist()
    assert torch.linalg.cholesky_ex(one_zero).info.tolist() == [0, 1]
    assert torch.linalg.lu_factor_ex(one_zero).info.tolist() == [0, 1]


def test_qr_without_q_or_with_too_much_of_it_has_no_gradient():
    x = torch.rand(4, 3, requires_grad=True)
    with pytest.raises(RuntimeError, match="depends on Q, which is not computed when mode='r'"):
        torch.linalg.qr(x, mode="r")[1].sum().backward()
    with pytest.raises(RuntimeError, match="not differentiable when mode='complete' and nrows > ncols"):
        torch.linalg.qr(x, mode="complete")[1].sum().backward()


@pytest.mark.parametrize("name", ["svd", "eigh", "eig"])
def test_a_loss_that_depends_on_a_phase_has_no_gradient(name):
    rng = np.random.default_rng(0)
    a = torch.from_numpy(rng.standard_normal((3, 3)) + 1j * rng.standard_normal((3, 3))).requires_grad_()
    vectors = getattr(torch.linalg, name)(a)[0 if name == "svd" else 1]
    with pytest.raises(RuntimeError, match="ill-defined"):
        vectors.sum().real.backward()


def test_equal_eigenvalues_give_the_gradient_of_a_matrix_function():
    a = (torch.eye(3).double() * 2).requires_grad_()
    s = torch.tensor([[1.0, 2.0, 0.5], [2.0, -1.0, 0.3], [0.5, 0.3, 2.0]]).double()
    w, q = torch.linalg.eigh(a)
    ((q * (w * w * w)) @ q.transpose(0, 1) * s).sum().backward()
    # the derivative of x -> x^3 at 2 is 12, along every symmetric direction
    np.testing.assert_allclose(a.grad.numpy(), 12 * s.numpy(), rtol=1e-9)


def test_equal_singular_values_give_the_gradient_of_a_matrix_function():
    a = torch.diag(torch.tensor([2.0, 2.0, 1.0]).double()).requires_grad_()
    s = torch.arange(9.0).double().reshape(3, 3)
    u, d, vh = torch.linalg.svd(a)
    ((u * d) @ vh * s).sum().backward()
    np.testing.assert_allclose(a.grad.numpy(), s.numpy(), atol=1e-9)


def test_the_gradient_of_a_vanishing_determinant():
    a = torch.diag(torch.tensor([1.0, 2.0, 0.0]).double()).requires_grad_()
    torch.linalg.det(a).backward()
    np.testing.assert_allclose(a.grad.numpy(), np.diag([0.0, 0.0, 2.0]), atol=1e-12)


@pytest.mark.parametrize("n", [1, 5, 64, 65, 150])
def test_factors_of_matrices_larger_than_a_block(n):
    a = np.random.default_rng(n).standard_normal((2, n, n))
    p, low, up = torch.linalg.lu(torch.from_numpy(a))
    np.testing.assert_allclose((p @ low @ up).numpy(), a, atol=1e-11)
    b = np.random.default_rng(n + 1).standard_normal((n, 3))
    heavy = np.tril(a) + 3 * np.sqrt(n) * np.eye(n)
    x = torch.linalg.solve_triangular(torch.from_numpy(heavy), torch.from_numpy(b), upper=False)
    np.testing.assert_allclose(heavy @ x.numpy(), np.broadcast_to(b, (2, n, 3)), atol=1e-11)


def test_a_zero_on_a_triangle_gives_infinity():
    x = torch.linalg.solve_triangular(torch.tensor([[1.0, 0.0], [1.0, 0.0]]), torch.ones(2, 1) * 2, upper=False)
    assert x[0].item() == 2.0 and not math.isfinite(x[1].item())


def test_empty_matrices():
    empty = torch.ones(2, 0, 0)
    assert torch.linalg.det(empty).tolist() == [1.0, 1.0]
    assert torch.linalg.inv(empty).shape == (2, 0, 0) and torch.linalg.lu_factor(empty).pivots.shape == (2, 0)
    assert torch.linalg.solve(empty, torch.ones(2, 0, 3)).shape == (2, 0, 3)


def test_named_results():
    out = torch.linalg.eigh(torch.eye(2))
    assert out.eigenvalues.tolist() == [1.0, 1.0] and type(out).__name__ == "linalg_eigh"
    assert torch.linalg.slogdet(torch.eye(2)).logabsdet.item() == 0.0
    assert torch.linalg.svd(torch.eye(2)).S.tolist() == [1.0, 1.0]


def test_several_results_are_written_out():
    q, r = torch.empty(0), torch.empty(0)
    out = torch.linalg.qr(torch.eye(2) * 2, out=(q, r))
    assert out.R is r and r.abs().tolist() == [[2.0, 0.0], [0.0, 2.0]] and q.shape == (2, 2)
    values, vectors = torch.empty(2), torch.empty(2, 2)
    torch.linalg.eigh(torch.eye(2) * 3, out=(values, vectors))
    assert values.tolist() == [3.0, 3.0]
