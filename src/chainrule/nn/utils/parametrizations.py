"""Ready parametrizations: weight_norm and spectral_norm."""

from typing import Any

import chainrule
from chainrule import Tensor
from chainrule.nn import functional as F
from chainrule.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from chainrule.nn.modules.module import Module
from chainrule.nn.utils.parametrize import register_parametrization
from chainrule.nn.utils.weight_norm import norm_except_dim

__all__ = ["spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    """w = g·v/‖v‖ of the originals g and v."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return weight_v * (weight_g / norm_except_dim(weight_v, self.dim))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return norm_except_dim(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Parametrize ``name`` by its length, ``original0``, and its direction, ``original1``.

    Salimans & Kingma 2016.

    >>> m = nn.utils.parametrizations.weight_norm(nn.Linear(20, 40))
    >>> m.parametrizations.weight.original0.shape
    torch.Size([40, 1])
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def accept_hook_names(state_dict: Any, prefix: str, *rest: Any) -> None:
        # State saved with the hook of nn.utils.weight_norm has other names for the same two tensors.
        for suffix, original in (("_g", "original0"), ("_v", "original1")):
            old = f"{prefix}{name}{suffix}"
            if old in state_dict:
                state_dict[f"{prefix}parametrizations.{name}.{original}"] = state_dict.pop(old)

    module._register_load_state_dict_pre_hook(accept_hook_names)
    return module


class _SpectralNorm(Module):
    """w/σ(w), σ followed by the power method on the buffers _u and _v."""

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        if dim >= weight.dim() or dim < -weight.dim():
            raise IndexError(
                "Dimension out of range (expected to be in range of "
                f"[-{weight.dim()}, {weight.dim() - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim % weight.dim()
        self.eps = eps
        if weight.dim() > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._as_matrix(weight)
            rows, columns = matrix.size()
            u = matrix.new_empty(rows).normal_(0, 1)
            v = matrix.new_empty(columns).normal_(0, 1)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            # A good start, so that the first forward is already close.
            self._power_method(matrix, 15)

    def _as_matrix(self, weight: Tensor) -> Tensor:
        if self.dim != 0:
            weight = weight.permute(self.dim, *[d for d in range(weight.dim()) if d != self.dim])
        return weight.flatten(1)

    def _power_method(self, matrix: Tensor, n_power_iterations: int) -> None:
        with chainrule.no_grad():
            for _ in range(n_power_iterations):
                self._u.copy_(F.normalize(chainrule.mv(matrix, self._v), dim=0, eps=self.eps))
                self._v.copy_(F.normalize(chainrule.mv(matrix.t(), self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.dim() == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._as_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        # Copies, since the next forward overwrites the buffers that this backward may still need.
        u = self._u.clone()
        v = self._v.clone()
        return weight / chainrule.dot(u, chainrule.mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Parametrize ``name`` as itself divided by its largest singular value (Miyato et al. 2018).

    >>> m = nn.utils.parametrizations.spectral_norm(nn.Linear(20, 40))
    >>> bool(torch.linalg.matrix_norm(m.weight, 2) < 1.5)
    True
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0
    register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
    return module
