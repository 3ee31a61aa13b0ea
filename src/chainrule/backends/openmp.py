"""torch.backends.openmp: not used here."""

from chainrule.compat.missing import names_of

__all__ = ["is_available"]
__getattr__ = names_of(__name__)


def is_available():
    """False: loops here run in one thread, BLAS has threads of its own."""
    return False
