"""torch.cpu: the one device there is, under the calls that other device modules have."""

from chainrule.compat.missing import names_of

__all__ = ["current_device", "device_count", "is_available", "synchronize"]
__getattr__ = names_of(__name__)


def is_available():
    """True."""
    return True


def device_count():
    """1."""
    return 1


def current_device():
    """'cpu'."""
    return "cpu"


def synchronize(device=None):
    """Nothing: a call has returned when its result is there."""
