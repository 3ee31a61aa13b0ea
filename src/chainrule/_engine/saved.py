"""Saved values: what a node keeps for its rule, and the check that it was not changed since.

An input is kept as the tensor itself. An output is kept as its array, without the `grad_fn` that would lead back to
this node, and is rewrapped on unpacking; the object that holds it is at the same time the version counter its tensor
carries, so that saving an output costs one object.
"""

try:
    import cython
except ImportError:
    from chainrule._core import cython

from chainrule._core import dtype as _dtype
from chainrule._engine.native import RELEASED
from chainrule._engine.node import Node
from chainrule._engine.tensor import Meta, Tensor, Version, make_meta


@cython.freelist(256)
@cython.no_gc
@cython.cclass
class SavedInput:
    """A tensor and the version it had."""


@cython.no_gc
@cython.cclass
class SavedOutput(Version):
    """An output's array and version. `counter` is set where the tensor already had a counter of its own."""


USED_TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
    "saved tensors after calling backward."
)


def save_input(t):
    s = SavedInput.__new__(SavedInput)
    s.tensor = t
    s.expected = 0 if t.counter is None else t.counter.n
    return s


def save_output(t, number):
    s = SavedOutput.__new__(SavedOutput)
    s.n = 0
    s.array = t.array
    s.number = number
    v = t.counter
    s.counter = v
    if v is None:
        s.expected = 0
        t.counter = s
    else:
        s.expected = v.n
    return s


def unpack(saved, node):
    """The value as the rule gets it; RuntimeError if it was changed in place or freed."""
    if type(saved) is SavedInput:
        i = saved
        t = i.tensor
        found = 0 if t.counter is None else t.counter.n
        if found != i.expected:
            raise modified(t, found, i.expected, node)
        return t
    if type(saved) is SavedOutput:
        return rewrap(saved, node)
    if saved is RELEASED:
        raise RuntimeError(USED_TWICE)
    if type(saved) is SavedList:
        return [unpack(s, node) for s in saved.values]
    return saved


class SavedList:
    """The saved form of a list argument."""

    def __init__(self, values):
        self.values = tuple(values)


def rewrap(s, node):
    v = s if s.counter is None else s.counter
    t = Tensor.__new__(Tensor)
    t.array = s.array
    t.meta = node.meta if type(node.meta) is Meta else node.meta[s.number]
    t.node = node
    t.counter = v
    t.autograd = None
    t.needs_grad = True
    t.override = False
    t.weak = False
    t.on_meta = False
    t.output_number = s.number
    if v.n != s.expected:
        raise modified(t, v.n, s.expected, node)
    return t


def modified(t, found, expected, node):
    """PyTorch's error for a saved value that was changed in place, with the lines that matter."""
    d = _dtype.of_array(t.array)
    message = (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[torch.{d.tensor_type} {list(t.array.shape)}]"
    )
    if t.node is not None:
        message += f", which is output {t.output_number} of {t.node.name()},"
    message += f" is at version {found}; expected version {expected} instead."
    message += f" It was saved by {node.name()}"
    where = node._forward_location()
    if where is not None:
        message += f", called at {where[0]}:{where[1]}"
    return RuntimeError(message + ". Hint: change a copy of the value (clone it first), or use the out-of-place form.")
