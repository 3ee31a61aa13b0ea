"""Adadelta: steps in the units of the parameter, without a learning rate to choose."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import chainrule
from chainrule.optim.dense import (
    DenseOptimizer,
    Group,
    State,
    decay_into,
    move,
    step_counter,
    track_square,
)
from chainrule.optim.options import check_lr, check_not_negative, number

__all__ = ["Adadelta"]


class Adadelta(DenseOptimizer):
    """Adadelta (Zeiler 2012, arXiv:1212.5701, algorithm 1).

    With g the gradient plus `weight_decay` · p:

        v ← ρ v + (1 − ρ) g²
        δ = g · √(u + eps) / √(v + eps),   u ← ρ u + (1 − ρ) δ²
        p ← p − lr · δ
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_not_negative("epsilon value", eps)
        check_not_negative("weight_decay value", weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "rho": rho,
                "eps": eps,
                "weight_decay": weight_decay,
                "maximize": maximize,
                "capturable": capturable,
                "foreach": foreach,
                "differentiable": differentiable,
            },
        )

    def _new_state(self, param: Any, group: Group) -> State:
        return {
            "step": step_counter(group),
            "square_avg": chainrule.zeros_like(param),
            "acc_delta": chainrule.zeros_like(param),
        }

    def _update(self, param: Any, grad: Any, state: State, group: Group) -> None:
        lr = number(group["lr"], group["differentiable"])
        rho, eps = group["rho"], group["eps"]
        square, moved = state["square_avg"], state["acc_delta"]
        state["step"] += 1

        grad = decay_into(grad, param, group["weight_decay"])
        track_square(square, grad, rho)
        delta = (moved + eps).sqrt() / (square + eps).sqrt() * grad
        track_square(moved, delta, rho)
        move(param, delta, -lr)
