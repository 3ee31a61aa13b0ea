"""L-BFGS: quasi-Newton steps from a short history of gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import chainrule
from chainrule.optim.line_search import Point, strong_wolfe
from chainrule.optim.optimizer import Optimizer
from chainrule.optim.options import check_lr, number

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """Limited-memory BFGS (Nocedal and Wright 2006, "Numerical Optimization", algorithms 7.4 and 7.5).

    One `step(closure)` makes up to `max_iter` iterations and at most `max_eval` calls of the closure (by
    default 5/4 of `max_iter`), and stops early when the largest gradient entry is below `tolerance_grad` or
    the parameters or the loss change by less than `tolerance_change`. The step length is `lr` (the first
    time lr · min(1, 1/‖g‖₁)), or with `line_search_fn="strong_wolfe"` one found from there. All parameters
    are one vector: a single group only. It keeps 2 · `history_size` vectors of that length.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_lr(lr)
        super().__init__(
            params,
            {
                "lr": lr,
                "max_iter": max_iter,
                "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
                "tolerance_grad": tolerance_grad,
                "tolerance_change": tolerance_change,
                "history_size": history_size,
                "line_search_fn": line_search_fn,
            },
        )
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @property
    def _params(self) -> list[Any]:
        return self.param_groups[0]["params"]

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Minimise from here for a while; returns the loss before.

        `closure` clears the gradients, computes the loss, calls backward and returns the loss.
        """
        with chainrule.no_grad():
            return self._minimise(chainrule.enable_grad()(closure))

    def _minimise(self, closure: Callable[[], Any]) -> Any:
        group = self.param_groups[0]
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        lr = number(group["lr"])
        max_iter, max_eval = group["max_iter"], group["max_eval"]
        tolerance_grad, tolerance_change = group["tolerance_grad"], group["tolerance_change"]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)

        first_loss = closure()
        loss = float(first_loss)
        evaluations = 1
        state["func_evals"] += 1
        grad = self._flat_grad()
        if grad.abs().max() <= tolerance_grad:
            return first_loss

        for iteration in range(1, max_iter + 1):
            state["n_iter"] += 1
            direction = self._direction(grad, state, group["history_size"])
            if state.get("prev_flat_grad") is None:
                state["prev_flat_grad"] = grad.clone()
            else:
                state["prev_flat_grad"].copy_(grad)
            loss_before = state["prev_loss"] = loss
            length = lr if state["n_iter"] > 1 else min(1.0, 1.0 / grad.abs().sum()) * lr
            state["d"], state["t"] = direction, length

            slope = grad.dot(direction)
            if slope > -tolerance_change:
                break
            used = 0
            flat = False
            if group["line_search_fn"] is not None:
                start = [param.clone() for param in self._params]

                def probe(length: Any, direction: Any = direction, start: list[Any] = start) -> Point:
                    self._advance(length, direction)
                    value = float(closure())
                    flat_grad = self._flat_grad()
                    for param, kept in zip(self._params, start, strict=True):
                        param.copy_(kept)
                    return Point(length, value, flat_grad, flat_grad.dot(direction))

                here = Point(0, loss, grad.clone(), slope)
                best, used = strong_wolfe(
                    probe, here, length, direction.abs().max(), max_probes=max_eval - evaluations
                )
                length, loss, grad = best.length, best.value, best.grad
                state["t"] = length
                self._advance(length, direction)
                flat = bool(grad.abs().max() <= tolerance_grad)
            else:
                self._advance(length, direction)
                if iteration != max_iter:
                    loss = float(closure())
                    grad = self._flat_grad()
                    used = 1
                    flat = bool(grad.abs().max() <= tolerance_grad)
            evaluations += used
            state["func_evals"] += used
            if (
                evaluations >= max_eval
                or flat
                or (direction * length).abs().max() <= tolerance_change
                or abs(loss - loss_before) < tolerance_change
            ):
                break
        return first_loss

    def _direction(self, grad: Any, state: dict[str, Any], history_size: int) -> Any:
        """−H · grad, H the inverse Hessian that the remembered steps suggest (two loops)."""
        if state["n_iter"] == 1:
            state["old_dirs"], state["old_stps"], state["ro"] = [], [], []
            state["H_diag"] = 1
            return grad.neg()
        changes, steps, inverses = state["old_dirs"], state["old_stps"], state["ro"]
        change = grad - state["prev_flat_grad"]
        step = state["d"] * state["t"]
        curvature = change.dot(step)
        if curvature > 1e-10:
            if len(changes) == history_size:
                for history in (changes, steps, inverses):
                    history.pop(0)
            changes.append(change)
            steps.append(step)
            inverses.append(1.0 / curvature)
            state["H_diag"] = curvature / change.dot(change)

        # PyTorch keeps the coefficients of the first loop in the state, so that state dicts have them.
        weights = state.setdefault("al", [None] * history_size)
        direction = grad.neg()
        for i in reversed(range(len(changes))):
            weights[i] = steps[i].dot(direction) * inverses[i]
            direction.add_(changes[i], alpha=-weights[i].item())
        direction = direction * state["H_diag"]
        for i in range(len(changes)):
            direction.add_(steps[i], alpha=(weights[i] - changes[i].dot(direction) * inverses[i]).item())
        return direction

    def _flat_grad(self) -> Any:
        """The gradients of all parameters as one vector; complex ones as pairs of reals."""
        parts = []
        for param in self._params:
            part = chainrule.zeros_like(param) if param.grad is None else param.grad
            if part.is_complex():
                part = chainrule.view_as_real(part)
            parts.append(part.reshape(-1))
        return chainrule.cat(parts, 0)

    def _advance(self, length: Any, direction: Any) -> None:
        """Move all parameters by length · direction."""
        length = number(length)
        offset = 0
        for param in self._params:
            view = chainrule.view_as_real(param) if param.is_complex() else param
            view.add_(direction[offset : offset + view.numel()].view_as(view), alpha=length)
            offset += view.numel()
