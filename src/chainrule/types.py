"""torch.types: names for annotations."""

import builtins
import os
from collections.abc import Sequence
from typing import IO, Any, TypeAlias

from chainrule._core.device import device
from chainrule._core.dtype import dtype
from chainrule._core.layout import layout
from chainrule._core.size import Size
from chainrule._engine.tensor import Tensor

__all__ = ["Device", "FileLike", "Number", "Storage"]

_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_device, _dtype, _layout = device, dtype, layout
_size: TypeAlias = Size | list[int] | tuple[int, ...]
_int, _float, _bool, _complex = builtins.int, builtins.float, builtins.bool, builtins.complex

Number: TypeAlias = int | float | bool
Device: TypeAlias = device | str | int | None
FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes]
Storage: TypeAlias = Any
PySymType: TypeAlias = int | float | bool
