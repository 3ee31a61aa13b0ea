"""Tensors on the meta device: a shape and a dtype, and one element of memory whatever the shape."""

from chainrule._engine.tensor import get_slots, wrap
from chainrule._ops.creation import empty_meta

slots = get_slots()


def to_meta(t):
    """Drop a tensor's data: what stays is its shape and dtype."""
    if not t.on_meta:
        t.array = empty_meta(t.meta.shape, t.meta.dtype)
        t.on_meta = True


def empty_meta_tensor(shape, d):
    """A meta tensor of this shape and dtype."""
    t = wrap(empty_meta(tuple(shape), d))
    t.on_meta = True
    return t


slots.to_meta = to_meta
