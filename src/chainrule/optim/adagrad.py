"""Adagrad: steps that shrink with the sum of squared gradients."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import chainrule
from chainrule._kernels.update import adagrad_list
from chainrule.optim.arrays import mark_changed, plain_arrays, state_arrays
from chainrule.optim.dense import (
    DenseOptimizer,
    Group,
    State,
    decay_into,
    move_ratio,
    step_counter,
)
from chainrule.optim.options import check_fused, check_lr, check_not_negative, number

__all__ = ["Adagrad"]


class Adagrad(DenseOptimizer):
    """Adagrad (Duchi, Hazan and Singer 2011, JMLR 12).

    With g the gradient plus `weight_decay` · p, and t the number of updates:

        s ← s + g²        (s starts at `initial_accumulator_value`)
        p ← p − lr / (1 + (t − 1) · lr_decay) · g / (√s + eps)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        check_not_negative("lr_decay value", lr_decay)
        check_not_negative("weight_decay value", weight_decay)
        check_not_negative("initial_accumulator_value value", initial_accumulator_value)
        check_not_negative("epsilon value", eps)
        check_fused(fused, foreach, differentiable)
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "eps": eps,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "fused": fused,
            },
        )
        # Unlike its siblings, Adagrad has its state from the start.
        for group in self.param_groups:
            for param in group["params"]:
                self._state_of(param, group)

    def _new_state(self, param: Any, group: Group) -> State:
        start = group["initial_accumulator_value"]
        if param.is_complex():
            start = complex(start, start)
        return {"step": step_counter(group), "sum": chainrule.full_like(param, start, requires_grad=False)}

    def _update_arrays(self, group: Group, params: list[Any]) -> bool:
        arrays = plain_arrays(group, params)
        if arrays is None:
            return False
        values, grads = arrays
        states = self._states_of(params, group)
        adagrad_list(
            values,
            grads,
            state_arrays(states, "sum"),
            state_arrays(states, "step"),
            number(group["lr"]),
            group["lr_decay"],
            group["weight_decay"],
            group["eps"],
            group["maximize"],
        )
        mark_changed(params)
        return True

    def _update(self, param: Any, grad: Any, state: State, group: Group) -> None:
        lr = number(group["lr"], group["differentiable"])
        total = state["sum"]
        state["step"] += 1
        step = state["step"].item()

        grad = decay_into(grad, param, group["weight_decay"])
        total.addcmul_(grad, grad)
        move_ratio(param, grad, total.sqrt() + group["eps"], -lr / (1 + (step - 1) * group["lr_decay"]))
