"""torch.accelerator: there is none; what needs one is refused in PyTorch's words."""

from chainrule.compat.missing import names_of

__getattr__ = names_of(__name__)


def _refuse():
    raise RuntimeError("Cannot access accelerator device when none is available.")


def is_available():
    """False."""
    return False


def device_count():
    """0."""
    return 0


def current_accelerator(check_available=False):
    """None: the CPU is not an accelerator."""
    return None


def current_device_index():
    """RuntimeError: no accelerator."""
    _refuse()


def set_device_index(device):
    """RuntimeError: no accelerator."""
    _refuse()


def synchronize(device=None):
    """RuntimeError: no accelerator."""
    _refuse()


def empty_cache():
    """RuntimeError: no accelerator."""
    _refuse()


def current_stream(device=None):
    """RuntimeError: no accelerator."""
    _refuse()


def memory_allocated(device_index=None):
    """RuntimeError: no accelerator."""
    _refuse()


def max_memory_allocated(device_index=None):
    """RuntimeError: no accelerator."""
    _refuse()
