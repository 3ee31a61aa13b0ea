"""Views of complex tensors, their parts, and slopes at 0."""

import pytest

import chainrule as T


def leaf(values):
    return T.tensor(values, dtype=T.complex128, requires_grad=True)


def test_parts_are_views():
    z = T.tensor([1 + 2j, 3 - 1j])
    z.real.mul_(2)
    z.imag[1] = 5
    T.view_as_real(z)[0, 1] = 7
    assert z.tolist() == [2 + 7j, 6 + 5j]
    z.real = T.tensor([0.0, 1.0])
    assert z.tolist() == [7j, 1 + 5j]
    x = T.tensor([1.0])
    assert x.real is x and T.real(x) is x and x.conj() is x and T.conj(x) is x
    with pytest.raises(RuntimeError, match="imag"):
        T.imag(x)


def test_changing_a_part_in_place_changes_the_history():
    z = leaf([1 + 2j, 3 - 1j])
    y = z * 1
    y.real.mul_(3)
    (y.real + y.imag).sum().backward()
    assert z.grad.tolist() == [3 + 1j, 3 + 1j]


def test_gradients_of_parts_follow_the_conjugate_convention():
    z = leaf([1 + 2j])
    for f, want in ((T.angle, -0.4 + 0.2j), (T.imag, 1j), (T.real, 1), (T.abs, (1 + 2j) / 5**0.5)):
        (g,) = T.autograd.grad(f(z).sum(), z)
        assert abs(g.item() - want) < 1e-12


def test_slopes_at_zero_are_zero():
    z = leaf([0j])
    for f in (T.abs, T.angle, lambda t: T.sgn(t).real):
        (g,) = T.autograd.grad(f(z).sum(), z)
        assert g.tolist() == [0j]


def test_real_inputs_get_real_gradients():
    x = T.tensor([1.0], requires_grad=True)
    (x * 1j).imag.sum().backward()
    assert x.grad.dtype == T.float32 and x.grad.tolist() == [1.0]
    y = T.tensor([2.0], requires_grad=True)
    T.complex(y, y).abs().backward()
    assert abs(y.grad.item() - 2**0.5) < 1e-6


def test_view_as_complex_checks_its_input():
    for bad, words in (
        (T.ones(3), "size 2"),
        (T.tensor(1.0), "one or more dimensions"),
        (T.ones(2, 2).t(), "stride 1"),
        (T.ones(2, 3)[:, :2], "divisible by 2"),
        (T.ones(2, 4)[:, 1:3], "storage_offset"),
        (T.tensor([1, 2]), "scalar type: Long"),
    ):
        with pytest.raises(RuntimeError, match=words):
            T.view_as_complex(bad)
    with pytest.raises(RuntimeError, match="complex tensors"):
        T.view_as_real(T.ones(2))


def test_complex_and_polar_check_their_parts():
    with pytest.raises(RuntimeError, match="Long"):
        T.complex(T.tensor([1]), T.tensor([1]))
    with pytest.raises(RuntimeError, match="scalar type Double"):
        T.polar(T.ones(1), T.ones(1).double())
    with pytest.raises(TypeError, match="imag"):
        T.complex(T.ones(1), 1.0)


def test_signs():
    with pytest.raises(NotImplementedError, match="sgn"):
        T.sign(T.tensor([1j]))
    assert T.sgn(T.tensor([3 + 4j, 0j])).tolist() == pytest.approx([0.6 + 0.8j, 0j])
    assert T.angle(T.tensor([-0.0, -1.0])).tolist() == pytest.approx([0.0, 3.14159265])
