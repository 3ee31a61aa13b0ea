"""The plain twin of the native samplers: draws by rejection, which read as many words as they need.

Flat contiguous float32 or float64 arrays of parameters in, samples of the same dtype out, PyTorch's for the
same words. The generator's lock is the caller's. The methods: Poisson by multiplying uniforms below a rate
of 10, else by Hörmann's transformed rejection (PTRS, 1993); gamma by Marsaglia and Tsang (2000); binomial
by waiting times where fewer than 10 hits are expected, else by Hörmann's BTRS (1993).
"""

import math

import numpy as np

# ln k! less its Stirling approximation, for k = 0 … 9.
TAILS = [
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
    0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287,
]  # fmt: skip
THIRD = float(np.float32(1) / np.float32(3))
SQUEEZE = float(np.float32(0.0331))


class Words:
    """Uniforms and normals one by one from a generator."""

    def __init__(self, generator):
        self.generator = generator

    def uniform(self):
        """53 bits on [0, 1)."""
        return (self.generator.random64() & 0x1FFFFFFFFFFFFF) * 2.0**-53

    def normal(self):
        """A standard normal; the second of a pair waits in the generator."""
        kept = self.generator.next_double
        if kept is not None:
            self.generator.next_double = None
            return kept
        theta = 2 * math.pi * self.uniform()
        radius = math.sqrt(-2 * math.log1p(-self.uniform()))
        self.generator.next_double = radius * math.sin(theta)
        return radius * math.cos(theta)


def _log(x):
    return math.log(x) if x > 0 else -math.inf


def _one_poisson(words, rate):
    if rate == 0:
        return 0
    if rate < 10:
        limit = math.exp(-rate)
        product = words.uniform()
        k = 0
        while product > limit:
            k += 1
            product *= words.uniform()
        return k
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    while True:
        u = words.uniform() - 0.5
        v = words.uniform()
        us = 0.5 - abs(u)
        if us == 0:
            continue  # u is -1/2: the quotient below is infinite, k is rejected
        k = math.floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        hat = _log(v) + math.log(1.1239 + 1.1328 / (b - 3.4)) - math.log(a / (us * us) + b)
        if hat <= -rate + k * math.log(rate) - math.lgamma(k + 1):
            return k


def _one_gamma(words, alpha):
    """alpha is a NumPy number: sums with it are rounded to its precision, all others to double."""
    real = type(alpha)
    scale = 1.0
    if alpha < 1:
        if alpha == 0:
            return 0.0
        scale = (1 - words.uniform()) ** float(real(1) / alpha)
        alpha = alpha + real(1)
    d = float(alpha - real(THIRD))
    c = 1 / math.sqrt(9 * d)
    while True:
        x = words.normal()
        y = 1 + c * x
        if y <= 0:
            continue
        v = y * y * y
        u = 1 - words.uniform()
        xx = x * x
        if u < 1 - SQUEEZE * xx * xx or math.log(u) < 0.5 * xx + d * (1 - v + math.log(v)):
            return scale * d * v


def _stirling_tail(k):
    if k < 10:
        return TAILS[int(k)]
    square = (k + 1) * (k + 1)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)


def _by_waiting(words, count, p):
    scale = float(type(p)(math.log1p(-p)))
    tried = found = 0
    while True:
        u = words.uniform()
        tried += math.ceil(math.log(u) / scale) if u else math.inf
        if tried > count:
            return found
        found += 1


def _by_rejection(words, count, p):
    one = type(p)(1)
    deviation = float(np.sqrt(count * p * (one - p)))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * float(p)
    c = float(count * p) + 0.5
    odds = float(p / (one - p))
    m = math.floor((count + one) * p)
    following, count = float(count + one), float(count)
    while True:
        u = words.uniform() - 0.5
        v = words.uniform()
        us = 0.5 - abs(u)
        if us == 0:
            continue  # u is -1/2: the quotient below is infinite, k is rejected
        k = float(type(p)(math.floor((2 * a / us + b) * u + c)))
        if k < 0 or k > count:
            continue
        if us >= 0.07 and v <= 0.92 - 4.2 / b:
            return k
        above = float(type(p)(count - k) + one)
        bound = (
            (m + 0.5) * math.log((m + 1) / (odds * (count - m + 1)))
            + following * math.log((count - m + 1) / above)
            + (k + 0.5) * math.log(odds * above / float(type(p)(k) + one))
            + _stirling_tail(m)
            + _stirling_tail(count - m)
            - _stirling_tail(k)
            - _stirling_tail(count - k)
        )
        if _log(v * ((2.83 + 5.1 / b) * deviation) / (a / (us * us) + b)) <= bound:
            return k


def _one_binomial(words, count, p):
    if count <= 0 or p <= 0:
        return 0
    if p >= 1:
        return count
    if p <= 0.5:
        return (_by_rejection if count * p >= 10 else _by_waiting)(words, count, p)
    if p > 0.5:
        q = type(p)(1.0 - float(p))
        return count - (_by_rejection if count * q >= 10 else _by_waiting)(words, count, q)
    return p  # NaN


def poisson(generator, rates):
    words = Words(generator)
    return np.array([_one_poisson(words, rate) for rate in rates.tolist()], rates.dtype)


def gamma(generator, alphas):
    words = Words(generator)
    samples = np.array([_one_gamma(words, alpha) for alpha in alphas], alphas.dtype)
    return np.maximum(samples, np.finfo(alphas.dtype).tiny)


def binomial(generator, counts, probs):
    words = Words(generator)
    return np.array([_one_binomial(words, n, p) for n, p in zip(counts, probs, strict=True)], counts.dtype)
