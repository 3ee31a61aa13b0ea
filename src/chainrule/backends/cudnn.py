"""torch.backends.cudnn: absent; the switches are kept, and every result here is deterministic anyway."""

from contextlib import contextmanager

from chainrule.compat.missing import names_of

__getattr__ = names_of(__name__)

enabled = True
deterministic = False
benchmark = False
benchmark_limit = 10
allow_tf32 = True


def is_available():
    """False."""
    return False


def version():
    """None: there is no cuDNN."""
    return None


def is_acceptable(tensor):
    """False: no tensor is on a GPU."""
    return False


@contextmanager
def flags(enabled=False, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=True):
    """The five switches as given inside the `with` block, and as they were after it."""
    given = {
        "enabled": enabled,
        "benchmark": benchmark,
        "benchmark_limit": benchmark_limit,
        "deterministic": deterministic,
        "allow_tf32": allow_tf32,
    }
    switches = globals()
    before = {name: switches[name] for name in given}
    switches.update(given)
    try:
        yield
    finally:
        switches.update(before)
