"""The graph as a self-contained SVG picture, and as an HTML page around it."""

from html import escape

from chainrule.explain.graph import Graph, Vertex
from chainrule.explain.layout import arrange
from chainrule.explain.palette import FAINT_INK, INK, LINE, LOOKS

MARGIN = 16
FONT = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"
# Monospaced letters are about 0.6 of their size wide, so that boxes can be measured without the font.
LETTER = 0.61
TITLE_SIZE, DETAIL_SIZE = 12, 10
LINE_HEIGHT = 14
PADDING_X, PADDING_Y = 11, 8
PORT_GAP = 12


def to_svg(graph: Graph) -> str:
    """A picture with the output at the top and arrows that go the way of the gradient. Needs igraph."""
    vertices = list(graph.vertices)
    links = [(edge.source, edge.target, edge.short_label) for edge in graph.edges]
    layers = graph.depths()
    if graph.hidden:
        links += [(v, len(vertices), "") for v, vertex in enumerate(vertices) if vertex.cut]
        layers.append(max(layers) + 1)
        vertices.append(Vertex("rest", graph.rest_text()))
    sizes = [_size(vertex) for vertex in vertices]
    layout = arrange(sizes, [link[:2] for link in links], layers)

    width, height = round(layout.width) + 2 * MARGIN, round(layout.height) + 2 * MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="{-MARGIN} {-MARGIN} {width} {height}" font-family="{FONT}" text-anchor="middle">',
            '<defs><marker id="chainrule-arrow" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" '
            'markerHeight="8" markerUnits="userSpaceOnUse" orient="auto">'
            f'<path d="M0 0.8 L8 4 L0 7.2 z" fill="{LINE}"/></marker></defs>',
            f'<rect x="{-MARGIN}" y="{-MARGIN}" width="{width}" height="{height}" rx="8" fill="#ffffff"/>',
            *_arrows(vertices, links, sizes, layout),
            *(_box(*item) for item in zip(vertices, sizes, layout.centres, strict=True)),
            "</svg>\n",
        ]
    )


def to_html(graph: Graph, text: str) -> str:
    """A page that stands alone: the picture, what its colours mean, and the same graph as text."""
    ops = sum(vertex.kind == "op" for vertex in graph.vertices)
    leaves = sum(vertex.kind == "leaf" for vertex in graph.vertices)
    title = "Backward graph of " + ", ".join(v.title for v in graph.vertices if v.kind == "output")
    keys = "".join(
        f'<span style="background:{LOOKS[kind].fill};border-color:{LOOKS[kind].border}">{word}</span>'
        for kind, word in (("output", "output"), ("op", "operation"), ("leaf", "leaf"))
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{escape(title)}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; color: {INK}; background: #fff; \
margin: 2rem auto; max-width: 90rem; padding: 0 1rem }}
h1 {{ font-size: 1.3rem }}
span {{ border: 1px solid; border-radius: 5px; padding: 1px 8px; margin-right: 8px }}
figure {{ margin: 1rem 0; overflow: auto; border: 1px solid #dfe3ea; border-radius: 8px; text-align: center }}
pre {{ font: 12px/1.35 {FONT}; overflow: auto }}
</style>
<h1>{escape(title)}</h1>
<p>{keys} {ops} operations, {leaves} leaves. Arrows go the way of the gradient; \
a number at an arrow's head says which output of the operation it is for.</p>
<figure>
{to_svg(graph)}</figure>
<pre>{escape(text)}</pre>
</html>
"""


def _size(vertex):
    lines = [*vertex.details, *vertex.saved]
    width = max([len(vertex.title) * TITLE_SIZE, *(len(line) * DETAIL_SIZE for line in lines)]) * LETTER
    return width + 2 * PADDING_X, LINE_HEIGHT * (1 + len(lines)) + 2 * PADDING_Y


def _box(vertex, size, centre):
    """One rounded box: the title, below it the details and the saved values in small letters."""
    look = LOOKS[vertex.kind]
    (width, height), (x, y) = size, centre
    left, top = x - width / 2, y - height / 2
    dashes = ' stroke-dasharray="4 3"' if vertex.kind == "rest" else ""
    parts = [
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" rx="7" '
        f'fill="{look.fill}" stroke="{look.border}"{dashes}/>'
    ]
    line_y = top + PADDING_Y + LINE_HEIGHT - 3
    weight = "" if vertex.kind == "op" else ' font-weight="bold"'
    parts.append(_text(x, line_y, TITLE_SIZE, INK, vertex.title, weight))
    for line in vertex.details:
        line_y += LINE_HEIGHT
        parts.append(_text(x, line_y, DETAIL_SIZE, FAINT_INK, line))
    for line in vertex.saved:
        line_y += LINE_HEIGHT
        parts.append(_text(left + PADDING_X, line_y, DETAIL_SIZE, INK, line, ' text-anchor="start"'))
    return "<g>" + "".join(parts) + "</g>"


def _text(x, y, size, colour, text, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}"{more}>{escape(text)}</text>'


def _arrows(vertices, links, sizes, layout):
    """One curve for each link, through its bends; where several meet a box they come apart in order."""
    starts, ends = {}, {}
    for ports, this, other, near in ((starts, 0, 1, 0), (ends, 1, 0, -1)):
        beside = [[] for _ in vertices]
        for number, link in enumerate(links):
            bends = layout.bends[number]
            beside[link[this]].append((bends[near][0] if bends else layout.centres[link[other]][0], number))
        for v, meeting in enumerate(beside):
            gap = min(PORT_GAP, 0.7 * sizes[v][0] / max(1, len(meeting)))
            for place, (_, number) in enumerate(sorted(meeting)):
                ports[number] = layout.centres[v][0] + (place - (len(meeting) - 1) / 2) * gap

    parts, labels = [], []
    for number, (source, target, label) in enumerate(links):
        x, y = starts[number], layout.centres[source][1] + sizes[source][1] / 2
        end = ends[number], layout.centres[target][1] - sizes[target][1] / 2
        path = [f"M{x:.1f} {y:.1f}"]
        for bend_x, top, bottom in layout.bends[number]:
            path.append(f"{_curve(x, y, bend_x, top)} V{bottom:.1f}")
            x, y = bend_x, bottom
        path.append(_curve(x, y, *end))
        dashes = ' stroke-dasharray="4 3"' if vertices[target].kind == "rest" else ""
        parts.append(
            f'<path d="{" ".join(path)}" fill="none" stroke="{LINE}" stroke-width="1.2"{dashes} '
            'marker-end="url(#chainrule-arrow)"/>'
        )
        if label:
            halo = ' text-anchor="start" stroke="#ffffff" stroke-width="3" paint-order="stroke"'
            labels.append(_text(end[0] + 4, end[1] - 8, DETAIL_SIZE - 1, FAINT_INK, label, halo))
    return parts + labels


def _curve(x, y, to_x, to_y):
    middle = (y + to_y) / 2
    return f"C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}"
