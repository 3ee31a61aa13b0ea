"""Initial values for weights: the draws and the scales that make them fit a layer.

Every function fills the tensor it is given, without recording, and returns it. A ``generator`` may take the
default one's place.
"""

import math
import warnings
from collections.abc import Callable
from typing import Any

import chainrule
from chainrule import Tensor

__all__ = [
    "calculate_gain",
    "constant",
    "constant_",
    "dirac",
    "dirac_",
    "eye",
    "eye_",
    "kaiming_normal",
    "kaiming_normal_",
    "kaiming_uniform",
    "kaiming_uniform_",
    "normal",
    "normal_",
    "ones_",
    "orthogonal",
    "orthogonal_",
    "sparse",
    "sparse_",
    "trunc_normal_",
    "uniform",
    "uniform_",
    "xavier_normal",
    "xavier_normal_",
    "xavier_uniform",
    "xavier_uniform_",
    "zeros_",
]

_UNIT_GAIN = (
    "linear",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "sigmoid",
)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which weights grow to make up for what ``nonlinearity`` takes from the signal.

    linear, conv* and sigmoid 1, tanh 5/3, relu √2, leaky_relu √(2/(1 + slope²)) with ``param`` the slope
    (0.01), selu 3/4.

    >>> calculate_gain("leaky_relu", 0.2)
    1.3867504905630728
    """
    if nonlinearity in _UNIT_GAIN:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "selu":
        return 3.0 / 4
    if nonlinearity == "leaky_relu":
        if param is None:
            slope = 0.01
        elif isinstance(param, (int, float)) and not isinstance(param, bool):
            slope = param
        else:
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with draws from the uniform distribution on [a, b)."""
    with chainrule.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with draws from the normal distribution."""
    with chainrule.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> Tensor:
    """Fill with draws from the normal distribution restricted to [a, b].

    Drawn by rejection: from the whole normal distribution where [a, b] has more than 0.3 of it, else from the
    uniform distribution on [a, b], accepted with probability density/peak density.
    """
    if tensor.is_meta:
        return tensor
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )
    inside = _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std)
    with chainrule.no_grad():
        if inside > 0.3:
            return _reject_outside(tensor, mean, std, a, b, generator)
        return _reject_by_density(tensor, mean, std, a, b, generator)


def _reject_outside(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> Tensor:
    # Every round draws for all elements, as PyTorch does, so that the streams agree.
    low, high = tensor.new_tensor(a).item(), tensor.new_tensor(b).item()
    tensor.normal_(mean, std, generator=generator)
    while True:
        outside = (tensor < low) | (tensor > high)
        if not outside.any():
            return tensor
        again = chainrule.empty_like(tensor).normal_(mean, std, generator=generator)
        tensor.copy_(chainrule.where(outside, again, tensor))


def _reject_by_density(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> Tensor:
    peak = min(max(mean, a), b)
    log_peak = -0.5 * ((peak - mean) / std) ** 2
    pending = None
    while True:
        proposed = chainrule.empty_like(tensor).uniform_(a, b, generator=generator)
        log_density = ((proposed - mean) / std) ** 2 * -0.5 - log_peak
        refused = chainrule.empty_like(tensor).uniform_(generator=generator).log_() > log_density
        if pending is None:
            tensor.copy_(proposed)
            pending = refused
        else:
            tensor.copy_(chainrule.where(pending, proposed, tensor))
            pending = pending & refused
        if not pending.any():
            return tensor


def _normal_cdf(x: float) -> float:
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with ``val``."""
    with chainrule.no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with 1."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with 0."""
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """Make the 2-D tensor the identity, as far as it reaches."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with chainrule.no_grad():
        tensor.zero_()
        tensor.diagonal().fill_(1)
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Make the kernel of a convolution (3, 4 or 5 dimensions) hand its input through, in each group.

    As many output channels as there are input channels get a 1 at the kernel's centre.
    """
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = tensor.size(0) // groups
    centre = tuple(size // 2 for size in tensor.shape[2:])
    with chainrule.no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(per_group, tensor.size(1))):
                tensor[(group * per_group + channel, channel, *centre)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many inputs feed one output of these weights, and how many outputs one input feeds."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.size(1) * field, tensor.size(0) * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Uniform in ±gain·√(6/(fan_in + fan_out)) (Glorot & Bengio 2010)."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(fan_in + fan_out)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Normal with standard deviation gain·√(2/(fan_in + fan_out)) (Glorot & Bengio 2010)."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Uniform in ±gain·√(3/fan), ``a`` the slope of the leaky_relu after it (He 2015)."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    std = calculate_gain(nonlinearity, a) / math.sqrt(fan)
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Normal with standard deviation gain/√fan, ``a`` the slope of the leaky_relu after it (He 2015)."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    return normal_(tensor, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(fan), generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Make the tensor, its trailing dimensions flattened, a (semi-)orthogonal matrix times ``gain``.

    The Q of a normal matrix's QR decomposition, with the signs that make R's diagonal positive, so that Q is
    uniform among orthogonal matrices (Mezzadri 2007).
    """
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    with chainrule.no_grad():
        matrix = chainrule.empty((rows, columns), dtype=tensor.dtype, device=tensor.device)
        matrix.normal_(0, 1, generator=generator)
        if rows < columns:
            matrix = matrix.t()
        q, r = chainrule.linalg.qr(matrix)
        q = q * chainrule.diag(r, 0).sign()
        if rows < columns:
            q = q.t()
        tensor.copy_(q.reshape(tensor.shape))
        return tensor.mul_(gain)


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Normal draws, of which a fraction ``sparsity`` of each column is then set to 0 (Martens 2010)."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    n_zeros = math.ceil(sparsity * rows)
    with chainrule.no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            zeroed = chainrule.randperm(rows, generator=generator)[:n_zeros]
            tensor[zeroed, column] = 0
    return tensor


def _renamed(fill: Callable[..., Tensor], old: str) -> Callable[..., Tensor]:
    """``fill`` under its name of before 2018, which still works and says what to write instead."""

    def deprecated(*args: Any, **kwargs: Any) -> Tensor:
        warnings.warn(
            f"`nn.init.{old}` is now deprecated in favor of `nn.init.{fill.__name__}`.",
            FutureWarning,
            stacklevel=2,
        )
        return fill(*args, **kwargs)

    deprecated.__name__ = deprecated.__qualname__ = old
    deprecated.__doc__ = f"The old name of :func:`{fill.__name__}`."
    return deprecated


uniform = _renamed(uniform_, "uniform")
normal = _renamed(normal_, "normal")
constant = _renamed(constant_, "constant")
eye = _renamed(eye_, "eye")
dirac = _renamed(dirac_, "dirac")
xavier_uniform = _renamed(xavier_uniform_, "xavier_uniform")
xavier_normal = _renamed(xavier_normal_, "xavier_normal")
kaiming_uniform = _renamed(kaiming_uniform_, "kaiming_uniform")
kaiming_normal = _renamed(kaiming_normal_, "kaiming_normal")
orthogonal = _renamed(orthogonal_, "orthogonal")
sparse = _renamed(sparse_, "sparse")
