"""make_tensor: random tensors of a given range, to try functions on."""

import math
import warnings

import chainrule

__all__ = ["make_tensor"]

FLOATING = (chainrule.float16, chainrule.bfloat16, chainrule.float32, chainrule.float64)
COMPLEX = (chainrule.complex64, chainrule.complex128)
INTEGRAL = (chainrule.bool, chainrule.uint8, chainrule.int8, chainrule.int16, chainrule.int32, chainrule.int64)


def make_tensor(*shape, dtype, device, low=None, high=None, requires_grad=False, noncontiguous=False,
                exclude_zero=False, memory_format=None):  # fmt: skip
    """A tensor of the shape, its elements drawn evenly from [low, high).

    By default that is [-9, 9) for floating and complex dtypes (real and imaginary part each), -9 to 9 for integers, 0
    to 9 for uint8, and both truth values. Bounds beyond the dtype are those of the dtype. exclude_zero: zeros become
    the smallest normal number or 1. noncontiguous: every other element of a larger tensor, if there is more than one.
    ValueError for low >= high, a range outside of the dtype's, NaN, requires_grad of an integral dtype, and
    noncontiguous together with a memory_format; TypeError for another dtype."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = tuple(shape[0])
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, "
            f"but got noncontiguous={noncontiguous} and memory_format={memory_format}"
        )
    if requires_grad and dtype in INTEGRAL:
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype}"
        )
    low, high = _range(dtype, low, high)
    spread = noncontiguous and math.prod(shape) > 1
    result = _drawn((*shape[:-1], 2 * shape[-1]) if spread else shape, dtype, device, low, high)
    if spread:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        result[result == 0] = 1 if dtype in INTEGRAL else chainrule.finfo(dtype).tiny
    return result.requires_grad_() if requires_grad else result


def _range(dtype, low, high):
    """The bounds with their defaults, brought into the dtype's own; integers for an integral dtype."""
    default_low, default_high, least, greatest = _limits(dtype)
    low, high = (default_low if low is None else low), (default_high if high is None else high)
    if low != low or high != high:
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={low} and high={high}")
    floating = dtype in FLOATING or dtype in COMPLEX
    if low == high and floating:
        warnings.warn(
            "torch.testing.make_tensor: low == high gives a constant for a floating or complex dtype, which is "
            "deprecated; torch.full says so",
            FutureWarning,
            stacklevel=3,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < least or low >= greatest:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), "
            f"but {dtype} only supports [{least}, {greatest})"
        )
    low, high = min(max(low, least), greatest), min(max(high, least), greatest)
    return (low, high) if floating else (math.ceil(low), math.ceil(high))


def _limits(dtype):
    """Default low and high, then the least and the greatest that the dtype holds, or one beyond for integers."""
    if dtype is chainrule.bool:
        return 0, 2, 0, 2
    if dtype in INTEGRAL:
        info = chainrule.iinfo(dtype)
        # A bound is an int64 itself, so its own last number is out of reach.
        end = min(info.max + 1, chainrule.iinfo(chainrule.int64).max)
        return -9, 10, info.min, end
    if dtype in FLOATING or dtype in COMPLEX:
        info = chainrule.finfo(dtype)
        return -9, 9, info.min, info.max
    raise TypeError(
        f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor(): expected a torch.dtype "
        "that chainrule has"
    )


def _drawn(shape, dtype, device, low, high):
    if dtype in INTEGRAL:
        return chainrule.randint(low, high, shape, dtype=dtype, device=device)
    result = chainrule.empty(shape, dtype=dtype, device=device)
    parts = chainrule.view_as_real(result) if dtype in COMPLEX else result
    if high - low <= chainrule.finfo(dtype).max:
        parts.uniform_(low, high)
    else:
        # The width of the range would overflow: half the range, doubled.
        parts.uniform_(low / 2, high / 2).mul_(2)
    return result
