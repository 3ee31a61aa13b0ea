"""Special functions at their ends, and torch.special's names."""

import math

import pytest

import chainrule as T
import chainrule.special as special

INF = float("inf")


def test_ends():
    assert T.logit(T.tensor([0.0, 1.0])).tolist() == [-INF, INF]
    assert T.erfinv(T.tensor([-1.0, 1.0])).tolist() == [-INF, INF]
    assert special.entr(T.tensor([0.0, -1.0])).tolist() == [0.0, -INF]
    assert special.ndtri(T.tensor([0.0, 0.5, 1.0])).tolist() == [-INF, 0.0, INF]
    assert T.polygamma(1, T.tensor([0.0])).tolist() == [INF]
    assert special.i0e(T.tensor([INF])).tolist() == [0.0]
    assert special.zeta(T.tensor([1.0]), T.tensor([2.0])).tolist() == [INF]


def test_tails_keep_their_digits():
    x = T.tensor([-30.0, 30.0], dtype=T.float64)
    low, high = special.log_ndtr(x).tolist()
    # log Φ(-a) ≈ -a²/2 - log(a √2π) + log(1 - 1/a² + 3/a⁴ - 15/a⁶)
    series = 1 - 30**-2 + 3 * 30.0**-4 - 15 * 30.0**-6
    assert math.isclose(low, -450 - math.log(30 * math.sqrt(2 * math.pi)) + math.log(series), rel_tol=1e-10)
    assert -1e-190 < high <= 0
    assert math.isclose(
        special.erfcx(T.tensor(1e8, dtype=T.float64)).item(), 1e-8 / math.sqrt(math.pi), rel_tol=1e-12
    )
    y = special.ndtri(T.tensor([1e-30], dtype=T.float64))
    assert math.isclose(special.log_ndtr(y).item(), math.log(1e-30), rel_tol=1e-12)


def test_polygamma_is_the_derivative_of_the_one_below():
    x = T.tensor([0.3, 2.5, -1.4], dtype=T.float64, requires_grad=True)
    y = T.lgamma(x)
    for n in range(4):
        (y,) = T.autograd.grad(y.sum(), x, create_graph=True)
        assert T.allclose(y, T.polygamma(n, x), rtol=1e-9)
    with pytest.raises(RuntimeError, match="negative n"):
        T.polygamma(-1, x)


def test_bessel_functions_do_not_jump_between_their_series():
    a, b = special.i1e(T.tensor([25.0 - 1e-9, 25.0 + 1e-9], dtype=T.float64)).tolist()
    assert math.isclose(a, b, rel_tol=1e-9)


def test_logit_brings_into_its_bounds():
    x = T.tensor([0.05, 0.5, 0.95], requires_grad=True)
    y = T.logit(x, eps=0.1)
    y.sum().backward()
    assert y.tolist() == pytest.approx([math.log(1 / 9), 0.0, math.log(9)], abs=1e-6)
    assert x.grad.tolist() == pytest.approx([0.0, 4.0, 0.0])


def test_real_functions_refuse_complex_numbers():
    for f in (T.erf, T.lgamma, T.digamma, T.logit, T.i0):
        with pytest.raises(RuntimeError, match="complex"):
            f(T.tensor([1j]))


def test_names_of_torch_special():
    assert special.expit is T.sigmoid and special.gammaln is T.lgamma and special.psi is T.digamma
    assert special.multigammaln is T.mvlgamma and special.round is T.round and special.sinc is T.sinc
    with pytest.raises(RuntimeError, match="greater than or equal to 1"):
        T.mvlgamma(T.ones(1), 0)
