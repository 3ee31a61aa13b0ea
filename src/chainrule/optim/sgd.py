"""Stochastic gradient descent, with momentum and Nesterov's variant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import chainrule
from chainrule._kernels.update import sgd_list
from chainrule.optim.arrays import mark_changed, plain_arrays, state_arrays
from chainrule.optim.dense import DenseOptimizer, Group, State, decay_into, move
from chainrule.optim.options import check_fused, check_lr, check_not_negative, number

__all__ = ["SGD"]


class SGD(DenseOptimizer):
    """Gradient descent with momentum (Sutskever et al. 2013, ICML).

    With g the gradient plus `weight_decay` · p:

        b ← momentum · b + (1 − dampening) · g        (b = g at the first update)
        p ← p − lr · b                                 or, nesterov: p ← p − lr · (g + momentum · b)

    The learning rate multiplies the velocity as a whole, where the paper has it inside the velocity.
    """

    _complex_as_pairs = False

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: Any = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        check_not_negative("momentum value", momentum)
        check_not_negative("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        check_fused(fused, foreach, differentiable)
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
                "foreach": foreach,
                "differentiable": differentiable,
                "fused": fused,
            },
        )

    def _state_of(self, param: Any, group: Group) -> State:
        # Without momentum PyTorch keeps no entry for the parameter at all.
        return self.state[param] if group["momentum"] != 0 else {}

    def _update_arrays(self, group: Group, params: list[Any]) -> bool:
        arrays = plain_arrays(group, params)
        if arrays is None:
            return False
        values, grads = arrays
        velocities = first = None
        if group["momentum"] != 0:
            states = [self.state[param] for param in params]
            first = [state.get("momentum_buffer") is None for state in states]
            if True in first:
                for param, state, missing in zip(params, states, first, strict=True):
                    if missing:
                        state["momentum_buffer"] = chainrule.zeros_like(param, requires_grad=False)
            velocities = state_arrays(states, "momentum_buffer")
        sgd_list(
            values,
            grads,
            velocities,
            first,
            number(group["lr"]),
            group["momentum"],
            group["dampening"],
            number(group["weight_decay"]),
            group["nesterov"],
            group["maximize"],
        )
        mark_changed(params)
        return True

    def _update(self, param: Any, grad: Any, state: State, group: Group) -> None:
        differentiable = group["differentiable"]
        lr = number(group["lr"], differentiable)
        momentum = group["momentum"]
        grad = decay_into(grad, param, number(group["weight_decay"], differentiable))
        if momentum != 0:
            velocity = state.get("momentum_buffer")
            if velocity is None:
                # Recorded when differentiable; PyTorch 2.13 detaches it and loses that part of the gradient.
                velocity = state["momentum_buffer"] = grad.clone()
            else:
                velocity.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(velocity, alpha=momentum) if group["nesterov"] else velocity
        move(param, grad, -lr)
