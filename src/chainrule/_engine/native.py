"""The plain twin of what the compiled form needs C for."""


def install(cls, name, value):
    """Set an attribute of an engine class."""
    setattr(cls, name, value)


def without_saved(links, n_edges):
    """The links with their saved part dropped."""
    from chainrule._engine.node import RELEASED

    return links[:n_edges] + (RELEASED,) * (len(links) - n_edges)


def sole_reference(tensor, array):
    """Plain Python cannot count on reference counts: a gradient is always copied into .grad."""
    return False


def check_signals():
    """The interpreter checks for signals itself between bytecodes."""


def untrack(links):
    """The collector sees plain tuples by itself."""
