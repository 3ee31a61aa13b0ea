"""`backward` and `grad`: what a walk starts from, what it is asked for, and the checks on both."""

import math
import warnings

import numpy as np

from chainrule._core.size import of
from chainrule._engine.backward import run_backward
from chainrule._engine.op import wants_grad
from chainrule._engine.tensor import Tensor, get_slots, wrap
from chainrule._kernels.casting import cast
from chainrule._kernels.loops import scalar
from chainrule._ops.joining import stack
from chainrule.autograd.edges import GradientEdge, place_of
from chainrule.autograd.zeros import zeros_of

slots = get_slots()


def _as_tuple(value):
    """One tensor or edge, or a sequence of them, as a tuple."""
    if value is None:
        return ()
    if isinstance(value, (Tensor, GradientEdge)):
        return (value,)
    return tuple(value)


def _meta_of(thing):
    """Shape and dtype of a tensor or of what an edge's node put out."""
    if isinstance(thing, GradientEdge):
        return thing.node._input_metadata[thing.output_nr]
    return thing.meta


def _ones(meta):
    """Ones for an output of one element."""
    if meta.dtype.is_half:
        return wrap(cast(np.ones(meta.shape, np.float32), meta.dtype))
    one = scalar(1.0, meta.dtype.np)
    return wrap(one.reshape(meta.shape) if meta.shape else one)


def _seed(i, out, g):
    """The gradient a walk starts with at output i: the one given, checked, or one for a real scalar."""
    meta = _meta_of(out)
    if g is None:
        if not isinstance(out, GradientEdge) and not wants_grad(out):
            return None
        if math.prod(meta.shape) != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if not meta.dtype.is_floating_point:
            raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {meta.dtype}")
        return _ones(meta)
    if not isinstance(g, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    if g.meta.shape != meta.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a shape of "
            f"{of(meta.shape)}."
        )
    if meta.dtype.is_complex != g.meta.dtype.is_complex:
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in "
            f"dtype: grad_output[{i}] has a dtype of {g.meta.dtype} and output[{i}] has a dtype of {meta.dtype}."
        )
    return g if g.meta.dtype is meta.dtype else slots.cast(g, meta.dtype)


def _roots(outputs, grads):
    """[(node, output number, gradient)] for a walk from `outputs`."""
    for out in outputs:
        if not isinstance(out, (Tensor, GradientEdge)):
            raise TypeError(f"expected Tensors or GradientEdges to differentiate, got {type(out).__name__}")
    if len(grads) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(grads)} gradients")
    seeds = [_seed(i, out, g) for i, (out, g) in enumerate(zip(outputs, grads, strict=True))]
    roots = []
    for i, (out, g) in enumerate(zip(outputs, seeds, strict=True)):
        if not isinstance(out, GradientEdge) and not wants_grad(out):
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
        roots.append((*place_of(out), g))
    return roots


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Add the gradients of `tensors` with respect to the graph's leaves into their `.grad`.

    tensors: a tensor or GradientEdge, or several. grad_tensors: the gradients to start with, of the same shapes; may be
    left out for real tensors of one element. retain_graph: keep saved values for another walk (default: create_graph).
    create_graph: record the walk, so that gradients can be differentiated. inputs: only these tensors get a `.grad`."""
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only "
                "use `grad_tensors`."
            )
        grad_tensors = grad_variables
    tensors, targets = _as_tuple(tensors), None
    if inputs is not None:
        inputs = _as_tuple(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
        for t in inputs:
            if isinstance(t, Tensor):
                t.retain_grad()
        targets = [place_of(t) for t in inputs]
    grads = _as_tuple(grad_tensors) or (None,) * len(tensors)
    roots = _roots(tensors, grads)
    if create_graph:
        warnings.warn(
            "backward() with create_graph=True lets each parameter and its .grad refer to each other: memory is held "
            "until .grad is reset to None. autograd.grad has no such cycle.",
            UserWarning,
            stacklevel=2,
        )
    run_backward(roots, create_graph if retain_graph is None else retain_graph, create_graph, True, targets)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, is_grads_batched=False, materialize_grads=False):  # fmt: skip
    """The gradients of `outputs` with respect to `inputs`, as a tuple; no `.grad` is touched.

    outputs, inputs: a tensor or GradientEdge, or several. grad_outputs: as `backward`'s grad_tensors. allow_unused:
    None for an input that the outputs do not depend on (otherwise an error); materialize_grads: zeros instead.
    is_grads_batched: grad_outputs have a leading batch dimension, and so have the results."""
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    outputs, inputs = _as_tuple(outputs), _as_tuple(inputs)
    grads = _as_tuple(grad_outputs) or (None,) * len(outputs)
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    keep = create_graph if retain_graph is None else retain_graph
    if not inputs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if is_grads_batched:
        return _batched(outputs, inputs, grads, keep, create_graph, allow_unused, materialize_grads)
    roots = _roots(outputs, grads)
    for t in inputs:
        if not isinstance(t, (Tensor, GradientEdge)):
            raise TypeError(f"grad: expected Tensors or GradientEdges as inputs, got {type(t).__name__}")
        if isinstance(t, Tensor) and not wants_grad(t):
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    targets = [place_of(t) for t in inputs]
    captured = run_backward(roots, keep, create_graph, False, targets)
    found = [captured[n][number] for n, number in targets]
    for i, g in enumerate(found):
        if g is not None:
            continue
        if not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )
        if materialize_grads:
            found[i] = zeros_of(_meta_of(inputs[i]))
    return tuple(found)


def _batched(outputs, inputs, grads, keep, create_graph, allow_unused, materialize_grads):
    """One walk for each entry of the leading dimension of `grads`, their results stacked."""
    sizes = set()
    for i, (out, g) in enumerate(zip(outputs, grads, strict=True)):
        if g is None:
            raise RuntimeError("is_grads_batched=True needs a gradient with a leading batch dimension for each output")
        if not g.meta.shape or g.meta.shape[1:] != _meta_of(out).shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                f"output, but a mismatch was detected: grad_output[{i}] has a shape of {g.shape} and output[{i}] has "
                f"a shape of {of(_meta_of(out).shape)}."
            )
        sizes.add(g.meta.shape[0])
    if len(sizes) != 1:
        raise RuntimeError(f"is_grads_batched=True: grad_outputs have different batch sizes {sorted(sizes)}")
    n = sizes.pop()
    if n == 0:
        return tuple(wrap(np.zeros((0, *_meta_of(t).shape), _meta_of(t).dtype.np)) for t in inputs)
    rows = []
    for k in range(n):
        seeds = [g[k] for g in grads]
        rows.append(grad(outputs, inputs, seeds, keep or k < n - 1, create_graph, True, allow_unused, False,
                         materialize_grads))  # fmt: skip
    return tuple(None if column[0] is None else stack(column) for column in zip(*rows, strict=True))
