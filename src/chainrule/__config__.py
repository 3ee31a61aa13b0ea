"""torch.__config__: how this build was made, as text."""

from chainrule._core import mode
from chainrule._core.settings import get_num_threads
from chainrule.version import __version__


def show():
    """A description of the build."""
    return f"chainrule {__version__}\n  - {mode.reason()}\n"


def parallel_info():
    """What is known of threads."""
    return f"threads asked for: {get_num_threads()}; kernels are NumPy's, whose BLAS sets its own\n"
