"""torch.xpu: Intel's GPU is not used here."""

from chainrule.compat.missing import names_of

__all__ = ["device_count", "empty_cache", "is_available", "is_initialized", "manual_seed", "manual_seed_all"]
__getattr__ = names_of(__name__)


def is_available():
    """False."""
    return False


def is_initialized():
    """False."""
    return False


def device_count():
    """0."""
    return 0


def empty_cache():
    """Nothing: there is no cache."""


def manual_seed(seed):
    """Nothing: there is no device generator to seed."""


def manual_seed_all(seed):
    """Nothing: there is no device generator to seed."""
