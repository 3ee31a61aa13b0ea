"""`draw`: the backward graph of a tensor as something to print, to show in a notebook or to save."""

from functools import cached_property
from pathlib import PurePath

from chainrule.explain.dot import to_dot
from chainrule.explain.graph import Graph, collect
from chainrule.explain.svg import to_html, to_svg
from chainrule.explain.text import to_text

FORMATS = {".txt": "text", ".dot": "dot", ".gv": "dot", ".svg": "svg", ".html": "html", ".htm": "html"}


class Drawing:
    """One graph in every form: `str()` for the terminal, `.dot`, `.svg`, `.html`; notebooks show the SVG.

    The graph was read when the drawing was made; later changes to the tensors do not show.
    """

    def __init__(self, graph: Graph):
        self.graph = graph

    @cached_property
    def text(self) -> str:
        """The graph for a terminal, read downwards from the output."""
        return to_text(self.graph)

    @cached_property
    def dot(self) -> str:
        """The graph in Graphviz's language."""
        return to_dot(self.graph)

    @cached_property
    def svg(self) -> str:
        """The graph as an SVG picture; ImportError without igraph (`pip install chainrule[draw]`)."""
        return to_svg(self.graph)

    @cached_property
    def html(self) -> str:
        """A page that stands alone, with the picture and the text; needs igraph as `svg` does."""
        return to_html(self.graph, self.text)

    def save(self, path) -> None:
        """Write the form that the file's extension names: .txt, .dot, .gv, .svg, .html or .htm."""
        content = getattr(self, _form_of(path))
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)

    def __str__(self):
        return self.text

    def __repr__(self):
        return self.text

    def _repr_svg_(self):
        """For notebooks, which fall back to the text where this gives None."""
        try:
            return self.svg
        except ImportError:
            return None


def draw(tensor, params=None, format=None, file=None, show_saved=False, max_nodes=300) -> Drawing:
    """The graph that a backward pass from `tensor` walks, as a `Drawing`.

    tensor: a tensor that requires a gradient, or a list of them.
    params: names for leaves and other tensors: a module, a dict of tensors by name, or (name, tensor) pairs.
    format: 'text', 'dot', 'svg' or 'html'; by default what the extension of `file` says, or else text.
    file: a path or an open text file to write to.
    show_saved: list what each operation keeps for its backward.
    max_nodes: beyond it the nodes furthest from the output are counted, not drawn.

    RuntimeError for a tensor without a graph, ValueError for an unknown format, ImportError for 'svg' and
    'html' without igraph.
    """
    opened = hasattr(file, "write")
    if format is None:
        format = "text" if file is None or opened else _form_of(file)
    if format not in FORMATS.values():
        names = ", ".join(dict.fromkeys(FORMATS.values()))
        raise ValueError(f"draw: format must be one of {names}, got {format!r}")
    drawing = Drawing(collect(tensor, params, max_nodes, show_saved))
    # Made even without a file, so that a missing igraph is reported here.
    content = getattr(drawing, format)
    if opened:
        file.write(content)
    elif file is not None:
        with open(file, "w", encoding="utf-8") as target:
            target.write(content)
    return drawing


def _form_of(path):
    form = FORMATS.get(PurePath(path).suffix.lower())
    if form is None:
        raise ValueError(f"draw: cannot tell the format of {str(path)!r}; known are {', '.join(FORMATS)}")
    return form
