"""The graph as text for a terminal, read downwards from the output.

The line below a node is where its gradient goes next. When it goes to several places, the shorter ways branch
off to the right and the longest continues straight below, so that a deep network does not drift to the right.
A node that several others lead to is written out once, where the longest way meets it; the other places refer
to its mark.
"""

from chainrule.explain.graph import Graph

BULLETS = {"output": "●", "op": "○", "leaf": "■"}


def to_text(graph: Graph) -> str:
    """The whole drawing; its last line says how many nodes were left out, if any."""
    lines = _Writer(graph).lines()
    if graph.hidden:
        lines.append(graph.rest_text())
    return "\n".join(lines)


class _Writer:
    """Writes the tree in which every vertex hangs below the source that is furthest from the output."""

    def __init__(self, graph):
        self.vertices = graph.vertices
        self.outgoing = graph.outgoing()
        depths = graph.depths()
        self.order = sorted(range(len(depths)), key=depths.__getitem__)
        self.owner = {}
        for edge in graph.edges:
            if depths[edge.source] + 1 == depths[edge.target]:
                self.owner.setdefault(edge.target, edge.source)
        self.heights = [0] * len(depths)
        for v in reversed(self.order):
            for edge in self.outgoing[v]:
                self.heights[v] = max(self.heights[v], self.heights[edge.target] + 1)
        self.shared = {e.target for e in graph.edges if self.owner[e.target] != e.source}
        self.marks = {}

    def lines(self):
        """The lines of every vertex below the outputs, with an explicit stack in place of recursion."""
        lines = []
        # An entry: a vertex or a reference to one, a note, what precedes its line and the lines below it.
        stack = [("vertex", v, "", "", "") for v in reversed(self.order) if v not in self.owner]
        while stack:
            what, v, note, first, rest = stack.pop()
            if what == "reference":
                lines.append(f"{first}→ {self._mark(v)} {self.vertices[v].title}{note}")
                continue
            branches, below = self._split(v)
            lines.append(first + self._line(v) + note)
            rail = "│ " if branches or below else "  "
            lines.extend(f"{rest}{rail}  {line}" for line in self.vertices[v].saved)
            if below is not None:
                stack.append(("vertex", below.target, _note(below), rest, rest))
            for position, edge in reversed(list(enumerate(branches))):
                last = below is None and position == len(branches) - 1
                what = "vertex" if self.owner[edge.target] == v else "reference"
                corner, rail = ("└─", "  ") if last else ("├─", "│ ")
                stack.append((what, edge.target, _note(edge), rest + corner, rest + rail))
        return lines

    def _split(self, v):
        """The edges that branch off, and the one that continues straight below (None if all branch off)."""
        edges = self.outgoing[v]
        own = [edge for edge in edges if self.owner[edge.target] == v and self.heights[edge.target]]
        below = max(own, key=lambda edge: self.heights[edge.target], default=None)
        if len(edges) == 1 and self.owner[edges[0].target] == v:
            below = edges[0]
        return [edge for edge in edges if edge is not below], below

    def _line(self, v):
        vertex = self.vertices[v]
        parts = [f"{BULLETS[vertex.kind]} {vertex.title}", *vertex.details]
        if v in self.shared:
            parts.append(self._mark(v))
        return "  ".join(parts) + (" …" if vertex.cut else "")

    def _mark(self, v):
        return f"#{self.marks.setdefault(v, len(self.marks) + 1)}"


def _note(edge):
    return f"  ({edge.label})" if edge.label else ""
