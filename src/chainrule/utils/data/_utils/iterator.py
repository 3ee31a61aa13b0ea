"""One pass over a loader: in the program itself, or with the worker processes of a pool."""

from __future__ import annotations

import copy
import multiprocessing
import warnings
from typing import Any

import chainrule
from chainrule.utils.data._utils.fetch import IterableFetcher, MapFetcher
from chainrule.utils.data._utils.pool import WorkerPool
from chainrule.utils.data._utils.worker import END, RESTART, Assignment, Failure
from chainrule.utils.data.dataset import IterableDataset


def _snapshot(loader: Any) -> Any:
    """The loader as it is now, without the workers it may keep: an iterator must not hold itself."""
    snapshot = copy.copy(loader)
    snapshot._iterator = None
    return snapshot


class LoaderIterator:
    """One pass over a loader."""

    def __init__(self, loader: Any) -> None:
        self._loader = _snapshot(loader)
        iterable = isinstance(loader.dataset, IterableDataset)
        self._fetcher_class = IterableFetcher if iterable else MapFetcher
        if loader.pin_memory:
            if loader.pin_memory_device:
                warnings.warn(
                    "pin_memory_device is deprecated, the current accelerator will be used as the device,"
                    f"ignore pin_memory_device='{loader.pin_memory_device}'.",
                    stacklevel=4,
                )
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned "
                "memory won't be used.",
                stacklevel=4,
            )
        self._indices = iter(loader._index_sampler)
        # Drawn in every mode, as PyTorch does: programs see the same random numbers with and without workers.
        self._base_seed = int(
            chainrule.empty((), dtype=chainrule.int64).random_(generator=loader.generator).item()
        )
        self._yielded = 0

    def __iter__(self) -> LoaderIterator:
        return self

    def __len__(self) -> int:
        return len(self._loader._index_sampler)

    def __getstate__(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} cannot be pickled")

    def _next_data(self) -> Any:
        raise NotImplementedError

    def __next__(self) -> Any:
        data = self._next_data()
        self._yielded += 1
        announced = self._loader._IterableDataset_len_called
        if announced is not None and self._yielded > announced and self._fetcher_class is IterableFetcher:
            warnings.warn(
                f"Length of IterableDataset {self._loader.dataset} was reported to be {announced} (when "
                f"accessing len(dataloader)), but {self._yielded} samples have been fetched. "
                + (
                    "Each worker iterates the whole dataset unless it asks get_worker_info(). "
                    * bool(self._loader.num_workers)
                ),
                stacklevel=2,
            )
        return data


class DirectIterator(LoaderIterator):
    """Fetches in the program itself."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        if loader.timeout != 0:
            raise AssertionError(f"timeout needs num_workers > 0, got timeout={loader.timeout}")
        self._fetcher = self._fetcher_class(
            loader.dataset, loader._auto_collation, loader.collate_fn, loader.drop_last
        )

    def _next_data(self) -> Any:
        return self._fetcher.fetch(next(self._indices))


class WorkerIterator(LoaderIterator):
    """Hands indices to workers in turn, `prefetch_factor` to each, and puts the answers in order.

    Every task has a number, larger than all before it, and gets exactly one answer: a batch, a failure, or
    the end of the worker's iterable dataset.
    """

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        if loader.prefetch_factor is None or loader.prefetch_factor <= 0:
            raise AssertionError(
                f"prefetch_factor must be greater than 0 with num_workers > 0, got {loader.prefetch_factor}"
            )
        assignment = Assignment(
            fetcher=self._fetcher_class,
            dataset=loader.dataset,
            batched=loader._auto_collation,
            collate_fn=loader.collate_fn,
            drop_last=loader.drop_last,
            base_seed=self._base_seed,
            init_fn=loader.worker_init_fn,
            worker_id=0,
            num_workers=loader.num_workers,
        )
        self._next_number = 0
        self.closed = False
        self._pool = WorkerPool(loader.multiprocessing_context or multiprocessing.get_context(), assignment)
        self._begin()

    def _begin(self) -> None:
        workers = self._loader.num_workers
        self._indices = iter(self._loader._index_sampler)
        self._yielded = 0
        self._first_number = self._next_number
        self._turn = 0
        self._active = [True] * workers
        self._load = [0] * workers
        # Tasks without an answer handed on yet, in the order sent, and the answers that came early.
        self._worker_of: dict[int, int] = {}
        self._answers: dict[int, Any] = {}
        for _ in range(self._most_tasks):
            self._send_next()

    @property
    def _most_tasks(self) -> int:
        return self._loader.num_workers * (self._loader.prefetch_factor or 0)

    def restart(self, loader: Any) -> None:
        """Begin another epoch with the same workers; answers to tasks of the last one are ignored."""
        self._loader = _snapshot(loader)
        for worker in range(self._loader.num_workers):
            self._pool.send(worker, RESTART)
        self._begin()

    def _send_next(self) -> None:
        """Give the next index to the next worker in turn that takes it, if there are both."""
        worker = self._choose_worker()
        if worker is None:
            return
        try:
            index = next(self._indices)
        except StopIteration:
            return
        self._pool.send(worker, (self._next_number, index))
        self._worker_of[self._next_number] = worker
        self._load[worker] += 1
        self._next_number += 1

    def _choose_worker(self) -> int | None:
        workers = len(self._active)
        for _ in range(workers):
            worker = self._turn
            self._turn = (worker + 1) % workers
            if self._active[worker] and (
                self._loader.in_order or self._load[worker] < self._most_tasks // sum(self._active)
            ):
                return worker
        return None

    def _next_data(self) -> Any:
        try:
            number = self._next_answered()
        except BaseException:
            # Ctrl-C and dead workers leave no processes behind; what follows is the end of the iteration.
            self._close()
            raise
        if number is None:
            if not self._loader.persistent_workers:
                self._close()
            raise StopIteration
        answer = self._answers.pop(number)
        if isinstance(answer, Failure):
            answer.reraise()
        return answer.value

    def _next_answered(self) -> int | None:
        """The number of the task whose answer comes next; None when no task is left."""
        while self._worker_of:
            if self._loader.in_order:
                candidate = next(iter(self._worker_of))
            else:
                candidate = next(iter(self._answers), -1)
            if candidate in self._answers:
                self._load[self._worker_of.pop(candidate)] -= 1
                self._send_next()
                return candidate
            self._take_answer()
        return None

    def _take_answer(self) -> None:
        waiting = {worker for number, worker in self._worker_of.items() if number not in self._answers}
        timeout = self._loader.timeout
        received = self._pool.receive(waiting, timeout if timeout > 0 else None)
        if received is None:
            raise RuntimeError(f"DataLoader timed out after {timeout} seconds")
        number, answer = received
        if number < self._first_number:
            return
        if answer != END:
            self._answers[number] = answer
            return
        worker = self._worker_of.pop(number)
        self._active[worker] = False
        self._load[worker] -= 1
        self._send_next()

    def _close(self) -> None:
        self.closed = True
        self._worker_of.clear()
        self._pool.close()
