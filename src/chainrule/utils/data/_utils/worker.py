"""The worker process of a loader: its seeds, its loop, and what it can be asked about itself."""

from __future__ import annotations

import os
import queue
import random
import threading
import traceback
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

import chainrule
from chainrule.utils.data._utils import message
from chainrule.utils.data._utils.fetch import IterableFetcher

__all__ = ["WorkerInfo", "get_worker_info"]


@dataclass(frozen=True)
class WorkerInfo:
    """What a worker knows of itself: its number, how many there are, its seed, its copy of the dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """In a loader's worker, facts about it; None elsewhere."""
    return _worker_info


@dataclass(frozen=True)
class Assignment:
    """What a worker is started with."""

    fetcher: Callable[..., Any]
    dataset: Any
    batched: bool
    collate_fn: Callable[[Any], Any]
    drop_last: bool
    base_seed: int
    init_fn: Callable[[int], None] | None
    worker_id: int
    num_workers: int

    def start_fetcher(self) -> Any:
        """A fetcher at the start of the dataset."""
        return self.fetcher(self.dataset, self.batched, self.collate_fn, self.drop_last)


# To a worker go (number, index), RESTART and STOP; from it come (number, Data | Failure | END).
RESTART = "restart"
STOP = "stop"
END = "end"


@dataclass(frozen=True)
class Data:
    """A batch."""

    value: Any


class Failure:
    """An exception in a worker, to be raised in the program with the worker's traceback in its message."""

    def __init__(self, error: BaseException, where: str) -> None:
        self.type: Any = type(error)
        text = "".join(traceback.format_exception(error))
        self.text = f"Caught {self.type.__name__} {where}.\nOriginal {text}"

    def reraise(self) -> None:
        """Raise an exception of the same type; RuntimeError where that type cannot be made from a text."""
        # Not kept in a variable: the frame that its traceback holds would hold it.
        raise self._rebuilt() from None

    def _rebuilt(self) -> BaseException:
        try:
            error = self.type(_KeyErrorText(self.text) if self.type is KeyError else self.text)
        except Exception:
            return RuntimeError(self.text)
        return error if isinstance(error, BaseException) else RuntimeError(self.text)


class _KeyErrorText(str):
    """A text that KeyError, which shows the repr of its argument, shows with its line breaks."""

    def __repr__(self) -> str:
        return str(self)


# The loader's ends of the connections to all its workers: a forked child closes its copies, else a worker
# would
# not see that the program has ended.
_near_ends: weakref.WeakSet[Connection] = weakref.WeakSet()


def keep_from_children(*connections: Connection) -> None:
    """Have processes that are forked from this one close their copies of these connections."""
    _near_ends.update(connections)


def _close_near_ends() -> None:
    for connection in list(_near_ends):
        connection.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_near_ends)


def seed_everything(base_seed: int, worker_id: int) -> int:
    """Seed `random` and chainrule with base_seed + worker_id, which is returned, and NumPy with a mix."""
    seed = base_seed + worker_id
    random.seed(seed)
    chainrule.manual_seed(seed)
    words = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    np.random.seed(np.random.SeedSequence(words).generate_state(4))
    return seed


def work(inbox: Connection, outbox: Connection, assignment: Assignment) -> None:
    """Answer every task until told to stop or the program is gone; the body of a worker process."""
    global _worker_info
    where = f"in DataLoader worker process {assignment.worker_id}"
    try:
        # The workers together fill the processors already.
        chainrule.set_num_threads(1)
        seed = seed_everything(assignment.base_seed, assignment.worker_id)
        _worker_info = WorkerInfo(assignment.worker_id, assignment.num_workers, seed, assignment.dataset)
        tasks = _read_ahead(inbox)
        failure: Failure | None = None
        fetcher = None
        try:
            if assignment.init_fn is not None:
                assignment.init_fn(assignment.worker_id)
        except Exception as error:
            failure = Failure(error, where)
        task: Any = RESTART
        while task != STOP:
            if task == RESTART:
                try:
                    fetcher = assignment.start_fetcher()
                except Exception as error:
                    failure = failure or Failure(error, where)
                task = tasks.get()
                continue
            number, index = task
            answer: Any = failure or _answer(fetcher, index, where)
            try:
                parts = message.pack((number, answer))
            except Exception as error:
                # A batch, or an exception's class, that cannot be pickled.
                problem = RuntimeError(f"cannot send the batch to the program: {error}")
                parts = message.pack((number, Failure(problem, where)))
            message.send(outbox, parts)
            del answer, parts, index
            task = tasks.get()
    except (KeyboardInterrupt, BrokenPipeError, ConnectionResetError):
        # Ctrl-C reaches the whole group, and the program tells the user; a broken pipe means that it is gone.
        pass


def _answer(fetcher: Any, index: Any, where: str) -> Any:
    try:
        return Data(fetcher.fetch(index))
    except StopIteration as error:
        return END if isinstance(fetcher, IterableFetcher) else Failure(error, where)
    except Exception as error:
        return Failure(error, where)


def _read_ahead(inbox: Connection) -> queue.SimpleQueue[Any]:
    """Tasks as they come in, taken off the pipe at once so that the loader never waits to send one.

    RESTART and STOP overtake the tasks before them, which nobody waits for any more.
    """
    tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def read() -> None:
        task = None
        while task != STOP:
            try:
                task = inbox.recv()
            except (EOFError, OSError):
                task = STOP
            if task in (RESTART, STOP):
                while not tasks.empty():
                    tasks.get()
            tasks.put(task)

    threading.Thread(target=read, daemon=True).start()
    return tasks
