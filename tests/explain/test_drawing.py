"""Drawings of backward graphs: what is collected, the text, and DOT, SVG and HTML."""

import io
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from chainrule.explain import draw
from chainrule.explain.dot import quoted
from chainrule.explain.graph import collect
from chainrule.explain.layout import BOX_GAP, arrange

SVG = "{http://www.w3.org/2000/svg}"


class Tensor:
    """What a drawing reads of a tensor."""

    def __init__(self, *shape, grad_fn=None, requires_grad=True, output_nr=0):
        self.shape = shape
        self.grad_fn = grad_fn
        self.requires_grad = requires_grad
        self.output_nr = output_nr


class Node:
    """What a drawing reads of an operation's node; inputs are nodes, (node, output number) pairs or None."""

    def __init__(self, name, *inputs, place=None, shapes=(), **saved):
        self._name = name
        self.next_functions = tuple(i if isinstance(i, tuple) else (i, 0) for i in inputs)
        self._place = place
        self._input_metadata = [Tensor(*shape) for shape in shapes]
        self.metadata = {}
        for key, value in saved.items():
            setattr(self, f"_saved_{key}", value)

    def name(self):
        return self._name

    def _forward_location(self):
        return self._place


class Accumulate(Node):
    def __init__(self, variable):
        super().__init__("AccumulateGrad")
        self.variable = variable


class Freed(Node):
    @property
    def _saved_self(self):
        raise RuntimeError("saved tensors are freed")


class Countdown:
    """The first of `left` nodes in a row, each made when the one before it is asked."""

    def __init__(self, left):
        self.left = left

    def name(self):
        return f"Step{self.left}Backward0"

    @property
    def next_functions(self):
        return ((Countdown(self.left - 1), 0),) if self.left > 1 else ()


class Module:
    def __init__(self, **parameters):
        self.parameters = parameters

    def named_parameters(self):
        return iter(self.parameters.items())


@pytest.fixture
def layer():
    """mean(tanh(x @ w + b)): the tensors by name, and the output."""
    w, b = Tensor(8, 16), Tensor(16)
    product = Node("MmBackward0", None, Accumulate(w), place=("/home/me/train.py", 7), shapes=[(32, 16)])
    total = Node("AddBackward0", product, Accumulate(b), shapes=[(32, 16)])
    mean = Node("MeanBackward0", Node("TanhBackward0", total, result=Tensor(32, 16)), shapes=[()])
    return Module(w=w, b=b), Tensor(grad_fn=mean)


def chain(length):
    node = Accumulate(Tensor(2))
    for _ in range(length - 1):
        node = Node("NegBackward0", node)
    return Tensor(2, grad_fn=node)


def boxes(svg):
    """The texts of each box of a picture, and its rectangle as (x, y, width, height)."""
    found = []
    for group in ElementTree.fromstring(svg).findall(f"{SVG}g"):
        rect = group.find(f"{SVG}rect")
        texts = [text.text for text in group.findall(f"{SVG}text")]
        found.append((texts, tuple(float(rect.get(key)) for key in ("x", "y", "width", "height"))))
    return found


def test_text_reads_down_from_the_output(layer):
    module, output = layer
    assert str(draw(output, module)) == (
        "● output  ()\n"
        "○ MeanBackward0  ()\n"
        "○ TanhBackward0\n"
        "○ AddBackward0  (32, 16)\n"
        "├─■ b  (16,)\n"
        "○ MmBackward0  (32, 16)  train.py:7\n"
        "■ w  (8, 16)"
    )


def test_shared_nodes_are_written_once_below_the_longest_way():
    x = Tensor(3)
    square = Node("MulBackward0", *[Accumulate(x)] * 2)
    output = Tensor(3, grad_fn=Node("AddBackward0", square, Node("TanhBackward0", square)))
    assert str(draw(output, {"x": x})) == (
        "● output  (3,)\n"
        "○ AddBackward0\n"
        "├─→ #1 MulBackward0\n"
        "○ TanhBackward0\n"
        "○ MulBackward0  #1\n"
        "■ x  (3,)  (×2)"
    )


def test_branches_without_a_longer_way_close_with_a_corner():
    output = Tensor(grad_fn=Node("MulBackward0", Accumulate(Tensor(1)), Accumulate(Tensor(2))))
    assert str(draw(output)).splitlines()[2:] == ["├─■ leaf  (1,)", "└─■ leaf  (2,)"]


def test_several_outputs_of_one_operation():
    unbind = Node("UnbindBackward0", Accumulate(Tensor(3)), shapes=[(), (), ()])
    output = Tensor(2, grad_fn=Node("StackBackward0", (unbind, 1), (unbind, 2)))
    assert "○ UnbindBackward0  3 × ()  (outputs 1, 2)" in str(draw(output))
    assert "○ UnbindBackward0  3 × ()  (output 2)" in str(draw(Tensor(grad_fn=unbind, output_nr=2)))


def test_several_outputs_and_a_leaf_that_is_one():
    x = Tensor(3)
    shared = Node("ExpBackward0", Accumulate(x))
    outputs = [Tensor(grad_fn=Node("SumBackward0", shared)), Tensor(grad_fn=Node("MeanBackward0", shared)), x]
    text = str(draw(outputs, {"x": x, "mean": outputs[1]}))
    assert text.splitlines()[0] == "● output 1  ()"
    assert "● mean  ()" in text
    assert text.count("■ x") == 1
    assert str(draw(x, {"x": x})) == "■ x  (3,)"


def test_a_place_without_a_line_is_its_file():
    node = Node("ExpBackward0", Accumulate(Tensor(3)), place=("/home/me/train.py", None))
    assert "○ ExpBackward0  train.py\n" in str(draw(Tensor(grad_fn=node)))


def test_names_reach_operations_and_come_from_pairs():
    inner = Node("ExpBackward0", Accumulate(Tensor(3)))
    hidden = Tensor(3, grad_fn=inner)
    text = str(draw(Tensor(grad_fn=Node("SumBackward0", inner)), [("hidden", hidden)]))
    assert "○ ExpBackward0  hidden" in text


def test_saved_values_are_listed_when_asked(layer):
    module, output = layer
    w = module.parameters["w"]
    node = Node("MyBackward", output.grad_fn, other=w, alpha=2, both=(w, None), long="-" * 99)
    node.metadata["note"] = "first"
    text = str(draw(Tensor(grad_fn=node), module, show_saved=True))
    lines = text.splitlines()
    assert lines[2:7] == [
        "│   alpha: 2",
        "│   both: w (8, 16), None",
        "│   long: '" + "-" * 38 + "…",
        "│   other: w (8, 16)",
        "│   note: 'first'",
    ]
    assert "│   result: (32, 16)" in lines
    assert "result" not in str(draw(output, module))


def test_saved_values_that_are_gone_say_so():
    assert "    self: gone" in str(draw(Tensor(grad_fn=Freed("ExpBackward0")), show_saved=True))


def test_a_limit_counts_what_it_leaves_out():
    drawing = draw(chain(1_300), max_nodes=4)
    assert str(drawing).splitlines()[-2:] == ["○ NegBackward0 …", "… and 1,296 more nodes"]
    assert "… and 1,296 more nodes" in drawing.dot
    assert "n3 -> rest" in drawing.dot


def test_nodes_nearest_to_the_output_are_kept():
    near = Node("NearBackward0", Accumulate(Tensor(1)))
    output = Tensor(grad_fn=Node("AddBackward0", chain(9).grad_fn, near))
    titles = [vertex.title for vertex in collect(output, max_nodes=3).vertices]
    assert titles == ["AddBackward0", "NegBackward0", "NearBackward0", "output"]


def test_a_chain_of_a_million_nodes():
    text = str(draw(Tensor(grad_fn=Countdown(1_000_000))))
    assert text.splitlines()[1] == "○ Step1000000Backward0"
    assert text.endswith("… and 999,700 more nodes")


def test_a_long_chain_is_drawn_whole_when_asked():
    text = str(draw(chain(5_000), max_nodes=5_000))
    assert len(text.splitlines()) == 5_001
    assert max(map(len, text.splitlines())) < 20


def test_dot_has_every_vertex_and_edge(layer):
    module, output = layer
    dot = draw(output, module).dot
    assert dot.startswith("digraph backward {\n")
    assert 'label="MmBackward0\\n(32, 16)\\ntrain.py:7"' in dot
    assert dot.count(" -> ") == 6
    assert dot.count("fillcolor") == 7


def test_dot_strings_escape_quotes_and_backslashes():
    assert quoted('a"b\\n') == r'"a\"b\\n"'
    assert quoted("two\nlines") == r'"two\nlines"'


def test_names_with_unprintable_characters_stay_on_one_line():
    x = Tensor(1)
    output = Tensor(grad_fn=Node("ExpBackward0", Accumulate(x)))
    drawing = draw(output, {'<x>&"\n\0\ud800': x})
    assert str(drawing).splitlines()[-1] == '■ <x>&"\\n\\x00\\ud800  (1,)'
    assert r'"<x>&\"\\n\\x00\\ud800\n(1,)"' in drawing.dot


def test_svg_shows_every_vertex_apart_and_below_its_source(layer):
    pytest.importorskip("igraph")
    module, output = layer
    drawing = draw(output, {**module.parameters, '<&"\n\0': output})
    found = {texts[0]: (texts, rect) for texts, rect in boxes(drawing.svg)}
    assert found["MmBackward0"][0] == ["MmBackward0", "(32, 16)", "train.py:7"]
    assert '<&"\\n\\x00' in found
    for upper, lower in [("MeanBackward0", "TanhBackward0"), ("AddBackward0", "b"), ("MmBackward0", "w")]:
        (_, top, _, height), (_, below, _, _) = found[upper][1], found[lower][1]
        assert top + height < below
    rects = [rect for _, rect in found.values()]
    for i, (x, y, width, height) in enumerate(rects):
        for other_x, other_y, other_width, other_height in rects[:i]:
            apart_x = x >= other_x + other_width or other_x >= x + width
            apart_y = y >= other_y + other_height or other_y >= y + height
            assert apart_x or apart_y
    root = ElementTree.fromstring(drawing.svg)
    arrows = [path for path in root.findall(f"{SVG}path") if path.get("marker-end")]
    assert len(arrows) == 6
    assert drawing._repr_svg_() == drawing.svg


def test_svg_of_a_cut_graph_has_a_box_for_the_rest():
    pytest.importorskip("igraph")
    svg = draw(chain(50), max_nodes=5).svg
    assert ["… and 45 more nodes"] in [texts for texts, _ in boxes(svg)]


def test_html_is_a_whole_page(layer):
    pytest.importorskip("igraph")
    module, output = layer
    page = draw(output, {**module.parameters, "<loss>": output}).html
    assert page.startswith("<!DOCTYPE html>")
    assert "<title>Backward graph of &lt;loss&gt;</title>" in page
    assert "<svg" in page and "● &lt;loss&gt;  ()" in page and "<loss>" not in page
    assert "4 operations, 2 leaves" in page


def test_long_edges_pass_beside_the_boxes():
    pytest.importorskip("igraph")
    layout = arrange([(60, 20)] * 4, [(0, 1), (1, 2), (2, 3), (0, 3)], [0, 1, 2, 3])
    bends = layout.bends[3]
    assert len(bends) == 2
    for (x, top, bottom), v in zip(bends, (1, 2), strict=True):
        centre_x, centre_y = layout.centres[v]
        assert abs(x - centre_x) > 30 and top < centre_y < bottom


def test_boxes_on_a_layer_keep_their_distance():
    pytest.importorskip("igraph")
    sizes = [(30, 20), (200, 20), (40, 20), (90, 20)]
    layout = arrange(sizes, [(0, 1), (0, 2), (0, 3)], [0, 1, 1, 1])
    row = sorted((layout.centres[v][0], sizes[v][0]) for v in (1, 2, 3))
    for (left, left_width), (right, right_width) in zip(row, row[1:], strict=False):
        assert right - left >= (left_width + right_width) / 2 + BOX_GAP - 1e-6
    assert row[0][0] - row[0][1] / 2 == pytest.approx(0)
    assert row[-1][0] + row[-1][1] / 2 == pytest.approx(layout.width)


def test_without_igraph_pictures_name_the_extra(layer, monkeypatch):
    monkeypatch.setitem(sys.modules, "igraph", None)
    module, output = layer
    for form in ("svg", "html"):
        with pytest.raises(ImportError, match=r"pip install chainrule\[draw\]"):
            draw(output, module, format=form)
    assert draw(output, module)._repr_svg_() is None


@pytest.mark.parametrize(
    "name, form", [("g.txt", "text"), ("g.dot", "dot"), ("g.GV", "dot"), ("g.svg", "svg")]
)
def test_files_follow_their_extension(layer, tmp_path, name, form):
    if form == "svg":
        pytest.importorskip("igraph")
    module, output = layer
    drawing = draw(output, module, file=tmp_path / name)
    assert (tmp_path / name).read_text(encoding="utf-8") == getattr(drawing, form)
    drawing.save(tmp_path / f"again-{name}")
    assert (tmp_path / f"again-{name}").read_text(encoding="utf-8") == getattr(drawing, form)


def test_an_open_file_and_a_format_of_choice(layer, tmp_path):
    module, output = layer
    opened = io.StringIO()
    drawing = draw(output, module, format="dot", file=opened)
    assert opened.getvalue() == drawing.dot
    draw(output, module, format="dot", file=tmp_path / "graph.txt")
    assert (tmp_path / "graph.txt").read_text(encoding="utf-8") == drawing.dot


def test_what_cannot_be_drawn_says_why(layer, tmp_path):
    module, output = layer
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        draw(Tensor(requires_grad=False))
    with pytest.raises(TypeError, match="draw: expected a tensor, got float"):
        draw(1.0)
    with pytest.raises(ValueError, match="at least one tensor"):
        draw([])
    with pytest.raises(ValueError, match="format must be one of text, dot, svg, html, got 'png'"):
        draw(output, format="png")
    with pytest.raises(ValueError, match="cannot tell the format of '.*graph.png'; known are .txt"):
        draw(output, file=tmp_path / "graph.png")
    with pytest.raises(TypeError, match="params must be a module, a dict of tensors by name or"):
        draw(output, params=[output])
    assert not list(tmp_path.iterdir())
