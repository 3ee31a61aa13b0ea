"""torch.compiler: nothing is compiled yet; marks for the compiler are accepted and do nothing."""

from chainrule.compat.missing import message, names_of

__all__ = [
    "allow_in_graph",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "reset",
]
__getattr__ = names_of(__name__)


def is_compiling():
    """False."""
    return False


def is_dynamo_compiling():
    """False."""
    return False


def is_exporting():
    """False."""
    return False


def disable(fn=None, recursive=True, *, reason=None):
    """The function itself, used bare or with arguments: there is no compiler to keep away."""
    return allow_in_graph if fn is None else fn


def allow_in_graph(fn):
    """The function itself: the mark is for the compiler."""
    return fn


def cudagraph_mark_step_begin():
    """Nothing: there are no CUDA graphs."""


def reset():
    """Nothing: there is no compiled code to forget."""


def compile(model=None, **kwargs):
    """NotImplementedError: there is no compiler; the uncompiled function gives the same results."""
    raise NotImplementedError(message("torch.compile"))
