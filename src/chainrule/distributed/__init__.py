"""torch.distributed in one process: not available, as in a PyTorch built without it."""

from chainrule.compat.missing import names_of

__getattr__ = names_of(__name__)


def is_available():
    """False: programs that ask run in one process."""
    return False


def is_initialized():
    """False: there is no process group."""
    return False


def is_torchelastic_launched():
    """False."""
    return False


def is_gloo_available():
    """False."""
    return False


def is_mpi_available():
    """False."""
    return False


def is_nccl_available():
    """False."""
    return False
