"""Tensors into Python's numbers: `item`, `tolist`, int(), float(), bool(), indexing with a tensor."""

import builtins

from chainrule._core.dtype import bfloat16, float32, of_array
from chainrule._engine.native import install
from chainrule._engine.tensor import Tensor, get_slots, wrap
from chainrule._kernels.casting import cast
from chainrule._tensor.factories import array_from

slots = get_slots()


def _readable(t):
    return cast(t.array, float32) if of_array(t.array) is bfloat16 else t.array


def item(self):
    """The one element as a Python number."""
    if self.array.size != 1:
        raise RuntimeError(f"a Tensor with {self.array.size} elements cannot be converted to Scalar")
    if self.on_meta:
        raise RuntimeError("Tensor.item() cannot be called on meta tensors")
    return _readable(self).item()


def tolist(self):
    """The elements as (nested lists of) Python numbers."""
    if self.on_meta:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    return _readable(self).tolist()


def convert(t, kind):
    """What bool(), int(), float(), complex() and operator.index() of a tensor are."""
    if kind == "index":
        if t.array.size != 1 or t.meta.dtype.category > 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return builtins.int(item(t))
    if t.array.size != 1:
        if kind is builtins.bool:
            text = "no values" if t.array.size == 0 else "more than one value"
            raise RuntimeError(f"Boolean value of Tensor with {text} is ambiguous")
        raise ValueError("only one element tensors can be converted to Python scalars")
    value = item(t)
    if isinstance(value, builtins.complex) and kind in (int, float):
        if value.imag:
            name = "double" if kind is float else "int64_t"
            raise RuntimeError(f"value cannot be converted to type {name} without overflow")
        value = value.real
    return kind(value)


def apply_(self, callable):
    """Replace every element by `callable` of it, in place. Slow: Python is called for each."""
    return _each(self, callable, [])


def map_(self, tensor, callable):
    """Replace every element by `callable(element, the other's element)`, in place."""
    return _each(self, callable, [tensor])


def map2_(self, x, y, callable):
    """Replace every element by `callable(element, x's element, y's element)`, in place."""
    return _each(self, callable, [x, y])


def _each(t, callable, others):
    if t.requires_grad and t.node is not None:
        raise RuntimeError(
            f"Can't call {'map_' if others else 'apply_'}() on Variable that requires grad. Use "
            f"var.detach().{'map_' if others else 'apply_'}() instead."
        )
    columns = [t.reshape(-1).tolist(), *(o.expand(t.shape).reshape(-1).tolist() for o in others)]
    values = array_from([callable(*row) for row in zip(*columns, strict=True)], t.meta.dtype)
    t.detach().copy_(wrap(values.reshape(t.meta.shape)))
    return t


for _f in (item, tolist, apply_, map_, map2_):
    install(Tensor, _f.__name__, _f)
slots.bool = convert
