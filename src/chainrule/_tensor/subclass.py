"""Subclasses of Tensor: how one is made around existing data, and which of them are asked before a call.

A class whose `__torch_function__` is `disabled` is plain: its instances behave as tensors do apart from their class
(`Parameter` is one). Instances of any other subclass carry `override`, and calls on them go through
`__torch_function__`, whose default form gives results the class of the operands.
"""

from chainrule._engine import views
from chainrule._engine.dispatch import Special
from chainrule._engine.native import install
from chainrule._engine.op import op
from chainrule._engine.tensor import Tensor, make_meta
from chainrule._engine.thread_state import current
from chainrule._ops.kinds import View

_plain = {Tensor: True}

alias = op("alias(input)", View(lambda array: array.view()),
    input=lambda g: g,
    method=False, namespace="_engine",
    doc="The same look at the same memory.")  # fmt: skip


def disabled(func, types, args=(), kwargs=None):
    """The `__torch_function__` of a class that wants none: the call as on plain tensors."""
    with NoOverrides():
        return func(*args, **(kwargs or {}))


def is_plain(cls):
    """Whether calls on instances of `cls` need not ask its `__torch_function__`."""
    known = _plain.get(cls)
    if known is None:
        known = _plain[cls] = cls.__torch_function__ is disabled
    return known


class NoOverrides:
    """Within the block, `__torch_function__` of subclasses is not asked."""

    def __enter__(self):
        s = current()
        self.before = s.special
        s.special |= Special.NO_OVERRIDES
        return self

    def __exit__(self, *error):
        current().special = self.before


def as_subclass_of(cls, result):
    """The plain tensors of a result (alone, or in a tuple or list) made instances of cls, with their history."""
    if isinstance(result, Tensor):
        return become(result, cls) if type(result) is Tensor else result
    if type(result) in (tuple, list):
        return type(result)(as_subclass_of(cls, r) for r in result)
    return result


def become(t, cls):
    """An instance of cls that stands in t's place: same memory, version and history."""
    out = fill(Tensor.__new__(cls), t.array)
    out.node, out.output_number, out.needs_grad = t.node, t.output_number, t.needs_grad
    out.counter, out.autograd, out.on_meta = t.counter, t.autograd, t.on_meta
    return out


def asks(t):
    """Whether a call on t is first put to its class."""
    return bool(t.override) and not current().special & Special.NO_OVERRIDES


def ask(function, t, *args, **kwargs):
    """Put a call with t as first argument to t's class."""
    return type(t).__torch_function__(function, (type(t),), (t, *args), kwargs)


def _torch_function(cls, func, types, args=(), kwargs=None):
    """Calls on instances of a subclass: compute as on plain tensors, then give the results the class `cls`."""
    if not all(issubclass(cls, t) for t in types):
        return NotImplemented
    with NoOverrides():
        return as_subclass_of(cls, func(*args, **(kwargs or {})))


def fill(t, array):
    """Give a new tensor object, of whatever class, its fields."""
    t.array = array
    t.meta = make_meta(array)
    t.node = None
    t.counter = None
    t.autograd = None
    t.needs_grad = False
    t.override = not is_plain(type(t))
    t.weak = False
    t.on_meta = False
    t.output_number = 0
    return t


def _make_subclass(cls, data, require_grad=False):
    """A leaf of class `cls` on the memory of `data`, outside its graph and with a version counter of its own."""
    if not isinstance(cls, type) or not issubclass(cls, Tensor):
        raise TypeError(f"_make_subclass(): argument 'cls' must be a subclass of Tensor, got {cls!r}")
    if not isinstance(data, Tensor):
        raise TypeError(f"_make_subclass(): argument 'data' must be Tensor, not {type(data).__name__}")
    if require_grad and data.meta.dtype.category < 2:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    t = fill(Tensor.__new__(cls), data.array)
    t.on_meta = data.on_meta
    views.share_memory(data, t, with_version=False)
    t.needs_grad = bool(require_grad)
    return t


def as_subclass(input, cls):
    """The same tensor, graph and memory, as an instance of `cls`."""
    if not isinstance(cls, type) or not issubclass(cls, Tensor):
        raise TypeError(f"as_subclass(): argument 'cls' must be a subclass of Tensor, got {cls!r}")
    with NoOverrides():
        return become(alias(input), cls)


install(Tensor, "__torch_function__", classmethod(_torch_function))
install(Tensor, "_make_subclass", staticmethod(_make_subclass))
install(Tensor, "as_subclass", as_subclass)
