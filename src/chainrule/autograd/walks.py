"""`backward` and `grad`: what a walk starts from, what it is asked for, and the checks on both."""

import numpy as np

from chainrule._engine.accumulate import gradient_edge
from chainrule._engine.backward import run_backward
from chainrule._engine.op import wants_grad
from chainrule._engine.tensor import Tensor, wrap


def _as_tuple(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _root(t, g, create_graph):
    """(node, output number, gradient) for one tensor to differentiate."""
    if not isinstance(t, Tensor):
        raise TypeError(f"backward: expected a Tensor to differentiate, got {type(t).__name__}")
    if not wants_grad(t):
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    if g is None:
        if t.array.size != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if t.meta.dtype.is_complex:
            raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {t.meta.dtype}")
        g = wrap(np.ones_like(t.array) if t.meta.dtype.name != "bfloat16" else np.full(t.array.shape, 0x3F80, np.uint16))
    elif not isinstance(g, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    elif g.meta.shape != t.meta.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[0] has a shape of {g.shape} and output[0] has a shape of {t.shape}."
        )
    return gradient_edge(t), t.output_number, g


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Add the gradients of `tensors` with respect to the graph's leaves into their `.grad`."""
    tensors = _as_tuple(tensors)
    grads = (None,) * len(tensors) if grad_tensors is None else _as_tuple(grad_tensors)
    keep = create_graph if retain_graph is None else retain_graph
    roots = [_root(t, g, create_graph) for t, g in zip(tensors, grads, strict=True)]
    run_backward(roots, keep, create_graph, True, None)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, is_grads_batched=False, materialize_grads=False):  # fmt: skip
    """The gradients of `outputs` with respect to `inputs`, as a tuple."""
    outputs, inputs = _as_tuple(outputs), _as_tuple(inputs)
    grads = (None,) * len(outputs) if grad_outputs is None else _as_tuple(grad_outputs)
    keep = create_graph if retain_graph is None else retain_graph
    roots = [_root(t, g, create_graph) for t, g in zip(outputs, grads, strict=True)]
    targets = [(gradient_edge(t), t.output_number) for t in inputs]
    found = run_backward(roots, keep, create_graph, False, targets)
    return tuple(found[n][number] for n, number in targets)
