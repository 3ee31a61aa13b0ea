"""Random draws of whole numbers: torch.randint, Tensor.random_, torch.randperm, torch.multinomial.

Like random.py: generator first, PyTorch's numbers bit for bit, nothing drawn before an error.
"""

import math

import numpy as np

from chainrule._kernels import samplers, variates
from chainrule._kernels.random import exponential
from chainrule._kernels.targets import (
    DIGITS,
    FLOAT64,
    LARGEST,
    LIMITS,
    deliver,
    dtype_name,
    narrowed,
    require,
    widened,
)

LOWEST = -(2**63)
WIDE_RANGE = 2**28  # from this range on a number takes two words
MOST_CATEGORIES = 2**24


def _wide_words(generator, count):
    """uint64: two words a number, the first on top."""
    pairs = generator.raw(2 * count).reshape(count, 2).astype(np.uint64)
    return pairs[:, 0] << np.uint64(32) | pairs[:, 1]


def _below_span(generator, count, span, wide):
    """int64, wrapping where the span is longer: words, of two each if `wide`, modulo `span`."""
    if wide:
        return (_wide_words(generator, count) % np.uint64(span)).view(np.int64)
    return (generator.raw(count) % np.uint32(span)).astype(np.int64)


def _cast(values, np_dtype):
    """int64 to the target's dtype: floats round, bool asks for non-zero, integers wrap."""
    return narrowed(values, np_dtype) if np_dtype in DIGITS else values.astype(np_dtype, copy=False)


def random_(generator, shape, np_dtype, low=None, high=None, out=None):
    """Whole numbers: Tensor.random_(). Any dtype but complex.

    Without bounds from 0 to the dtype's largest integer (2**digits for floats). With `low` alone from low
    to there, with both from low to high - 1. RuntimeError if the bounds are out of order or of the dtype's
    range.
    """
    np_dtype = np.dtype(np_dtype)
    if np_dtype.kind == "c":
        raise NotImplementedError(f"random_: expected a real array, got {np_dtype.name}")
    count = math.prod(shape)
    if low is None and high is None:
        values = _below_span(generator, count, _top(np_dtype) + 1, np_dtype in (np.int64, FLOAT64))
    elif high is None and low == LOWEST:
        if np_dtype not in (np.int64, *DIGITS) or np_dtype == np.float16:
            raise RuntimeError(
                "random_: expected an int64, float64, float32 or bfloat16 array for the full range of int64,"
                f" got {dtype_name(np_dtype)}"
            )
        values = _wide_words(generator, count).view(np.int64)
    else:
        low, span = _range(np_dtype, low or 0, high)
        values = _below_span(generator, count, span, span >= WIDE_RANGE)
        if low:
            values += low
    return deliver(_cast(values, np_dtype), shape, out)


def _top(np_dtype):
    """The largest number random_() gives."""
    return 2 ** DIGITS[np_dtype] if np_dtype in DIGITS else LIMITS[np_dtype][1]


def _range(np_dtype, low, high):
    """The first number and how many there are."""
    floating = np_dtype in DIGITS
    if high is not None and low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    last = _top(np_dtype) if high is None else high - 1
    if floating:
        low = _above(np_dtype, low)
        last = last if high is None else _below(np_dtype, last + 1) - 1
        if low > last:
            raise RuntimeError(
                "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype,"
                f" but got from={low} >= to={last + 1}"
            )
    bottom, top = (-LARGEST[np_dtype], LARGEST[np_dtype]) if floating else LIMITS[np_dtype]
    for name, bound in (("from", low), ("to - 1", last)):
        if not bottom <= bound <= top:
            raise RuntimeError(f"random_: {name} is out of bounds for {dtype_name(np_dtype)}, got {bound}")
    return low, last - low + 1


def _rounded(np_dtype, value):
    """`value` as the dtype holds it; past int64 this is its lowest number, as the x86 conversion gives."""
    rounded = float(widened(narrowed(np.array([value]), np_dtype))[0])
    return int(rounded) if abs(rounded) < 2.0**63 else LOWEST


def _above(np_dtype, low):
    """`low`, moved up to a number of the dtype if low + 1 would round to below it."""
    following = _rounded(np_dtype, low + 1)
    if following < low:
        return following + 2 ** (abs(low + 1).bit_length() - DIGITS[np_dtype])
    return low


def _below(np_dtype, high):
    """`high`, moved down to a number of the dtype if high - 1 would round to it or above."""
    preceding = _rounded(np_dtype, high - 1)
    if preceding >= high:
        return preceding - 2 ** (abs(high - 1).bit_length() - DIGITS[np_dtype])
    return high


def randint(generator, shape, np_dtype, low, high, out=None):
    """Whole numbers from low to high - 1: torch.randint. RuntimeError for bounds out of order or of range."""
    return random_(generator, shape, np_dtype, low, high, out)


def randperm(generator, n, np_dtype=np.int64):
    """A random order of 0 … n - 1: torch.randperm. RuntimeError if n < 0 or the dtype cannot hold n."""
    np_dtype = np.dtype(np_dtype)
    if n < 0:
        raise RuntimeError(f"randperm: expected n >= 0, got {n} (a tensor with a negative dimension)")
    if n > _top(np_dtype):
        raise RuntimeError(
            f"randperm: value cannot be converted to type {dtype_name(np_dtype)} without overflow, got n={n}"
        )
    return _cast(variates.shuffle(generator.raw(max(n - 1, 0)), n), np_dtype)


def multinomial(generator, weights, num_samples, replacement=False):
    """Indices drawn by weight: torch.multinomial; floating weights (n,) or (rows, n) to int64 (…, samples).

    Without replacement, and for a single sample, the largest weight / exponential win. Equal ones (zeros;
    in 16-bit dtypes others too) come in the order of their indices, where PyTorch's order is that of its
    unstable sort. RuntimeError for weights that are negative, not finite or all zero, and for too many
    samples.
    """
    _check_multinomial(weights, num_samples, replacement)
    if weights.shape[0] == 0:
        return np.empty((0, num_samples), np.int64)
    wide = widened(weights)
    if replacement and num_samples > 1:
        return _with_replacement(generator, wide, num_samples)
    if not (wide.max() < np.inf and wide.min() >= 0):
        raise RuntimeError("multinomial: probability tensor contains either `inf`, `nan` or element < 0")
    if (wide.sum(axis=-1) == 0).any():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    waits = widened(exponential(generator, weights.shape, weights.dtype))
    with np.errstate(divide="ignore", invalid="ignore"):
        race = widened(narrowed((wide / waits).reshape(-1), weights.dtype)).reshape(wide.shape)
    return np.argsort(-race, axis=-1, kind="stable")[..., :num_samples]


def _check_multinomial(weights, num_samples, replacement):
    if weights.ndim not in (1, 2):
        raise RuntimeError(f"multinomial: prob_dist must be 1 or 2 dim, got {weights.ndim} dimensions")
    if weights.dtype not in DIGITS:
        raise RuntimeError(
            f"multinomial only supports floating-point dtypes for input, got: {dtype_name(weights.dtype)}"
        )
    if num_samples <= 0:
        raise RuntimeError(f"multinomial: cannot sample n_sample <= 0 samples, got {num_samples}")
    categories = weights.shape[-1]
    if not replacement and num_samples > categories:
        raise RuntimeError(
            "multinomial: cannot sample n_sample > prob_dist.size(-1) samples without replacement, got"
            f" {num_samples} > {categories}"
        )
    if categories > MOST_CATEGORIES:
        raise RuntimeError(f"multinomial: number of categories cannot exceed 2^24, got {categories}")


def _with_replacement(generator, weights, num_samples):
    rows = weights.reshape(-1, weights.shape[-1])
    for row in rows:
        if not (row >= 0).all():
            raise RuntimeError("invalid multinomial distribution (encountering probability entry < 0)")
        if not np.isfinite(row).all():
            raise RuntimeError(
                "invalid multinomial distribution (encountering probability entry = infinity or NaN)"
            )
        if not row.any():
            raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    out = np.empty((len(rows), num_samples), np.int64)
    draws = variates.uniform_double(generator.raw(2 * out.size), 0.0, 1.0).reshape(out.shape)
    for row, chosen, place in zip(rows, draws, out, strict=True):
        levels = np.cumsum(row, dtype=row.dtype)
        levels /= levels[-1]
        levels[-1] = 1
        place[...] = np.searchsorted(levels.astype(np.float64), chosen)
    return out.reshape(*weights.shape[:-1], num_samples)


def _sampled(sampler, generator, first, *others):
    """Run a sampler on the flat, widened parameters, all in the first one's shape, and narrow the result."""
    shaped = [np.broadcast_to(widened(a), first.shape) for a in (first, *others)]
    flat = [np.ascontiguousarray(a).reshape(-1) for a in shaped]
    with generator.lock:
        return narrowed(sampler(generator, *flat), first.dtype).reshape(first.shape)


def poisson(generator, rates):
    """One Poisson variate for each rate, a floating array: torch.poisson. RuntimeError unless rates >= 0."""
    require(rates.dtype, DIGITS, "poisson")
    if rates.size and not widened(rates).min() >= 0:
        raise RuntimeError("poisson: invalid Poisson rate, expected rate to be non-negative")
    return _sampled(samplers.poisson, generator, rates)


def binomial(generator, count, prob):
    """Hits in `count` trials of probability `prob`, floating arrays of one dtype: torch.binomial.

    prob broadcasts to count. 0 for a count or a probability that is not positive, count where prob >= 1,
    NaN where prob is.
    """
    require(count.dtype, DIGITS, "binomial")
    if prob.dtype != count.dtype:
        raise RuntimeError(
            f"binomial: expected prob in {dtype_name(count.dtype)} as count, got {dtype_name(prob.dtype)}"
        )
    return _sampled(samplers.binomial, generator, count, prob)
