"""Random tensors: PyTorch's draws for the same seed, made by `_kernels.random`. Generators are in chainrule/random.py."""

import builtins

import numpy as np

from chainrule._core import dtype as _dtype
from chainrule._core.dtype import int64
from chainrule._core.rng import default_generator
from chainrule._engine.op import composite
from chainrule._engine.tensor import Tensor
from chainrule._kernels import random as draws
from chainrule._kernels import random_integers as whole_draws
from chainrule._ops.creation import as_dtype, as_size, check_layout, like, made, need_size


def stream(generator):
    """The generator to draw from: the given one, or the default."""
    return default_generator if generator is None else generator


def _uniform(generator):
    return lambda shape, d: draws.uniform(stream(generator), shape, d.np)


def _normal(generator):
    return lambda shape, d: draws.normal(stream(generator), shape, d.np)


@composite(namespace="torch", method=False)
def rand(*sizes, size=None, generator=None, names=None, out=None, dtype=None, layout=None, device=None,
         pin_memory=False, requires_grad=False):  # fmt: skip
    """Uniform on [0, 1)."""
    check_layout("rand", layout)
    d = as_dtype("rand", dtype) or _dtype.get_default_dtype()
    return made(_uniform(generator), need_size("rand", sizes, size), d, device, requires_grad, out, "rand")


@composite(namespace="torch", method=False)
def randn(*sizes, size=None, generator=None, names=None, out=None, dtype=None, layout=None, device=None,
          pin_memory=False, requires_grad=False):  # fmt: skip
    """Standard normal."""
    check_layout("randn", layout)
    d = as_dtype("randn", dtype) or _dtype.get_default_dtype()
    return made(_normal(generator), need_size("randn", sizes, size), d, device, requires_grad, out, "randn")


@composite(namespace="torch", method=False)
def rand_like(input, *, generator=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
              memory_format=None):  # fmt: skip
    """Uniform on [0, 1) in the shape, dtype and device of `input`."""
    return like("rand_like", _uniform(generator), input, dtype, layout, device, requires_grad)


@composite(namespace="torch", method=False)
def randn_like(input, *, generator=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
               memory_format=None):  # fmt: skip
    """Standard normal in the shape, dtype and device of `input`."""
    return like("randn_like", _normal(generator), input, dtype, layout, device, requires_grad)


def _bounds(name, low, high):
    if high is None:
        low, high = 0, low
    low = low.item() if isinstance(low, (Tensor, np.generic)) else low
    high = high.item() if isinstance(high, (Tensor, np.generic)) else high
    if high <= low:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    return builtins.int(low), builtins.int(high)


@composite(namespace="torch", method=False)
def randint(low, high=None, size=None, *, generator=None, out=None, dtype=None, layout=None, device=None,
            pin_memory=False, requires_grad=False):  # fmt: skip
    """Whole numbers, uniform on [low, high): randint(high, size) or randint(low, high, size)."""
    if size is None and high is not None and not hasattr(high, "__index__"):
        low, high, size = 0, low, high
    low, high = _bounds("randint", low, high)
    check_layout("randint", layout)
    if size is None:
        raise TypeError("randint() missing the argument 'size'")
    d = as_dtype("randint", dtype) or int64
    fill = lambda shape, kind: whole_draws.randint(stream(generator), shape, kind.np, low, high)  # noqa: E731
    return made(fill, as_size("randint", (size,)), d, device, requires_grad, out, "randint")


@composite(namespace="torch", method=False)
def randint_like(input, low=0, high=None, *, generator=None, dtype=None, layout=None, device=None, pin_memory=False,
                 requires_grad=False, memory_format=None):  # fmt: skip
    """Whole numbers, uniform on [low, high), in the shape, dtype and device of `input`."""
    low, high = _bounds("randint_like", low, high)
    fill = lambda shape, kind: whole_draws.randint(stream(generator), shape, kind.np, low, high)  # noqa: E731
    return like("randint_like", fill, input, dtype, layout, device, requires_grad)


@composite(namespace="torch", method=False)
def randperm(n, *, generator=None, out=None, dtype=int64, layout=None, device=None, pin_memory=False,
             requires_grad=False):  # fmt: skip
    """A random order of 0 … n - 1."""
    check_layout("randperm", layout)
    d = as_dtype("randperm", dtype) or int64
    n = n.__index__()
    if n < 0:
        raise RuntimeError(f"n must be non-negative, got {n}")
    fill = lambda shape, kind: whole_draws.randperm(stream(generator), n, kind.np)  # noqa: E731
    return made(fill, (n,), d, device, requires_grad, out, "randperm")
