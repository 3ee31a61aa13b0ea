"""The nodes of the graph: what ran, where its gradients go, and what it saved.

A node holds its edges and its saved values in one tuple, `links`: the first `n_edges` are the nodes that receive its
gradients (None where none is wanted), the rest is what its function saved. Note [One tuple per node]: a chain of nodes
is freed by one tuple's deallocation inside another's, which CPython keeps from overflowing the C stack; two objects
that held each other directly would recurse. One tuple also costs the cyclic collector one container, not two.
"""

try:
    import cython
except ImportError:
    from chainrule._core import cython

import sys

from chainrule._engine.handles import Hooks
from chainrule._engine.native import without_saved


class Function:
    """What a node runs: gives the gradients of its inputs from those of its outputs."""

    def call1(self, x):
        raise TypeError(f"{self.name} is not an operation of one tensor")

    def call2(self, x, y):
        raise TypeError(f"{self.name} is not an operation of two tensors")

    def rcall2(self, x, y):
        return self.call2(y, x)

    def inplace2(self, x, y):
        raise TypeError(f"{self.name} is not an operation of two tensors")

    def backward(self, node, g, wanted):
        """The gradients for the node's edges: one object for one edge, a sequence for several.

        `g` is the gradient of the only output, or a list with one (or None) for each; `wanted` is None, or the set of
        nodes outside which nothing is needed."""
        raise NotImplementedError(f"{self.name} has no derivative")

    def saved_names(self, node):
        """The names under which the node shows what it keeps (`_saved_self`, …)."""
        return ()

    def differentiable_output(self, k):
        """Whether output k has a gradient at all (floating or complex as it is)."""
        return True

    def release(self, node):
        """Let go of the node's saved values; what asks for them later finds that they are gone."""
        if len(node.links) > node.n_edges:
            node.links = without_saved(node.links, node.n_edges)


@cython.freelist(128)
@cython.no_gc
@cython.cclass
class Claim:
    """One task's hold on a node: how many gradients are still to come, and their sum so far.

    `owned` says that the engine made the sum itself and may add to it in place."""


def make_claim(task):
    c = Claim.__new__(Claim)
    c.task = task
    c.buffer = None
    c.owned = False
    c.waiting = 0
    return c


class Extra:
    """What few nodes have: hooks, output numbers other than 0, the user's metadata."""

    def __init__(self):
        self.pre_hooks = None
        self.post_hooks = None
        self.tensor_hooks = None
        self.retained = None
        self.numbers = None
        self.metadata = None


@cython.freelist(256)
@cython.cclass
class Node:
    """One recorded call. Made by record.py; `meta` describes its output (a tuple of them for several)."""

    def __init__(self):
        raise TypeError(f"cannot create '{type(self).__name__}' instances: nodes come from recorded calls")

    def accumulate(self, g, task):
        raise AssertionError("only leaves accumulate")

    def need_extra(self):
        if self.extra is None:
            self.extra = Extra()
        return self.extra

    def name(self):
        """The name PyTorch gives the node ('MulBackward0')."""
        return self.function.name

    def __call__(self, *grads):
        """Run the node alone, without its hooks: the gradients of its inputs as its rule gives them (several: a tuple).

        TypeError unless there is one argument for each output of the call. An AccumulateGrad adds and gives ()."""
        if len(grads) != output_count(self):
            raise TypeError(f"{self.name()}: expected {output_count(self)} arguments, got {len(grads)} instead")
        given = list(grads) if type(self.meta) is tuple else grads[0]
        if self.n_edges == 0:
            self.accumulate(given, None)
            return ()
        found = self.function.backward(self, given, None)
        return found if self.n_edges == 1 else tuple(found)

    def __reduce__(self):
        """TypeError: a copy would share the tuple that a node owns alone."""
        raise TypeError(f"cannot pickle '{self.name()}' object")

    def __repr__(self):
        return f"<{self.name()} object at {id(self):#x}>"

    @property
    def next_functions(self):
        """((node or None, output number), …): where each input's gradient goes."""
        numbers = self.extra.numbers if self.extra is not None else None
        return tuple((self.links[i], 0 if numbers is None else numbers[i]) for i in range(self.n_edges))

    @property
    def previous_functions(self):
        """The name `next_functions` had in the first engine (read-only alias)."""
        return self.next_functions

    @property
    def requires_grad(self):
        """True: only calls that something differentiable went into are recorded."""
        return True

    @property
    def _input_metadata(self):
        """What the node is about to receive: one entry with `shape` and `dtype` for each output of the call."""
        return self.meta if type(self.meta) is tuple else (self.meta,)

    def register_hook(self, fn):
        """Call `fn(grad_inputs, grad_outputs)` after the node has run; a tuple it returns replaces grad_inputs."""
        extra = self.need_extra()
        if extra.post_hooks is None:
            extra.post_hooks = Hooks()
        return extra.post_hooks.add(fn)

    def register_prehook(self, fn):
        """Call `fn(grad_outputs)` before the node runs; a tuple it returns replaces them."""
        extra = self.need_extra()
        if extra.pre_hooks is None:
            extra.pre_hooks = Hooks()
        return extra.pre_hooks.add(fn)

    @property
    def metadata(self):
        """A dictionary for the user's own notes on this node."""
        extra = self.need_extra()
        if extra.metadata is None:
            extra.metadata = {}
        return extra.metadata

    def _sequence_nr(self):
        return self.sequence

    def _forward_location(self):
        """(file name, line) of the call that made this node, or None."""
        if self.code is None:
            return None
        line = None
        for start, end, number in self.code.co_lines():
            if start <= self.instruction < end:
                line = number
        return self.code.co_filename, line

    def __getattr__(self, name):
        if name.startswith("_saved_"):
            return self.function.saved_value(self, name[len("_saved_") :])
        raise AttributeError(f"'{self.name()}' object has no attribute '{name}'")

    def __dir__(self):
        return [*object.__dir__(self), *(f"_saved_{name}" for name in self.function.saved_names(self))]


def output_count(node):
    return len(node.meta) if type(node.meta) is tuple else 1


LEAF_SEQUENCE = sys.maxsize
