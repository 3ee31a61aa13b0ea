"""The arguments of ops with sliding windows: sizes per axis, ranks, element types."""

from chainrule._engine.tensor import Tensor


def per_axis(op, name, value, n):
    """One int for all of n axes, or a sequence of n (or of one), as a tuple of n ints."""
    if hasattr(value, "__index__"):
        return (value.__index__(),) * n
    if not isinstance(value, (tuple, list)) or not all(hasattr(v, "__index__") for v in value):
        kind = type(value).__name__
        raise TypeError(f"{op}(): argument '{name}' must be int or tuple of ints, but got {kind}: {value!r}")
    sizes = tuple(v.__index__() for v in value)
    if len(sizes) == 1:
        return sizes * n
    if len(sizes) != n:
        raise RuntimeError(
            f"{op}: expected {name} to be a single integer value or a list of {n} values to match the number of "
            f"windowed dimensions, but got {name}={list(sizes)}"
        )
    return sizes


def check_least(op, name, sizes, least):
    """RuntimeError unless every size is at least `least` (0 or 1)."""
    if min(sizes) < least:
        word = "negative" if least == 0 else "non-positive"
        raise RuntimeError(f"{op}: {word} {name} is not supported, got {name}={sizes}")


def tensor_argument(op, name, value):
    """TypeError unless the argument is a tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{op}(): argument '{name}' must be Tensor, not {type(value).__name__}")
    return value


def check_rank(op, input, n):
    """A tensor of n windowed axes with one axis before them, or two (batched)."""
    tensor_argument(op, "input", input)
    if len(input.meta.shape) not in (n + 1, n + 2):
        raise RuntimeError(
            f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {op}, but got input of size: "
            f"{list(input.meta.shape)}"
        )


def check_elements(op, input, kinds):
    """NotImplementedError unless the dtype's kind is among `kinds`: b(ool), i(nteger), f(loat), c(omplex)."""
    if "bifc"[input.meta.dtype.category] not in kinds:
        name = input.meta.dtype.tensor_type.rpartition(".")[2].removesuffix("Tensor")
        raise NotImplementedError(f"\"{op}\" not implemented for '{name}'")
