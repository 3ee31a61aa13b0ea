"""NAdam: Adam with Nesterov momentum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import chainrule
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
from chainrule.optim.options import check_betas, check_lr, check_not_negative, number

__all__ = ["NAdam"]


class NAdam(DenseOptimizer):
    """NAdam (Dozat 2016, "Incorporating Nesterov Momentum into Adam").

    With g the gradient plus `weight_decay` · p (or p shrunk first, `decoupled_weight_decay`), t the number of
    updates, and the momentum schedule μₜ = β₁ (1 − ½ · 0.96^(t · momentum_decay)), M = μ₁ ⋯ μₜ:

        m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²
        p ← p − lr · [ (1 − μₜ) g / (1 − M) + μₜ₊₁ m / (1 − M μₜ₊₁) ] / (√(v / (1 − β₂ᵗ)) + eps)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check_not_negative("epsilon value", eps)
        check_betas(betas)
        check_not_negative("weight_decay value", weight_decay)
        check_not_negative("momentum_decay value", momentum_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "momentum_decay": momentum_decay,
                "decoupled_weight_decay": decoupled_weight_decay,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "differentiable": differentiable,
            },
        )

    def _new_state(self, param: Any, group: Group) -> State:
        return {
            "step": step_counter(group),
            "mu_product": step_counter(group, 1.0),
            "exp_avg": chainrule.zeros_like(param),
            "exp_avg_sq": chainrule.zeros_like(param),
        }

    def _update(self, param: Any, grad: Any, state: State, group: Group) -> None:
        lr = number(group["lr"], group["differentiable"])
        beta1, beta2 = group["betas"]
        weight_decay, momentum_decay = group["weight_decay"], group["momentum_decay"]
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        state["step"] += 1
        step = state["step"].item()

        if not group["decoupled_weight_decay"]:
            grad = decay_into(grad, param, weight_decay)
        elif weight_decay != 0:
            param.mul_(1 - lr * weight_decay)
        mu = beta1 * (1.0 - 0.5 * 0.96 ** (step * momentum_decay))
        mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * momentum_decay))
        state["mu_product"] *= mu
        product = state["mu_product"].item()
        track_mean(mean, grad, beta1)
        track_square(square, grad, beta2)
        denominator = (square / (1 - beta2**step)).sqrt() + group["eps"]
        move_ratio(param, grad, denominator, -lr * (1.0 - mu) / (1.0 - product))
        if group["differentiable"]:
            mean = mean.clone()
        move_ratio(param, mean, denominator, -lr * mu_next / (1.0 - product * mu_next))
