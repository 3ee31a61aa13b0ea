"""torch.jit: nothing is scripted or traced yet; marks for the script compiler are accepted and do nothing."""

from typing import Final

from chainrule.compat.missing import message, names_of

__all__ = [
    "Attribute",
    "Final",
    "TracerWarning",
    "annotate",
    "export",
    "ignore",
    "is_scripting",
    "is_tracing",
    "load",
    "save",
    "script",
    "script_if_tracing",
    "trace",
    "unused",
]
__getattr__ = names_of(__name__)


class TracerWarning(Warning):
    """What PyTorch's tracer warns with; named in programs that silence it."""


class Attribute:
    """A value with the type the script compiler should take it for; both are kept."""

    def __init__(self, value, type):
        self.value = value
        self.type = type


def is_scripting():
    """False."""
    return False


def is_tracing():
    """False."""
    return False


def annotate(the_type, the_value):
    """The value: the type is for the script compiler."""
    return the_value


def export(fn):
    """The function itself: the mark is for the script compiler."""
    return fn


def unused(fn):
    """The function itself: the mark is for the script compiler."""
    return fn


def ignore(drop=False, **kwargs):
    """The function itself, used bare or with arguments: the mark is for the script compiler."""
    return drop if callable(drop) else export


def script_if_tracing(fn):
    """The function itself: nothing traces."""
    return fn


def script(obj, *args, **kwargs):
    """NotImplementedError: there is no script compiler."""
    raise NotImplementedError(message("torch.jit.script"))


def trace(func, *args, **kwargs):
    """NotImplementedError: there is no tracer."""
    raise NotImplementedError(message("torch.jit.trace"))


def load(f, *args, **kwargs):
    """NotImplementedError: there are no script modules to load."""
    raise NotImplementedError(message("torch.jit.load"))


def save(m, f, *args, **kwargs):
    """NotImplementedError: there are no script modules to save."""
    raise NotImplementedError(message("torch.jit.save"))
