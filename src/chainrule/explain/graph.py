"""The backward graph behind a tensor as plain data: what is in it, not how it looks.

`collect` walks from the outputs along `next_functions` and keeps the nodes nearest to them. The forms (text,
DOT, SVG) read the result and never touch a tensor or node. Anything with PyTorch's node interface can be
walked: `name()`, `next_functions`, and where they exist `variable`, `_input_metadata`, `_forward_location()`,
`_saved_*`, `metadata`.
"""

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath


@dataclass
class Vertex:
    """One box: an output, an operation's node, or a leaf (its AccumulateGrad and the tensor are one)."""

    kind: str
    title: str
    details: list[str] = field(default_factory=list)
    saved: list[str] = field(default_factory=list)
    cut: bool = False


@dataclass(frozen=True)
class Edge:
    """Gradient goes from `source` to `target`, once for each of `outputs`: those of the target it is for."""

    source: int
    target: int
    outputs: tuple[int, ...] = (0,)

    @property
    def label(self) -> str:
        """What is unusual about the edge: several gradients, or not for the first output."""
        if not any(self.outputs):
            return f"×{len(self.outputs)}" if len(self.outputs) > 1 else ""
        return f"output{'s' if len(self.outputs) > 1 else ''} {self.short_label}"

    @property
    def short_label(self) -> str:
        """The label for a picture, where it stands at the arrow's head: the bare numbers of the outputs."""
        return ", ".join(map(str, self.outputs)) if any(self.outputs) else self.label


@dataclass
class Graph:
    """Vertices and edges; `hidden` nodes were left out, and a vertex that leads to one of them is `cut`."""

    vertices: list[Vertex]
    edges: list[Edge]
    hidden: int

    def rest_text(self) -> str:
        """What stands for the nodes that were left out."""
        return f"… and {self.hidden:,} more node{'s' if self.hidden > 1 else ''}"

    def depths(self) -> list[int]:
        """For every vertex the length of the longest way to it from an output."""
        waiting = Counter(edge.target for edge in self.edges)
        outgoing = self.outgoing()
        depths = [0] * len(self.vertices)
        ready = [v for v in range(len(self.vertices)) if not waiting[v]]
        while ready:
            v = ready.pop()
            for edge in outgoing[v]:
                depths[edge.target] = max(depths[edge.target], depths[v] + 1)
                waiting[edge.target] -= 1
                if not waiting[edge.target]:
                    ready.append(edge.target)
        return depths

    def outgoing(self) -> list[list[Edge]]:
        """The edges that leave each vertex, in the order of the operation's inputs."""
        lists: list[list[Edge]] = [[] for _ in self.vertices]
        for edge in self.edges:
            lists[edge.source].append(edge)
        return lists


class Names:
    """The names that the caller gave to tensors; a tensor with a history passes its name on to its node."""

    def __init__(self, params):
        self._given = {}
        for name, tensor in _named_tensors(params):
            self._given[id(tensor)] = (printable(name), tensor)
            node = getattr(tensor, "grad_fn", None)
            if node is not None:
                self._given[id(node)] = (printable(name), node)

    def of(self, thing, default=None):
        """The name of a tensor or node."""
        return self._given.get(id(thing), (default,))[0]


def _named_tensors(params):
    if params is None:
        return []
    if hasattr(params, "named_parameters"):
        return list(params.named_parameters())
    pairs = list(params.items() if isinstance(params, Mapping) else params)
    for pair in pairs:
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise TypeError(
                f"draw: params must be a module, a dict of tensors by name or (name, tensor) pairs, got a "
                f"{type(pair).__name__} among {type(params).__name__}"
            )
    return pairs


def collect(outputs, params=None, max_nodes=300, show_saved=False) -> Graph:
    """The graph behind `outputs` (a tensor or a list of them), cut to the `max_nodes` nodes nearest to them.

    params: names, see `draw`. show_saved: also list what each node keeps for its backward.
    """
    outputs = _checked_outputs(outputs)
    names = Names(params)
    roots = [tensor.grad_fn for tensor in outputs if tensor.grad_fn is not None]
    nodes, hidden = _walk(roots, max_nodes)
    root_ids = {id(node) for node in roots}

    vertices: list[Vertex] = []
    edges = []
    node_vertex = {}
    leaf_vertex = {}
    for node, _ in nodes:
        node_vertex[id(node)] = len(vertices)
        if _is_leaf(node):
            leaf_vertex[id(node.variable)] = len(vertices)
            vertices.append(_leaf(node.variable, names))
        else:
            name = None if id(node) in root_ids else names.of(node)
            vertices.append(_operation(node, name, names if show_saved else None))

    for number, tensor in enumerate(outputs, 1):
        node = tensor.grad_fn
        if node is not None:
            title = names.of(tensor) or ("output" if len(outputs) == 1 else f"output {number}")
            vertices.append(Vertex("output", title, [shape_text(tensor)]))
            if id(node) in node_vertex:
                edges.append(Edge(len(vertices) - 1, node_vertex[id(node)], (tensor.output_nr,)))
            else:
                vertices[-1].cut = True
        elif id(tensor) not in leaf_vertex:
            leaf_vertex[id(tensor)] = len(vertices)
            vertices.append(_leaf(tensor, names))

    for source, (_, next_functions) in enumerate(nodes):
        uses: dict[int, list[int]] = {}
        for following, nr in next_functions:
            if following is not None:
                uses.setdefault(id(following), []).append(nr)
        for following_id, outputs_used in uses.items():
            if following_id in node_vertex:
                edges.append(Edge(source, node_vertex[following_id], tuple(outputs_used)))
            else:
                vertices[source].cut = True
    return Graph(vertices, edges, hidden)


def _checked_outputs(outputs):
    outputs = list(outputs) if isinstance(outputs, list | tuple) else [outputs]
    if not outputs:
        raise ValueError("draw: expected at least one tensor, got none")
    for tensor in outputs:
        if not (hasattr(tensor, "grad_fn") and hasattr(tensor, "requires_grad")):
            raise TypeError(f"draw: expected a tensor, got {type(tensor).__name__}")
        if tensor.grad_fn is None and not tensor.requires_grad:
            raise RuntimeError(
                "draw: the tensor has no graph: it does not require grad and does not have a grad_fn"
            )
    return outputs


def _walk(roots, max_nodes):
    """The first `max_nodes` nodes breadth first with their `next_functions`, and how many more there are."""
    # The values keep the nodes alive, or an id could come back as another node.
    seen = {id(node): node for node in roots}
    queue = deque(seen.values())
    kept = []
    while queue:
        node = queue.popleft()
        next_functions = node.next_functions
        if len(kept) < max_nodes:
            kept.append((node, next_functions))
        for following, _ in next_functions:
            if following is not None and id(following) not in seen:
                seen[id(following)] = following
                queue.append(following)
    return kept, len(seen) - len(kept)


def _is_leaf(node):
    return node.name().rpartition("::")[2] == "AccumulateGrad"


def _leaf(tensor, names):
    return Vertex("leaf", names.of(tensor, "leaf"), [shape_text(tensor)])


def _operation(node, name, names_for_saved):
    vertex = Vertex("op", printable(node.name()))
    if name is not None:
        vertex.details.append(name)
    results = getattr(node, "_input_metadata", None)
    if results:
        shapes = Counter(map(shape_text, results))
        vertex.details.append(", ".join(f"{n} × {shape}" if n > 1 else shape for shape, n in shapes.items()))
    locate = getattr(node, "_forward_location", None)
    place = locate() if locate is not None else None
    if place is not None:
        filename, line = place
        shown = PurePath(filename).name if line is None else f"{PurePath(filename).name}:{line}"
        vertex.details.append(printable(shown))
    if names_for_saved is not None:
        vertex.saved.extend(_saved_lines(node, names_for_saved))
    return vertex


def _saved_lines(node, names):
    """One line for every value the node keeps, and for every entry of its `metadata`."""
    fields = [(name, name.removeprefix("_saved_")) for name in dir(node) if name.startswith("_saved_")]
    if hasattr(type(node), "saved_tensors"):
        fields.append(("saved_tensors", "saved_tensors"))
    lines = []
    for attribute, shown in fields:
        try:
            text = _value_text(getattr(node, attribute), names)
        except RuntimeError:
            # Backward has run and freed it, or it was changed in place: either way there is no value to show.
            text = "gone"
        lines.append(f"{shown}: {text}")
    metadata = getattr(node, "metadata", None) or {}
    return lines + [f"{printable(key)}: {_value_text(value, names)}" for key, value in metadata.items()]


def _value_text(value, names):
    if isinstance(value, list | tuple) and any(hasattr(item, "shape") for item in value):
        return ", ".join(_value_text(item, names) for item in value)
    if hasattr(value, "shape"):
        name = names.of(value)
        return shape_text(value) if name is None else f"{name} {shape_text(value)}"
    text = printable(repr(value))
    return text if len(text) <= 40 else text[:39] + "…"


def shape_text(thing) -> str:
    """A shape as people write it: '(32, 8)'."""
    return str(tuple(thing.shape))


def printable(text) -> str:
    """The text on one line: control characters, line ends and lone surrogates as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text))
