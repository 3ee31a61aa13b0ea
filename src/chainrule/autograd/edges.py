"""GradientEdge: one output of one node, named apart from the tensor that it is the gradient of."""

from typing import NamedTuple

from chainrule._engine.accumulate import gradient_edge
from chainrule._engine.node import Node
from chainrule._engine.op import wants_grad
from chainrule._engine.tensor import Tensor


class GradientEdge(NamedTuple):
    """A place in the graph: the `output_nr`-th output of `node`. Stands in for a tensor in `grad` and `backward`."""

    node: Node
    output_nr: int
    ownership_token: object = None


def get_gradient_edge(tensor):
    """The GradientEdge of a tensor that requires a gradient: its grad_fn and output number, or its accumulator."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"get_gradient_edge: expected a Tensor, got {type(tensor).__name__}")
    if not wants_grad(tensor):
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients"
        )
    return GradientEdge(gradient_edge(tensor), tensor.output_number)


def place_of(thing):
    """(node, output number) of a tensor that requires a gradient, or of an edge."""
    if isinstance(thing, GradientEdge):
        return thing.node, thing.output_nr
    return gradient_edge(thing), thing.output_number
