"""Process-wide settings that programs set and ask for. Most change nothing here; each says what it stands for."""

import os

from chainrule._core.device import cpu, default, resolve

_PRECISIONS = ("highest", "high", "medium")


class Settings:
    """What was set."""

    def __init__(self):
        self.threads = os.cpu_count() or 1
        self.interop_threads = self.threads
        self.deterministic = False
        self.warn_only = False
        self.precision = "highest"
        self.warn_always = False


settings = Settings()


def _count(name, value):
    if isinstance(value, bool) or not isinstance(value, int):
        raise RuntimeError(f"{name} expects an int, but got {type(value).__name__}")
    if value < 1:
        raise RuntimeError(f"{name} expects a positive integer")
    return value


def set_num_threads(int):
    """Remember a number of threads: kernels here are NumPy's, whose BLAS sets its own."""
    settings.threads = _count("set_num_threads", int)


def get_num_threads():
    """The number of threads that was set, or the number of processors."""
    return settings.threads


def set_num_interop_threads(int):
    """Remember a number of threads between operations: there are none here."""
    settings.interop_threads = _count("set_num_interop_threads", int)


def get_num_interop_threads():
    """The number that was set, or the number of processors."""
    return settings.interop_threads


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Remember the wish: every kernel here gives the same result each time."""
    settings.deterministic, settings.warn_only = bool(mode), bool(warn_only)


def are_deterministic_algorithms_enabled():
    """Whether deterministic algorithms were asked for."""
    return settings.deterministic


def is_deterministic_algorithms_warn_only_enabled():
    """Whether a warning was to stand in for the error."""
    return settings.warn_only


def set_deterministic_debug_mode(debug_mode):
    """'default' (0), 'warn' (1) or 'error' (2) for operations that are not deterministic."""
    modes = {"default": 0, "warn": 1, "error": 2}
    if isinstance(debug_mode, str):
        if debug_mode not in modes:
            raise RuntimeError(
                f"invalid value of debug_mode, expected one of `default`, `warn`, or `error`, but got {debug_mode}"
            )
        debug_mode = modes[debug_mode]
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode():
    """0, 1 or 2 as `set_deterministic_debug_mode` takes them."""
    return 0 if not settings.deterministic else 1 if settings.warn_only else 2


def set_float32_matmul_precision(precision):
    """'highest', 'high' or 'medium': float32 products are computed in float32 whatever it is."""
    if precision not in _PRECISIONS:
        raise RuntimeError(
            f"set_float32_matmul_precision: expected one of {', '.join(_PRECISIONS)} as precision, got {precision!r}"
        )
    settings.precision = precision


def get_float32_matmul_precision():
    """The precision that was set."""
    return settings.precision


def set_flush_denormal(mode):
    """False: the processor's treatment of denormal numbers is not changed here."""
    return False


def set_warn_always(b, /):
    """Whether warnings that appear once are to appear always; a wish that is remembered."""
    settings.warn_always = bool(b)


def is_warn_always_enabled():
    """Whether that was asked for."""
    return settings.warn_always


def compiled_with_cxx11_abi():
    """True, as of every build of the API today."""
    return True


def set_default_device(device):
    """The device of factories that are given none; None is the CPU."""
    default.device = cpu if device is None else resolve(device)


def get_default_device():
    """The device of factories that are given none."""
    return default.device
