"""Gradient clipping, in place, over all parameters together or value by value.

``foreach`` is accepted everywhere for the sake of PyTorch programs and changes nothing.
"""

import math
import warnings
from collections.abc import Iterable
from types import GeneratorType
from typing import Any

import chainrule
from chainrule import Tensor

__all__: list[str] = []


def _as_list(tensors: Tensor | Iterable[Tensor]) -> list[Tensor]:
    """A list that can be walked twice, whatever iterable came (a generator too)."""
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _grads(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    return [p.grad for p in _as_list(parameters) if p.grad is not None]


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The ``norm_type``-norm of all the tensors as one vector.

    With ``error_if_nonfinite`` an infinite or undefined one is a RuntimeError.

    >>> nn.utils.get_total_norm([torch.tensor([3.0]), torch.tensor([4.0])])
    tensor(5.)
    """
    tensors = _as_list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return chainrule.tensor(0.0)
    with chainrule.no_grad():
        norms = [chainrule.linalg.vector_norm(tensor, norm_type) for tensor in tensors]
        total = chainrule.linalg.vector_norm(
            chainrule.stack([norm.to(norms[0].device) for norm in norms]), norm_type
        )
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it "
            "cannot be clipped. To disable this error and scale the gradients by the non-finite norm anyway, "
            "set `error_if_nonfinite=False`"
        )
    return total


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale the gradients by max_norm/(total_norm + 1e-6) if that is less than 1."""
    grads = _grads(parameters)
    if not grads:
        return
    with chainrule.no_grad():
        # Multiplying by a factor of 1 keeps this free of a look at the value.
        factor = chainrule.clamp(float(max_norm) / (total_norm + 1e-6), max=1.0)
        for grad in grads:
            grad.mul_(factor.to(grad.device))


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale the gradients of all parameters so that together their norm is at most ``max_norm``.

    Returns the norm before. The ``norm_type`` may be ``inf``.

    >>> p = nn.Parameter(torch.zeros(2))
    >>> p.grad = torch.tensor([3.0, 4.0])
    >>> nn.utils.clip_grad_norm_([p], 1.0), p.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    if not isinstance(parameters, Tensor):
        was_generator = isinstance(parameters, GeneratorType)
        parameters = list(parameters)
        if was_generator and not parameters:
            warnings.warn(
                "`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2
            )
    grads = _grads(parameters)
    total_norm = get_total_norm(grads, norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total_norm, foreach)
    return total_norm


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The old name of :func:`clip_grad_norm_`."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: Any = None) -> None:
    """Clamp every element of every gradient to ±``clip_value``."""
    clip_value = float(clip_value)
    with chainrule.no_grad():
        for grad in _grads(parameters):
            grad.clamp_(min=-clip_value, max=clip_value)
