"""chainrule: PyTorch's autograd as a Python library that can be read."""

import importlib
import math

# The order counts: compiled or plain modules are chosen first; the engine's slots are filled from below.
# isort: off
from chainrule._core import mode
from chainrule._engine import dispatch, views
from chainrule._ops import table
from chainrule._tensor import (
    copying, factories, history, indexing, interchange, legacy, meta, methods, numbers, numpy_functions, printing,
    properties, subclass,
)  # fmt: skip
from chainrule import autograd
# isort: on

from chainrule._core import dtype as _dtypes
from chainrule._core.device import device
from chainrule._core.dtype import (
    bfloat16,
    bool,
    complex64,
    complex128,
    dtype,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    set_default_dtype,
    uint8,
)
from chainrule._core.layout import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    layout,
    memory_format,
    preserve_format,
    sparse_coo,
    sparse_csr,
    strided,
)
from chainrule._core.limits import finfo, iinfo
from chainrule._core.promotion import can_cast, promote_types
from chainrule._core.settings import (
    are_deterministic_algorithms_enabled,
    compiled_with_cxx11_abi,
    get_default_device,
    get_deterministic_debug_mode,
    get_float32_matmul_precision,
    get_num_interop_threads,
    get_num_threads,
    is_deterministic_algorithms_warn_only_enabled,
    is_warn_always_enabled,
    set_default_device,
    set_deterministic_debug_mode,
    set_float32_matmul_precision,
    set_flush_denormal,
    set_num_interop_threads,
    set_num_threads,
    set_warn_always,
    use_deterministic_algorithms,
)
from chainrule._core.size import Size
from chainrule._engine.tensor import Tensor, get_slots
from chainrule._tensor.interchange import from_dlpack
from chainrule._tensor.kinds import is_storage, is_tensor, result_type, typename
from chainrule._tensor.legacy import set_default_tensor_type
from chainrule._tensor.printing import set_printoptions
from chainrule._tensor.storage import TypedStorage, UntypedStorage
from chainrule.autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled
from chainrule.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from chainrule.compat import missing as _missing
from chainrule.random import (
    Generator,
    default_generator,
    fork_rng,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from chainrule.version import __version__

pi, e, inf, nan, newaxis = math.pi, math.e, math.inf, math.nan, None

get_slots().repr = printing.tensor_repr
get_slots().format = printing.tensor_format
methods.install_methods()
globals().update(_dtypes.ALIASES)
globals().update(legacy.TYPES)
_functions = methods.public("torch")
globals().update(_functions)
numel = Tensor.numel
is_floating_point, is_complex, is_signed, is_nonzero = (
    Tensor.is_floating_point, Tensor.is_complex, Tensor.is_signed, Tensor.is_nonzero,
)  # fmt: skip
is_conj, is_neg, is_inference = Tensor.is_conj, Tensor.is_neg, Tensor.is_inference

# Imported when first asked for: programs pay for the rooms they enter.
_SUBMODULES = frozenset(
    (
        "_C __config__ accelerator amp ao backends compat compiler cpu cuda distributed distributions "
        "explain fft fx func functional hub jit library linalg masked mps multiprocessing nested nn onnx "
        "optim overrides profiler quantization random return_types serialization sparse special storage "
        "testing torch_version types utils version xpu"
    ).split()
)
_ELSEWHERE = {
    "save": "serialization",
    "load": "serialization",
    "compile": "compiler",
    "draw": "explain",
    "vmap": "func",
    "autocast": "amp",
    "set_autocast_enabled": "amp",
    "is_autocast_enabled": "amp",
    "get_autocast_dtype": "amp",
    "set_autocast_dtype": "amp",
    "is_autocast_cache_enabled": "amp",
}


def _find(name):
    """A room, or a name that lives in one; None for a name that is nowhere."""
    if name in _SUBMODULES:
        try:
            return _missing.answer(importlib.import_module(f"chainrule.{name}"))
        except ModuleNotFoundError as error:
            if error.name != f"chainrule.{name}":
                raise
            return None
    room = _find(_ELSEWHERE[name]) if name in _ELSEWHERE else None
    if room is None:
        return None
    value = globals()[name] = getattr(room, name)
    return value


__getattr__ = _missing.names_of(__name__, _find)


def __dir__():
    return sorted(set(globals()) | _SUBMODULES | set(_ELSEWHERE))


__all__ = sorted(
    name
    for name in {*globals(), *_ELSEWHERE}
    if not name.startswith("_") and not isinstance(globals().get(name), type(math)) and name != "get_slots"
)
