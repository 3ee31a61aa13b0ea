"""torch.backends.mps: Apple's GPU is not used here."""

from chainrule.compat.missing import names_of

__all__ = ["is_available", "is_built", "is_macos13_or_newer", "is_macos_or_newer"]
__getattr__ = names_of(__name__)


def is_available():
    """False."""
    return False


def is_built():
    """False."""
    return False


def is_macos_or_newer(major, minor):
    """False, as in any build without MPS."""
    return False


def is_macos13_or_newer():
    """False, as in any build without MPS."""
    return False
