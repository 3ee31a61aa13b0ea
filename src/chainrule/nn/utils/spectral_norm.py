"""Spectral normalisation as a forward pre-hook: w/σ(w), σ the largest singular value (Miyato et al. 2018).

σ is followed by the power method: u ← w v/‖w v‖, v ← wᵀ u/‖wᵀ u‖, a step or more per training forward, kept
as buffers. The same as a parametrization is ``chainrule.nn.utils.parametrizations.spectral_norm``.
"""

from typing import Any, TypeVar

import chainrule
from chainrule import Tensor
from chainrule.nn import functional as F
from chainrule.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from chainrule.nn.modules.module import Module
from chainrule.nn.parameter import Parameter

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]

T = TypeVar("T", bound=Module)


class SpectralNorm:
    """The hook: before each forward it divides the original weight by the current estimate of σ."""

    _version = 1

    def __init__(
        self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name = name
        self.dim = dim
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """Dimension ``dim`` as rows, all others as columns."""
        if self.dim != 0:
            weight = weight.permute(self.dim, *[d for d in range(weight.dim()) if d != self.dim])
        return weight.reshape(weight.size(0), -1)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        weight = getattr(module, self.name + "_orig")
        u = getattr(module, self.name + "_u")
        v = getattr(module, self.name + "_v")
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with chainrule.no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(chainrule.mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(chainrule.mv(matrix, v), dim=0, eps=self.eps))
                # Copies, since the next forward overwrites the buffers that this backward may still need.
                u = u.clone()
                v = v.clone()
        sigma = chainrule.dot(u, chainrule.mv(matrix, v))
        return weight / sigma

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def remove(self, module: Module) -> None:
        with chainrule.no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        delattr(module, self.name)
        delattr(module, self.name + "_u")
        delattr(module, self.name + "_v")
        delattr(module, self.name + "_orig")
        module.register_parameter(self.name, Parameter(weight.detach()))


def spectral_norm(
    module: T, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> T:
    """Divide the parameter ``name`` by its largest singular value before each forward.

    The weight is seen as a matrix with ``dim`` (0; 1 for transposed convolutions) as rows. The parameter
    itself is ``name_orig``, the vectors of the power method are the buffers ``name_u`` and ``name_v``.

    >>> m = nn.utils.spectral_norm(nn.Linear(20, 40))
    >>> m.weight_u.shape
    torch.Size([40])
    """
    if dim is None:
        dim = 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    norm = SpectralNorm(name, n_power_iterations, dim, eps)
    weight = module._parameters[name]
    if weight is None:
        raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    with chainrule.no_grad():
        rows, columns = norm.reshape_weight_to_matrix(weight).size()
        u = F.normalize(weight.new_empty(rows).normal_(0, 1), dim=0, eps=eps)
        v = F.normalize(weight.new_empty(columns).normal_(0, 1), dim=0, eps=eps)
    delattr(module, norm.name)
    module.register_parameter(name + "_orig", weight)
    # A plain attribute until the first forward, so that code that looks at module.weight finds one.
    setattr(module, norm.name, weight.data)
    module.register_buffer(name + "_u", u)
    module.register_buffer(name + "_v", v)
    module.register_forward_pre_hook(norm)
    return module


def remove_spectral_norm(module: T, name: str = "weight") -> T:
    """Undo :func:`spectral_norm`: the normalised weight becomes the parameter."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"spectral_norm of '{name}' not found in {module}")
