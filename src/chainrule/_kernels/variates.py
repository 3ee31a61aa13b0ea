"""The plain twin of the native variates: the same results bit for bit, in NumPy and Python's math.

Random words come in as flat arrays of uint32, variates go out as flat arrays. A float32 uniform takes one
word, everything in double precision two. Sums of a product are fused (rounded once), as PyTorch's x86 build
has them; the single-precision logarithm, sine and cosine are those of the Cephes library, which PyTorch's
vector code uses; the double-precision ones are the C library's, reached through math, because NumPy's own
differ in the last bit.
"""

import math

import numpy as np

LANES = 8
CHUNK = 4096  # numbers at a time in the long chains of array operations: they stay in cache
F = np.float32
LOG = [F(c) for c in (-1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                      2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)]  # fmt: skip
LOG_FIRST, LN2_LOW, LN2_HIGH = F(7.0376836292e-2), F(-2.12194440e-4), F(0.693359375)
ROOT_HALF = F(0.707106781186547524)
OCTANTS = F(1.27323954473516)
QUARTER_PI = [F(-0.78515625), F(-2.4187564849853515625e-4), F(-3.77489497744594108e-8)]
COS = [F(2.443315711809948e-005), F(-1.388731625493765e-003), F(4.166664568298827e-002)]
SIN = [F(-1.9515295891e-4), F(8.3321608736e-3), F(-1.6666654611e-1)]


def _two_sum(a, b):
    s = a + b
    shadow = s - a
    return s, (a - (s - shadow)) + (b - shadow)


def _round_to_odd(a, b):
    """a + b, inexact sums going to the neighbour with an odd last bit: rounding them again is then safe."""
    s, error = _two_sum(a, b)
    bits = s.view(np.int64)
    inexact = (error != 0) & ((bits & 1) == 0)
    toward_zero = (error < 0) != (s < 0)
    return (bits + np.where(toward_zero, -1, 1) * inexact).view(np.float64)


def _fma_float(a, b, c):
    """a * b + c in float32, rounded once. The product is exact in double precision."""
    product = np.multiply(a, b, dtype=np.float64)
    total = product + c
    # Rounding twice differs from rounding once only where the first result lies half-way between two float32.
    if ((total.view(np.int64) & 0x1FFFFFFF) == 0x10000000).any():
        total = _round_to_odd(product, np.broadcast_to(np.float64(c), product.shape))
    return total.astype(F)


def _split(a):
    big = a * 134217729.0
    high = big - (big - a)
    return high, a - high


def _fma_double(a, b, c):
    """a * b + c rounded once (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).

    a: an array below 2**60; b and c: numbers or arrays."""
    if np.max(np.abs(b)) > 2.0**950 or np.max(np.abs(c)) > 2.0**950:
        # Splitting b would overflow.
        return _fma_double(a, b * 2.0**-64, c * 2.0**-64) * 2.0**64
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    rest = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    high, low = _two_sum(c, rest)
    total, error = _two_sum(product, high)
    return total + _round_to_odd(error, low)


def _fraction_float(words):
    return (words & 0xFFFFFF).astype(F) * F(2.0**-24)


def _fraction_double(words):
    pairs = words.reshape(-1, 2).astype(np.uint64)
    return ((pairs[:, 0] << 32 | pairs[:, 1]) & (2**53 - 1)) * 2.0**-53


def _each(function, values):
    return np.fromiter(map(function, values.tolist()), np.float64, len(values))


def _cut(low, high, values):
    return np.where(values == high, low, values)


def uniform_float(words, low, high):
    low, high = F(low), F(high)
    return _cut(low, high, _fma_float(_fraction_float(words), high - low, low))


def uniform_double(words, low, high):
    values = _fraction_double(words)
    if (low, high) != (0, 1):
        values = _fma_double(values, np.float64(high - low), np.float64(low))
    return _cut(low, high, values)


def _cephes_log(x):
    bits = x.view(np.int32)
    e = ((bits >> 23) - 126).astype(F)
    m = ((bits & ~0x7F800000) | 0x3F000000).view(F)
    low = m < ROOT_HALF
    e = e - low
    r = (m - F(1)) + np.where(low, m, F(0))
    q = LOG_FIRST
    for c in LOG:
        q = _fma_float(q, r, c)
    square = r * r
    tail = _fma_float(q * r, square, e * LN2_LOW)
    tail = _fma_float(-square, F(0.5), tail)
    return _fma_float(e, LN2_HIGH, r + tail)


def _cephes_sincos(x):
    octant = ((x * OCTANTS).astype(np.int32) + 1) & ~1
    n = octant.astype(F)
    r = x
    for part in QUARTER_PI:
        r = _fma_float(n, part, r)
    square = r * r
    c = _fma_float(_fma_float(COS[0], square, COS[1]), square, COS[2])
    c = _fma_float(c * square, square, -(square * F(0.5))) + F(1)
    s = _fma_float(_fma_float(SIN[0], square, SIN[1]), square, SIN[2])
    s = _fma_float(s * square, r, r)
    swapped = (octant & 2) != 0
    sine, cosine = np.where(swapped, c, s), np.where(swapped, s, c)
    return np.where(octant & 4, -sine, sine), np.where(~(octant - 2) & 4, -cosine, cosine)


def normal_float(words, mean, std):
    mean, std = F(mean), F(std)
    out = np.empty(len(words), F)
    for start in range(0, len(words), CHUNK):
        fractions = _fraction_float(words[start : start + CHUNK]).reshape(-1, 2, LANES)
        radius = np.sqrt(F(-2) * _cephes_log(F(1) - fractions[:, 0]))
        sine, cosine = _cephes_sincos(F(2 * math.pi) * fractions[:, 1])
        pairs = out[start : start + CHUNK].reshape(-1, 2, LANES)
        pairs[:, 0] = _fma_float(radius * cosine, std, mean)
        pairs[:, 1] = _fma_float(radius * sine, std, mean)
    return out


def _polar(radii, angles):
    """Box and Muller: the logarithms of the radii, the angles in turns; standard normals in pairs."""
    radius = np.sqrt(-2.0 * radii)
    theta = (2 * math.pi) * angles
    return radius * _each(math.cos, theta), radius * _each(math.sin, theta)


def normal_double(words, mean, std):
    fractions = _fraction_double(words).reshape(-1, 2, LANES)
    first, second = _polar(_each(math.log, 1.0 - fractions[:, 0].ravel()), fractions[:, 1].ravel())
    out = np.empty(fractions.shape)
    out[:, 0] = first.reshape(-1, LANES)
    out[:, 1] = second.reshape(-1, LANES)
    return scaled(out.ravel(), mean, std)


def normal_pairs(words):
    fractions = _fraction_double(words).reshape(-1, 2)
    return np.stack(_polar(_each(math.log1p, -fractions[:, 1]), fractions[:, 0]), axis=1).ravel()


def scaled(values, mean, std):
    """values * std + mean, in place and rounded once."""
    values[...] = _fma_double(values, np.float64(std), np.float64(mean))
    return values


def exponentiated(values):
    """exp(values), in place."""
    values[...] = _each(_exp, values)
    return values


def single(values):
    """float64 to float32, silent where infinity is reached."""
    with np.errstate(over="ignore"):
        return values.astype(F)


def _exp(x):
    return math.exp(x) if x < 709.782712893384 else math.inf


def exponential(words, rate):
    return -1.0 / rate * _each(math.log1p, -_fraction_double(words))


def _log(x):
    return math.log(x) if x else -math.inf


def geometric(words, p):
    return np.ceil(_each(_log, _fraction_double(words)) / math.log1p(-p))


def cauchy(words, median, sigma):
    tangents = _each(math.tan, math.pi * (_fraction_double(words) - 0.5))
    return _fma_double(tangents, np.float64(sigma), np.float64(median))


def shuffle(words, n):
    """Fisher and Yates from the front."""
    out = list(range(n))
    for i, word in enumerate(words.tolist()):
        other = i + word % (n - i)
        out[i], out[other] = out[other], out[i]
    return np.array(out, np.int64)
