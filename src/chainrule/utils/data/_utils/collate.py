"""Collating: samples into a batch, and single samples into tensors, through nested containers."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

import chainrule

__all__ = ["collate", "default_collate", "default_collate_fn_map", "default_convert"]

FnMap = dict[Any, Callable[..., Any]]

_CANNOT = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def default_convert(data: Any) -> Any:
    """Arrays and NumPy numbers inside `data` as tensors, sharing memory; all else as it is."""
    if isinstance(data, chainrule.Tensor):
        return data
    if isinstance(data, (np.ndarray, np.generic)):
        return data if data.dtype.kind in "SaUO" else chainrule.as_tensor(data)
    if isinstance(data, Mapping):
        return _mapping_like(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple):
        converted = [default_convert(value) for value in data]
        return type(data)(*converted) if hasattr(data, "_fields") else converted
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _sequence_like(data, [default_convert(value) for value in data])
    return data


def collate(batch: Sequence[Any], *, collate_fn_map: FnMap | None = None) -> Any:
    """One structure like the samples' whose leaves are the samples' leaves put together.

    `collate_fn_map` maps a type, or a tuple of types, to `fn(leaves, *, collate_fn_map)`; the type itself is
    looked up first, then the first entry that the leaf is an instance of.
    """
    first = batch[0]
    kind = type(first)
    if collate_fn_map is not None:
        fn = collate_fn_map.get(kind) or next(
            (fn for types, fn in collate_fn_map.items() if isinstance(first, types)), None
        )
        if fn is not None:
            return fn(batch, collate_fn_map=collate_fn_map)

    if isinstance(first, Mapping):
        columns = {key: collate([d[key] for d in batch], collate_fn_map=collate_fn_map) for key in first}
        return _mapping_like(first, columns)
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        parts = [collate(leaves, collate_fn_map=collate_fn_map) for leaves in zip(*batch, strict=False)]
        return kind(*parts)
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [collate(leaves, collate_fn_map=collate_fn_map) for leaves in zip(*batch, strict=True)]
        return parts if isinstance(first, tuple) else _sequence_like(first, parts)
    raise TypeError(_CANNOT.format(kind))


def _mapping_like(data: Mapping[Any, Any], values: dict[Any, Any]) -> Any:
    """The values in a mapping of the same class; in a dict where that class cannot be built so."""
    try:
        if isinstance(data, MutableMapping):
            filled = copy.copy(data)
            filled.update(values)
            return filled
        return type(data)(values)  # type: ignore[call-arg]
    except TypeError:
        return values


def _sequence_like(data: Sequence[Any], values: list[Any]) -> Any:
    """The values in a sequence of the same class; in a list where that class cannot be built so."""
    try:
        if isinstance(data, MutableSequence):
            filled = copy.copy(data)
            for i, value in enumerate(values):
                filled[i] = value
            return filled
        return type(data)(values)  # type: ignore[call-arg]
    except TypeError:
        return values


def collate_tensor_fn(batch: Sequence[Any], *, collate_fn_map: FnMap | None = None) -> Any:
    """Tensors of one shape, stacked."""
    return chainrule.stack(list(batch), 0)


def collate_numpy_array_fn(batch: Sequence[Any], *, collate_fn_map: FnMap | None = None) -> Any:
    """Arrays of one shape as a stacked tensor. TypeError for arrays of strings or objects."""
    if batch[0].dtype.kind in "SaUO":
        raise TypeError(_CANNOT.format(batch[0].dtype))
    return collate([chainrule.as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Sequence[Any], *, collate_fn_map: FnMap | None = None) -> Any:
    """NumPy numbers as a vector of their dtype."""
    return chainrule.as_tensor(np.asarray(batch))


def collate_float_fn(batch: Sequence[Any], *, collate_fn_map: FnMap | None = None) -> Any:
    """Python floats as a float64 vector."""
    return chainrule.tensor(batch, dtype=chainrule.float64)


def collate_int_fn(batch: Sequence[Any], *, collate_fn_map: FnMap | None = None) -> Any:
    """Python ints or bools as a vector."""
    return chainrule.tensor(batch)


def collate_str_fn(batch: Sequence[Any], *, collate_fn_map: FnMap | None = None) -> Any:
    """Strings stay as they are."""
    return batch


default_collate_fn_map: FnMap = {}


def default_collate(batch: Sequence[Any]) -> Any:
    """Samples into a batch: tensors and arrays are stacked, numbers become vectors, containers are kept."""
    if not default_collate_fn_map:
        # Filled at the first use, when the tensor class exists.
        default_collate_fn_map.update(
            {
                chainrule.Tensor: collate_tensor_fn,
                np.ndarray: collate_numpy_array_fn,
                (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
                float: collate_float_fn,
                int: collate_int_fn,
                str: collate_str_fn,
                bytes: collate_str_fn,
            }
        )
    return collate(batch, collate_fn_map=default_collate_fn_map)
