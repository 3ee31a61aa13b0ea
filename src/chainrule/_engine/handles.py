"""Tables of hooks, and the handle that registering one returns. Running hooks is `hooks.py`'s work."""

from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict
from typing import Any


class RemovableHandle:
    """Takes a hook out of the dictionary it was put in; as a context manager it does so on leaving.

    `id` is the hook's key, unique in the process. `extra_dict` is a dictionary, or a list of them, that may
    hold an entry under the same key and loses it too.
    """

    next_id = itertools.count()

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.id: int = next(RemovableHandle.next_id)
        extra = extra_dict if isinstance(extra_dict, list) else [extra_dict]
        self._tables = tuple(weakref.ref(table) for table in (hooks_dict, *extra) if table is not None)

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        for reference in self._tables:
            table = reference()
            if table is not None:
                table.pop(self.id, None)

    def __getstate__(self) -> tuple[Any, ...]:
        return self.id, tuple(reference() for reference in self._tables)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.id, tables = state
        self._tables = tuple(weakref.ref(table) for table in tables if table is not None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.remove()


class Hooks(OrderedDict):
    """Hooks by their handles' ids, in the order they were registered."""

    def add(self, hook: Any, first: bool = False) -> RemovableHandle:
        """Register a hook, behind the others or before them; the handle takes it out again."""
        handle = RemovableHandle(self)
        self[handle.id] = hook
        if first:
            self.move_to_end(handle.id, last=False)
        return handle
