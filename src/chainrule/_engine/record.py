"""What a call leaves behind: a node with its edges, and the values its rules ask for.

A `Plan` says, for one combination of inputs that want a gradient, what is saved and which saved values each rule gets.
Sources are small ints: an argument's position, or a position past one of the marks below.
"""

from chainrule._engine.accumulate import gradient_edge
from chainrule._engine.location import mark
from chainrule._engine.native import untrack
from chainrule._engine.node import Extra, Function, Node
from chainrule._engine.saved import SavedList, save_input, save_output
from chainrule._engine.tensor import Meta, Tensor
from chainrule._engine.thread_state import State, current

OUTPUT, SHAPE, DTYPE, RESIDUAL = 100, 200, 300, 400


class Plan:
    """What is saved for one combination of wanted inputs, and what each rule receives of it."""


def make_node(function, links, n_edges, meta, s):
    untrack(links)
    n = Node.__new__(Node)
    n.function = function
    n.links = links
    n.n_edges = n_edges
    n.meta = meta
    n.code = None
    n.instruction = 0
    n.claim = None
    n.extra = None
    number(n, s)
    mark(n)
    return n


def number(n, s):
    """Give a node its place in the order of calls: after all that it leads to, also what other threads have made."""
    for i in range(n.n_edges):
        e = n.links[i]
        if e is not None and e.sequence >= s.sequence and e.n_edges > 0:
            s.sequence = e.sequence + 1
    n.sequence = s.sequence
    s.sequence += 1


def save_one(source, out, a, b):
    """One saved value of a call with one or two tensor inputs and one output."""
    if source == 0:
        return save_input(a)
    if source == 1:
        return save_input(b)
    if source == OUTPUT:
        return save_output(out, 0)
    x = a if source == SHAPE or source == DTYPE else b
    return x.meta.shape if source < DTYPE else x.meta.dtype


def record1(function, plan, out, a, s):
    """Record out = function(a)."""
    out.needs_grad = True
    n_saved = plan.n_saved
    e = gradient_edge(a)
    if n_saved == 0:
        out.node = make_node(function, (e,), 1, out.meta, s)
    elif n_saved == 1:
        source = plan.sources[0]
        out.node = make_node(function, (e, save_one(source, out, a, None)), 1, out.meta, s)
    else:
        out.node = make_node(
            function, (e, *[save_one(source, out, a, None) for source in plan.sources]), 1, out.meta, s
        )
    if a.output_number:
        out.node.need_extra().numbers = (a.output_number,)


def record2(function, plan, out, a, b, s):
    """Record out = function(a, b)."""
    out.needs_grad = True
    e0 = gradient_edge(a) if a.needs_grad else None
    e1 = gradient_edge(b) if b.needs_grad else None
    k = plan.n_saved
    if k == 0:
        n = make_node(function, (e0, e1), 2, out.meta, s)
    elif k == 1:
        source = plan.sources[0]
        n = make_node(function, (e0, e1, save_one(source, out, a, b)), 2, out.meta, s)
    elif k == 2:
        source = plan.sources[0]
        saved0 = save_one(source, out, a, b)
        source = plan.sources[1]
        # both operands are one tensor: one saved value serves both rules
        saved1 = saved0 if a is b and source < OUTPUT and plan.sources[0] < OUTPUT else save_one(source, out, a, b)
        n = make_node(function, (e0, e1, saved0, saved1), 2, out.meta, s)
    else:
        n = make_node(
            function, (e0, e1, *[save_one(source, out, a, b) for source in plan.sources]), 2, out.meta, s
        )
    if a.output_number or b.output_number:
        n.need_extra().numbers = (a.output_number, b.output_number)
    out.node = n


def save_value(value):
    """The saved form of any argument or residual."""
    if isinstance(value, Tensor):
        return save_input(value)
    if isinstance(value, (list, tuple)) and any([isinstance(v, Tensor) for v in value]):  # noqa: C419  (no closure in a compiled function)
        return SavedList([save_value(v) for v in value])
    return value


def record(function, plan, places, args, outs, residuals, s):
    """Record outs = function(*args): any number of inputs, lists among them, and of outputs.

    `places` are the positions of the differentiable arguments; a list argument has one edge for each of its tensors.
    """
    links, numbers = [], []
    numbered = False
    for place in places:
        value = args[place]
        if isinstance(value, Tensor):
            t = value
            if t.needs_grad:
                links.append(gradient_edge(t))
                numbers.append(t.output_number)
                numbered = numbered or t.output_number != 0
            else:
                links.append(None)
                numbers.append(0)
        elif isinstance(value, (list, tuple)):
            for item in value:
                wanted = isinstance(item, Tensor) and item.needs_grad
                links.append(gradient_edge(item) if wanted else None)
                numbers.append(item.output_number if wanted else 0)
                numbered = numbered or (wanted and item.output_number != 0)
        else:
            links.append(None)
            numbers.append(0)
    n_edges = len(links)
    for source in plan.sources:
        if source >= RESIDUAL:
            links.append(save_value(residuals[source - RESIDUAL]))
        elif source >= DTYPE:
            links.append(_each(args[source - DTYPE], _dtype_of))
        elif source >= SHAPE:
            links.append(_each(args[source - SHAPE], _shape_of))
        elif source >= OUTPUT:
            links.append(save_output(outs[source - OUTPUT], source - OUTPUT))
        else:
            links.append(save_value(args[source]))
    t = outs[0]
    meta = t.meta if len(outs) == 1 else tuple([out.meta for out in outs])
    n = make_node(function, tuple(links), n_edges, meta, s)
    if numbered:
        n.need_extra().numbers = tuple(numbers)
    k = 0
    for t in outs:
        if t.meta.dtype.category >= 2 and function.differentiable_output(k):
            t.node = n
            t.output_number = k
            t.needs_grad = True
        k += 1
    return n


def _each(value, fact):
    if isinstance(value, (list, tuple)):
        return [fact(v) for v in value]
    return fact(value)


def _shape_of(t):
    return None if t is None else t.meta.shape


def _dtype_of(t):
    return None if t is None else t.meta.dtype
