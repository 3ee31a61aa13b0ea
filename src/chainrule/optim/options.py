"""What the options of an optimizer may be: the checks that its constructor makes, and reading an option."""

from __future__ import annotations

from typing import Any

import chainrule


def check_lr(lr: Any) -> None:
    """Raise ValueError unless `lr` is a number or a one-element tensor, and not negative."""
    if isinstance(lr, chainrule.Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    check_not_negative("learning rate", lr)


def check_not_negative(what: str, value: Any) -> None:
    """Raise ValueError unless `value >= 0` (nan is refused too)."""
    if not value >= 0.0:
        raise ValueError(f"Invalid {what}: {value}")


def check_betas(betas: Any) -> None:
    """Raise ValueError unless both betas lie in [0, 1)."""
    for i in range(2):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


def check_fused(fused: Any, foreach: Any, differentiable: bool) -> None:
    """Raise RuntimeError where `fused` is asked for beside an option that excludes it."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def number(value: Any, differentiable: bool = False) -> Any:
    """An option as a Python number; as a 0-d tensor where its own gradient is wanted."""
    if type(value) is float or not isinstance(value, chainrule.Tensor):
        return value
    if differentiable and value.requires_grad:
        return value.reshape(())
    return value.item()
