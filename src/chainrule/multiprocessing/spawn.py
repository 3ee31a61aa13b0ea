"""spawn: one function in several processes, whose errors reach the caller."""

from __future__ import annotations

import multiprocessing
import signal
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any

__all__ = [
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "spawn",
    "start_processes",
]

# How long the others may take to end after one has failed and they were asked to.
GRACE_S = 30.0


class ProcessException(Exception):
    """A process failed; `error_index` says which, `error_pid` under what id."""

    def __init__(self, msg: str, error_index: int, pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.error_pid = pid

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """A process ended with an exception; its traceback is in the message."""


class ProcessExitedException(ProcessException):
    """A process ended with an exit code that is not zero, or by a signal."""

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal_name

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.error_index, self.error_pid, self.exit_code, self.signal_name)


def _run(fn: Callable[..., Any], index: int, args: tuple[Any, ...], errors: Connection) -> None:
    try:
        fn(index, *args)
    except KeyboardInterrupt:
        # The parent has it too, and tells the user.
        pass
    except Exception:
        errors.send(traceback.format_exc())
        raise SystemExit(1) from None


class ProcessContext:
    """The processes of one `start_processes`."""

    def __init__(self, processes: list[Any], errors: list[Connection]) -> None:
        self.processes = processes
        self._errors = errors
        self._waiting = {process.sentinel: index for index, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """The ids of the processes."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until a process ends or `timeout` seconds pass; True when all have ended.

        When one has failed, the others are asked to end, ended after `grace_period`, and the error is raised.
        """
        if not self._waiting:
            return True
        failed = None
        for sentinel in wait(list(self._waiting), timeout):
            index = self._waiting.pop(sentinel)  # type: ignore[arg-type]
            self.processes[index].join()
            if self.processes[index].exitcode != 0:
                failed = index
                break
        if failed is None:
            return not self._waiting
        self._end_all(GRACE_S if grace_period is None else grace_period)
        raise self._error_of(failed)

    def _end_all(self, patience: float) -> None:
        for process in self.processes:
            if process.is_alive():
                process.terminate()
        deadline = time.monotonic() + patience
        for process in self.processes:
            process.join(max(0.0, deadline - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()

    def _error_of(self, index: int) -> ProcessException:
        process = self.processes[index]
        if self._errors[index].poll():
            try:
                text = self._errors[index].recv()
            except EOFError:
                pass
            else:
                message = f"\n\n-- Process {index} terminated with the following error:\n{text}"
                return ProcessRaisedException(message, index, process.pid)
        code = process.exitcode
        if code < 0:
            name = signal.Signals(-code).name
            message = f"process {index} terminated with signal {name}"
            return ProcessExitedException(message, index, process.pid, code, name)
        return ProcessExitedException(
            f"process {index} terminated with exit code {code}", index, process.pid, code
        )


def start_processes(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Call `fn(i, *args)` in `nprocs` processes, i from 0; wait for them, or with `join=False` return them.

    ProcessRaisedException or ProcessExitedException when one fails.
    """
    context: Any = multiprocessing.get_context(start_method)
    processes: list[Any] = []
    errors = []
    for index in range(nprocs):
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=_run, args=(fn, index, args, there), daemon=daemon)
        process.start()
        there.close()
        processes.append(process)
        errors.append(here)
    running = ProcessContext(processes, errors)
    if not join:
        return running
    while not running.join():
        pass
    return None


def spawn(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """`start_processes` by the method "spawn"."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)
