"""Hooks: functions the walk calls with the gradients that reach a tensor or a node. How they are called and checked.

A tensor's hooks belong to the output it was when they were registered: they are kept at the node, by output number. A
leaf's are kept with the leaf and shared with its accumulator. Registered on an output or a leaf, a hook sees the whole
gradient once; what it returns takes the gradient's place.
"""

import weakref

from chainrule._engine.handles import Hooks
from chainrule._engine.native import install
from chainrule._engine.op import wants_grad
from chainrule._engine.tensor import Tensor, get_slots, need_autograd

slots = get_slots()


def run_tensor_hooks(node, found):
    """Hooks of the node's outputs on their gradients, then what `retain_grad` keeps. Undefined gradients go by."""
    extra = node.extra
    several = type(node.meta) is tuple
    if found is None:
        return None
    if extra.tensor_hooks is not None:
        for number, hooks in list(extra.tensor_hooks):
            g = found[number] if several else found
            if g is None:
                continue
            for hook in list(hooks.values()):
                g = checked(hook(g), g, hook)
            if several:
                found = list(found)
                found[number] = g
            else:
                found = g
    if extra.retained is not None:
        for keeper in list(extra.retained):
            g = found[keeper.number] if several else found
            if g is not None:
                keeper.keep(g)
    return found


def run_pre_hooks(node, found):
    """The node's own hooks on what it is about to receive; they get and return tuples, one entry for each output."""
    several = type(node.meta) is tuple
    given = as_tuple(node, found)
    for hook in list(node.extra.pre_hooks.values()):
        given = replaced(hook(given), given, hook)
    return given if several else given[0]


def run_post_hooks(node, found, given):
    """The node's own hooks on what it gave (their answer replaces it) and what it had received."""
    n = node.n_edges
    gave = () if n == 0 else (found,) if n == 1 else tuple(found)
    received = as_tuple(node, given)
    for hook in list(node.extra.post_hooks.values()):
        gave = replaced(hook(gave, received), gave, hook)
    return gave[0] if n == 1 else gave


def as_tuple(node, found):
    """What arrived at a node as a tuple with one entry for each of its outputs."""
    if type(node.meta) is not tuple:
        return (found,)
    return (None,) * len(node.meta) if found is None else tuple(found)


def name_of(hook):
    """What errors call a hook."""
    return getattr(hook, "__name__", type(hook).__name__)


def checked(answer, g, hook):
    """A hook's answer in place of the gradient g: None keeps g, anything but a tensor like g is an error."""
    if answer is None:
        return g
    if not isinstance(answer, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(answer).__name__}'")
    if answer is g:
        return g
    if g is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if answer.meta.dtype is not g.meta.dtype:
        raise RuntimeError(
            f"hook '{name_of(hook)}' has changed the type of value (was torch.{g.meta.dtype.tensor_type} got "
            f"torch.{answer.meta.dtype.tensor_type})"
        )
    if answer.meta.shape != g.meta.shape:
        raise RuntimeError(
            f"hook '{name_of(hook)}' has changed the size of value (was {list(g.meta.shape)} got "
            f"{list(answer.meta.shape)})"
        )
    return answer


def replaced(answer, given, hook):
    """A node hook's tuple in place of `given`; None keeps it, None inside it takes a gradient away."""
    if answer is None:
        return given
    if isinstance(answer, Tensor) and len(given) == 1:
        answer = (answer,)
    if not isinstance(answer, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(answer).__name__}'")
    if len(answer) != len(given):
        raise RuntimeError(
            f"hook '{name_of(hook)}' has returned an incorrect number of values (got {len(answer)}, but expected "
            f"{len(given)})"
        )
    return tuple(None if a is None else checked(a, g, hook) for a, g in zip(answer, given, strict=True))


class Keeper:
    """What `retain_grad` leaves at a node: puts the gradient of one output into its tensor's `.grad`."""

    def __init__(self, t, number):
        self.tensor = weakref.ref(t)
        self.number = number

    def keep(self, g):
        t = self.tensor()
        if t is None:
            return
        a = need_autograd(t)
        a.grad = slots.clone(g) if a.grad is None else slots.add.call2(a.grad, g)


def table_for(t):
    """The table in which hooks on t belong now: its node's for this output, or the leaf's own."""
    node = t.grad_fn
    if node is None:
        a = need_autograd(t)
        if a.hooks is None:
            a.hooks = [(0, Hooks())]
            n = a.accumulator() if a.accumulator is not None else None
            if n is not None:
                n.need_extra().tensor_hooks = a.hooks
        return a.hooks[0][1]
    extra = node.need_extra()
    if extra.tensor_hooks is None:
        extra.tensor_hooks = []
    for number, hooks in extra.tensor_hooks:
        if number == t.output_number:
            return hooks
    hooks = Hooks()
    extra.tensor_hooks.append((t.output_number, hooks))
    return hooks


def register_hook(self, hook):
    """Call `hook(grad)` with each gradient of this tensor; a tensor it returns takes the gradient's place.

    Returns a handle with `remove()`. Hooks run in the order of registration, those of `retain_grad` last. After an
    in-place change, earlier hooks keep watching the value before it."""
    if not wants_grad(self):
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    return table_for(self).add(hook)


def register_post_accumulate_grad_hook(self, hook):
    """Call `hook(tensor)` each time a gradient was added to this leaf's `.grad`. Returns a handle with `remove()`."""
    if not wants_grad(self):
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if self.grad_fn is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    a = need_autograd(self)
    if a.post_accumulate is None:
        a.post_accumulate = Hooks()
    return a.post_accumulate.add(hook)


def retain_grad(self):
    """Let backward fill this non-leaf tensor's `.grad` too. Leaves have theirs anyway."""
    if not wants_grad(self):
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    node = self.grad_fn
    if node is None:
        return
    a = need_autograd(self)
    if a.retains_grad:
        return
    a.retains_grad = True
    _retain(self, node, self.output_number)


def _retain(t, node, number):
    extra = node.need_extra()
    if extra.retained is None:
        extra.retained = []
    extra.retained.append(Keeper(t, number))


def move_retained(t, old_node, old_number):
    """After an in-place change: the tensor's `.grad` will be that of its new value."""
    extra = old_node.extra
    if extra is not None and extra.retained is not None:
        extra.retained = [k for k in extra.retained if k.tensor() is not t]
    _retain(t, t.node, t.output_number)


def _retains_grad(t):
    return t.autograd is not None and bool(t.autograd.retains_grad)


def _backward_hooks(t):
    """The table of this tensor's hooks, or None."""
    node = t.grad_fn
    if node is None:
        return None if t.autograd is None or t.autograd.hooks is None else t.autograd.hooks[0][1]
    if node.extra is not None and node.extra.tensor_hooks is not None:
        for number, hooks in node.extra.tensor_hooks:
            if number == t.output_number:
                return hooks
    return None


def _post_accumulate_hooks(t):
    return None if t.autograd is None else t.autograd.post_accumulate


for _function in (register_hook, register_post_accumulate_grad_hook, retain_grad):
    install(Tensor, _function.__name__, _function)
install(Tensor, "retains_grad", property(_retains_grad, doc="Whether `retain_grad` was called on this non-leaf."))
install(Tensor, "_backward_hooks", property(_backward_hooks))
install(Tensor, "_post_accumulate_grad_hooks", property(_post_accumulate_hooks))
slots.move_retained = move_retained
