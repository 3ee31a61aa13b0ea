"""How a layer's size arguments become tuples of the right length."""

from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple]:
    """The function that gives a tuple of any iterable and repeats anything else ``n`` times."""

    def parse(value: Any) -> tuple:
        if isinstance(value, Iterable):
            return tuple(value)
        return (value,) * n

    parse.__name__ = name
    return parse


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(values: tuple, n: int) -> tuple:
    """Each value ``n`` times, last value first: the order in which ``F.pad`` counts dimensions."""
    return tuple(value for value in reversed(values) for _ in range(n))


def _list_with_default(out_size: list[int | None], defaults: list[int]) -> list[int]:
    """``out_size`` with each None replaced by that dimension's size; ``defaults`` may lead with others."""
    if isinstance(out_size, int):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    own = defaults[-len(out_size) :]
    return [default if size is None else size for size, default in zip(out_size, own, strict=True)]


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Take ``prefix`` off the keys that have it, in place and in the metadata too."""
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is None:
        return
    # Metadata is named after modules: "module" for the prefix "module.", and "" for the whole.
    for key in list(metadata):
        if key == prefix.rstrip(".") or key.startswith(prefix):
            metadata[key[len(prefix) :]] = metadata.pop(key)
