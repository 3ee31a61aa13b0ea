"""PyTorch's type promotion: a lattice of dtypes, and operands in three ranks (dimensioned, 0-d, Python numbers)."""

import numpy as np

from chainrule._core import dtype as _dtype
from chainrule._core.dtype import (
    BOOL,
    COMPLEX,
    FLOATING,
    INTEGRAL,
    float32,
    int16,
    int64,
)  # fmt: skip
from chainrule._core.dtype import (
    bool as bool_,
)


def check_dtype(name, argument, value):
    """TypeError unless the argument is a dtype."""
    if not isinstance(value, _dtype.dtype):
        raise TypeError(f"{name}(): argument '{argument}' must be torch.dtype, not {type(value).__name__}")


def promote_types(type1, type2):
    """The smallest dtype that both can be cast to without leaving the larger kind.

    Across kinds (bool < integer < floating < complex) the higher kind's own type wins whatever its width, as in
    PyTorch and unlike NumPy: int64 with float16 is float16."""
    if type1 is type2:
        return type1
    check_dtype("promote_types", "type1", type1)
    check_dtype("promote_types", "type2", type2)
    return _TABLE[type1.name, type2.name]


def _promote(a, b):
    if a is b:
        return a
    if a.category > b.category:
        a, b = b, a
    if b.category == COMPLEX:
        real = a.to_real() if a.category >= FLOATING else None
        return b if real is None else _widest(real, b.to_real()).to_complex()
    if a.category != b.category:
        return b
    if a.category == INTEGRAL:
        if {a.name, b.name} == {"uint8", "int8"}:
            return int16
        return a if a.itemsize > b.itemsize or (a.itemsize == b.itemsize and a.is_signed) else b
    return _widest(a, b)


def _widest(a, b):
    if a.itemsize == b.itemsize:
        return a if a is b else float32
    return a if a.itemsize > b.itemsize else b


_TABLE = {(a.name, b.name): _promote(a, b) for a in _dtype.ALL for b in _dtype.ALL}


def dtype_of_number(value):
    """The dtype a Python (or NumPy) number has before any operand is known: its kind's default."""
    if isinstance(value, (bool, np.bool_)):
        return bool_
    if isinstance(value, (int, np.integer)):
        return int64
    if isinstance(value, (complex, np.complexfloating)):
        return _dtype.get_default_dtype().to_complex()
    return _dtype.get_default_dtype()


def combine(dimensioned, zero_dim, numbers):
    """The result dtype of operands in three ranks; each argument is a dtype or None.

    A lower rank decides only if its kind is higher than that of the ranks above it."""
    result = dimensioned
    for lower in (zero_dim, numbers):
        if lower is None:
            continue
        if result is None:
            result = lower
        elif lower.category > result.category:
            # a complex number takes over only the kind: the precision is that of the rank above
            floating = result.category == FLOATING and lower.category == COMPLEX
            result = result.to_complex() if floating else promote_types(result, lower)
    return result


def can_cast(from_, to):
    """Whether an in-place result of dtype `from_` may be written into `to`: never to a lower kind."""
    check_dtype("can_cast", "from_", from_)
    check_dtype("can_cast", "to", to)
    if from_.category > to.category:
        return False
    return not (to.category == BOOL and from_.category != BOOL)



