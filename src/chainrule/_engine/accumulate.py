"""Where gradients are added: into a node's buffer during the walk, into a leaf's `.grad` at its end."""

import weakref
from _thread import RLock

import numpy as np

from chainrule._engine.native import sole_reference
from chainrule._engine.node import LEAF_SEQUENCE, Claim, Extra, Function, Node
from chainrule._engine.tensor import (
    AutogradMeta,
    Meta,
    Slots,
    Tensor,
    bump_version,
    get_slots,
    need_autograd,
    wrap_like,
)  # fmt: skip
from chainrule._engine.thread_state import current
from chainrule._kernels.loops import Ufunc, alike
from chainrule._kernels.strided import is_dense

slots = get_slots()
addition = Ufunc(np.add)


class LeafFunction(Function):
    """What an AccumulateGrad node shows as its function: a name only."""

    def __init__(self):
        self.name = "AccumulateGrad"


leaf_function = LeafFunction()


class AccumulateGrad(Node):
    """The end of every path to a leaf: adds what arrives to the leaf's `.grad`.

    The graph owns it and it owns the leaf; the leaf refers back weakly, so that no cycle keeps a graph alive.
    It locks: two walks in two threads may end in one leaf, and large additions release the interpreter's lock. The lock
    is re-entrant: a recorded addition may call a program's overrides, and they may walk."""

    def accumulate(self, g, task):
        t = self.variable
        if g is None:
            return
        with self.lock:
            a = need_autograd(t)
            old = a.grad
            if old is None:
                s = current()
                if s.grad_enabled and g.needs_grad:
                    # the gradient of a graph that goes on: it must stay the node's own output
                    a.grad = slots.clone(g)
                elif sole_reference(g, g.array) and is_dense(g.array) and g.array.strides == t.array.strides:
                    a.grad = g
                    g.node = None
                    g.needs_grad = False
                else:
                    copy = np.empty_like(t.array)
                    np.copyto(copy, g.array)
                    a.grad = wrap_like(copy, t)
            elif current().grad_enabled:
                a.grad = slots.add.call2(old, g)
            elif alike(old.array, g.array) and not t.meta.dtype.is_half and not old.override and not g.override:
                addition.into2(old.array, old.array, g.array)
                bump_version(old)
            else:
                a.grad = slots.add.inplace2(old, g)
        if a.post_accumulate is not None:
            for hook in list(a.post_accumulate.values()):
                if hook(t) is not None:
                    raise TypeError("a hook after accumulation must return None")


def gradient_edge(t):
    """The node that receives t's gradient: its own, or its leaf's accumulator. t must require a gradient."""
    if t.autograd is not None and t.autograd.base is not None:
        slots.regenerate(t)
    if t.node is not None:
        return t.node
    return leaf_edge(t)


def leaf_edge(t):
    a = need_autograd(t)
    if a.accumulator is not None:
        n = a.accumulator()
        if n is not None:
            return n
    n = AccumulateGrad.__new__(AccumulateGrad)
    n.function = leaf_function
    n.links = ()
    n.meta = t.meta
    n.code = None
    n.sequence = LEAF_SEQUENCE
    n.instruction = 0
    n.n_edges = 0
    n.claim = None
    n.extra = None
    n.variable = t
    n.lock = RLock()
    if a.hooks is not None:
        extra = n.need_extra()
        extra.tensor_hooks = a.hooks
    a.accumulator = weakref.ref(n)
    return n


def add_gradients(c, g, recorded):
    """The claim's buffer plus g: borrowed at first, from the second on a sum of the engine's own, added to in place."""
    t = c.buffer
    if c.owned and not recorded and alike(t.array, g.array) and not t.meta.dtype.is_half:
        addition.into2(t.array, t.array, g.array)
        return t
    t = slots.add.call2(t, g)
    c.owned = not recorded
    return t
