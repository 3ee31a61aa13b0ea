"""Fetchers: from an index, or a list of them, to collated data; used in the program itself and in workers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any


class MapFetcher:
    """Fetches from a dataset by index."""

    def __init__(
        self, dataset: Any, batched: bool, collate_fn: Callable[[Any], Any], drop_last: bool
    ) -> None:
        self.dataset = dataset
        self.batched = batched
        self.collate_fn = collate_fn

    def fetch(self, index: Any) -> Any:
        """The collated samples at `index`."""
        if not self.batched:
            return self.collate_fn(self.dataset[index])
        whole = getattr(self.dataset, "__getitems__", None)
        return self.collate_fn(whole(index) if whole else [self.dataset[i] for i in index])


class IterableFetcher:
    """Fetches the next samples of an iterable dataset."""

    def __init__(
        self, dataset: Any, batched: bool, collate_fn: Callable[[Any], Any], drop_last: bool
    ) -> None:
        self.samples = iter(dataset)
        self.batched = batched
        self.collate_fn = collate_fn
        self.drop_last = drop_last
        self.ended = False

    def fetch(self, index: Any) -> Any:
        """The next sample, or as many as `index` has entries. StopIteration when there are no more."""
        if self.ended:
            raise StopIteration
        if not self.batched:
            return self.collate_fn(next(self.samples))
        data = list(islice(self.samples, len(index)))
        self.ended = len(data) < len(index)
        if not data or (self.ended and self.drop_last):
            raise StopIteration
        return self.collate_fn(data)
