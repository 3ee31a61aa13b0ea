"""Random tensors: PyTorch's draws for the same seed, made by `_kernels.random`. Generators are in chainrule/random.py.

A draw has no derivative: what is drawn into a tensor of a graph, or with its values as parameters, passes a gradient of
zeros on. The exception is the gamma variate, which moves with its shape parameter.
"""

import builtins
from functools import partial

import numpy as np

from chainrule._core import dtype as _dtype
from chainrule._core.dtype import int64
from chainrule._core.rng import Generator, default_generator
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import Tensor
from chainrule._kernels import random as draws
from chainrule._kernels import random_integers as whole_draws
from chainrule._kernels.variate_slopes import standard_gamma_slope
from chainrule._ops.creation import as_dtype, as_size, check_layout, like, made, need_size, uninitialised
from chainrule._ops.kinds import Elementwise, check_tensor


def stream(generator):
    """The generator to draw from: the given one, or the default."""
    if generator is None:
        return default_generator
    if not isinstance(generator, Generator):
        raise TypeError(f"argument 'generator' must be torch.Generator, not {type(generator).__name__}")
    return generator


def number(value):
    """A parameter of a draw as a Python number."""
    return value.item() if isinstance(value, (Tensor, np.generic)) else value


class Draw:
    """Fill a tensor with draws: the kernel gets (generator, shape, np_dtype, parameters…, out=).

    The op's last argument is the generator. Only the in-place form is public."""

    is_view = False
    ufunc = None
    direct_from = 0
    n_outputs = 1
    residuals = ""
    with_inplace = True
    with_out = False

    def __init__(self, fn):
        self.fn = fn

    def forward(self, op, args):
        array = check_tensor(op, "self", args[0]).array
        return self.fn(stream(args[-1]), array.shape, array.dtype, *map(number, args[1:-1]))

    def write(self, op, args, target):
        if not target.on_meta:
            array = target.array
            self.fn(stream(args[-1]), array.shape, array.dtype, *map(number, args[1:-1]), out=array)
        return ()


class Sample:
    """A new tensor drawn with tensors as parameters: the kernel gets (generator, arrays and numbers…)."""

    is_view = False
    ufunc = None
    direct_from = 0
    n_outputs = 1
    residuals = ""
    with_inplace = False
    with_out = True

    def __init__(self, fn):
        self.fn = fn

    def forward(self, op, args):
        values = [v.array if isinstance(v, Tensor) else v for v in args[:-1]]
        return self.fn(stream(args[-1]), *values)


def zeros_of(g):
    """The gradient of what was overwritten by a draw, or was a draw's parameter."""
    return g * 0


def _drawn_in_place(text, fn, node=None):
    """An entry of which the in-place form alone is a method."""
    entry = op(text, Draw(fn), input=zeros_of, method=False, namespace="_engine", node=node,
               doc="Fill with random numbers.").op  # fmt: skip
    composite(namespace="Tensor")(entry.inplace_function)


_drawn_in_place("uniform(input, from_=0, to=1, *, generator=None)", draws.uniform)
_drawn_in_place("normal(input, mean=0, std=1, *, generator=None)", draws.normal)
_drawn_in_place("exponential(input, lambd=1, *, generator=None)", draws.exponential)
_drawn_in_place("geometric(input, p, *, generator=None)", draws.geometric)
_drawn_in_place("cauchy(input, median=0, sigma=1, *, generator=None)", draws.cauchy)
_drawn_in_place("log_normal(input, mean=1, std=2, *, generator=None)", draws.log_normal)


def _whole_into(generator, shape, kind, low=None, high=None, out=None):
    return whole_draws.random_(generator, shape, kind, low, high, out)


def _whole_entry(text, node):
    return op(text, Draw(_whole_into), input=zeros_of, method=False, namespace="_engine", node=node,
              doc="Fill with whole numbers.").op.inplace_function  # fmt: skip


random_between = _whole_entry("random_between(input, from_, to, *, generator=None)", "RandomBackward0")
random_below = _whole_entry("random_below(input, zero, to, *, generator=None)", "RandomBackward1")
random_any = _whole_entry("random_any(input, *, generator=None)", "RandomBackward2")


@composite(namespace="Tensor")
def random_(input, from_=None, to=None, *, generator=None):
    """Fill with whole numbers, uniform on [from, to), on [0, to) for a single bound, or on all the dtype holds."""
    if from_ is None and to is None:
        return random_any(input, generator=generator)
    if from_ is None or to is None:
        return random_below(input, 0, to if from_ is None else from_, generator=generator)
    return random_between(input, from_, to, generator=generator)


def _bernoulli_into(generator, shape, kind, p, out=None):
    return draws.bernoulli(generator, shape, kind, p, out=out)


bernoulli_filled = op("bernoulli(input, p=0.5, *, generator=None)", Draw(_bernoulli_into),
    input=zeros_of,
    method=False, namespace="_engine", node="BernoulliBackward2",
    doc="Fill with ones (probability p) and zeros.").op  # fmt: skip


class ByProbabilities:
    """`bernoulli_` with a tensor of probabilities."""

    is_view = False
    ufunc = None
    direct_from = 0
    n_outputs = 1
    residuals = ""
    with_inplace = True
    with_out = False

    def forward(self, op, args):
        array = args[0].array
        return draws.bernoulli(stream(args[2]), array.shape, array.dtype, args[1].array)

    def write(self, op, args, target):
        array = target.array
        draws.bernoulli(stream(args[2]), array.shape, array.dtype, args[1].array, out=array)
        return ()


bernoulli_by = op("bernoulli_by(input, p, *, generator=None)", ByProbabilities(),
    input=zeros_of,
    p=lambda g, p: p * 0,
    method=False, namespace="_engine", node="BernoulliBackward1",
    doc="Fill with ones, each by its own probability, and zeros.").op  # fmt: skip


@composite(namespace="Tensor")
def bernoulli_(input, p=0.5, *, generator=None):
    """Fill with ones (with probability p, a number or a tensor of them) and zeros, in place."""
    if isinstance(p, Tensor):
        return bernoulli_by.inplace_function(input, p, generator=generator)
    return bernoulli_filled.inplace_function(input, p, generator=generator)


def _bernoulli_like(generator, p):
    return draws.bernoulli(generator, p.shape, p.dtype, p)


bernoulli_sample = op("bernoulli_sample(input, *, generator=None)", Sample(_bernoulli_like),
    input=zeros_of,
    method=False, namespace="_engine", node="BernoulliBackward0",
    doc="Ones with the probabilities of the input, and zeros.")  # fmt: skip


@composite(namespace="torch")
def bernoulli(input, p=None, *, generator=None, out=None):
    """Ones with the probabilities of `input` (or all with probability `p`), and zeros."""
    if p is not None:
        return input.detach().clone().bernoulli_(p, generator=generator)
    return bernoulli_sample(input, generator=generator, out=out)


poisson = op("poisson(input, generator=None)", Sample(whole_draws.poisson),
    input=zeros_of, method=False, inplace=False,
    doc="A Poisson variate for each rate of the input.")  # fmt: skip

binomial = op("binomial(count, prob, generator=None)", Sample(whole_draws.binomial),
    count=zeros_of,
    prob=zeros_of,
    method=False,
    doc="Hits in `count` trials of probability `prob`, element by element.")  # fmt: skip

multinomial = op("multinomial(input, num_samples, replacement=False, *, generator=None)",
    Sample(whole_draws.multinomial),
    doc="`num_samples` indices for each row of weights, drawn in proportion to them.")  # fmt: skip


gamma_slope = op("_standard_gamma_grad(input, output)", Elementwise(standard_gamma_slope, tensors=2, inplace=False),
    method=True,
    doc="d output / d input of a gamma variate `output` drawn with the shape parameter `input`.")  # fmt: skip

_standard_gamma = op("_standard_gamma(input, generator=None)", Sample(draws.gamma),
    input=lambda g, input, out: g * gamma_slope(input, out),
    node="StandardGammaBackward0",
    doc="A gamma variate of scale 1 for each shape parameter, differentiable by reparameterization.")  # fmt: skip

_sample_dirichlet = op("_sample_dirichlet(input, generator=None)", Sample(draws.dirichlet),
    doc="A point of the simplex for each row of concentrations.")  # fmt: skip


def _normal_by_mean(generator, mean, std):
    return draws.normal_around(generator, *_same_kind(mean, std))


def _same_kind(mean, std):
    """Means and deviations as arrays of one dtype."""
    if isinstance(mean, np.ndarray) and isinstance(std, np.ndarray) and mean.dtype != std.dtype:
        raise RuntimeError(f"normal: expected mean and std of one dtype, got {mean.dtype.name} and {std.dtype.name}")
    return mean, std


normal_mean = op("normal_mean(mean, std=1, *, generator=None)", Sample(_normal_by_mean),
    mean=zeros_of,
    method=False, namespace="_engine", node="NormalBackward1",
    doc="A normal variate around each mean.")  # fmt: skip

normal_std = op("normal_std(mean, std, *, generator=None)", Sample(_normal_by_mean),
    std=zeros_of,
    method=False, namespace="_engine", node="NormalBackward2",
    doc="A normal variate for each deviation.")  # fmt: skip

normal_both = op("normal_both(mean, std, *, generator=None)", Sample(_normal_by_mean),
    mean=lambda g, mean: mean * 0,
    std=lambda g, std: std * 0,
    method=False, namespace="_engine", node="NormalBackward3",
    doc="A normal variate for each pair of mean and deviation.")  # fmt: skip


@composite(namespace="torch", method=False)
def normal(mean=0.0, std=1.0, size=None, *, generator=None, out=None, dtype=None, layout=None, device=None,
           pin_memory=False, requires_grad=False):  # fmt: skip
    """Normal variates: of one mean and deviation in a given size, or with tensors for one or both of them."""
    by_mean, by_std = isinstance(mean, Tensor), isinstance(std, Tensor)
    if size is not None:
        mean, std = number(mean), number(std)
        d = as_dtype("normal", dtype) or _dtype.get_default_dtype()
        fill = lambda shape, kind: draws.normal(stream(generator), shape, kind.np, mean, std)
        return made(fill, as_size("normal", (size,)), d, device, requires_grad, out, "normal")
    if not by_mean and not by_std:
        raise TypeError("normal(): expected a tensor as mean or std, or a size")
    entry = normal_both if by_mean and by_std else normal_mean if by_mean else normal_std
    return entry(mean, std, generator=generator, out=out)


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


def _drawn_like(name, draw, input, dtype, layout, device, requires_grad, memory_format):
    """A tensor like `input`, drawn into as it lies in memory: `draw(shape, np_dtype, out=)`."""
    t = like(name, uninitialised, input, dtype, layout, device, requires_grad, memory_format)
    if not t.on_meta:
        draw(t.array.shape, t.array.dtype, out=t.array)
    return t


@composite(namespace="torch", method=False)
def rand_like(input, *, generator=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
              memory_format=None):  # fmt: skip
    """Uniform on [0, 1) in the shape, dtype and device of `input`."""
    draw = partial(draws.uniform, stream(generator))
    return _drawn_like("rand_like", draw, input, dtype, layout, device, requires_grad, memory_format)


@composite(namespace="torch", method=False)
def randn_like(input, *, generator=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
               memory_format=None):  # fmt: skip
    """Standard normal in the shape, dtype and device of `input`."""
    draw = partial(draws.normal, stream(generator))
    return _drawn_like("randn_like", draw, input, dtype, layout, device, requires_grad, memory_format)


def _bounds(low, high):
    low, high = number(low), number(high)
    if high <= low:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    return builtins.int(low), builtins.int(high)


def _between(generator, low, high):
    low, high = _bounds(low, high)
    return lambda shape, kind: whole_draws.randint(stream(generator), shape, kind.np, low, high)


@composite(namespace="torch", method=False)
def randint(*args, low=None, high=None, size=None, generator=None, out=None, dtype=None, layout=None, device=None,
            pin_memory=False, requires_grad=False):  # fmt: skip
    """Whole numbers, uniform on [low, high): randint(high, size) or randint(low, high, size)."""
    rest = list(args)
    if size is None and rest and isinstance(rest[-1], (tuple, list)):
        size = rest.pop()
    given = [v for v in (low, high) if v is not None]
    bounds = [*rest, *given]
    if size is None or not 1 <= len(bounds) <= 2:
        raise TypeError(
            f"randint(): expected (high, size) or (low, high, size), got {len(args)} positional arguments and "
            f"{'a' if size is not None else 'no'} size"
        )
    low, high = (0, *bounds) if len(bounds) == 1 else bounds
    check_layout("randint", layout)
    d = as_dtype("randint", dtype) or int64
    fill = _between(generator, low, high)
    return made(fill, as_size("randint", (size,)), d, device, requires_grad, out, "randint")


@composite(namespace="torch", method=False)
def randint_like(input, low=0, high=None, *, generator=None, dtype=None, layout=None, device=None, pin_memory=False,
                 requires_grad=False, memory_format=None):  # fmt: skip
    """Whole numbers, uniform on [low, high), or below `low` if it is the only bound, in the shape of `input`."""
    low, high = _bounds(low, high) if high is not None else _bounds(0, low)
    draw = partial(whole_draws.randint, stream(generator), low=low, high=high)
    return _drawn_like("randint_like", draw, input, dtype, layout, device, requires_grad, memory_format)


@composite(namespace="torch", method=False)
def randperm(n, *, generator=None, out=None, dtype=int64, layout=None, device=None, pin_memory=False,
             requires_grad=False):  # fmt: skip
    """A random order of 0 … n - 1."""
    check_layout("randperm", layout)
    d = as_dtype("randperm", dtype) or int64
    n = n.__index__()
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    fill = lambda shape, kind: whole_draws.randperm(stream(generator), n, kind.np)
    return made(fill, (n,), d, device, requires_grad, out, "randperm")
