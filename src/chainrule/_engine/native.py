"""The plain twin of what the compiled form needs C for."""

from chainrule._core.dtype import dtype


class Released:
    """Stands in a node's links for saved values that are gone."""

    def __repr__(self):
        return "<released>"


RELEASED = Released()

PLAIN = (tuple, dtype, int, float, bool)


def install(cls, name, value):
    """Set an attribute of an engine class."""
    setattr(cls, name, value)


def without_saved(links, n_edges):
    """The links with their saved tensors dropped; shapes, dtypes and numbers stay."""
    left = list(links)
    for i in range(n_edges, len(left)):
        if left[i] is not None and type(left[i]) not in PLAIN:
            left[i] = RELEASED
    return tuple(left)


def sole_reference(tensor, array):
    """Plain Python cannot count on reference counts: a gradient is always copied into .grad."""
    return False


def address(array):
    """Where the array's first element is."""
    return array.__array_interface__["data"][0]


def check_signals():
    """The interpreter checks for signals itself between bytecodes."""


def untrack(links):
    """The collector sees plain tuples by itself."""
