"""DataLoader: batches of a dataset, fetched in the program itself or by worker processes."""

from __future__ import annotations

import copy
import multiprocessing
import multiprocessing.context
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

import chainrule
from chainrule.utils.data._utils.collate import default_collate, default_convert
from chainrule.utils.data._utils.fetch import IterableFetcher, MapFetcher
from chainrule.utils.data._utils.pool import WorkerPool
from chainrule.utils.data._utils.worker import END, RESTART, Assignment, Failure, get_worker_info
from chainrule.utils.data.dataset import Dataset, IterableDataset
from chainrule.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

T_co = TypeVar("T_co", covariant=True)


class _DatasetKind:
    Map = 0
    Iterable = 1


class _InfiniteConstantSampler(Sampler[None]):
    """None for ever: an iterable dataset needs no index, only to be asked."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


class DataLoader(Generic[T_co]):
    """Iterates a dataset in batches.

    Which samples: in order, `shuffle`d, by a `sampler` of indices or a `batch_sampler` of lists of them; an
    `IterableDataset` decides itself. `batch_size=None` gives single samples. `collate_fn` makes a batch of a
    list of samples, by default stacked tensors (`default_collate`).

    With `num_workers` > 0 that many processes (of `multiprocessing_context`) fetch ahead, `prefetch_factor`
    batches each; arrays come back in shared memory. Batches keep the order of the sampler unless
    `in_order=False`. Worker i has the seed base + i for `random`, chainrule and, mixed, NumPy; the base is
    drawn from `generator` at the start of each iteration. `worker_init_fn(i)` runs first in each. A batch
    that takes longer than `timeout` seconds, a dead worker, or an exception in one raises here.
    `persistent_workers` stay from one epoch to the next. `pin_memory` has no effect without an accelerator
    and warns.
    """

    _frozen = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
    _initialized = False

    def __init__(
        self,
        dataset: Dataset[T_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler[Any] | Iterable[Any] | None = None,
        batch_sampler: Sampler[list[Any]] | Iterable[list[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_worker_options(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order

        iterable = isinstance(dataset, IterableDataset)
        self._dataset_kind = _DatasetKind.Iterable if iterable else _DatasetKind.Map
        _check_order_options(iterable, batch_size, shuffle, sampler, batch_sampler, drop_last)
        if batch_sampler is not None:
            batch_size = None
        if sampler is None:
            if iterable:
                sampler = _InfiniteConstantSampler()
            elif shuffle:
                sampler = RandomSampler(dataset, generator=generator)  # type: ignore[arg-type]
            else:
                sampler = SequentialSampler(dataset)  # type: ignore[arg-type]
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn or (default_collate if self._auto_collation else default_convert)
        self.persistent_workers = persistent_workers
        self._initialized = True
        self._IterableDataset_len_called: int | None = None
        self._iterator: _WorkerIterator | None = None
        self.check_worker_number_rationality()

    def __setattr__(self, name: str, value: Any) -> None:
        if self._initialized and name in self._frozen:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def multiprocessing_context(self) -> Any:
        """The context that workers are started in; None for the default one."""
        return self._multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        if context is not None:
            if self.num_workers == 0:
                raise ValueError(
                    "multiprocessing_context can only be used with multi-process loading (num_workers > "
                    "0), but got "
                    f"num_workers={self.num_workers}"
                )
            if isinstance(context, str):
                known = multiprocessing.get_all_start_methods()
                if context not in known:
                    raise ValueError(
                        f"multiprocessing_context option should specify a valid start method in "
                        f"{known!r}, but got "
                        f"multiprocessing_context={context!r}"
                    )
                context = multiprocessing.get_context(context)
            if not isinstance(context, multiprocessing.context.BaseContext):
                raise TypeError(
                    "multiprocessing_context option should be a valid context object or a string "
                    "specifying the "
                    f"start method, but got multiprocessing_context={context}"
                )
        self._multiprocessing_context = context

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.batch_sampler if self._auto_collation else self.sampler

    def __iter__(self) -> Any:
        if self.num_workers == 0:
            return _DirectIterator(self)
        if not self.persistent_workers:
            return _WorkerIterator(self)
        if self._iterator is None or self._iterator.closed:
            self._iterator = _WorkerIterator(self)
        else:
            self._iterator.restart(self)
        return self._iterator

    def __len__(self) -> int:
        if self._dataset_kind != _DatasetKind.Iterable:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warn if more workers are asked for than this process has processors."""
        cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        if cpus is not None and self.num_workers > cpus:
            warnings.warn(
                f"This DataLoader will create {self.num_workers} worker processes in total. Our suggested "
                f"max number "
                f"of worker in current system is {cpus}, which is smaller than what this DataLoader is "
                f"going to "
                "create. Please be aware that excessive worker creation might get DataLoader running "
                "slow or even "
                "freeze, lower the worker number to avoid potential slowness/freeze if necessary.",
                stacklevel=3,
            )


def _check_worker_options(
    num_workers: int, timeout: float, prefetch_factor: int | None, persistent: bool
) -> None:
    if num_workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_order_options(
    iterable: bool, batch_size: Any, shuffle: Any, sampler: Any, batch_sampler: Any, drop_last: bool
) -> None:
    if iterable:
        given = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
        for name, value in given.items():
            if value is not None:
                raise ValueError(
                    f"DataLoader with IterableDataset: expected unspecified {name} option, but got "
                    f"{name}={value}"
                )
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None:
        if batch_size != 1 or shuffle or sampler is not None or drop_last:
            raise ValueError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
            )
    elif batch_size is None and drop_last:
        raise ValueError(
            "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
        )


def _snapshot(loader: DataLoader[Any]) -> DataLoader[Any]:
    """The loader as it is now, without the workers it may keep: an iterator must not hold itself."""
    snapshot = copy.copy(loader)
    snapshot._iterator = None
    return snapshot


class _LoaderIterator:
    """One pass over a loader."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        self._loader = _snapshot(loader)
        self._fetcher_class = IterableFetcher if loader._dataset_kind == _DatasetKind.Iterable else MapFetcher
        if loader.pin_memory:
            if loader.pin_memory_device:
                warnings.warn(
                    "pin_memory_device is deprecated, the current accelerator will be used as the device,"
                    f"ignore pin_memory_device='{loader.pin_memory_device}'.",
                    stacklevel=4,
                )
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned "
                "memory won't "
                "be used.",
                stacklevel=4,
            )
        self._indices = iter(loader._index_sampler)
        # Drawn in every mode, as PyTorch does: programs see the same random numbers with and without workers.
        self._base_seed = int(
            chainrule.empty((), dtype=chainrule.int64).random_(generator=loader.generator).item()
        )
        self._yielded = 0

    def __iter__(self) -> _LoaderIterator:
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
                f"accessing "
                f"len(dataloader)), but {self._yielded} samples have been fetched. "
                + (
                    "Each worker iterates the whole dataset unless it asks get_worker_info(). "
                    * bool(self._loader.num_workers)
                ),
                stacklevel=2,
            )
        return data


class _DirectIterator(_LoaderIterator):
    """Fetches in the program itself."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        if loader.timeout != 0:
            raise AssertionError(f"timeout needs num_workers > 0, got timeout={loader.timeout}")
        self._fetcher = self._fetcher_class(
            loader.dataset, loader._auto_collation, loader.collate_fn, loader.drop_last
        )

    def _next_data(self) -> Any:
        return self._fetcher.fetch(next(self._indices))


class _WorkerIterator(_LoaderIterator):
    """Hands indices to workers in turn, `prefetch_factor` to each, and puts the answers in order.

    Every task has a number, larger than all before it, and gets exactly one answer: a batch, a failure, or
    the end of the worker's iterable dataset.
    """

    def __init__(self, loader: DataLoader[Any]) -> None:
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

    def restart(self, loader: DataLoader[Any]) -> None:
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
