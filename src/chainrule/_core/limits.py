"""torch.finfo and torch.iinfo: the limits of the element types."""

import numpy as np

from chainrule._core import dtype as _dtype
from chainrule._core.dtype import dtype as DType


class finfo:
    """The limits of a floating dtype (of its parts for a complex one): bits, eps, max, min, tiny, resolution."""

    def __init__(self, type=None, /):
        d = _dtype.get_default_dtype() if type is None else type
        if not isinstance(d, DType):
            raise TypeError(f"finfo(): argument 'type' (position 1) must be torch.dtype, not {d.__class__.__name__}")
        if d.category < _dtype.FLOATING:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        d = d.to_real()
        self.dtype = d.name
        self.bits = d.itemsize * 8
        if d is _dtype.bfloat16:
            self.eps, self.max, self.tiny, self.resolution = 2.0**-7, (2 - 2.0**-7) * 2.0**127, 2.0**-126, 0.01
        else:
            limits = np.finfo(d.np)
            self.eps, self.max, self.tiny = limits.eps.item(), limits.max.item(), limits.tiny.item()
            self.resolution = 10.0 ** -limits.precision
        self.min = -self.max
        self.smallest_normal = self.tiny

    def __repr__(self):
        shown = ", ".join(
            f"{name}={getattr(self, name):g}" for name in ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        )
        return f"finfo({shown}, dtype={self.dtype})"

    def __eq__(self, other):
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self):
        return hash(self.dtype)


class iinfo:
    """The limits of an integer dtype: bits, max, min."""

    def __init__(self, type, /):
        if not isinstance(type, DType):
            raise TypeError(f"iinfo(): argument 'type' (position 1) must be torch.dtype, not {type.__class__.__name__}")
        if type.category != _dtype.INTEGRAL:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        limits = np.iinfo(type.np)
        self.dtype = type.name
        self.bits = limits.bits
        self.max = int(limits.max)
        self.min = int(limits.min)

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"

    def __eq__(self, other):
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self):
        return hash(self.dtype)
