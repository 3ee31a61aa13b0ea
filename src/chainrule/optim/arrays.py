"""Parameters as plain arrays: when a group may be updated by one kernel call instead of tensor operations."""

from chainrule._core.dtype import float32, float64
from chainrule._engine.tensor import bump_version
from chainrule._engine.thread_state import current


def with_gradients(params):
    """The parameters that have a gradient."""
    found = []
    for param in params:
        beyond = param.autograd
        if beyond is not None and beyond.grad is not None:
            found.append(param)
    return found


def plain_arrays(group, params):
    """The arrays of the parameters and of their gradients; None where the update must be tensor operations.

    That is so when autograd, a tracer or another level has to see it, and for 16-bit and complex parameters.
    Whoever writes into the arrays calls `mark_changed` afterwards.
    """
    if current().special or group["differentiable"] or group.get("capturable"):
        return None
    values = []
    grads = []
    for param in params:
        grad = param.autograd.grad
        kind = param.meta.dtype
        if (kind is not float32 and kind is not float64) or grad.meta.dtype is not kind:
            return None
        if param.on_meta or grad.on_meta:
            return None
        values.append(param.array)
        grads.append(grad.array)
    return values, grads


def state_arrays(states, key):
    """The arrays of one entry of each state."""
    found = []
    for state in states:
        value = state[key]
        found.append(value.array)
    return found


def mark_changed(params):
    """Count an in-place change of each parameter, so that a backward that saved one notices."""
    for param in params:
        bump_version(param)
