"""DistributedSampler: one share of a dataset for each of several programs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sized
from typing import Any

import chainrule
from chainrule.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every `num_replicas`-th index from `rank` on, after a shuffle that all replicas make alike.

    The shuffle depends on `seed` and on the epoch: call `set_epoch` before each. The shares are made equal by
    repeating the first indices, or with `drop_last` by leaving out the last.
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            if not chainrule.distributed.is_available():
                raise RuntimeError(
                    "Requires distributed package to be available, or num_replicas and rank given"
                )
            num_replicas = chainrule.distributed.get_world_size() if num_replicas is None else num_replicas
            rank = chainrule.distributed.get_rank() if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        exact = len(dataset) / num_replicas
        self.num_samples = math.floor(exact) if drop_last else math.ceil(exact)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[int]:
        size = len(self.dataset)
        indices: list[Any] = list(range(size))
        if self.shuffle:
            generator = chainrule.Generator()
            generator.manual_seed(self.seed + self.epoch)
            indices = chainrule.randperm(size, generator=generator).tolist()
        if size < self.total_size:
            indices = (indices * math.ceil(self.total_size / max(1, size)))[: self.total_size]
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch comes, so that it has an order of its own."""
        self.epoch = epoch
