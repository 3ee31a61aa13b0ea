"""torch.cuda where there is no CUDA: questions are answered, requests refused as in a CPU build.

Seeding and cache calls do nothing, as in PyTorch without a GPU, so that programs written for both run here.
"""

from chainrule.compat.missing import names_of

__getattr__ = names_of(__name__)


def _refuse(name):
    raise AssertionError(
        f"Torch not compiled with CUDA enabled: torch.cuda.{name} needs a GPU, chainrule computes on the CPU"
    )


def is_available():
    """False."""
    return False


def is_initialized():
    """False."""
    return False


def is_bf16_supported(including_emulation=True):
    """False: there is no device to support it."""
    return False


def device_count():
    """0."""
    return 0


def get_arch_list():
    """An empty list: no architecture was compiled for."""
    return []


def manual_seed(seed):
    """Nothing: there is no device generator to seed."""


def manual_seed_all(seed):
    """Nothing: there is no device generator to seed."""


def seed():
    """Nothing: there is no device generator to seed."""


def seed_all():
    """Nothing: there is no device generator to seed."""


def get_rng_state_all():
    """An empty list, one entry for each of no devices."""
    return []


def set_rng_state_all(new_states):
    """Nothing for the empty list that `get_rng_state_all` gave; AssertionError for anything else."""
    if list(new_states):
        _refuse("set_rng_state_all")


def empty_cache():
    """Nothing: there is no cache."""


def memory_allocated(device=None):
    """0 bytes."""
    return 0


def max_memory_allocated(device=None):
    """0 bytes."""
    return 0


def memory_reserved(device=None):
    """0 bytes."""
    return 0


def max_memory_reserved(device=None):
    """0 bytes."""
    return 0


def init():
    """AssertionError: nothing to initialise."""
    _refuse("init")


def current_device():
    """AssertionError: no device is current."""
    _refuse("current_device")


def set_device(device):
    """Nothing for a negative index, which means "leave it"; AssertionError for a device."""
    if not (isinstance(device, int) and device < 0):
        _refuse("set_device")


def get_device_name(device=None):
    """AssertionError: no device."""
    _refuse("get_device_name")


def get_device_properties(device=None):
    """AssertionError: no device."""
    _refuse("get_device_properties")


def get_device_capability(device=None):
    """AssertionError: no device."""
    _refuse("get_device_capability")


def synchronize(device=None):
    """AssertionError: no device to wait for."""
    _refuse("synchronize")


def mem_get_info(device=None):
    """AssertionError: no device memory."""
    _refuse("mem_get_info")


def initial_seed():
    """AssertionError: no device generator."""
    _refuse("initial_seed")


def get_rng_state(device="cuda"):
    """AssertionError: no device generator."""
    _refuse("get_rng_state")


def current_stream(device=None):
    """AssertionError: no stream."""
    _refuse("current_stream")


def default_stream(device=None):
    """AssertionError: no stream."""
    _refuse("default_stream")
