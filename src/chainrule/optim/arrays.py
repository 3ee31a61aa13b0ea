"""Parameters as plain arrays: when a group may be updated by one kernel call instead of tensor operations."""

from __future__ import annotations

from typing import Any

from chainrule._engine.thread_state import current
from chainrule.autograd.graph import increment_version

__all__ = ["increment_version", "plain_arrays", "state_arrays"]

# By letter, since a dtype that was unpickled is equal to NumPy's own but not identical.
_KINDS = "fd"

Arrays = list[Any]


def plain_arrays(group: dict[str, Any], params: list[Any]) -> tuple[Arrays, Arrays] | None:
    """The arrays of the parameters and of their gradients; None where the update must be tensor operations.

    That is so when autograd, a tracer or another level has to see it, and for 16-bit and complex parameters.
    Whoever writes into the arrays calls `increment_version` on the parameters afterwards.
    """
    if group["differentiable"] or group.get("capturable") or current().special:
        return None
    values = []
    grads = []
    for param in params:
        value, grad = param.array, param.grad.array
        kind = value.dtype.char
        if kind not in _KINDS or grad.dtype.char != kind or param.is_meta:
            return None
        values.append(value)
        grads.append(grad)
    return values, grads


def state_arrays(states: list[dict[str, Any]], key: str) -> Arrays:
    """The arrays of one entry of each state."""
    return [state[key].array for state in states]
