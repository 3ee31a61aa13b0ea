"""Tensors to and from other libraries' arrays without a copy: NumPy and DLPack."""

import numpy as np

from chainrule._core.boundary import plain_array
from chainrule._core.device import cpu, resolve
from chainrule._core.dtype import bfloat16
from chainrule._engine.native import install
from chainrule._engine.op import composite, wants_grad
from chainrule._engine.tensor import Tensor, get_slots, wrap
from chainrule._engine.thread_state import current

slots = get_slots()
CPU_TYPE = 1
FLOAT_CODE, UINT_CODE, BFLOAT_CODE = 2, 1, 4
# Where the element type's code and bits lie in a capsule: it begins with the tensor, if versioned with 32 bytes more.
CODE_AT = {b"dltensor": 20, b"dltensor_versioned": 52}
READ_ONLY_AT = 24


def numpy(self, *, force=False):
    """The tensor as an array on the same memory; refused for what is in a graph, unless `force` or under no_grad.

    TypeError for bfloat16, which NumPy does not have, and for meta tensors."""
    if force:
        self = self.detach()
    elif current().grad_enabled and wants_grad(self):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    if self.on_meta:
        raise TypeError(
            "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
        )
    if self.meta.dtype is bfloat16:
        raise TypeError("Got unsupported ScalarType BFloat16")
    return self.array.view()


def array(t, dtype=None, copy=None):
    """What `numpy.asarray(t)` asks for."""
    found = numpy(t)
    if dtype is not None and found.dtype != dtype:
        return found.astype(dtype)
    return found.copy() if copy else found


def _array_wrap(self, array, context=None, return_scalar=False):
    """What NumPy makes of a result computed from tensors: a tensor again."""
    return wrap(plain_array(np.asarray(array)))


def _capsule_bytes(capsule):
    """The name and address behind a DLPack capsule."""
    import ctypes  # here and below: most programs never need it

    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    address_of = ctypes.pythonapi.PyCapsule_GetPointer
    address_of.restype, address_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name = name_of(capsule)
    return name, address_of(capsule, name)


def _element_code(capsule):
    """The element type's code, and its bits, as bytes of the capsule that may be changed."""
    name, address = _capsule_bytes(capsule)
    return _bytes_at(address + CODE_AT[name])


def _bytes_at(address):
    import ctypes

    return ctypes.cast(address, ctypes.POINTER(ctypes.c_uint8))


def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """The tensor as a DLPack capsule on the same memory (a copy if `copy`); BufferError if it requires a gradient."""
    if wants_grad(self):
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if self.on_meta:
        raise BufferError("Cannot pack tensors on meta")
    if dl_device is not None and int(dl_device[0]) != CPU_TYPE:
        raise BufferError(f"__dlpack__: expected the CPU, (1, 0), as dl_device, got {dl_device}")
    source = self.array.copy() if copy else self.array
    try:
        capsule = source.__dlpack__(max_version=max_version) if max_version else source.__dlpack__()
    except TypeError:
        capsule = source.__dlpack__()  # NumPy 2.0 knows no versions
    if self.meta.dtype is bfloat16:
        _element_code(capsule)[0] = BFLOAT_CODE
    return capsule


def __dlpack_device__(self):
    """The pair (device type, number): the CPU is (1, 0)."""
    if self.on_meta:
        raise ValueError("Unknown device type meta for Dlpack")
    return (CPU_TYPE, 0)


class _Exporter:
    """What NumPy asks for a capsule that is already there."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **options):
        return self.capsule

    def __dlpack_device__(self):
        return (CPU_TYPE, 0)


class _Writable:
    """The memory of an array that NumPy made read-only because the exporter could not say more."""

    def __init__(self, array):
        self.kept = array
        self.__array_interface__ = {**array.__array_interface__, "data": (array.__array_interface__["data"][0], False)}


@composite(namespace="torch", method=False)
def from_dlpack(ext_tensor, *, device=None, copy=None):
    """A tensor on the memory of any object with `__dlpack__`, or of a capsule."""
    if device is not None and resolve(device) is not cpu:
        raise ValueError(f"from_dlpack: expected device cpu, got {device}")
    if isinstance(ext_tensor, np.ndarray):
        found = wrap(plain_array(ext_tensor))
        return found.clone() if copy else found
    capsule = ext_tensor
    if hasattr(ext_tensor, "__dlpack__"):
        kind, _ = ext_tensor.__dlpack_device__()
        if int(kind) != CPU_TYPE:
            raise BufferError(f"from_dlpack: expected memory of the CPU (device type 1), got type {int(kind)}")
        try:
            capsule = ext_tensor.__dlpack__(max_version=(1, 0))
        except TypeError:
            capsule = ext_tensor.__dlpack__()
    name, address = _capsule_bytes(capsule)
    if name not in CODE_AT:
        raise RuntimeError("from_dlpack: expected a capsule named 'dltensor' that nobody has consumed yet")
    code = _element_code(capsule)
    wide = code[0] == BFLOAT_CODE and code[1] == 16
    if wide:
        code[0] = UINT_CODE
    read_only = name == b"dltensor_versioned" and _bytes_at(address + READ_ONLY_AT)[0] & 1
    found = np.from_dlpack(_Exporter(capsule))
    if not found.flags.writeable and not read_only:
        found = np.asarray(_Writable(found))
    result = wrap(found if wide else plain_array(found))
    return result.clone() if copy else result


def to_dlpack(tensor):
    """The tensor as a DLPack capsule."""
    return tensor.__dlpack__()


install(Tensor, "numpy", numpy)
install(Tensor, "__dlpack__", __dlpack__)
install(Tensor, "__dlpack_device__", __dlpack_device__)
install(Tensor, "__array_wrap__", _array_wrap)
slots.array = array
