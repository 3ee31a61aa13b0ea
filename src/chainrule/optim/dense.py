"""DenseOptimizer: the walk that all first-order optimizers share, from `step` to the update of one parameter.

A method states its state (`_new_state`) and its formula in tensor operations (`_update`); that text is the
definition, and with `differentiable=True` it is itself differentiated. A method with a fused array kernel
also states `_update_arrays`, which the walk tries first where nothing but plain arrays is involved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chainrule
from chainrule.optim.arrays import with_gradients
from chainrule.optim.optimizer import Optimizer

State = dict[str, Any]
Group = dict[str, Any]


class DenseOptimizer(Optimizer):
    """Base of the optimizers whose update of a parameter needs only its gradient and state.

    Options that every one of them takes:

    - `maximize`: climb instead of descend;
    - `differentiable`: let autograd record the update, for gradients through training;
    - `capturable`: for accelerators only; `step` raises AssertionError, as PyTorch does on the CPU;
    - `foreach`, `fused`: accepted for compatibility. The update is the same either way, and whole groups of
    plain
      tensors always go through one fused kernel where there is one.
    """

    # Whether the update treats a complex parameter as pairs of reals. SGD is linear and needs no such view.
    _complex_as_pairs = True

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.defaults.setdefault("differentiable", False)
        for group in self.param_groups:
            for name, value in self.defaults.items():
                group.setdefault(name, value)
            for param in group["params"]:
                kept = self.state.get(param, {})
                if "step" in kept and not isinstance(kept["step"], chainrule.Tensor):
                    kept["step"] = step_counter(group, float(kept["step"]))

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter that has a gradient; returns the closure's loss, if there is a closure."""
        loss = None
        if closure is not None:
            with chainrule.enable_grad():
                loss = closure()
        for group in self.param_groups:
            params = with_gradients(group["params"])
            if params and not self._update_arrays(group, params):
                self._update_tensors(group, params)
        return loss

    def _update_arrays(self, group: Group, params: list[Any]) -> bool:
        """Update the group by a fused kernel; False, and nothing done, where that is not possible."""
        return False

    def _update_tensors(self, group: Group, params: list[Any]) -> None:
        differentiable = group["differentiable"]
        if group.get("capturable"):
            raise AssertionError(
                f"{type(self).__name__}: If capturable=True, params and state_steps must be on supported "
                f"devices: accelerators that capture graphs; got {params[0].device}."
            )
        with chainrule.set_grad_enabled(differentiable):
            for param in params:
                state = self._state_of(param, group)
                if differentiable and "step" in state and state["step"].requires_grad:
                    raise RuntimeError("`requires_grad` is not supported for `step` in differentiable mode")
                grad = -param.grad if group["maximize"] else param.grad
                if self._complex_as_pairs and param.is_complex():
                    param, grad = chainrule.view_as_real(param), chainrule.view_as_real(grad)
                    state = {
                        key: chainrule.view_as_real(value) if value.is_complex() else value
                        for key, value in state.items()
                    }
                self._update(param, grad, state, group)

    def _state_of(self, param: Any, group: Group) -> State:
        state = self.state[param]
        if not state:
            with chainrule.no_grad():
                state.update(self._new_state(param, group))
        return state

    def _states_of(self, params: list[Any], group: Group) -> list[State]:
        state = self.state
        states = [state[param] for param in params]
        if not all(states):
            for param in params:
                self._state_of(param, group)
        return states

    def _new_state(self, param: Any, group: Group) -> State:
        """The state of a parameter before its first update."""
        raise NotImplementedError

    def _update(self, param: Any, grad: Any, state: State, group: Group) -> None:
        """Change `param` and `state` in place by one update along `grad`."""
        raise NotImplementedError


def step_counter(group: Group, start: float = 0.0) -> Any:
    """The 0-d tensor that counts updates; of the default dtype if that is float64, else float32."""
    wide = chainrule.get_default_dtype() == chainrule.float64 and not group.get("fused")
    return chainrule.tensor(start, dtype=chainrule.float64 if wide else chainrule.float32)


def decay_into(grad: Any, param: Any, weight_decay: Any) -> Any:
    """grad + weight_decay · param: the gradient of an added L2 penalty."""
    if isinstance(weight_decay, chainrule.Tensor):
        return grad + param * weight_decay
    return grad.add(param, alpha=weight_decay) if weight_decay != 0 else grad


def move(param: Any, direction: Any, factor: Any) -> None:
    """param += factor · direction, the factor a number or a tensor with a gradient of its own."""
    if isinstance(factor, chainrule.Tensor):
        param.add_(direction * factor)
    else:
        param.add_(direction, alpha=factor)


def move_ratio(param: Any, numerator: Any, denominator: Any, factor: Any) -> None:
    """param += factor · numerator / denominator; the factor may be a tensor with a gradient of its own."""
    if isinstance(factor, chainrule.Tensor):
        param.addcdiv_(numerator * factor, denominator)
    else:
        param.addcdiv_(numerator, denominator, value=factor)


def track_mean(mean: Any, value: Any, beta: Any) -> None:
    """mean ← beta · mean + (1 − beta) · value, in place."""
    mean.lerp_(value, 1 - beta)


def track_square(mean: Any, value: Any, beta: Any) -> None:
    """mean ← beta · mean + (1 − beta) · value², in place."""
    if isinstance(beta, chainrule.Tensor):
        mean.lerp_(value * value, 1 - beta)
    else:
        mean.mul_(beta).addcmul_(value, value, value=1 - beta)
