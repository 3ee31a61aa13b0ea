"""Softmax and its logarithm along a dimension, and their forms in torch.nn.functional."""

import warnings

import numpy as np

from chainrule._core.rng import default_generator
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import wrap
from chainrule._kernels import random
from chainrule._kernels import softmax as kernels
from chainrule._kernels.targets import BFLOAT16, FLOAT16, FLOAT32, narrowed, widened
from chainrule._ops.activation import floating
from chainrule._ops.kinds import Along

soft = op("softmax(input, dim, dtype=None)", Along(floating("softmax_kernel_impl", kernels.softmax)),
    input=lambda g, out, dim: out * (g - (g * out).sum(dim, keepdim=True)),
    fast=kernels.softmax_grad,
    doc="exp(input) scaled to sum to one along dim.")  # fmt: skip

log_soft = op("log_softmax(input, dim, dtype=None)", Along(floating("log_softmax_kernel_impl", kernels.log_softmax)),
    input=lambda g, out, dim: g - out.exp() * g.sum(dim, keepdim=True),
    fast=kernels.log_softmax_grad,
    doc="input less the logarithm of the sum of exp(input) along dim.")  # fmt: skip


def implicit_dim(name, ndim, stacklevel):
    """The dim PyTorch takes when none is given, with its warning."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=stacklevel + 1,
    )
    return 0 if ndim in (0, 1, 3) else 1


@composite("nn.functional")
def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """exp(input) scaled to sum to one along dim, which is chosen with a warning if it is None."""
    if dim is None:
        dim = implicit_dim("softmax", len(input.meta.shape), _stacklevel)
    return soft(input, dim, dtype)


@composite("nn.functional")
def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """input − log Σ exp(input) along dim, which is chosen with a warning if it is None."""
    if dim is None:
        dim = implicit_dim("log_softmax", len(input.meta.shape), _stacklevel)
    return log_soft(input, dim, dtype)


@composite("nn.functional")
def softmin(input, dim=None, _stacklevel=3, dtype=None):
    """softmax(−input) along dim, which is chosen with a warning if it is None."""
    if dim is None:
        dim = implicit_dim("softmin", len(input.meta.shape), _stacklevel)
    return soft(-input, dim, dtype)


def gumbel_noise(array):
    """−log E for E exponential, drawn for each element in the order of memory, in the array's dtype."""
    exponential = random.exponential(default_generator, array.shape, array.dtype, out=np.empty_like(array))
    half = exponential.dtype in (FLOAT16, BFLOAT16)
    with np.errstate(all="ignore"):
        if not half:
            return np.asarray(-np.log(exponential))
        return narrowed(-np.log(widened(exponential)).astype(FLOAT32), exponential.dtype)


@composite("nn.functional")
def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """A differentiable sample of the categorical distribution of `logits`: softmax of (logits + Gumbel noise) / tau.

    `hard` gives one-hot values with the soft sample's gradient (Jang, Gu and Poole 2017)."""
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    sample = soft((logits + wrap(gumbel_noise(logits.array))) / tau, dim)
    if not hard:
        return sample
    best = sample.detach().argmax(dim, keepdim=True)
    ones = sample.detach() * 0
    ones.scatter_(dim, best, 1.0)
    return ones - sample.detach() + sample
