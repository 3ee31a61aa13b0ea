"""torch.autograd.functional: Jacobians, Hessians and their products with vectors, of functions of tensors.

A function takes one tensor or several and returns one or a tuple. Results are nested as the outputs, then the inputs
are. `strict=True` makes an error of what is otherwise zero: an output (or derivative) that an input plays no part in.
"""

import numpy as np

from chainrule._engine.op import wants_grad
from chainrule._engine.tensor import Tensor, wrap
from chainrule._kernels.casting import cast
from chainrule._ops.joining import stack
from chainrule.autograd.grad_mode import enable_grad
from chainrule.autograd.walks import grad
from chainrule.autograd.zeros import zeros_of

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


def _as_tuple(value, what, verb):
    """(whether it was a tuple, the tuple); TypeError for what is neither a tensor nor a tuple of tensors."""
    several = isinstance(value, tuple)
    for i, t in enumerate(value if several else (value,)):
        if not isinstance(t, Tensor):
            where = f" at index {i}" if several else ""
            raise TypeError(
                f"The {what} given to {verb} must be either a Tensor or a tuple of Tensors but the given {what}"
                f"{where} has type {type(t)}."
            )
    return several, value if several else (value,)


def _outputs(func, inputs, verb):
    return _as_tuple(func(*inputs), "outputs of the user-provided function", verb)


def _fresh(tensors, create_graph, wanted=True):
    """The inputs as starting points of a graph of their own; with create_graph still tied to where they come from."""
    return tuple(
        t.view_as(t) if create_graph and wants_grad(t) else t.detach().requires_grad_(wanted) for t in tensors
    )


def _released(value, create_graph):
    """A result without its graph, unless that was asked for."""
    if create_graph:
        return value
    if isinstance(value, Tensor):
        return value.detach()
    return tuple(_released(v, create_graph) for v in value)


def _unpacked(value, several):
    return value if several else value[0]


def _require_graph(tensors, strict, message):
    """In strict mode a RuntimeError for the first tensor outside any graph."""
    for i, t in enumerate(tensors if strict else ()):
        if not wants_grad(t):
            raise RuntimeError(message.format(i=i))


NO_GRAPH = (
    "Output {i} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode."
)
INDEPENDENT = "{what} of the user-provided function is independent of input {{i}}. This is not allowed in strict mode."
NO_SECOND = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to input {i} is "
    "independent of the input. This is not allowed in strict mode. You should ensure that your function is twice "
    "differentiable and that the jacobian depends on the inputs (this would be violated by a linear function for "
    "example)."
)


def _gradients(outputs, inputs, seeds, create_graph, keep=None):
    """`grad` that leaves out outputs without a graph; None where nothing leads to an input."""
    kept = [(out, g) for out, g in zip(outputs, seeds, strict=True) if wants_grad(out)]
    if not kept:
        return (None,) * len(inputs)
    outs, gs = zip(*kept, strict=True)
    return grad(outs, inputs, gs, retain_graph=keep, create_graph=create_graph, allow_unused=True)


def _filled(found, like, strict, message):
    """Zeros for what is None; in strict mode an error instead."""
    filled = []
    for i, (g, t) in enumerate(zip(found, like, strict=True)):
        if g is None:
            if strict:
                raise RuntimeError(message.format(i=i))
            g = zeros_of(t.meta)
        filled.append(g)
    return tuple(filled)


def _vector(v, like, several, what, create_graph):
    """The vector of a product, checked against what it is multiplied with; ones for a single element."""
    if v is None:
        if len(like) != 1 or like[0].array.size != 1:
            raise RuntimeError(f"The vector v can only be None if {what}.")
        return (wrap(cast(np.ones(like[0].array.shape, np.float32), like[0].meta.dtype)),)
    _, v = _as_tuple(v, "v", "the product")
    if len(v) != len(like):
        if not several:
            raise RuntimeError("The given v should contain a single Tensor.")
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}.")
    for i, (a, b) in enumerate(zip(v, like, strict=True)):
        if a.meta.shape != b.meta.shape:
            where = f"Entry {i} in v" if len(like) > 1 else "v"
            raise RuntimeError(f"{where} has invalid size: should be {b.shape} but got {a.shape}.")
    return _fresh(v, create_graph, wanted=False)


ONE_OUTPUT = "the user-provided function returns a single Tensor with a single element"
ONE_INPUT = "the input to the user-provided function is a single Tensor with a single element"


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """(outputs, vᵀ·J): a vector of the outputs' shapes times func's Jacobian, one part for each input."""
    with enable_grad():
        several, inputs = _as_tuple(inputs, "inputs", "vjp")
        inputs = _fresh(inputs, create_graph)
        outs_several, outs = _outputs(func, inputs, "vjp")
        _require_graph(outs, strict, NO_GRAPH)
        v = _vector(v, outs, outs_several, ONE_OUTPUT, create_graph)
        found = _gradients(outs, inputs, v, create_graph)
        found = _filled(found, inputs, strict, INDEPENDENT.format(what="The output"))
    return _unpacked(_released(outs, create_graph), outs_several), _unpacked(_released(found, create_graph), several)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """(outputs, J·v): the product of func's Jacobian with a vector, one part for each output. v has the inputs' shapes.

    Computed from two backward passes: vᵀ·J is linear in its vector, and its derivative in that is J."""
    with enable_grad():
        several, inputs = _as_tuple(inputs, "inputs", "jvp")
        v = _vector(v, inputs, several, ONE_INPUT, create_graph)
        inputs = _fresh(inputs, create_graph)
        outs_several, outs = _outputs(func, inputs, "jvp")
        _require_graph(outs, strict, NO_GRAPH)
        seeds = tuple(zeros_of(out.meta).requires_grad_() for out in outs)
        pulled = _gradients(outs, inputs, seeds, True)
        chosen = [(g, a) for g, a in zip(pulled, v, strict=True) if g is not None]
        found = _gradients([g for g, _ in chosen], seeds, [a for _, a in chosen], create_graph)
        message = "Output {i} of the user-provided function is independent of its inputs, which strict mode refuses."
        found = _filled(found, outs, strict, message)
    outs, found = _released(outs, create_graph), _released(found, create_graph)
    return _unpacked(outs, outs_several), _unpacked(found, outs_several)


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """The Jacobian: for output o and input i a tensor of shape (*o.shape, *i.shape).

    One backward pass for each element of the outputs; `vectorize` and `strategy` are accepted and change nothing."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(f'Expected strategy to be either "forward-mode" or "reverse-mode", got {strategy!r}')
    if strategy == "forward-mode" and create_graph:
        raise NotImplementedError(
            'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are not supported '
            'together (yet). Please either set `create_graph=False` or `strategy="reverse-mode"`.'
        )
    if strict and vectorize:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
            "Please either set `strict=False` or `vectorize=False`."
        )
    with enable_grad():
        several, inputs = _as_tuple(inputs, "inputs", "jacobian")
        inputs = _fresh(inputs, create_graph)
        outs_several, outs = _outputs(func, inputs, "jacobian")
        _require_graph(outs, strict, NO_GRAPH)
        rows = tuple(_output_jacobian(i, out, inputs, create_graph, strict) for i, out in enumerate(outs))
    rows = _released(rows, create_graph)
    return _unpacked(tuple(_unpacked(row, several) for row in rows), outs_several)


def _output_jacobian(i, out, inputs, create_graph, strict):
    """The Jacobians of one output with respect to each input."""
    if out.meta.dtype.is_complex:
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {out.meta.dtype}")
    columns = [[] for _ in inputs]
    for j in range(out.array.size):
        seed = np.zeros(out.array.size, np.float32)
        seed[j] = 1
        seed = wrap(cast(seed.reshape(out.array.shape), out.meta.dtype))
        found = _gradients((out,), inputs, (seed,), create_graph, keep=True)
        found = _filled(found, inputs, strict, INDEPENDENT.format(what=f"Output {i}"))
        if create_graph:
            message = (
                "The jacobian of the user-provided function is independent of input {i}. This is not allowed in strict "
                "mode when create_graph=True."
            )
            _require_graph(found, strict, message)
        for column, g in zip(columns, found, strict=True):
            column.append(g)
    return tuple(
        stack(column).reshape(out.meta.shape + t.meta.shape)
        if column
        else wrap(np.zeros(out.meta.shape + t.meta.shape, t.meta.dtype.np))
        for column, t in zip(columns, inputs, strict=True)
    )


def _single(func, verb):
    """func, checked to return one tensor of one element, as a function to a 0-d tensor."""

    def checked(*inputs):
        several, outs = _outputs(func, inputs, verb)
        if several:
            raise RuntimeError(f"The function given to {verb} should return a single Tensor")
        if outs[0].array.size != 1:
            raise RuntimeError(f"The Tensor returned by the function given to {verb} should contain a single element")
        return outs[0]

    return checked


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """The Hessian of a function of one output element: for inputs i, k a tensor of shape (*i.shape, *k.shape)."""
    several, inputs = _as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            f'Expected strategy to be either "forward-mode" or "reverse-mode", got {outer_jacobian_strategy!r}'
        )
    checked = _single(func, "hessian")

    def slopes(*points):
        found = jacobian(lambda *at: checked(*at).reshape(()), points, create_graph=True)
        _require_graph(found, strict, NO_SECOND)
        return found

    found = jacobian(slopes, inputs, create_graph=create_graph, strict=strict)
    return _unpacked(tuple(_unpacked(row, several) for row in found), several)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """(output, vᵀ·H): the product of a vector with the Hessian of a function with one element of output."""
    return _hessian_product(func, inputs, v, create_graph, strict, "vhp")


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """(output, H·v): as `vhp`, since a Hessian is symmetric."""
    return _hessian_product(func, inputs, v, create_graph, strict, "hvp")


def _hessian_product(func, inputs, v, create_graph, strict, verb):
    with enable_grad():
        several, inputs = _as_tuple(inputs, "inputs", verb)
        v = _vector(v, inputs, several, ONE_INPUT, create_graph)
        inputs = _fresh(inputs, create_graph)
        out = _single(func, verb)(*inputs)
        _require_graph((out,), strict, NO_GRAPH)
        one = wrap(cast(np.ones(out.array.shape, np.float32), out.meta.dtype))
        slopes = _gradients((out,), inputs, (one,), True)
        slopes = _filled(slopes, inputs, strict, INDEPENDENT.format(what="The output"))
        _require_graph(slopes, strict, NO_SECOND)
        found = _gradients(slopes, inputs, v, create_graph)
        found = _filled(found, inputs, strict, INDEPENDENT.format(what="The hessian"))
    return _released(out, create_graph), _unpacked(_released(found, create_graph), several)
