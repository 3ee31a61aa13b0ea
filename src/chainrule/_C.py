"""torch._C: the few names of PyTorch's compiled core that programs ask for."""

from chainrule._tensor.subclass import NoOverrides as DisableTorchFunctionSubclass
from chainrule._tensor.subclass import disabled as _disabled_torch_function_impl  # noqa: F401
from chainrule.random import Generator

__all__ = ["DisableTorchFunctionSubclass", "Generator"]

DisableTorchFunction = DisableTorchFunctionSubclass
has_lapack = True


def _log_api_usage_once(event):
    """Nothing is logged."""


def _get_tracing_state():
    """None: no call is being traced by a compiler of PyTorch's."""
    return None


def _is_tracing():
    """False, as for `_get_tracing_state`."""
    return False


def _cuda_getDeviceCount():
    """0."""
    return 0


def __getattr__(name):
    if name == "_LinAlgError":
        from chainrule.linalg import LinAlgError

        return LinAlgError
    raise AttributeError(f"module 'chainrule._C' has no attribute '{name}'")
