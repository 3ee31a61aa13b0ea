"""torch.backends.mkldnn (oneDNN): not used here; its switch is kept."""

from chainrule.compat.missing import names_of

__getattr__ = names_of(__name__)

enabled = True


def is_available():
    """False."""
    return False
