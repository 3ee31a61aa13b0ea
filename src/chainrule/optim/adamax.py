"""Adamax: Adam with the infinity norm."""

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
)
from chainrule.optim.options import check_betas, check_lr, check_not_negative, number

__all__ = ["Adamax"]


class Adamax(DenseOptimizer):
    """Adamax (Kingma and Ba 2015, arXiv:1412.6980, algorithm 2).

    With g the gradient plus `weight_decay` · p:

        m ← β₁ m + (1 − β₁) g,   u ← max(β₂ u, |g| + eps)
        p ← p − lr / (1 − β₁ᵗ) · m / u
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
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
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "capturable": capturable,
            },
        )

    def _new_state(self, param: Any, group: Group) -> State:
        return {
            "step": step_counter(group),
            "exp_avg": chainrule.zeros_like(param),
            "exp_inf": chainrule.zeros_like(param),
        }

    def _update(self, param: Any, grad: Any, state: State, group: Group) -> None:
        differentiable = group["differentiable"]
        lr = number(group["lr"], differentiable)
        beta1, beta2 = group["betas"]
        mean, largest = state["exp_avg"], state["exp_inf"]
        state["step"] += 1
        step = state["step"].item()

        grad = decay_into(grad, param, group["weight_decay"])
        track_mean(mean, grad, beta1)
        largest.copy_(chainrule.maximum(largest * beta2, grad.abs() + group["eps"]))
        if differentiable:
            mean, largest = mean.clone(), largest.clone()
        move_ratio(param, mean, largest, -lr / (1 - beta1**step))
