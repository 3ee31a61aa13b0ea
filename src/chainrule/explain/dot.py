"""The graph as DOT, the language of Graphviz and of many viewers."""

from chainrule.explain.graph import Graph
from chainrule.explain.palette import FAINT_INK, INK, LINE, LOOKS


def to_dot(graph: Graph) -> str:
    """One digraph whose arrows go the way of the gradient, from the output to the leaves."""
    lines = [
        "digraph backward {",
        f'  node [shape=box, style="rounded,filled", fontname="monospace", fontsize=11, fontcolor="{INK}"];',
        f'  edge [color="{LINE}", fontname="monospace", fontsize=9, fontcolor="{FAINT_INK}"];',
    ]
    for v, vertex in enumerate(graph.vertices):
        look = LOOKS[vertex.kind]
        label = "\n".join([vertex.title, *vertex.details, *vertex.saved])
        lines.append(f'  n{v} [label={quoted(label)}, fillcolor="{look.fill}", color="{look.border}"];')
    for edge in graph.edges:
        label = f" [label={quoted(edge.label)}]" if edge.label else ""
        lines.append(f"  n{edge.source} -> n{edge.target}{label};")
    if graph.hidden:
        label = quoted(graph.rest_text())
        lines.append(f'  rest [label={label}, style="rounded,dashed", color="{LOOKS["rest"].border}"];')
        lines.extend(
            f"  n{v} -> rest [style=dashed];" for v, vertex in enumerate(graph.vertices) if vertex.cut
        )
    return "\n".join(lines) + "\n}\n"


def quoted(text: str) -> str:
    """A DOT string: Graphviz reads backslash sequences in labels, so a backslash of the text is doubled."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
