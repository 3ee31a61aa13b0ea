"""Rprop: step sizes that follow the signs of successive gradients."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import chainrule
from chainrule.optim.dense import DenseOptimizer, Group, State, step_counter
from chainrule.optim.options import check_lr, number

__all__ = ["Rprop"]


class Rprop(DenseOptimizer):
    """Resilient backpropagation (Riedmiller and Braun 1993), for full batches.

    Each element has its own step size η, starting at `lr` and kept within `step_sizes`:

        sign(g · g_before) > 0:   η ← η · etas[1]
        sign(g · g_before) < 0:   η ← η · etas[0], and this g counts as 0
        p ← p − sign(g) · η
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(
            params,
            {
                "lr": lr,
                "etas": etas,
                "step_sizes": step_sizes,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "capturable": capturable,
            },
        )

    def _new_state(self, param: Any, group: Group) -> State:
        start = number(group["lr"])
        if param.is_complex():
            start = complex(start, start)
        return {
            "step": step_counter(group),
            "prev": chainrule.zeros_like(param),
            "step_size": chainrule.full_like(param, start, requires_grad=False),
        }

    def _update(self, param: Any, grad: Any, state: State, group: Group) -> None:
        shrink, grow = group["etas"]
        before, size = state["prev"], state["step_size"]
        state["step"] += 1

        agreement = grad * (before.clone() if group["differentiable"] else before)
        turned = agreement < 0
        factor = chainrule.ones_like(size)
        factor[agreement > 0] = grow
        factor[turned] = shrink
        size.mul_(factor).clamp_(*group["step_sizes"])
        grad = grad.masked_fill(turned, 0)
        param.addcmul_(grad.sign(), size.clone() if group["differentiable"] else size, value=-1)
        before.copy_(grad)
