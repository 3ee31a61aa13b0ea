"""Adam: steps scaled by running moments of the gradient."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import chainrule
from chainrule._kernels.update import adam_list
from chainrule.optim.arrays import mark_changed, plain_arrays, state_arrays
from chainrule.optim.dense import (
    DenseOptimizer,
    Group,
    State,
    decay_into,
    move_ratio,
    step_counter,
    track_mean,
    track_square,
)
from chainrule.optim.options import check_betas, check_fused, check_lr, check_not_negative, number

__all__ = ["Adam"]


class Adam(DenseOptimizer):
    """Adam (Kingma and Ba 2015, arXiv:1412.6980, algorithm 1).

    With g the gradient plus `weight_decay` · p, and t the number of updates:

        m ← β₁ m + (1 − β₁) g            m̂ = m / (1 − β₁ᵗ)
        v ← β₂ v + (1 − β₂) g²           v̂ = v / (1 − β₂ᵗ)
        p ← p − lr · m̂ / (√v̂ + eps)

    `amsgrad` divides by the largest v so far (Reddi et al. 2018, arXiv:1904.09237). `decoupled_weight_decay`
    shrinks p by the factor 1 − lr · weight_decay before the update instead of adding to g; `AdamW` is that.
    `lr` and the betas may be one-element tensors; with `differentiable=True` they may want gradients.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: Any = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, chainrule.Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check_lr(lr)
        check_not_negative("epsilon value", eps)
        check_betas(betas)
        check_not_negative("weight_decay value", weight_decay)
        check_fused(fused, foreach, differentiable)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": _checked_kind(betas, foreach and not capturable),
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "differentiable": differentiable,
                "fused": fused,
                "decoupled_weight_decay": decoupled_weight_decay,
            },
        )

    def _new_state(self, param: Any, group: Group) -> State:
        state = {
            "step": step_counter(group),
            "exp_avg": chainrule.zeros_like(param),
            "exp_avg_sq": chainrule.zeros_like(param),
        }
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = chainrule.zeros_like(param)
        return state

    def _update_arrays(self, group: Group, params: list[Any]) -> bool:
        arrays = plain_arrays(group, params)
        if arrays is None:
            return False
        values, grads = arrays
        states = self._states_of(params, group)
        beta1, beta2 = group["betas"]
        adam_list(
            values,
            grads,
            state_arrays(states, "exp_avg"),
            state_arrays(states, "exp_avg_sq"),
            state_arrays(states, "max_exp_avg_sq") if group["amsgrad"] else None,
            state_arrays(states, "step"),
            number(group["lr"]),
            number(beta1),
            number(beta2),
            group["eps"],
            number(group["weight_decay"]),
            group["maximize"],
            group["decoupled_weight_decay"],
        )
        mark_changed(params)
        return True

    def _update(self, param: Any, grad: Any, state: State, group: Group) -> None:
        differentiable = group["differentiable"]
        lr = number(group["lr"], differentiable)
        beta1, beta2 = (number(beta, differentiable) for beta in group["betas"])
        weight_decay = number(group["weight_decay"], differentiable)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        state["step"] += 1
        step = state["step"].item()

        if not group["decoupled_weight_decay"]:
            grad = decay_into(grad, param, weight_decay)
        elif isinstance(weight_decay, chainrule.Tensor) or weight_decay != 0:
            param.mul_(1 - lr * weight_decay)
        track_mean(mean, grad, beta1)
        track_square(square, grad, beta2)
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]
            square = largest.copy_(chainrule.maximum(largest.clone() if differentiable else largest, square))
        root = square.sqrt() / (1 - beta2**step) ** 0.5
        # The next update changes the mean in place, so a recorded one keeps a copy.
        move_ratio(
            param, mean.clone() if differentiable else mean, root + group["eps"], -lr / (1 - beta1**step)
        )


def _checked_kind(betas: tuple[Any, Any], foreach: bool | None) -> tuple[Any, Any]:
    """The betas as two floats or two 0-d tensors."""
    if all(isinstance(beta, float) for beta in betas):
        return betas[0], betas[1]
    if not all(isinstance(beta, chainrule.Tensor) for beta in betas):
        raise ValueError("betas must be either both floats or both Tensors")
    for i, beta in enumerate(betas):
        if foreach:
            raise ValueError(f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True")
        if beta.numel() != 1:
            raise ValueError(f"Tensor betas[{i}] must be 1-element")
    return betas[0].reshape(()), betas[1].reshape(())
