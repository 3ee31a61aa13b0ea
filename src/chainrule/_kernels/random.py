"""Random draws of real and complex numbers: PyTorch's for the same seed, bit for bit.

Each draw takes the generator first and gives a new array of `shape`, or fills `out` (any strides, same
shape and dtype) and returns it. It holds the generator's lock from its first word to its last, and raises
before it takes one. Whole numbers are in random_integers.py; the loops from words to variates in
variates.py; the rejection samplers, whose number of words depends on what they find, in samplers.py.
"""

import math

import numpy as np

from chainrule._kernels import samplers, variates
from chainrule._kernels.targets import (
    BFLOAT16,
    DIGITS,
    FLOAT32,
    FLOAT64,
    LARGEST,
    REAL_OF,
    deliver,
    dtype_name,
    fill_order,
    narrowed,
    parts,
    require,
    widened,
)

BFLOAT16_ONE = np.uint16(0x3F80)
GROUP = 16  # from this many numbers on, normals are made in groups of 16


def uniform(generator, shape, np_dtype, low=0.0, high=1.0, out=None):
    """Uniform on [low, high): torch.rand, Tensor.uniform_. Complex: real and imaginary part each, in turns.

    A value that rounds up to `high` becomes `low`. RuntimeError if the bounds are out of order or of range.
    """
    np_dtype = np.dtype(np_dtype)
    if np_dtype in REAL_OF:
        return _complex(uniform, generator, shape, np_dtype, low, high, out)
    require(np_dtype, DIGITS, "uniform_")
    low, high = float(low), float(high)
    largest = LARGEST[np_dtype]
    for name, bound in (("from", low), ("to", high)):
        if not -largest <= bound <= largest:
            raise RuntimeError(f"uniform_: {name} is out of bounds for {dtype_name(np_dtype)}, got {bound:g}")
    if low > high:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}"
        )
    if high - low > largest:
        raise RuntimeError(
            f"uniform_ expects to-from <= the largest {dtype_name(np_dtype)}, but found to={high:g} and"
            f" from={low:g} which result in to-from to exceed the limit"
        )
    count = math.prod(shape)
    if np_dtype == FLOAT64:
        return deliver(variates.uniform_double(generator.raw(2 * count), low, high), shape, out)
    values = variates.uniform_float(generator.raw(count), low, high)
    if np_dtype != FLOAT32:
        values = narrowed(values, np_dtype)
        low, high = narrowed(np.array([low, high]), np_dtype)
        values[values == high] = low
    return deliver(values, shape, out)


def _complex(draw, generator, shape, np_dtype, first, second, out):
    """Draw the real and imaginary parts as one real array with a last dimension of two."""
    if out is None:
        return draw(generator, (*shape, 2), REAL_OF[np_dtype], first, second).view(np_dtype).reshape(shape)
    real = parts(out)
    draw(generator, real.shape, real.dtype, first, second, out=real)
    return out


def normal(generator, shape, np_dtype, mean=0.0, std=1.0, out=None):
    """Normal with the given mean and deviation: torch.randn, torch.normal(float, float), Tensor.normal_.

    Contiguous targets of 16 and more numbers are made 16 at a time (where fewer are left, the last 16 are
    made anew), all others in pairs, in double precision, the second of a pair waiting for the next such
    draw. Complex: real and imaginary part each with std / sqrt(2). RuntimeError if std is negative or NaN.
    """
    np_dtype = np.dtype(np_dtype)
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if np_dtype in REAL_OF:
        return _complex(normal, generator, shape, np_dtype, mean, std / math.sqrt(2), out)
    require(np_dtype, DIGITS, "normal_")
    count = math.prod(shape)
    if count >= GROUP and (out is None or out.flags.c_contiguous):
        return deliver(_grouped(generator, count, np_dtype, float(mean), float(std)), shape, out)
    return deliver(narrowed(_paired(generator, count, float(mean), float(std)), np_dtype), shape, out)


def _grouped(generator, count, np_dtype, mean, std):
    make, words = (variates.normal_double, 2) if np_dtype == FLOAT64 else (variates.normal_float, 1)
    rest = count % GROUP
    if not rest:
        return narrowed(make(generator.raw(count * words), mean, std), np_dtype)
    # float32 and float64 draw words for the rest too and do not use them; the 16-bit types do not draw them
    skipped = rest if np_dtype in (FLOAT32, FLOAT64) else 0
    whole = count - rest
    drawn = generator.raw((whole + skipped + GROUP) * words)
    values = np.empty(count, FLOAT64 if words == 2 else FLOAT32)
    values[:whole] = make(drawn[: whole * words], mean, std)
    values[count - GROUP :] = make(drawn[(whole + skipped) * words :], mean, std)
    return narrowed(values, np_dtype)


def _paired(generator, count, mean, std):
    """float64 normals in pairs; the standard value left over waits in the generator."""
    if count == 0:
        return np.empty(0)
    with generator.lock:
        kept = generator.next_double
        fresh = count if kept is None else count - 1
        values = variates.normal_pairs(generator.raw((fresh + fresh % 2) * 2))
        if kept is not None:
            values = np.concatenate(([kept], values))
        generator.next_double = values.item(count) if len(values) > count else None
    values = values[:count]
    return values if mean == 0 and std == 1 else variates.scaled(values, mean, std)


def log_normal(generator, shape, np_dtype, mean=1.0, std=2.0, out=None):
    """exp of a normal made in pairs, in double precision: Tensor.log_normal_. RuntimeError unless std > 0."""
    np_dtype = np.dtype(np_dtype)
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    require(np_dtype, DIGITS, "log_normal_")
    values = variates.exponentiated(_paired(generator, math.prod(shape), float(mean), float(std)))
    return deliver(narrowed(values, np_dtype), shape, out)


def exponential(generator, shape, np_dtype, lambd=1.0, out=None):
    """-log(1 - u) / lambd: Tensor.exponential_. RuntimeError unless lambd > 0 and the dtype is floating."""
    np_dtype = np.dtype(np_dtype)
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    _continuous(np_dtype, "Exponential")
    values = variates.exponential(generator.raw(2 * math.prod(shape)), float(lambd))
    return deliver(narrowed(values, np_dtype), shape, out)


def cauchy(generator, shape, np_dtype, median=0.0, sigma=1.0, out=None):
    """median + sigma tan(pi (u - 1/2)): Tensor.cauchy_. RuntimeError unless sigma > 0 and dtype floating."""
    np_dtype = np.dtype(np_dtype)
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    _continuous(np_dtype, "Cauchy")
    values = variates.cauchy(generator.raw(2 * math.prod(shape)), float(median), float(sigma))
    return deliver(narrowed(values, np_dtype), shape, out)


def _continuous(np_dtype, name):
    if np_dtype not in DIGITS:
        raise RuntimeError(
            f"{name} distribution is a continuous probability distribution. dtype must be a floating point"
            f" but you specified {np_dtype.name}"
        )


def geometric(generator, shape, np_dtype, p, out=None):
    """Trials up to the first success: Tensor.geometric_, not for bool. RuntimeError unless 0 < p < 1."""
    np_dtype = np.dtype(np_dtype)
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    if np_dtype.kind not in "iuf":
        raise NotImplementedError(f"geometric_: expected a real array that is not bool, got {np_dtype.name}")
    values = variates.geometric(generator.raw(2 * math.prod(shape)), float(p))
    return deliver(narrowed(values, np_dtype), shape, out)


def bernoulli(generator, shape, np_dtype, p, out=None):
    """1 with probability p, else 0: torch.bernoulli, Tensor.bernoulli_; any dtype but complex.

    p is a number, or a float array that broadcasts to `shape`. For a number and a float64 array 53 bits are
    drawn an element, for other arrays 24. RuntimeError unless 0 <= p <= 1.
    """
    np_dtype = np.dtype(np_dtype)
    if np_dtype.kind == "c":
        raise NotImplementedError(f"bernoulli_: expected a real array, got {np_dtype.name}")
    if isinstance(p, np.ndarray):
        hits = _bernoulli_each(generator, shape, p, out)
    else:
        if not 0 <= p <= 1:
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
        hits = variates.uniform_double(generator.raw(2 * math.prod(shape)), 0.0, 1.0) < float(p)
    values = hits * BFLOAT16_ONE if np_dtype == BFLOAT16 else hits.astype(np_dtype)
    return deliver(values, shape, out)


def _bernoulli_each(generator, shape, p, out):
    require(p.dtype, DIGITS, "bernoulli_")
    wide = widened(p)
    if wide.size and not (wide.min() >= 0 and wide.max() <= 1):
        raise RuntimeError(
            f"bernoulli_ expects p to be in [0, 1], but got p from {wide.min():g} to {wide.max():g}"
        )
    wide = np.broadcast_to(wide, shape)
    if out is not None and not out.flags.c_contiguous:
        wide = wide.transpose(fill_order(out))
    if p.dtype == FLOAT64:
        return variates.uniform_double(generator.raw(2 * wide.size), 0.0, 1.0) < wide.reshape(-1)
    return variates.uniform_float(generator.raw(wide.size), 0.0, 1.0) < wide.reshape(-1)


def dropout_noise(generator, shape, np_dtype, p, out=None):
    """What dropout multiplies its input by: 0 with probability p, else 1 / (1 - p); 0 < p < 1.

    PyTorch draws nothing for p = 0 or 1, nor in evaluation; the noise of feature dropout has the shape (N,
    C, 1, …).
    """
    np_dtype = np.dtype(np_dtype)
    require(np_dtype, DIGITS, "dropout")
    if not 0 < p < 1:
        raise RuntimeError(f"dropout: expected noise to be asked for with p in (0, 1), got p={p:g}")
    kept = variates.uniform_double(generator.raw(2 * math.prod(shape)), 0.0, 1.0) < 1 - p
    wide = FLOAT64 if np_dtype == FLOAT64 else FLOAT32
    scale = narrowed(wide.type(1) / np.array([1 - p], wide), np_dtype)
    return deliver(kept * scale, shape, out)


def normal_around(generator, mean, std):
    """One normal for each element of mean and std, of which one is an array at least: torch.normal.

    float32, float64 and complex arrays. Standard normals times std plus mean, each step rounded; a number
    for std goes into the draw. RuntimeError if std is complex, or negative or NaN anywhere.
    """
    deviations = isinstance(std, np.ndarray)
    if deviations and std.dtype.kind == "c":
        raise RuntimeError("normal expects standard deviation to be non-complex")
    if deviations and std.size and not std.min() >= 0:
        raise RuntimeError("normal expects all elements of std >= 0.0")
    np_dtype = mean.dtype if isinstance(mean, np.ndarray) else std.dtype
    shape = np.broadcast_shapes(np.shape(mean), np.shape(std))
    if not deviations:
        return np.asarray(normal(generator, shape, np_dtype, 0.0, std) + mean)
    return np.asarray(normal(generator, shape, np_dtype) * std + np.asarray(mean, np_dtype))


def trunc_normal(generator, shape, np_dtype, mean=0.0, std=1.0, a=-2.0, b=2.0):
    """Normal, kept within [a, b]: nn.init.trunc_normal_ on a float32 or float64 array.

    Where more than 0.3 of the mass lies within, whole arrays are drawn until every element was hit once;
    elsewhere uniforms on [a, b) are accepted with the density relative to its peak. There a comparison that
    hangs on the last bit of a logarithm may turn out otherwise than PyTorch's.
    """
    np_dtype = np.dtype(np_dtype)
    require(np_dtype, (FLOAT32, FLOAT64), "trunc_normal_")
    mass = (math.erf((b - mean) / std / math.sqrt(2)) - math.erf((a - mean) / std / math.sqrt(2))) / 2
    with generator.lock:
        if mass > 0.3:
            return _redrawn(generator, shape, np_dtype, mean, std, np_dtype.type(a), np_dtype.type(b))
        return _accepted(generator, shape, np_dtype, mean, std, a, b)


def _redrawn(generator, shape, np_dtype, mean, std, low, high):
    result = normal(generator, shape, np_dtype, mean, std)
    outside = (result < low) | (result > high)
    while outside.any():
        np.copyto(result, normal(generator, shape, np_dtype, mean, std), where=outside)
        outside = (result < low) | (result > high)
    return result


def _accepted(generator, shape, np_dtype, mean, std, a, b):
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    result = np.empty(shape, np_dtype)
    pending = np.ones(shape, np.bool_)
    while pending.any():
        candidates = uniform(generator, shape, np_dtype, a, b)
        np.copyto(result, candidates, where=pending)
        distance = (candidates - np_dtype.type(mean)) / np_dtype.type(std)
        density = distance**2 * np_dtype.type(-0.5) - np_dtype.type(peak)
        with np.errstate(divide="ignore"):
            pending &= np.log(uniform(generator, shape, np_dtype)) > density
    return result


def gamma(generator, alpha):
    """One gamma variate of scale 1 for each alpha, float32 or float64: torch._standard_gamma.

    Never below the smallest normal number. RuntimeError unless alpha >= 0 everywhere.
    """
    require(alpha.dtype, (FLOAT32, FLOAT64), "_standard_gamma")
    if alpha.size and not alpha.min() >= 0:
        raise RuntimeError(f"_standard_gamma: expected alpha >= 0, got {alpha.min():g}")
    with generator.lock:
        return samplers.gamma(generator, np.ascontiguousarray(alpha).reshape(-1)).reshape(alpha.shape)


def dirichlet(generator, alpha):
    """Gamma variates divided by their sum along the last axis: torch._sample_dirichlet; float32 or float64.

    Kept above zero and below one. The sums of float64 rows are NumPy's, an ulp from PyTorch's at times.
    """
    require(alpha.dtype, (FLOAT32, FLOAT64), "_sample_dirichlet")
    variate = gamma(generator, alpha.astype(np.float64))
    shares = (variate / variate.sum(axis=-1, keepdims=True)).astype(alpha.dtype)
    one = alpha.dtype.type(1)
    return np.clip(shares, np.finfo(alpha.dtype).tiny, np.nextafter(one, one - one))
