"""chainrule: PyTorch's autograd as a Python library that can be read."""

from chainrule._core import mode
from chainrule._core.dtype import (
    bfloat16, bool, complex64, complex128, float16, float32, float64, get_default_dtype, int8, int16, int32, int64,
    set_default_dtype, uint8,
    float32 as float, float64 as double, int64 as long, int32 as int, float16 as half, int16 as short,
    complex64 as cfloat, complex128 as cdouble,
)  # fmt: skip
from chainrule._core.device import device
from chainrule._core.size import Size
from chainrule._engine.tensor import Tensor, get_slots
from chainrule._engine import dispatch, views
from chainrule import _ops
from chainrule._ops import table
from chainrule._tensor import basics, factories, indexing, methods, printing, subclass

get_slots().repr = printing.tensor_repr
get_slots().format = printing.tensor_format
methods.install_methods()
globals().update(methods.public("torch"))
from chainrule import autograd
from chainrule.autograd.grad_mode import (
    enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad, set_grad_enabled,
)  # fmt: skip
from chainrule.random import Generator, default_generator, fork_rng, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from chainrule.version import __version__
