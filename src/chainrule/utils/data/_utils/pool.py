"""WorkerPool: the processes of one loader, the connections to them, and their end."""

from __future__ import annotations

import os
import signal
import time
import weakref
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from typing import Any

from chainrule.utils.data._utils import message
from chainrule.utils.data._utils.worker import STOP, Assignment, keep_from_children, work

# How long workers may take to finish what they are doing before they are ended.
PATIENCE_S = 5.0


class WorkerPool:
    """Starts `num_workers` processes on one assignment; `close`, or losing the pool, ends them."""

    def __init__(self, context: Any, assignment: Assignment) -> None:
        self.processes: list[Any] = []
        self.inboxes: list[Connection] = []
        self.outboxes: list[Connection] = []
        self._finalizer = weakref.finalize(
            self, _end, os.getpid(), self.processes, self.inboxes, self.outboxes
        )
        try:
            for worker_id in range(assignment.num_workers):
                self._start(context, replace(assignment, worker_id=worker_id))
        except BaseException:
            self.close()
            raise

    def _start(self, context: Any, assignment: Assignment) -> None:
        their_inbox, inbox = context.Pipe(duplex=False)
        # Both ways, since only sockets can hand over descriptors.
        outbox, their_outbox = context.Pipe(duplex=True)
        self.inboxes.append(inbox)
        self.outboxes.append(outbox)
        keep_from_children(inbox, outbox)
        process = context.Process(target=work, args=(their_inbox, their_outbox, assignment), daemon=True)
        try:
            process.start()
        finally:
            their_inbox.close()
            their_outbox.close()
        self.processes.append(process)

    def send(self, worker: int, task: Any) -> None:
        """Send a task to a worker. RuntimeError if it is dead."""
        try:
            self.inboxes[worker].send(task)
        except (BrokenPipeError, ConnectionResetError):
            raise self._dead(worker) from None

    def receive(self, workers: set[int], timeout: float | None) -> Any:
        """The next message from any of these workers; None when none comes in `timeout` seconds.

        RuntimeError if one of them has died.
        """
        sources: dict[Any, int] = {}
        for worker in workers:
            sources[self.outboxes[worker]] = worker
            sources[self.processes[worker].sentinel] = worker
        ready = wait(list(sources), timeout)
        if not ready:
            return None
        # A worker may have answered and then died: what it sent comes first.
        for source in ready:
            connection = self.outboxes[sources[source]]
            if connection.poll():
                try:
                    return message.receive(connection)
                except (EOFError, OSError):
                    break
        raise self._dead(sources[source])

    def _dead(self, worker: int) -> RuntimeError:
        process = self.processes[worker]
        process.join(PATIENCE_S)
        code = process.exitcode
        if code is not None and code < 0:
            why = f"is killed by signal: {signal.strsignal(-code)}"
        else:
            why = f"exited unexpectedly with exit code {code}"
        return RuntimeError(f"DataLoader worker (pid(s) {process.pid}) {why}")

    def close(self) -> None:
        """End the workers; a second call does nothing."""
        self._finalizer()


def _end(owner: int, processes: list[Any], inboxes: list[Connection], outboxes: list[Connection]) -> None:
    # A forked child has copies of these objects but not these children.
    if os.getpid() != owner:
        return
    for inbox in inboxes:
        try:
            inbox.send(STOP)
        except OSError:
            pass
        inbox.close()
    for outbox in outboxes:
        outbox.close()
    deadline = time.monotonic() + PATIENCE_S
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))
    for end in ("terminate", "kill"):
        late = [process for process in processes if process.is_alive()]
        for process in late:
            getattr(process, end)()
        for process in late:
            process.join(1.0)
