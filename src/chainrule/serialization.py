"""torch.save and torch.load: objects with tensors in a file, in the zip format that PyTorch reads and writes too.

The archive holds one pickle, in which every storage is a reference, and the bytes of each storage as an entry of its
own: tensors that share memory share it again. The reader takes a pickle apart itself and makes nothing but tensors,
plain containers and what `add_safe_globals` names, so that loading a file runs no code that came with it;
`weights_only=False` lifts that for files of known origin.
"""

import contextlib
import io
import os
import pickle
import tempfile
import types
import zipfile
from collections import Counter, OrderedDict, defaultdict
from typing import Any, ClassVar

import numpy as np

from chainrule._core import dtype as _dtype
from chainrule._core import layout as _layouts
from chainrule._core.device import device, resolve
from chainrule._core.dtype import dtype as DType
from chainrule._core.size import Size
from chainrule._engine import views
from chainrule._engine.tensor import Storage, Tensor
from chainrule._tensor.copying import own_attributes, restored
from chainrule._tensor.meta import empty_meta_tensor
from chainrule._tensor.properties import stride
from chainrule._tensor.storage import TypedStorage, UntypedStorage, look_into, memory_of

__all__ = [
    "add_safe_globals", "clear_safe_globals", "get_safe_globals", "load", "safe_globals", "save",
]  # fmt: skip

LAYOUTS = (_layouts.layout, _layouts.memory_format)
DEFAULT_PROTOCOL = 2
ENTRY_DATE = (1980, 1, 1, 0, 0, 0)
NOT_ALLOWED = (
    "Weights only load failed. The file asks for {name}, which is not among the objects that a file may name by "
    "default. If you trust the file, name it with `torch.serialization.add_safe_globals([{short}])` or the "
    "`torch.serialization.safe_globals` context manager, or load with weights_only=False, which can run code from it."
)


class StorageType:
    """A typed storage's name within a pickle: torch.FloatStorage."""

    def __init__(self, name, d):
        self.name = name
        self.dtype = d


STORAGES = {d.tensor_type.replace("Tensor", "Storage"): d for d in _dtype.ALL}
STORAGE_TYPES = {d: StorageType(name, d) for name, d in STORAGES.items()}
UNTYPED = StorageType("UntypedStorage", None)


class Loaded:
    """A storage referred to in a pickle, with the dtype the reference gives it (None: bytes)."""

    def __init__(self, storage, d, on_meta):
        self.storage = storage
        self.dtype = d
        self.on_meta = on_meta


def rebuild_tensor(storage, offset, size, strides, requires_grad=False, backward_hooks=None, metadata=None):
    """A tensor from a storage and its look at it."""
    if storage.on_meta:
        return restored(empty_meta_tensor(size, storage.dtype), requires_grad, Tensor, None)
    return restored(look_into(storage.storage, storage.dtype, size, strides, offset), requires_grad, Tensor, None)


def rebuild_meta(d, size, strides, requires_grad):
    """A meta tensor: shape and dtype."""
    return restored(empty_meta_tensor(size, d), requires_grad, Tensor, None)


def rebuild_parameter(data, requires_grad, backward_hooks):
    """A Parameter from its data."""
    from chainrule.nn.parameter import Parameter

    return Parameter(data, requires_grad)


def rebuild_parameter_with_state(data, requires_grad, backward_hooks, state):
    """A Parameter with attributes of the program's own."""
    parameter = rebuild_parameter(data, requires_grad, backward_hooks)
    return restored(parameter, requires_grad, type(parameter), state)


def rebuild_from_type(function, cls, args, state):
    """A tensor of a subclass, or with attributes of the program's own."""
    own = state[0] if isinstance(state, tuple) else state
    t = function(*args)
    return restored(t, t.requires_grad, cls, own)


def encoded(text, encoding="utf-8"):
    """Bytes, which pickles of protocol 2 hold as text."""
    if encoding not in ("latin1", "latin-1", "utf-8", "ascii"):
        raise pickle.UnpicklingError(f"load: expected text in latin1 or utf-8, got encoding {encoding!r}")
    return text.encode(encoding)


# What a pickle may name, by the name it has there.
REBUILDERS = {
    ("torch._utils", "_rebuild_tensor"): rebuild_tensor,
    ("torch._utils", "_rebuild_tensor_v2"): rebuild_tensor,
    ("torch._utils", "_rebuild_meta_tensor_no_storage"): rebuild_meta,
    ("torch._utils", "_rebuild_parameter"): rebuild_parameter,
    ("torch._utils", "_rebuild_parameter_with_state"): rebuild_parameter_with_state,
    ("torch._tensor", "_rebuild_from_type_v2"): rebuild_from_type,
}
SAFE = {
    **REBUILDERS,
    ("torch", "Size"): Size,
    ("torch", "Tensor"): Tensor,
    ("torch", "device"): device,
    ("torch", "UntypedStorage"): UNTYPED,
    ("torch.storage", "UntypedStorage"): UNTYPED,
    ("collections", "OrderedDict"): OrderedDict,
    ("collections", "Counter"): Counter,
    ("collections", "defaultdict"): defaultdict,
    ("builtins", "set"): set,
    ("builtins", "frozenset"): frozenset,
    ("builtins", "bytearray"): bytearray,
    ("builtins", "complex"): complex,
    ("builtins", "dict"): dict,
    ("builtins", "list"): list,
    ("builtins", "int"): int,
    ("builtins", "float"): float,
    ("_codecs", "encode"): encoded,
    **{("torch", name): STORAGE_TYPES[d] for name, d in STORAGES.items()},
    **{("torch", d.name): d for d in _dtype.ALL},
    **{("torch", m.name): m for m in vars(_layouts).values() if isinstance(m, LAYOUTS)},
}
# The names under which our own objects are written.
WRITTEN: dict[Any, tuple[str, str]] = {
    Tensor: ("torch", "Tensor"),
    rebuild_tensor: ("torch._utils", "_rebuild_tensor_v2"),
    rebuild_meta: ("torch._utils", "_rebuild_meta_tensor_no_storage"),
    rebuild_parameter: ("torch._utils", "_rebuild_parameter"),
    rebuild_parameter_with_state: ("torch._utils", "_rebuild_parameter_with_state"),
    rebuild_from_type: ("torch._tensor", "_rebuild_from_type_v2"),
    Size: ("torch", "Size"),
    device: ("torch", "device"),
    UNTYPED: ("torch", "UntypedStorage"),
    **{kind: ("torch", kind.name) for kind in STORAGE_TYPES.values()},
    **{d: ("torch", d.name) for d in _dtype.ALL},
}
_added = {}


def _pickled_name(obj):
    """Module and name of a class or function as a file has them: chainrule.nn is written as torch.nn."""
    module = getattr(obj, "__module__", None) or ""
    if module == "chainrule" or module.startswith("chainrule."):
        module = "torch" + module.removeprefix("chainrule")
    return module, getattr(obj, "__qualname__", obj.__class__.__qualname__)


def add_safe_globals(safe_globals):
    """Let files name these classes and functions; an entry may be a pair of the object and its name in files."""
    for entry in safe_globals:
        if isinstance(entry, tuple):
            obj, name = entry
            module, _, short = name.rpartition(".")
            _added[module, short] = obj
        else:
            _added[_pickled_name(entry)] = entry


def get_safe_globals():
    """What was added."""
    return list(_added.values())


def clear_safe_globals():
    """Forget what was added."""
    _added.clear()


@contextlib.contextmanager
def safe_globals(safe_globals):
    """Within the block, files may name these objects."""
    before = dict(_added)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _added.clear()
        _added.update(before)


class Writer(pickle._Pickler):
    """Pickles with storages as references, our names as PyTorch's: the pickler in Python lets names be chosen."""

    def __init__(self, file, protocol):
        super().__init__(file, protocol)
        self.keys = {}
        self.storages = []

    def reference(self, storage, kind):
        """The persistent id of a storage; its bytes are written once."""
        key = self.keys.get(id(storage))
        if key is None:
            key = self.keys[id(storage)] = str(len(self.storages))
            self.storages.append(storage)
        size = memory_of(storage.owner).nbytes // (kind.dtype.itemsize if kind.dtype else 1)
        return ("storage", kind, key, "cpu", size)

    def persistent_id(self, obj):
        if isinstance(obj, Loaded):
            return self.reference(obj.storage, STORAGE_TYPES[obj.dtype])
        if isinstance(obj, UntypedStorage):
            return self.reference(obj._storage, UNTYPED)
        if isinstance(obj, TypedStorage):
            return self.reference(obj.untyped()._storage, STORAGE_TYPES[obj.dtype])
        return None

    def reducer_override(self, obj):
        if isinstance(obj, (DType, StorageType, *LAYOUTS)):
            return obj.name
        if isinstance(obj, Tensor):
            return self.reduce_tensor(obj)
        return NotImplemented

    def reduce_tensor(self, t):
        """A tensor as a call of one of the rebuilders."""
        from chainrule.nn.parameter import Parameter

        own = dict(own_attributes(t))
        if type(t) is Parameter:
            plain = t.data
            if own:
                return rebuild_parameter_with_state, (plain, t.requires_grad, OrderedDict(), own)
            return rebuild_parameter, (plain, t.requires_grad, OrderedDict())
        if t.on_meta:
            made = rebuild_meta, (t.dtype, tuple(t.shape), stride(t), t.requires_grad)
        else:
            memory = Loaded(views.storage_of(t), t.dtype, False)
            place = (views.storage_offset(t), tuple(t.shape), stride(t))
            made = rebuild_tensor, (memory, *place, t.requires_grad, OrderedDict())
        if type(t) is not Tensor or own:
            return rebuild_from_type, (made[0], type(t), made[1], own)
        return made

    def save_global(self, obj, name=None):
        known = WRITTEN.get(obj) if obj.__hash__ else None
        if known is None and isinstance(obj, LAYOUTS):
            known = ("torch", obj.name)
        if known is None and _pickled_name(obj)[0].startswith("torch"):
            known = _pickled_name(obj)
        if known is None:
            super().save_global(obj, name)
            return
        module, name = known
        self.write(pickle.GLOBAL + f"{module}\n{name}\n".encode())
        self.memoize(obj)

    dispatch: ClassVar[Any] = {**pickle._Pickler.dispatch, types.FunctionType: save_global}


class Reader(pickle._Unpickler):
    """Takes a pickle apart; makes what `SAFE` and `add_safe_globals` name, or (if `trusted`) anything importable."""

    def __init__(self, file, storages, trusted):
        super().__init__(file)
        self.storages = storages
        self.trusted = trusted

    def persistent_load(self, pid):
        if not isinstance(pid, tuple) or len(pid) != 5 or pid[0] != "storage" or not isinstance(pid[1], StorageType):
            raise pickle.UnpicklingError(f"load: expected a reference to a storage, got {pid!r}")
        _, kind, key, location, _ = pid
        return self.storages(kind, str(key), location)

    def find_class(self, module, name):
        module = {"__builtin__": "builtins"}.get(module, module)
        for table in (SAFE, _added):
            if (module, name) in table:
                return table[module, name]
        if module == "torch.nn.parameter" and name in ("Parameter", "Buffer"):
            from chainrule.nn import parameter

            return getattr(parameter, name)
        if not self.trusted:
            raise pickle.UnpicklingError(NOT_ALLOWED.format(name=f"{module}.{name}", short=name.rpartition(".")[2]))
        if module == "torch" or module.startswith("torch."):
            module = "chainrule" + module.removeprefix("torch")
        return super().find_class(module, name)

    def load_build(self):
        # A class or function must not be changed by a file, only instances of what it may make.
        target = self.stack[-2]
        if not self.trusted and type(target) not in (OrderedDict, Counter, *_added.values()):
            raise pickle.UnpicklingError(
                f"Weights only load failed. The file sets the state of an object of type {type(target).__name__}, "
                "which is allowed for OrderedDict and for classes named with torch.serialization.add_safe_globals."
            )
        super().load_build()

    def load_extension(self):
        raise pickle.UnpicklingError("load: expected names in the file, got a number of the extension registry")

    dispatch: ClassVar[Any] = {
        **pickle._Unpickler.dispatch,
        pickle.BUILD[0]: load_build,
        pickle.EXT1[0]: load_extension,
        pickle.EXT2[0]: load_extension,
        pickle.EXT4[0]: load_extension,
    }


def save(obj, f, pickle_module=pickle, pickle_protocol=DEFAULT_PROTOCOL, _use_new_zipfile_serialization=True,
         _disable_byteorder_record=False):  # fmt: skip
    """Write an object with its tensors to a path or a binary file.

    A path is replaced at the end, in one step: a save that fails leaves the old file as it was."""
    if not isinstance(f, (str, os.PathLike)):
        if not hasattr(f, "write"):
            raise AttributeError(
                f"save: expected 'f' to be a string, path, or a file-like object with a 'write' attribute, got "
                f"{type(f).__name__}"
            )
        _write_archive(obj, f, pickle_protocol, "archive")
        return
    path = os.fspath(f)
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    stem = os.path.splitext(os.path.basename(path))[0] or "archive"
    handle, temporary = tempfile.mkstemp(prefix=f".{stem}.", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            _write_archive(obj, file, pickle_protocol, stem)
        os.chmod(temporary, _mode_for(path))
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _mode_for(path):
    """The permissions a new file at `path` would have, or those of the one that is replaced."""
    if os.path.exists(path):
        return os.stat(path).st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _write_archive(obj, file, protocol, stem):
    body = io.BytesIO()
    writer = Writer(body, protocol)
    writer.dump(obj)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        entries = [("data.pkl", body.getbuffer()), ("byteorder", b"little")]
        entries += [(f"data/{i}", _bytes(storage)) for i, storage in enumerate(writer.storages)]
        for name, content in [*entries, ("version", b"3\n")]:
            with archive.open(zipfile.ZipInfo(f"{stem}/{name}", ENTRY_DATE), "w", force_zip64=True) as entry:
                entry.write(content)


def _bytes(storage):
    return memory_of(storage.owner).view(np.uint8).data


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """Read what `save` (or PyTorch's) wrote, from a path or a seekable binary file.

    weights_only: the default, True, makes tensors, plain containers and what `add_safe_globals` named;
    UnpicklingError for anything else. False imports whatever the file names: for files of known origin only.
    map_location: 'cpu' or 'meta', a device, a dict from one to the other, or a function of (storage, location)."""
    trusted = weights_only is False
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return _read_archive(file, map_location, trusted)
    if not hasattr(f, "read") or not hasattr(f, "seek"):
        raise AttributeError(
            f"load: expected a path or a file that can 'read' and 'seek' (such as io.BytesIO), got {type(f).__name__}"
        )
    return _read_archive(f, map_location, trusted)


def _read_archive(file, map_location, trusted):
    start = file.tell()
    if file.read(4) != b"PK\x03\x04":
        raise pickle.UnpicklingError(
            "load: expected a zip archive as torch.save writes it; files of PyTorch before 1.6 are not read"
        )
    file.seek(start)
    with zipfile.ZipFile(file) as archive:
        body = next((name for name in archive.namelist() if name.endswith("/data.pkl")), None)
        if body is None:
            raise RuntimeError("PytorchStreamReader failed locating file data.pkl: file not found")
        stem = body.removesuffix("data.pkl")
        if f"{stem}byteorder" in archive.namelist() and archive.read(f"{stem}byteorder") != b"little":
            raise ValueError("load: expected numbers in little-endian order, the archive says otherwise")
        storages = Storages(archive, stem, map_location)
        return Reader(io.BytesIO(archive.read(body)), storages, trusted).load()


class Storages:
    """The storages of an archive, each read once and put where `map_location` says."""

    def __init__(self, archive, stem, map_location):
        self.archive = archive
        self.stem = stem
        self.map_location = map_location
        self.read = {}

    def __call__(self, kind, key, location):
        if key not in self.read:
            self.read[key] = self.placed(self.bytes_of(key), location)
        storage, on_meta = self.read[key]
        if kind.dtype is None:
            return UntypedStorage(storage)
        return Loaded(storage, kind.dtype, on_meta)

    def bytes_of(self, key):
        """The storage's bytes in memory of our own, which tensors may write."""
        name = f"{self.stem}data/{key}"
        try:
            size = self.archive.getinfo(name).file_size
        except KeyError:
            raise RuntimeError(f"load: the archive has no entry {name}") from None
        owner = np.empty(size, np.uint8)
        filled = 0
        with self.archive.open(name) as entry:
            while filled < size:
                filled += entry.readinto(memoryview(owner)[filled:])
        return Storage(owner)

    def placed(self, storage, location):
        """The storage and whether its tensors go to meta."""
        wish = self.map_location
        if callable(wish) and not isinstance(wish, device):
            found = wish(UntypedStorage(storage), location)
            return (found._storage if isinstance(found, UntypedStorage) else storage), False
        if isinstance(wish, dict):
            wish = wish.get(location, "cpu")
        elif wish is None:
            wish = "cpu"
        return storage, resolve(wish).type == "meta"
