"""torch.multiprocessing: Python's own module with what PyTorch adds, `spawn` and the sharing strategy.

Tensors are pickled by value through queues and pipes; a DataLoader's batches come in shared memory
(`utils/data/_utils/message.py`).
"""

import multiprocessing as _multiprocessing
from multiprocessing import *  # noqa: F403

from chainrule.multiprocessing.spawn import (
    ProcessContext,
    ProcessException,
    ProcessExitedException,
    ProcessRaisedException,
    spawn,
    start_processes,
)

__all__ = [
    *_multiprocessing.__all__,
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
]


_strategies = ("file_descriptor", "file_system")
_strategy = _strategies[0]


def get_all_sharing_strategies() -> set[str]:
    """The names that PyTorch has for ways to share memory."""
    return set(_strategies)


def get_sharing_strategy() -> str:
    """The name that was set last."""
    return _strategy


def set_sharing_strategy(new_strategy: str) -> None:
    """Accept the name of a strategy; memory is shared by descriptor either way. AssertionError for others."""
    global _strategy
    if new_strategy not in _strategies:
        raise AssertionError(
            f"invalid sharing strategy {new_strategy!r}, expected one of {get_all_sharing_strategies()}"
        )
    _strategy = new_strategy
