"""RAdam: Adam that waits until its second moment can be trusted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import chainrule
from chainrule.optim.dense import (
    DenseOptimizer,
    Group,
    State,
    decay_into,
    step_counter,
    track_mean,
    track_square,
)
from chainrule.optim.options import check_betas, check_lr, check_not_negative, number

__all__ = ["RAdam"]


class RAdam(DenseOptimizer):
    """RAdam (Liu et al. 2020, "On the Variance of the Adaptive Learning Rate and Beyond", arXiv:1908.03265).

    With g, m, v and the bias-corrected m̂ as in Adam, ρ∞ = 2 / (1 − β₂) − 1 and ρ = ρ∞ − 2 t β₂ᵗ / (1 − β₂ᵗ):

        ρ > 5:   p ← p − lr · m̂ · r · √(1 − β₂ᵗ) / (√v + eps),   r² = (ρ−4)(ρ−2)ρ∞ / ((ρ∞−4)(ρ∞−2)ρ)
        else:    p ← p − lr · m̂
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
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
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "decoupled_weight_decay": decoupled_weight_decay,
                "differentiable": differentiable,
            },
        )

    def _new_state(self, param: Any, group: Group) -> State:
        return {
            "step": step_counter(group),
            "exp_avg": chainrule.zeros_like(param),
            "exp_avg_sq": chainrule.zeros_like(param),
        }

    def _update(self, param: Any, grad: Any, state: State, group: Group) -> None:
        lr = number(group["lr"], group["differentiable"])
        beta1, beta2 = group["betas"]
        weight_decay = group["weight_decay"]
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        state["step"] += 1
        step = state["step"].item()

        if not group["decoupled_weight_decay"]:
            grad = decay_into(grad, param, weight_decay)
        elif weight_decay != 0:
            param.mul_(1 - lr * weight_decay)
        track_mean(mean, grad, beta1)
        track_square(square, grad, beta2)
        correction = 1 - beta2**step
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2**step / correction
        update = mean / (1 - beta1**step) * lr
        if length > 5.0:
            rectifier = (
                (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
            ) ** 0.5
            update = update * (correction**0.5 / (square.sqrt() + group["eps"])) * rectifier
        param.sub_(update)
