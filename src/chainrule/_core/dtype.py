"""The element types: PyTorch's names over NumPy's storage.

bfloat16 has no NumPy type: its arrays are uint16, and a uint16 array always means bfloat16 (PyTorch's own uint16 is not
supported). `of_array` is the one place where an array's NumPy type becomes a dtype.
"""

import numpy as np

BOOL, INTEGRAL, FLOATING, COMPLEX = 0, 1, 2, 3


class dtype:
    """An element type. There is one object for each, compared by identity."""

    def __init__(self, name, storage, category, itemsize, tensor_type):
        self.name = name
        self.np = np.dtype(storage)
        self.num = self.np.num
        self.category = category
        self.itemsize = itemsize
        self.is_floating_point = category == FLOATING
        self.is_complex = category == COMPLEX
        self.is_signed = category >= FLOATING or name.startswith("int")
        self.tensor_type = tensor_type
        self.is_half = name in ("float16", "bfloat16")

    def to_real(self):
        """The real type of a complex one; other types give themselves."""
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    def to_complex(self):
        """The complex type whose parts have (at least) this precision."""
        if self.category == COMPLEX:
            return self
        return complex128 if self is float64 else complex64

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return (named, (self.name,))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


bool = dtype("bool", "?", BOOL, 1, "BoolTensor")
uint8 = dtype("uint8", "u1", INTEGRAL, 1, "ByteTensor")
int8 = dtype("int8", "i1", INTEGRAL, 1, "CharTensor")
int16 = dtype("int16", "i2", INTEGRAL, 2, "ShortTensor")
int32 = dtype("int32", "i4", INTEGRAL, 4, "IntTensor")
int64 = dtype("int64", "i8", INTEGRAL, 8, "LongTensor")
float16 = dtype("float16", "f2", FLOATING, 2, "HalfTensor")
bfloat16 = dtype("bfloat16", "u2", FLOATING, 2, "BFloat16Tensor")
float32 = dtype("float32", "f4", FLOATING, 4, "FloatTensor")
float64 = dtype("float64", "f8", FLOATING, 8, "DoubleTensor")
complex64 = dtype("complex64", "c8", COMPLEX, 8, "ComplexFloatTensor")
complex128 = dtype("complex128", "c16", COMPLEX, 16, "ComplexDoubleTensor")

ALL = (bool, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128)
ALIASES = {
    "half": float16, "float": float32, "double": float64, "short": int16, "int": int32, "long": int64,
    "cfloat": complex64, "cdouble": complex128,
}  # fmt: skip
_by_name = {d.name: d for d in ALL}
_by_num: list = [None] * 32
for _d in ALL:
    _by_num[_d.num] = _d


def named(name):
    """The dtype of that name ('float32')."""
    return _by_name[name]


def of_array(array):
    """The dtype of a plain array that a tensor may hold."""
    return _by_num[array.dtype.num]


def from_numpy_dtype(np_dtype):
    """The dtype for a NumPy type given from outside; TypeError names what is supported."""
    np_dtype = np.dtype(np_dtype)
    if np_dtype.name == "bfloat16":
        return bfloat16
    for d in ALL:
        if d is not bfloat16 and d.np == np_dtype.newbyteorder("="):
            return d
    raise TypeError(
        f"can't convert np.ndarray of type {np_dtype}. The only supported types are: float64, float32, float16, "
        "complex64, complex128, int64, int32, int16, int8, uint8, and bool."
    )


class Default:
    """The dtype that float data without one gets; set by `set_default_dtype`."""

    def __init__(self):
        self.dtype = float32


default = Default()


def get_default_dtype():
    """The dtype that Python floats become: torch.float32 unless changed."""
    return default.dtype


def set_default_dtype(d):
    """Make `d`, a floating dtype, what Python floats become.

    TypeError for anything that is not a floating dtype."""
    if isinstance(d, str) or not isinstance(d, dtype):
        raise TypeError(f"invalid dtype object: only floating-point types are supported as the default type, got {d!r}")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    default.dtype = d
