"""torch.mps: Apple's GPU is not used here."""

from chainrule.compat.missing import names_of

__all__ = ["device_count", "is_available", "manual_seed", "seed"]
__getattr__ = names_of(__name__)


def is_available():
    """False."""
    return False


def device_count():
    """0."""
    return 0


def manual_seed(seed):
    """Nothing: there is no device generator to seed."""


def seed():
    """Nothing: there is no device generator to seed."""
