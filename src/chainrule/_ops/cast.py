"""Changes of dtype, device and memory format: to, type, float, double, long, bool, contiguous."""

import builtins

from chainrule._core import dtype as _dtype
from chainrule._core import layout
from chainrule._core.device import device as Device
from chainrule._core.dtype import dtype as DType
from chainrule._engine.op import composite
from chainrule._engine.tensor import Tensor, get_slots
from chainrule._kernels.strided import is_dense
from chainrule._ops.foundation import clone, to_dtype

slots = get_slots()
PYTHON_TYPES = {
    builtins.float: _dtype.float64,
    builtins.int: _dtype.int64,
    builtins.bool: _dtype.bool,
    builtins.complex: _dtype.complex128,
}
NO_CUDA = "Torch not compiled with CUDA enabled"


def to_place(input, device):
    """The tensor on another device: there is the CPU, and meta, which keeps shapes only."""
    device = Device(device)
    if device.type == "cpu":
        if input.on_meta:
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        return input
    if device.type == "meta":
        if input.on_meta:
            return input
        out = slots.clone(input)
        slots.to_meta(out)
        return out
    if device.type == "cuda":
        raise AssertionError(NO_CUDA)
    raise RuntimeError(f"chainrule computes on the CPU only; device '{device}' is not available")


def converted(input, dtype, device=None, copy=False, memory_format=None):
    """The tensor with this dtype on this device: itself if it is so already and no copy is asked for."""
    out = input
    if dtype is not None and dtype is not input.meta.dtype:
        out = to_dtype(out, dtype)
    if device is not None:
        out = to_place(out, device)
    if memory_format not in (None, layout.preserve_format):
        out = contiguous(out, memory_format=memory_format)
    if copy and out is input:
        out = to_dtype(out, input.meta.dtype)
    return out


@composite(namespace="Tensor")
def to(self, *args, **kwargs):
    """The tensor in another dtype or on another device: `to(dtype)`, `to(device, dtype)`, `to(other)`.

    It is the tensor itself if nothing changes and `copy` is not asked for."""
    dtype = kwargs.pop("dtype", None)
    device = kwargs.pop("device", None)
    other = kwargs.pop("other", None)
    flags = {"non_blocking": kwargs.pop("non_blocking", False), "copy": kwargs.pop("copy", False)}
    memory_format = kwargs.pop("memory_format", None)
    if kwargs:
        raise TypeError(f"to() got an unexpected keyword argument '{next(iter(kwargs))}'")
    names = ["non_blocking", "copy"]
    rest = list(args)
    if rest and isinstance(rest[0], Tensor):
        other = rest.pop(0)
    elif rest and (isinstance(rest[0], DType) or rest[0] in PYTHON_TYPES):
        dtype = rest.pop(0)
    elif rest and (
        rest[0] is None or isinstance(rest[0], (str, int, Device)) and not isinstance(rest[0], bool)
    ):
        device = rest.pop(0)
        if rest and (rest[0] is None or isinstance(rest[0], DType)):
            dtype = rest.pop(0)
    dtype = PYTHON_TYPES.get(dtype, dtype)
    if other is not None:
        dtype, device = other.meta.dtype, other.device
    for value in rest:
        if not isinstance(value, bool) or not names:
            raise TypeError(
                "to() received an invalid combination of arguments - got "
                f"({', '.join(builtins.type(a).__name__ for a in args)}), but expected one of: "
                "(torch.device device, torch.dtype "
                "dtype, bool non_blocking, bool copy, *, torch.memory_format memory_format), (torch.dtype "
                "dtype, bool "
                "non_blocking, bool copy, *, torch.memory_format memory_format), (Tensor tensor, bool "
                "non_blocking, bool "
                "copy, *, torch.memory_format memory_format)"
            )
        flags[names.pop(0)] = value
    return converted(self, dtype, device, flags["copy"], memory_format)


def _install_casts():
    for name, dtype in (
        ("float", _dtype.float32), ("double", _dtype.float64), ("half", _dtype.float16),
        ("bfloat16", _dtype.bfloat16), ("int", _dtype.int32), ("long", _dtype.int64), ("short", _dtype.int16),
        ("char", _dtype.int8), ("byte", _dtype.uint8), ("bool", _dtype.bool), ("cfloat", _dtype.complex64),
        ("cdouble", _dtype.complex128),
    ):  # fmt: skip
        composite(namespace="Tensor", name=name)(_cast_method(name, dtype))


def _cast_method(name, dtype):
    def method(self, memory_format=None):
        return converted(self, dtype, memory_format=memory_format)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"The tensor in {dtype}; itself if it is so already."
    return method


_install_casts()


@composite(namespace="Tensor")
def type(self, dtype=None, non_blocking=False):
    """The name of the tensor's type ('torch.FloatTensor'), or the tensor in the dtype or type that is given."""
    if dtype is None:
        return f"torch.{self.meta.dtype.tensor_type}"
    if isinstance(dtype, str):
        return converted(self, named_type(dtype))
    if isinstance(dtype, DType):
        return converted(self, dtype)
    wanted = getattr(dtype, "dtype", None)
    if isinstance(wanted, DType):
        return converted(self, wanted)
    raise TypeError("dtype must be a type, str, or dtype object")


def named_type(name):
    """The dtype of a type's name such as 'torch.FloatTensor'."""
    for d in _dtype.ALL:
        if name in (f"torch.{d.tensor_type}", str(d)):
            return d
    if name == "torch.Tensor":
        return _dtype.get_default_dtype()
    if name.startswith("torch.cuda."):
        raise AssertionError(NO_CUDA)
    raise ValueError(f"invalid type: '{name}'")


@composite(namespace="Tensor")
def type_as(self, other):
    """The tensor in `other`'s dtype."""
    return converted(self, other.meta.dtype)


@composite(namespace="Tensor")
def cpu(self, memory_format=None):
    """The tensor itself: it is on the CPU."""
    return converted(self, None, "cpu", memory_format=memory_format)


@composite(namespace="Tensor")
def cuda(self, device=None, non_blocking=False, memory_format=None):
    """AssertionError: there is no CUDA here."""
    raise AssertionError(NO_CUDA)


def _ordered(array, memory_format):
    order = layout.channels_order(array.ndim, memory_format)
    return (array if order is None else array.transpose(order)).flags.c_contiguous


@composite(namespace="Tensor")
def contiguous(self, memory_format=layout.contiguous_format):
    """The tensor with its elements in order in memory: itself if they are, else a copy."""
    if self.array.flags.c_contiguous and memory_format is layout.contiguous_format:
        return self
    if memory_format is layout.preserve_format:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return self if _ordered(self.array, memory_format) else clone(self, memory_format=memory_format)


@composite(namespace="Tensor")
def is_contiguous(self, memory_format=layout.contiguous_format):
    """Whether the elements lie in order in memory."""
    if self.array.flags.c_contiguous and memory_format is layout.contiguous_format:
        return True
    if memory_format in (layout.channels_last, layout.channels_last_3d):
        rank = 4 if memory_format is layout.channels_last else 5
        return self.array.ndim == rank and _ordered(self.array, memory_format)
    return self.array.flags.c_contiguous


@composite(namespace="Tensor")
def is_non_overlapping_and_dense(self):
    """Whether the elements fill a block of memory without gaps or repeats."""
    return is_dense(self.array)
