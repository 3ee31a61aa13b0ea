"""RMSprop: gradients scaled by their running root mean square."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import chainrule
from chainrule._kernels.update import rmsprop_list
from chainrule.optim.arrays import mark_changed, plain_arrays, state_arrays
from chainrule.optim.dense import (
    DenseOptimizer,
    Group,
    State,
    decay_into,
    move,
    move_ratio,
    step_counter,
    track_mean,
    track_square,
)
from chainrule.optim.options import check_lr, check_not_negative, number

__all__ = ["RMSprop"]


class RMSprop(DenseOptimizer):
    """RMSprop (Hinton, "Neural Networks for Machine Learning", lecture 6; centered: Graves, arXiv:1308.0850).

    With g the gradient plus `weight_decay` · p:

        v ← α v + (1 − α) g²                       centered: a ← α a + (1 − α) g, and v − a² in place of v
        below p ← p − lr · g / (√v + eps)                momentum: b ← momentum · b + g / (√v + eps), p ← p −
        lr · b
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check_not_negative("epsilon value", eps)
        check_not_negative("momentum value", momentum)
        check_not_negative("weight_decay value", weight_decay)
        check_not_negative("alpha value", alpha)
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "alpha": alpha,
                "eps": eps,
                "centered": centered,
                "weight_decay": weight_decay,
                "capturable": capturable,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
            },
        )

    def _new_state(self, param: Any, group: Group) -> State:
        state = {"step": step_counter(group), "square_avg": chainrule.zeros_like(param)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = chainrule.zeros_like(param)
        if group["centered"]:
            state["grad_avg"] = chainrule.zeros_like(param)
        return state

    def _update_arrays(self, group: Group, params: list[Any]) -> bool:
        arrays = plain_arrays(group, params)
        if arrays is None:
            return False
        values, grads = arrays
        states = self._states_of(params, group)
        rmsprop_list(
            values,
            grads,
            state_arrays(states, "square_avg"),
            state_arrays(states, "grad_avg") if group["centered"] else None,
            state_arrays(states, "momentum_buffer") if group["momentum"] > 0 else None,
            state_arrays(states, "step"),
            number(group["lr"]),
            group["alpha"],
            group["eps"],
            group["weight_decay"],
            group["momentum"],
            group["maximize"],
        )
        mark_changed(params)
        return True

    def _update(self, param: Any, grad: Any, state: State, group: Group) -> None:
        differentiable = group["differentiable"]
        lr = number(group["lr"], differentiable)
        alpha, momentum = group["alpha"], group["momentum"]
        square = state["square_avg"]
        state["step"] += 1

        grad = decay_into(grad, param, group["weight_decay"])
        track_square(square, grad, alpha)
        if group["centered"]:
            mean = state["grad_avg"]
            track_mean(mean, grad, alpha)
            if differentiable:
                mean = mean.clone()
            square = square.addcmul(mean, mean, value=-1)
        root = square.sqrt() + group["eps"]
        if momentum > 0:
            velocity = state["momentum_buffer"]
            velocity.mul_(momentum).addcdiv_(grad, root)
            move(param, velocity, -lr)
        else:
            move_ratio(param, grad, root, -lr)
