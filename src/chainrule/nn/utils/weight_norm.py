"""Weight normalisation as a forward pre-hook: w = g·v/‖v‖ (Salimans & Kingma 2016).

The same as a parametrization is ``chainrule.nn.utils.parametrizations.weight_norm``.
"""

import warnings
from typing import Any, TypeVar

from chainrule import Tensor
from chainrule.nn.modules.module import Module
from chainrule.nn.parameter import Parameter

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]

T = TypeVar("T", bound=Module)


def norm_except_dim(v: Tensor, dim: int | None) -> Tensor:
    """The 2-norm over all dimensions but ``dim`` (all of them for None or -1), shaped to broadcast."""
    if dim is None or dim == -1:
        return v.norm()
    others = [d for d in range(v.dim()) if d != dim % v.dim()]
    return v.norm(2, others, True) if others else v.abs()


class WeightNorm:
    """The hook: before each forward it puts the weight together from its length and its direction."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Tensor:
        g = getattr(module, self.name + "_g")
        v = getattr(module, self.name + "_v")
        return v * (g / norm_except_dim(v, self.dim))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))

    def remove(self, module: Module) -> None:
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + "_g"]
        del module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight.data))


def weight_norm(module: T, name: str = "weight", dim: int | None = 0) -> T:
    """Replace the parameter ``name`` by ``name_g``, its length, and ``name_v``, its direction.

    The length is taken per slice of dimension ``dim``, or over everything with None.

    >>> m = nn.utils.weight_norm(nn.Linear(20, 40))
    >>> m.weight_g.shape, m.weight_v.shape
    (torch.Size([40, 1]), torch.Size([40, 20]))
    """
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of "
        "`torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, WeightNorm) and hook.name == name:
            raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    norm = WeightNorm(name, dim)
    weight = getattr(module, name)
    del module._parameters[name]
    module.register_parameter(name + "_g", Parameter(norm_except_dim(weight, norm.dim).data))
    module.register_parameter(name + "_v", Parameter(weight.data))
    setattr(module, name, norm.compute_weight(module))
    module.register_forward_pre_hook(norm)
    return module


def remove_weight_norm(module: T, name: str = "weight") -> T:
    """Undo :func:`weight_norm`: the weight becomes one parameter again."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
