"""torch.autograd.graph: nodes, edges of the graph, version counters."""

from chainrule._engine.node import Node
from chainrule._engine.tensor import Tensor, bump_version
from chainrule.autograd.edges import GradientEdge, get_gradient_edge

__all__ = ["GradientEdge", "Node", "get_gradient_edge", "increment_version"]


def increment_version(tensor):
    """Count a change of the data of one tensor or several that was made behind autograd's back."""
    for t in (tensor,) if isinstance(tensor, Tensor) else tensor:
        bump_version(t)
