"""Storages: the memory behind tensors, as bytes (`UntypedStorage`) and as elements (`TypedStorage`).

The engine's `Storage` knows the array that owns the memory; these are the objects that programs see. Two of them are
the same storage if they stand on the same engine object.
"""

import warnings

import numpy as np

from chainrule._core import dtype as _dtype
from chainrule._core.device import cpu
from chainrule._engine import views
from chainrule._engine.native import install
from chainrule._engine.tensor import Storage, Tensor, need_autograd, wrap
from chainrule._kernels.strided import strided


def memory_of(owner):
    """All elements of an array in the order of memory, as one flat array that shares it."""
    if owner.size == 0:
        return owner.reshape(-1)
    extent = 1 + sum(s * (n - 1) for s, n in zip(owner.strides, owner.shape, strict=True)) // owner.itemsize
    return strided(owner, (extent,), (owner.itemsize,), 0)


class UntypedStorage:
    """The bytes of a storage: `tensor.untyped_storage()`."""

    def __init__(self, *args, device=None):
        if len(args) == 1 and isinstance(args[0], Storage):
            self._storage = args[0]
        elif len(args) == 1 and not hasattr(args[0], "__index__"):
            self._storage = Storage(np.array(list(args[0]), np.uint8))
        else:
            self._storage = Storage(np.zeros(args[0] if args else 0, np.uint8))

    @property
    def _bytes(self):
        return memory_of(self._storage.owner).view(np.uint8)

    @property
    def device(self):
        """Where the memory lies."""
        return cpu

    @property
    def is_cuda(self):
        """False: the memory is the CPU's."""
        return False

    @property
    def _cdata(self):
        return id(self._storage)

    def nbytes(self):
        """The number of bytes."""
        return self._bytes.size

    size = nbytes
    __len__ = nbytes

    def data_ptr(self):
        """The address of the first byte."""
        found = self._bytes
        return found.__array_interface__["data"][0] if found.size else 0

    def element_size(self):
        """1."""
        return 1

    def tolist(self):
        """The bytes as numbers."""
        return self._bytes.tolist()

    def __getitem__(self, index):
        if isinstance(index, slice):
            return UntypedStorage(Storage(self._bytes[index]))
        return self._bytes[index].item()

    def __setitem__(self, index, value):
        self._bytes[index] = value

    def __iter__(self):
        return iter(self.tolist())

    def copy_(self, source, non_blocking=None):
        """Overwrite the bytes with those of another storage of the same size."""
        self._bytes[:] = source._bytes
        return self

    def fill_(self, value):
        """Set every byte."""
        self._bytes[:] = value
        return self

    def clone(self):
        """A storage with a copy of the bytes."""
        return UntypedStorage(Storage(self._bytes.copy()))

    def cpu(self):
        """The storage itself."""
        return self

    def is_shared(self):
        """False."""
        return False

    def share_memory_(self):
        """The storage itself: memory is copied to other processes when it is sent."""
        return self

    def __eq__(self, other):
        return isinstance(other, UntypedStorage) and self._storage is other._storage

    def __hash__(self):
        return id(self._storage)

    def __repr__(self):
        rows = "".join(f" {value}\n" for value in self.tolist())
        return f"{rows}[torch.storage.UntypedStorage(device=cpu) of size {self.nbytes()}]"


class TypedStorage:
    """The elements of a storage: `tensor.storage()`."""

    def __init__(self, *args, wrap_storage=None, dtype=None, device=None, _internal=False):
        self.dtype = dtype or _dtype.get_default_dtype()
        if wrap_storage is None:
            values = args[0] if args else 0
            owner = np.zeros(values, self.dtype.np) if hasattr(values, "__index__") else _elements(values, self.dtype)
            wrap_storage = UntypedStorage(Storage(owner))
        self._untyped_storage = wrap_storage

    @property
    def _elements(self):
        return memory_of(self._untyped_storage._storage.owner).view(self.dtype.np)

    @property
    def device(self):
        """Where the memory lies."""
        return cpu

    @property
    def _cdata(self):
        return self._untyped_storage._cdata

    def untyped(self):
        """The same storage as bytes."""
        return self._untyped_storage

    def size(self):
        """The number of elements."""
        return self._elements.size

    __len__ = size

    def nbytes(self):
        """The number of bytes."""
        return self._untyped_storage.nbytes()

    def element_size(self):
        """Bytes of one element."""
        return self.dtype.itemsize

    def data_ptr(self):
        """The address of the first element."""
        return self._untyped_storage.data_ptr()

    def tolist(self):
        """The elements as numbers."""
        return wrap(self._elements).tolist()

    def __getitem__(self, index):
        return wrap(np.asarray(self._elements[index])).item()

    def __setitem__(self, index, value):
        self._elements[index] = _elements([value], self.dtype)[0]

    def __iter__(self):
        return iter(self.tolist())

    def cpu(self):
        """The storage itself."""
        return self

    def is_shared(self):
        """False."""
        return False

    def pickle_storage_type(self):
        """The name under which files know a storage of this dtype."""
        return self.dtype.tensor_type.replace("Tensor", "Storage")

    def __eq__(self, other):
        return isinstance(other, TypedStorage) and self._untyped_storage == other._untyped_storage

    def __hash__(self):
        return hash(self._untyped_storage)

    def __repr__(self):
        rows = "".join(f" {value}\n" for value in self.tolist())
        return f"{rows}[torch.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {self.size()}]"


def _elements(values, d):
    from chainrule._tensor.factories import array_from

    return array_from(list(values), d)


for _cls in (UntypedStorage, TypedStorage):
    _cls.__module__ = "chainrule.storage"


def is_storage(obj):
    """Whether the object is a storage."""
    return isinstance(obj, (UntypedStorage, TypedStorage))


def untyped_storage(self):
    """The memory this tensor lies in, as bytes."""
    if self.on_meta:
        raise NotImplementedError("untyped_storage: a meta tensor has no memory")
    return UntypedStorage(views.storage_of(self))


def storage(self):
    """The memory this tensor lies in, as elements."""
    warnings.warn(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
        "class. This should only matter to you if you are using storages directly.  To access UntypedStorage directly, "
        "use tensor.untyped_storage() instead of tensor.storage()",
        UserWarning,
        stacklevel=2,
    )
    return TypedStorage(wrap_storage=untyped_storage(self), dtype=self.meta.dtype)


def look_into(memory, d, size, stride, offset):
    """A tensor on part of a storage: size, stride and offset in elements of dtype d; RuntimeError beyond its end."""
    flat = memory_of(memory.owner).view(np.uint8)
    reach = 0 if 0 in size else offset + sum(s * (n - 1) for s, n in zip(stride, size, strict=True)) + 1
    if offset < 0 or any(s < 0 for s in stride) or reach * d.itemsize > flat.size:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize "
            f"{d.itemsize} requiring a storage size of {reach * d.itemsize} are out of bounds for storage of size "
            f"{flat.size}"
        )
    whole = flat[: flat.size // d.itemsize * d.itemsize].view(d.np)
    if 0 in size:
        array = whole[:0].reshape(size)
    else:
        array = strided(whole, tuple(size), tuple(s * d.itemsize for s in stride), offset * d.itemsize)
    t = wrap(array)
    need_autograd(t).storage = memory
    return t


install(Tensor, "untyped_storage", untyped_storage)
install(Tensor, "storage", storage)
