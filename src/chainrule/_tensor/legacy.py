"""The constructors of PyTorch's early days: `Tensor(2, 3)`, `FloatTensor([...])`, `t.new(...)`, `t.type('...')`.

`Tensor` called with numbers gives an uninitialised tensor of that size, called with a sequence one with these values;
both in the default dtype. The typed names do the same in a dtype of their own and answer isinstance by it.
"""

import numpy as np

from chainrule._core import dtype as _dtype
from chainrule._core.device import resolve
from chainrule._core.dtype import ALL
from chainrule._core.size import Size
from chainrule._engine import attributes
from chainrule._engine.native import install
from chainrule._engine.tensor import Tensor, wrap
from chainrule._ops.creation import as_dtype, as_size
from chainrule._tensor.factories import array_from
from chainrule._tensor.subclass import alias, fill


def legacy(d, args, device=None):
    """What a legacy constructor of dtype d makes of its arguments: a plain tensor."""
    if device is not None and resolve(device).type != "cpu":
        raise RuntimeError(
            f"legacy constructor expects device type: cpu but device type: {resolve(device).type} was passed"
        )
    if not args:
        return wrap(np.empty(0, d.np))
    first = args[0]
    if len(args) == 1 and isinstance(first, Tensor):
        return alias(first)
    is_size = hasattr(first, "__index__") and not isinstance(first, (bool, np.ndarray))
    if len(args) > 1 or is_size or type(first) is Size:
        return wrap(np.empty(as_size("new", args), d.np))
    if isinstance(first, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(first).__name__}'")
    if not hasattr(first, "__len__"):
        raise TypeError(f"new(): data must be a sequence (got {type(first).__name__})")
    return wrap(array_from(first, d))


def construct(t, args, kwargs):
    """Fill a new object of Tensor (or a subclass) as the legacy constructor does."""
    unknown = set(kwargs) - {"data", "device"}
    if unknown:
        raise TypeError(f"new() got an unexpected keyword argument '{sorted(unknown)[0]}'")
    if "data" in kwargs:
        args = (*args, kwargs["data"])
    made = legacy(_dtype.get_default_dtype(), args, kwargs.get("device"))
    fill(t, made.array)
    t.node, t.output_number, t.needs_grad = made.node, made.output_number, made.needs_grad
    t.counter, t.autograd, t.on_meta = made.counter, made.autograd, made.on_meta


class tensortype(type):
    """The class of FloatTensor, LongTensor, …: names that construct tensors of one dtype."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor) and instance.meta.dtype is cls.dtype and not instance.on_meta

    def __call__(cls, *args, device=None):
        if len(args) == 1 and isinstance(args[0], Tensor) and args[0].meta.dtype is not cls.dtype:
            raise TypeError(
                f"{cls.__name__}(): expected a tensor of dtype {cls.dtype}, got {args[0].meta.dtype}"
            )
        return legacy(cls.dtype, args, device)


tensortype.__module__ = "torch"


def _typed(d):
    return tensortype(d.tensor_type, (), {"dtype": d, "is_cuda": False, "__module__": "torch", "__doc__":
                      f"Constructor of {d.name} tensors; isinstance tells whether a tensor is one."})  # fmt: skip


TYPES = {d.tensor_type: _typed(d) for d in ALL}


def named_type(name):
    """The legacy type of a name such as 'torch.FloatTensor'; ValueError for an unknown one."""
    short = name.removeprefix("torch.")
    if short == "Tensor":
        return TYPES[_dtype.get_default_dtype().tensor_type]
    if not name.startswith("torch.") or short not in TYPES:
        raise ValueError(f"invalid type: '{name}'")
    return TYPES[short]


def type_(self, dtype=None, non_blocking=False):
    """The legacy type's name, or the tensor in another dtype given by dtype, legacy type or name."""
    if dtype is None:
        return f"torch.{self.meta.dtype.tensor_type}"
    if isinstance(dtype, str):
        dtype = named_type(dtype)
    if isinstance(dtype, tensortype):
        dtype = dtype.dtype
    elif dtype is Tensor:
        dtype = _dtype.get_default_dtype()
    return self.to(as_dtype("type", dtype))


def new(self, *args, device=None):
    """`Tensor(...)` in this tensor's dtype."""
    return legacy(self.meta.dtype, args, device)


def set_default_tensor_type(t):
    """Make a floating legacy type (or its name) the one that Python floats become."""
    found = named_type(t) if isinstance(t, str) else t
    if not isinstance(found, tensortype):
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    _dtype.set_default_dtype(found.dtype)


install(Tensor, "type", type_)
install(Tensor, "new", new)
attributes.construct_with(construct)
