"""torch.backends.mkl: not used here."""

from chainrule.compat.missing import names_of

__all__ = ["is_available"]
__getattr__ = names_of(__name__)


def is_available():
    """False: NumPy brings its own BLAS, see `chainrule info`."""
    return False
