"""ASGD: gradient descent that also keeps the average of its path."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import chainrule
from chainrule.optim.dense import DenseOptimizer, Group, State, decay_into, step_counter
from chainrule.optim.options import check_lr, check_not_negative, number

__all__ = ["ASGD"]


class ASGD(DenseOptimizer):
    """Averaged stochastic gradient descent (Polyak and Juditsky 1992; schedule of Bottou's SGD code).

    With g the gradient plus `weight_decay` · p, and t the number of updates:

        p ← (1 − lambd · η) p − η g
        ax ← ax + μ (p − ax)                                       (the average, in `state[p]["ax"]`)
        η = lr / (1 + lambd · lr · t)^alpha,   μ = 1 / max(1, t − t0)      for the next update
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        check_not_negative("weight_decay value", weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "lambd": lambd,
                "alpha": alpha,
                "t0": t0,
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
            "eta": step_counter(group, number(group["lr"])),
            "mu": step_counter(group, 1.0),
            "ax": chainrule.zeros_like(param),
        }

    def _update(self, param: Any, grad: Any, state: State, group: Group) -> None:
        lr, lambd = number(group["lr"]), group["lambd"]
        average = state["ax"]
        eta, mu = state["eta"].item(), state["mu"].item()
        state["step"] += 1
        step = state["step"].item()

        grad = decay_into(grad, param, group["weight_decay"])
        param.mul_(1 - lambd * eta)
        param.add_(grad, alpha=-eta)
        if mu != 1:
            average.add_((param - average) * mu)
        else:
            average.copy_(param)
        state["eta"].fill_(lr / (1 + lambd * lr * step) ** group["alpha"])
        state["mu"].fill_(1 / max(1, step - group["t0"]))
