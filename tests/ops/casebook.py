"""Sample calls of ops, written once and used everywhere: values, derivatives, layouts, stored references.

A file samples/<family>.py calls `case(...)` at import. A case's call takes the module `T` that speaks the torch API, so
that the same text runs on chainrule and, to store reference values, on PyTorch.
"""

import zlib
from dataclasses import dataclass, field

import numpy as np

CASES = {}


@dataclass
class Case:
    """One sample call: `call(T, *tensors)` on the given arrays."""

    name: str
    call: object
    inputs: tuple
    op: str
    smooth: bool = True
    second: bool = True
    reference: bool = True
    tolerance: float = 1e-6
    options: dict = field(default_factory=dict)


class Const:
    """An input that is never differentiated."""

    def __init__(self, array):
        self.array = np.asarray(array)


def rng_for(name):
    """A generator that depends on the case's name only."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def real(*shape, low=-2.0, high=2.0):
    """Floats in [low, high), float64."""
    return lambda rng: rng.uniform(low, high, shape)


def positive(*shape, low=0.3, high=2.5):
    """Floats away from zero on the positive side."""
    return lambda rng: rng.uniform(low, high, shape)


def cplx(*shape):
    """Complex numbers of moderate size, complex128."""
    return lambda rng: rng.uniform(-2, 2, shape) + 1j * rng.uniform(-2, 2, shape)


def ints(*shape, low=-5, high=6):
    """int64 in [low, high); never differentiated."""
    return lambda rng: rng.integers(low, high, shape)


def bools(*shape):
    """Booleans; never differentiated."""
    return lambda rng: rng.random(shape) < 0.5


def const(maker):
    """An input of any dtype that is not differentiated."""
    return lambda rng: Const(maker(rng) if callable(maker) else maker)


def distinct(*shape):
    """Floats no two of which are close: for ops with ties or kinks."""
    return lambda rng: (rng.permutation(int(np.prod(shape))) * 0.37 - 1.9).reshape(shape)


def case(name, call, *inputs, op=None, **options):
    """Add a sample call. `name` is unique and starts with the op's public name; inputs are makers or arrays.

    Options: smooth=False (no derivative), second=False (no second derivative), reference=False (not compared with
    stored values, e.g. a choice of sign or a deliberate difference), tolerance."""
    if name in CASES:
        raise ValueError(f"the case {name!r} exists already")
    rng = rng_for(name)
    arrays = tuple(maker(rng) if callable(maker) else maker for maker in inputs)
    CASES[name] = Case(name, call, arrays, op or name.split()[0], **options)


def tensors(T, c, dtype=None, requires_grad=False):
    """The case's inputs as tensors of module T."""
    out = []
    for a in c.inputs:
        held = a.array if isinstance(a, Const) else np.asarray(a)
        t = T.from_numpy(np.array(held))
        if dtype is not None and held.dtype.kind == "f" and not isinstance(a, Const):
            t = t.to(dtype)
        if requires_grad and not isinstance(a, Const) and held.dtype.kind in "fc":
            t = t.requires_grad_()
        out.append(t)
    return out


def flat_tensors(T, result):
    """The tensors in a result, tuples opened."""
    if isinstance(result, T.Tensor):
        return [result]
    if isinstance(result, (tuple, list)):
        return [t for r in result for t in flat_tensors(T, r)]
    return []
