"""Whether calls are recorded: grad mode and inference mode, as context managers and decorators, per thread."""

import functools
import inspect
import sys
import threading
import warnings

from chainrule._engine.thread_state import current

__all__ = ["no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "set_multithreading_enabled"]


class _Inference(threading.local):
    """Whether this thread is inside `inference_mode`."""

    enabled = False


_inference = _Inference()
_multithreading = True


def is_grad_enabled():
    """Whether calls are recorded in this thread."""
    return bool(current().grad_enabled)


def is_inference_mode_enabled():
    """Whether this thread is inside `inference_mode`."""
    return _inference.enabled


class ContextDecorator:
    """A context manager that also decorates: functions, generators (at each step) and, warned about, classes."""

    def __call__(self, decorated):
        if inspect.isclass(decorated):
            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
                "functions or methods. To keep the behavior, decorate `__init__` and nothing else.",
                FutureWarning,
                stacklevel=2,
            )
            decorated.__init__ = self(decorated.__init__)
            return decorated
        if inspect.isgeneratorfunction(decorated):
            return _around_generator(self.clone, decorated)

        @functools.wraps(decorated)
        def inside(*args, **kwargs):
            with self.clone():
                return decorated(*args, **kwargs)

        return inside

    def clone(self):
        """A fresh context manager with the same setting: one object may decorate many calls at once."""
        return type(self)()

    def __enter__(self):
        raise NotImplementedError

    def __exit__(self, *exc):
        raise NotImplementedError


def _around_generator(make, generator):
    """A generator whose body runs inside the context; its consumer's code between steps does not."""

    @functools.wraps(generator)
    def inside(*args, **kwargs):
        with make():
            running = generator(*args, **kwargs)
        send, sent = running.send, (None,)
        try:
            while True:
                with make():
                    produced = send(*sent)
                try:
                    sent = ((yield produced),)
                    send = running.send
                except GeneratorExit:
                    with make():
                        running.close()
                    raise
                except BaseException:
                    send, sent = running.throw, (sys.exc_info()[1],)
        except StopIteration as end:
            return end.value

    return inside


class _Switch(ContextDecorator):
    """Sets grad mode inside and puts it back after."""

    mode = True

    def __new__(cls, function=None):
        self = super().__new__(cls)
        return self if function is None else self(function)

    def __enter__(self):
        state = current()
        self.before = state.grad_enabled
        state.grad_enabled = self.mode

    def __exit__(self, *exc):
        current().grad_enabled = self.before


class no_grad(_Switch):
    """Inside, nothing is recorded: results have requires_grad=False. Decorates too, with or without parentheses."""

    mode = False


class enable_grad(_Switch):
    """Inside, calls are recorded, also within `no_grad`. Decorates too."""

    mode = True


class set_grad_enabled(ContextDecorator):
    """Set grad mode to `mode` at once; as a context manager or decorator, put it back after."""

    def __init__(self, mode):
        if not isinstance(mode, bool):
            raise TypeError(
                f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type(mode).__name__}"
            )
        state = current()
        self.before = bool(state.grad_enabled)
        self.mode = mode
        state.grad_enabled = mode

    def __call__(self, decorated):
        current().grad_enabled = self.before
        return super().__call__(decorated)

    def __enter__(self):
        current().grad_enabled = self.mode

    def __exit__(self, *exc):
        current().grad_enabled = self.before

    def clone(self):
        return set_grad_enabled(self.mode)

    def __repr__(self):
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"


class inference_mode(ContextDecorator):
    """`no_grad` that also says `is_inference_mode_enabled()`; `mode=False` switches recording on again inside."""

    def __new__(cls, mode=True):
        if isinstance(mode, bool):
            return super().__new__(cls)
        return cls()(mode)

    def __init__(self, mode=True):
        self.mode = mode

    def __enter__(self):
        state = current()
        self.before = bool(state.grad_enabled), _inference.enabled
        state.grad_enabled, _inference.enabled = not self.mode, self.mode

    def __exit__(self, *exc):
        current().grad_enabled, _inference.enabled = self.before

    def clone(self):
        return inference_mode(self.mode)


class set_multithreading_enabled(ContextDecorator):
    """Kept for programs that set it: a walk backward always runs in the thread that asked for it."""

    def __init__(self, mode):
        global _multithreading
        self.before, self.mode = _multithreading, mode
        _multithreading = mode

    def __enter__(self):
        pass

    def __exit__(self, *exc):
        global _multithreading
        _multithreading = self.before

    def clone(self):
        return set_multithreading_enabled(self.mode)
