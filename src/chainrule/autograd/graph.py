"""torch.autograd.graph: nodes, edges of the graph, version counters, hooks over several tensors."""

from chainrule._engine.backward import current_task
from chainrule._engine.node import Node
from chainrule._engine.tensor import Tensor, bump_version
from chainrule.autograd.edges import GradientEdge, get_gradient_edge, place_of

__all__ = ["GradientEdge", "Node", "get_gradient_edge", "increment_version", "register_multi_grad_hook"]


def increment_version(tensor):
    """Count a change of the data of one tensor or several that was made behind autograd's back."""
    for t in (tensor,) if isinstance(tensor, Tensor) else tensor:
        bump_version(t)


class _Handles:
    """Removes the hooks on all the tensors."""

    def __init__(self, handles):
        self.handles = tuple(handles)

    def remove(self):
        """Remove the hooks; a second call does nothing."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Call `fn` once in each walk backward with the gradients of several tensors. Returns a handle with `remove()`.

    mode "all": when every tensor that the walk reaches has its gradient, with a list (None for those it does not
    reach); "any": with the first gradient that arrives."""
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    watch = _Watch(tuple(tensors), fn, mode == "any")
    return _Handles(t.register_hook(watch.hook(i)) for i, t in enumerate(watch.tensors))


class _Watch:
    """What has arrived in the walks that are running; a walk's entry lasts as long as the walk."""

    def __init__(self, tensors, fn, first_only):
        self.tensors = tensors
        self.nodes = [place_of(t)[0] for t in tensors]
        self.fn = fn
        self.first_only = first_only

    def hook(self, i):
        """The hook of tensor i."""

        def arrive(g):
            arrived = self.note(i, g)
            if arrived is not None:
                self.fn(g if self.first_only else arrived)

        return arrive

    def note(self, i, g):
        """Note gradient i in the walk that this thread runs; all of them, once the last one is in."""
        task = current_task()
        state = task.notes.get(self)
        if state is None:
            here = self.nodes[i]
            waiting = 1 if self.first_only else sum(n is here or task.holds(n) for n in self.nodes)
            state = task.notes[self] = [waiting, [None] * len(self.tensors)]
        state[0] -= 1
        state[1][i] = g
        return state[1] if state[0] == 0 else None
