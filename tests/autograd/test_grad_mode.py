"""Grad modes: as context managers, as decorators of every kind of callable."""

import pytest

import chainrule as torch


def test_contexts_nest_and_restore():
    assert torch.is_grad_enabled()
    with torch.no_grad():
        assert not torch.is_grad_enabled()
        with torch.enable_grad():
            assert torch.is_grad_enabled()
        with torch.set_grad_enabled(True):
            assert torch.is_grad_enabled()
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()


def test_an_exception_restores():
    with pytest.raises(ValueError), torch.no_grad():
        raise ValueError
    assert torch.is_grad_enabled()


def test_set_grad_enabled_works_at_once():
    torch.set_grad_enabled(False)
    try:
        assert not torch.is_grad_enabled()
    finally:
        torch.set_grad_enabled(True)
    with pytest.raises(TypeError, match="must be bool, not int"):
        torch.set_grad_enabled(1)


@pytest.mark.parametrize("mode, expected", [
    (torch.no_grad, False), (torch.no_grad(), False), (torch.enable_grad, True), (torch.inference_mode, False),
    (torch.inference_mode(), False), (torch.inference_mode(False), True),
])  # fmt: skip
def test_decorators(mode, expected):
    @mode
    def f(x, *, k=1):
        """The text of f."""
        return x + k, torch.is_grad_enabled()

    with torch.set_grad_enabled(not expected):
        assert f(1, k=2) == (3, expected)
        assert torch.is_grad_enabled() is not expected
    assert f.__name__ == "f" and f.__doc__ == "The text of f."


def test_set_grad_enabled_as_a_decorator_waits_for_the_call():
    @torch.set_grad_enabled(False)
    def f():
        return torch.is_grad_enabled()

    assert torch.is_grad_enabled() and not f() and torch.is_grad_enabled()


def test_a_decorated_recursion():
    @torch.no_grad()
    def f(n):
        return not torch.is_grad_enabled() and (n == 0 or f(n - 1))

    assert f(5) and torch.is_grad_enabled()


def test_generators_switch_at_each_step():
    @torch.no_grad()
    def f():
        got = yield torch.is_grad_enabled()
        try:
            yield got, torch.is_grad_enabled()
        except KeyError:
            yield "caught", torch.is_grad_enabled()
        return "end"

    steps = f()
    assert next(steps) is False and torch.is_grad_enabled()
    assert steps.send(7) == (7, False) and torch.is_grad_enabled()
    assert steps.throw(KeyError()) == ("caught", False) and torch.is_grad_enabled()
    with pytest.raises(StopIteration) as end:
        next(steps)
    assert end.value.value == "end" and torch.is_grad_enabled()


def test_a_closed_generator_cleans_up_inside():
    seen = []

    @torch.no_grad()
    def f():
        try:
            yield
        finally:
            seen.append(torch.is_grad_enabled())

    steps = f()
    next(steps)
    steps.close()
    assert seen == [False] and torch.is_grad_enabled()


def test_classes_are_decorated_with_a_warning():
    with pytest.warns(FutureWarning, match="Decorating classes"):

        @torch.no_grad()
        class C:
            def __init__(self):
                self.mode = torch.is_grad_enabled()

            def method(self):
                return torch.is_grad_enabled()

    assert C().mode is False and C().method()


def test_inference_mode():
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        assert torch.is_inference_mode_enabled() and not (x * 2).requires_grad
        with torch.inference_mode(False):
            assert not torch.is_inference_mode_enabled() and (x * 2).requires_grad
    assert not torch.is_inference_mode_enabled() and torch.is_grad_enabled()


def test_factories_keep_their_flag():
    with torch.no_grad():
        x = torch.ones(2, requires_grad=True)
        assert x.requires_grad and not (x * 2).requires_grad
    assert (x * 2).requires_grad
