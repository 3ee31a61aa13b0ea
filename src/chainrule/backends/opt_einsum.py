"""torch.backends.opt_einsum: no path optimiser of its own; its switches are kept."""

from chainrule.compat.missing import names_of

__getattr__ = names_of(__name__)

enabled = False
strategy = None


def is_available():
    """False."""
    return False
