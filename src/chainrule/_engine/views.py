"""Views and in-place changes: who shares memory with whom, and how history follows a write.

A view remembers its base (always the one that owns the memory, never another view). After an in-place change of either,
the base's history goes through the new node, and a view whose version moved gets a `grad_fn` made anew from the base:
`as_strided` on it, or the recorded replay where strides cannot say it (real and imaginary parts).
"""

import numpy as np

from chainrule._engine.accumulate import gradient_edge
from chainrule._engine.native import address
from chainrule._engine.node import Function
from chainrule._engine.record import make_node, record
from chainrule._engine.tensor import Storage, Tensor, get_slots, need_autograd, need_version, wrap
from chainrule._engine.thread_state import current
from chainrule._kernels.strided import strided, visits_twice

slots = get_slots()
PLAIN_VIEW, NO_GRAD_VIEW, MULTI_VIEW, CUSTOM_VIEW = 0, 1, 2, 3


def storage_of(t):
    """The Storage t's memory belongs to, made when first asked for."""
    a = need_autograd(t)
    if a.storage is None:
        a.storage = Storage(t.array)
    return a.storage


def storage_offset(t):
    """Elements between the start of the storage and t's first element."""
    if t.autograd is None or t.autograd.storage is None:
        return 0
    owner = t.autograd.storage.owner
    return (address(t.array) - address(owner)) // t.array.itemsize


def view_made(op, args, outs, several):
    """Tie the outputs of a view op to what they look at: memory, version, base."""
    source = args[0]
    for out in outs:
        link_view(source, out, MULTI_VIEW if several else PLAIN_VIEW)
        if out.meta.dtype is not source.meta.dtype:
            out.autograd.view_fn = (source.autograd.view_fn if source.autograd.base is not None else None, op, args[1:])
        elif source.autograd.view_fn is not None:
            out.autograd.view_fn = (source.autograd.view_fn, op, args[1:])


def link_view(source, out, kind):
    """Make `out` a differentiable view of `source`: shared storage and version counter, one base for all."""
    storage = storage_of(source)
    out.counter = need_version(source)
    a = need_autograd(out)
    a.storage = storage
    parent = source.autograd
    a.base = source if parent.base is None else parent.base
    a.view_kind = parent.view_kind if parent.base is not None and parent.view_kind != PLAIN_VIEW else kind
    if kind == PLAIN_VIEW and a.view_kind == PLAIN_VIEW and not current().grad_enabled:
        a.view_kind = NO_GRAD_VIEW
    a.view_version = out.counter.n
    if a.base.on_meta:
        out.on_meta = True


def share_memory(source, out, with_version):
    """Let `out` stand on source's memory without being a differentiable view: `detach` and `.data`."""
    need_autograd(out).storage = storage_of(source)
    if with_version:
        out.counter = need_version(source)


def regenerate(t):
    """The view's node, made anew if its memory was written since the node was made; RuntimeError where it cannot be."""
    a = t.autograd
    if a.view_version != t.counter.n:
        base = a.base
        if base.needs_grad and t.meta.dtype.category >= 2:
            if a.view_kind != PLAIN_VIEW:
                raise _forbidden(t, a, "its base or another view of its base has been modified inplace")
            t.node = None
            replay(t, base)
        a.view_version = t.counter.n
    return t.node


def replay(t, base):
    """Record t as a view of base again, without touching its data."""
    state = current()
    enabled, state.grad_enabled = state.grad_enabled, True
    try:
        if t.autograd.view_fn is None:
            again = slots.as_strided(base, t.array, storage_offset(t))
        else:
            steps, chain = [], t.autograd.view_fn
            while chain is not None:
                steps.append(chain)
                chain = chain[0]
            again = base
            for _, op, rest in reversed(steps):
                again = op.run((again, *rest))
    finally:
        state.grad_enabled = enabled
    t.node, t.output_number, t.needs_grad = again.node, again.output_number, again.needs_grad


def check_inplace(op, t, recorded):
    """PyTorch's rules on what may be changed in place; RuntimeError names the op and what to do."""
    if not isinstance(t, Tensor):
        raise TypeError(f"{op.name}: the in-place form changes a tensor, got {type(t).__name__}")
    if recorded:
        check_history(t)
    if not t.on_meta:
        check_target(t.array)


def check_history(t):
    """Refuse a recorded change of a tensor whose history cannot follow it: leaves, their views, some views."""
    a = t.autograd
    if a is not None and a.base is not None:
        _check_view(t, a)
    elif t.needs_grad and t.node is None:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def check_target(array):
    """Refuse a write into an array that shows some element twice, as an expanded one does."""
    if visits_twice(array):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )


def _check_view(t, a):
    base = a.base
    if a.view_kind != PLAIN_VIEW:
        raise _forbidden(t, a, "is being modified inplace")
    if (base.needs_grad and base.node is None) or (t.needs_grad and t.grad_fn is None):
        raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")


WHY_FORBIDDEN = {
    MULTI_VIEW: "This view is the output of a function that returns multiple views. Such functions do not allow the "
    "output views to be modified inplace. You should replace the inplace operation by an out-of-place one.",
    CUSTOM_VIEW: "This view was created inside a custom Function (or because an input was returned as-is) and the "
    "autograd logic to handle view+inplace would override the custom backward associated with the custom Function, "
    "leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom "
    "Function.",
    NO_GRAD_VIEW: "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code "
    "by moving both the view and the inplace either both inside the no_grad block (if you don't want the inplace to "
    "be tracked) or both outside (if you want the inplace to be tracked).",
}


def _forbidden(t, a, what):
    """The error for an in-place change that a view of this kind cannot follow."""
    if t.node is None:
        mode = " with grad mode enabled" if a.view_kind == NO_GRAD_VIEW else ""
        return RuntimeError(f"A view was created in no_grad mode and {what}{mode}. {WHY_FORBIDDEN[a.view_kind]}")
    of = t.node.name().rstrip("0123456789").removesuffix("Backward")
    return RuntimeError(f"Output {t.output_number} of {of} is a view and {what}. {WHY_FORBIDDEN[a.view_kind]}")


def keep_overwritten(target, args, sources):
    """{place: copy} of the arguments that lie where an in-place op will write and whose values its rules ask for."""
    kept = {}
    for place, t in enumerate(args):
        if place in sources and isinstance(t, Tensor) and (t is target or _same_memory(t.array, target.array)):
            kept[place] = copy = wrap(t.array.copy())
            if t.needs_grad:
                copy.node, copy.output_number, copy.needs_grad = gradient_edge(t), t.output_number, True
    return kept


def _same_memory(x, y):
    return address(x) == address(y) and x.strides == y.strides and x.shape == y.shape


def check_overlap(name, target, source):
    """Refuse a write whose source lies partly over its target; the very same elements are fine."""
    check_target(target)
    if source is target or not np.may_share_memory(target, source):
        return
    if _same_memory(target, source):
        return
    if np.shares_memory(target, source):
        raise RuntimeError(
            "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
            "memory location. Please clone() the tensor before performing the operation."
        )


class CopySlices(Function):
    """The base's history after a write through a view: the part under the view goes through the op's own node.

    Its first edge is the base's; the others are `inner`'s, without that of the view itself (`place` of inner's edges).
    `number` says which output of inner the view is."""

    def __init__(self, base_strides, shape, strides, offset, view_fn, inner, place, number):
        self.name = "CopySlices"
        self.base_strides = base_strides
        self.shape = shape
        self.strides = strides
        self.offset = offset
        self.view_fn = view_fn
        self.inner = inner
        self.place = place
        self.number = number

    def part(self, t):
        """The elements of a tensor laid out as the base that the view shows."""
        if self.view_fn is not None:
            steps, chain = [], self.view_fn
            while chain is not None:
                steps.append(chain)
                chain = chain[0]
            for _, op, rest in reversed(steps):
                t = op.run((t, *rest))
            return t
        return slots.strided_part(t, self.shape, self.strides, self.offset)

    def backward(self, node, g, wanted):
        if g is None:
            return (None,) * node.n_edges if node.n_edges > 1 else None
        whole = slots.base_layout(g, self.base_strides)
        inner = self.inner
        arrived = slots.clone(self.part(whole))
        if type(inner.meta) is tuple:
            arrived = [arrived if k == self.number else None for k in range(len(inner.meta))]
        found = inner.function.backward(inner, arrived, None)
        found = [found] if inner.n_edges == 1 else list(found)
        part = self.part(whole)
        given = found.pop(self.place)
        if inner.links[self.place] is None or given is None:
            slots.zero_(part)
        else:
            if given.meta.shape != part.meta.shape:
                given = slots.sum_to(given, part.meta.shape)
            slots.copy_(part, given)
        return [whole, *found] if found else whole

    def release(self, node):
        self.inner.function.release(self.inner)


def rebase(op, plan, args, target, residuals, s):
    """Record an in-place op and give the target (and its base) the new history."""
    a = target.autograd
    if a is None or a.base is None:
        retained = a is not None and a.retains_grad and target.node is not None
        old_node, old_number = target.node, target.output_number
        record(op, plan, op.places, args, [target], residuals, s)
        target.output_number = 0
        if retained:
            slots.move_retained(target, old_node, old_number)
        return
    if args[0] is target:
        # A stand-in for the view with the history from before the write, which `check_inplace` has made anew: a second
        # walk follows it from an output that the inner node saved.
        first = wrap(target.array)
        if a.base.needs_grad:
            first.needs_grad, first.node, first.output_number = True, target.node, target.output_number
        args = [first, *args[1:]]
    inner = record(op, plan, op.places, args, [wrap(target.array)], residuals, s)
    rebase_view(target, inner, op.places.index(0), 0, s)


def move_history(target, node, number, place, s):
    """Make `target`, which was changed in place, output `number` of a node whose edge `place` was target's own."""
    a = target.autograd
    if a is not None and a.base is not None and place is not None:
        rebase_view(target, node, place, number, s)
        return
    old_node, old_number = target.node, target.output_number
    target.node, target.output_number, target.needs_grad = node, number, True
    if a is not None and a.retains_grad and old_node is not None:
        slots.move_retained(target, old_node, old_number)


def rebase_view(target, inner, place, number, s):
    """Give the base of a view that was changed by `inner` its new history, and the view a node made from it."""
    a = target.autograd
    base = a.base
    strides, offset = _within(base, target)
    base_strides = tuple(st // base.array.itemsize for st in base.array.strides)
    function = CopySlices(base_strides, target.array.shape, strides, offset, a.view_fn, inner, place, number)
    edges = list(inner.links[: inner.n_edges])
    numbers = list(inner.extra.numbers) if inner.extra is not None and inner.extra.numbers else [0] * len(edges)
    del edges[place], numbers[place]
    edges.insert(0, gradient_edge(base) if base.needs_grad else None)
    numbers.insert(0, base.output_number)
    node = make_node(function, tuple(edges), len(edges), base.meta, s)
    if any(numbers):
        node.need_extra().numbers = tuple(numbers)
    old_node, old_number = base.node, base.output_number
    base.node, base.output_number, base.needs_grad = node, 0, True
    if base.autograd.retains_grad and old_node is not None:
        slots.move_retained(base, old_node, old_number)
    # The view's node is made from the base's new one, whatever version it was made at.
    old_node, old_number = target.node, target.output_number
    target.node = None
    replay(target, base)
    a.view_version = target.counter.n
    if a.retains_grad and old_node is not None:
        slots.move_retained(target, old_node, old_number)


def _within(base, view):
    """The view's strides and its offset from the base's first element, in elements."""
    size = view.array.itemsize
    offset = (address(view.array) - address(base.array)) // size
    return tuple(st // size for st in view.array.strides), offset


slots.regenerate = regenerate
slots.view_made = view_made
slots.check_inplace = check_inplace
slots.check_overlap = check_overlap
slots.keep_overwritten = keep_overwritten
slots.rebase = rebase
