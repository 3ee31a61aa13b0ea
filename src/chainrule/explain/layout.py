"""Where the boxes and arrows of a drawing go: layers from the output downwards, as in Sugiyama's method.

A vertex lies on the layer of its longest way from an output, and an edge over several layers gets a bend on
each layer between. igraph finds the order in each layer that makes few edges cross; the distances are chosen
here, because the boxes have different widths: sweeps over the layers pull everything towards its neighbours
without overlap.
"""

from dataclasses import dataclass
from itertools import pairwise

LAYER_GAP = 34
BOX_GAP = 22
BEND_GAP = 12
SWEEPS = 120
# How strongly an edge is kept straight, by how many of its ends are bends: kinks in a long edge show most.
STRAIGHTNESS = (1, 2, 8)


@dataclass
class Layout:
    """Centres of the boxes; for each edge its bends as (x, top, bottom); the size of the whole."""

    centres: list[tuple[float, float]]
    bends: list[list[tuple[float, float, float]]]
    width: float
    height: float


def arrange(sizes, edges, layers) -> Layout:
    """Place boxes of the given (width, height) on the given layers; edges are (upper, lower) pairs."""
    layers = list(layers)
    widths = [width for width, _ in sizes]
    chains = []
    for upper, lower in edges:
        bends = range(len(layers), len(layers) + layers[lower] - layers[upper] - 1)
        layers.extend(range(layers[upper] + 1, layers[lower]))
        widths.extend(0 for _ in bends)
        chains.append([upper, *bends, lower])
    rows = _order(layers, [link for chain in chains for link in pairwise(chain)])
    x = _spread(rows, widths, len(sizes), chains)

    tops, bottoms, y = [], [], 0.0
    for row in rows:
        tops.append(y)
        bottoms.append(y + max((sizes[v][1] for v in row if v < len(sizes)), default=0))
        y = bottoms[-1] + LAYER_GAP
    left = min(at - width / 2 for at, width in zip(x, widths, strict=True))
    right = max(at + width / 2 for at, width in zip(x, widths, strict=True))
    x = [at - left for at in x]
    return Layout(
        centres=[(x[v], (tops[layers[v]] + bottoms[layers[v]]) / 2) for v in range(len(sizes))],
        bends=[[(x[b], tops[layers[b]], bottoms[layers[b]]) for b in chain[1:-1]] for chain in chains],
        width=right - left,
        height=bottoms[-1],
    )


def _order(layers, links):
    """The vertices of each layer from left to right."""
    try:
        import igraph
    except ImportError:
        raise ImportError(
            "SVG drawings need igraph for the layout: pip install chainrule[draw] (text and DOT need nothing)"
        ) from None
    layered = igraph.Graph(n=len(layers), edges=links, directed=True)
    across = [point[0] for point in layered.layout_sugiyama(layers=layers, maxiter=200)]
    rows = [[] for _ in range(max(layers) + 1)]
    for v in sorted(range(len(layers)), key=across.__getitem__):
        rows[layers[v]].append(v)
    return rows


def _spread(rows, widths, boxes, chains):
    """The x of every vertex: near its neighbours above and below, apart from those beside it."""
    above = [[] for _ in widths]
    below = [[] for _ in widths]
    for chain in chains:
        for upper, lower in pairwise(chain):
            weight = STRAIGHTNESS[(upper >= boxes) + (lower >= boxes)]
            below[upper].append((lower, weight))
            above[lower].append((upper, weight))

    x = [0.0] * len(widths)
    offsets = []
    for row in rows:
        offset = [0.0]
        for left, right in pairwise(row):
            gap = BOX_GAP if left < boxes and right < boxes else BEND_GAP
            offset.append(offset[-1] + (widths[left] + widths[right]) / 2 + gap)
        offsets.append(offset)
        for v, at in zip(row, offset, strict=True):
            x[v] = at - offset[-1] / 2

    for sweep in range(SWEEPS):
        settling = sweep >= SWEEPS // 6
        downwards = sweep % 2 == 0
        for row, offset in (
            zip(rows, offsets, strict=True)
            if downwards
            else zip(reversed(rows), reversed(offsets), strict=True)
        ):
            wishes, weights = [], []
            for v in row:
                near = above[v] + below[v] if settling else (above if downwards else below)[v]
                total = sum(weight for _, weight in near)
                wishes.append(sum(x[u] * weight for u, weight in near) / total if near else x[v])
                weights.append(total or 0.1)
            _place(row, offset, wishes, weights, x)
    return x


def _place(row, offset, wishes, weights, x):
    """Set x in one row as near to the wishes as order and distances allow (isotonic least squares)."""
    blocks = []
    for wish, away, weight in zip(wishes, offset, weights, strict=True):
        mean, total, count = wish - away, weight, 1
        while blocks and blocks[-1][0] > mean:
            other, other_total, other_count = blocks.pop()
            mean = (mean * total + other * other_total) / (total + other_total)
            total += other_total
            count += other_count
        blocks.append((mean, total, count))
    shifts = [mean for mean, _, count in blocks for _ in range(count)]
    for v, away, shift in zip(row, offset, shifts, strict=True):
        x[v] = away + shift
