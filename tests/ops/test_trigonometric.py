"""Trigonometric functions at the points where their formulas break down."""

import math

import chainrule as T

INF = float("inf")


def derivatives(f, at, count):
    """The value and the first derivatives of f at one point."""
    x = T.tensor(at, dtype=T.float64, requires_grad=True)
    y = f(x)
    found = [y.item()]
    for _ in range(count):
        (y,) = T.autograd.grad(y, x, create_graph=True)
        found.append(y.item())
    return found


def test_sinc_is_smooth_at_zero():
    # sinc(x) = 1 - (πx)²/6 + (πx)⁴/120 - …
    want = [1.0, 0.0, -(math.pi**2) / 3, 0.0, math.pi**4 / 5]
    for a, b in zip(derivatives(T.sinc, 0.0, 4), want, strict=True):
        assert math.isclose(a, b, abs_tol=1e-10)


def test_sinc_derivatives_do_not_jump_between_their_formulas():
    # the two ways of computing the n-th derivative meet at |πx| = 2n + 2
    for n in range(1, 5):
        edge = (2 * n + 2) / math.pi
        below, above = (derivatives(T.sinc, edge + d, n)[n] for d in (-1e-9, 1e-9))
        assert math.isclose(below, above, abs_tol=1e-6)


def test_angle_and_distance_at_the_origin_have_slope_zero():
    for f in (T.atan2, T.hypot):
        x = T.zeros(1, requires_grad=True)
        y = T.zeros(1, requires_grad=True)
        f(x, y).backward()
        assert x.grad.tolist() == [0.0] and y.grad.tolist() == [0.0]


def test_infinite_arguments_in_an_untaken_branch():
    x = T.tensor([0.0, INF], requires_grad=True)
    for f in (T.sin, T.cos):
        (g,) = T.autograd.grad(T.where(x < 1, f(x), 0).sum(), x)
        assert T.isfinite(g).all()


def test_hypot_does_not_overflow():
    assert T.hypot(T.tensor(3e38), T.tensor(0.0)).item() == T.tensor(3e38).item()
