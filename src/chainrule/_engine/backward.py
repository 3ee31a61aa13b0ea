"""The walk backward: from roots and their gradients to the leaves, each node once, when all its gradients are in.

The algorithm: count, for every node that can be reached, how many gradients it will receive; run a node when its count
is down to zero (of several, the one that was recorded last); hand each of its results to the next node's buffer. Nodes
that nothing asked for are never visited. There is no recursion: a chain of a million nodes is a loop.
"""

import heapq
import threading
from functools import partial

import numpy as np

from chainrule._engine.accumulate import AccumulateGrad, add_gradients
from chainrule._engine.dispatch import Special, recorded
from chainrule._engine.hooks import run_post_hooks, run_pre_hooks, run_tensor_hooks
from chainrule._engine.native import check_signals
from chainrule._engine.node import Claim, Extra, Function, Node, make_claim
from chainrule._engine.tensor import Meta, Slots, Tensor, get_slots
from chainrule._engine.thread_state import State, current
from chainrule._kernels.casting import to_compute
from chainrule._kernels.loops import alike

slots = get_slots()


class ReadyQueue:
    """Nodes whose gradients are all in; the one recorded last comes first.

    The usual next one is kept in `latest`, so that a chain costs no list; beside it a stack as long as pushes come in
    order, and a heap for the rest."""

    def __init__(self):
        self.latest = None
        self.ordered = []
        self.heap = []
        self.pushed = 0

    def push(self, n):
        last = self.latest
        if last is None:
            self.latest = n
        elif n.sequence >= last.sequence and (not self.ordered or self.in_order(last)):
            self.ordered.append(last)
            self.latest = n
        else:
            self.pushed += 1
            heapq.heappush(self.heap, (-n.sequence, self.pushed, n))

    def in_order(self, n):
        """Whether n may lie on the stack: nothing there was recorded later."""
        top = self.ordered[-1]
        return n.sequence >= top.sequence

    def pop(self):
        """The next node, or None when nothing is ready."""
        best = self.latest
        if self.ordered:
            top = self.ordered[-1]
            if best is None or top.sequence > best.sequence:
                best = top
        if self.heap:
            top = self.heap[0][2]
            if best is None or top.sequence > best.sequence:
                heapq.heappop(self.heap)
                return top
        if best is self.latest:
            self.latest = None
        else:
            self.ordered.pop()
        return best


class GraphTask:
    """One backward call: which nodes it will visit and what has arrived at each.

    A node carries one task's claim. Another task that meets a claimed node keeps its own claim in `elsewhere`: several
    walks (from hooks, rules or threads) may be in one graph at once.
    """

    def __init__(self, keep_graph, create_graph, accumulate_leaves):
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.accumulate_leaves = accumulate_leaves
        self.wanted = None
        self.captured = {}
        self.elsewhere = {}
        self.notes = {}
        self.finished = False
        self.visited = 0
        self.checking = anomaly.enabled and anomaly.check_nan
        self.ready = ReadyQueue()

    def claim_of(self, n):
        """This task's claim on a node it has seen."""
        c = n.claim
        return c if c is not None and c.task is self else self.elsewhere[n]

    def holds(self, n):
        """Whether the node is still to run in this task."""
        return (n.claim is not None and n.claim.task is self) or n in self.elsewhere

    def restrict(self, roots, targets):
        """Visit only nodes from which one of the targets can be reached; nothing older than the oldest target."""
        lowest = min(n.sequence if n.n_edges else 0 for n in targets)
        leads = dict.fromkeys(targets, True)
        stack = [(n, 0) for n in roots]
        on_path = set()
        while stack:
            n, i = stack.pop()
            if i == 0:
                if n in on_path or (n in leads and n not in targets):
                    continue
                if n.sequence < lowest:
                    leads.setdefault(n, False)
                    continue
                on_path.add(n)
            if i < n.n_edges:
                stack.append((n, i + 1))
                m = n.links[i]
                if m is not None and m not in on_path:
                    stack.append((m, 0))
                continue
            reached = leads.get(n, False)
            for k in range(n.n_edges):
                m = n.links[k]
                if m is not None and leads.get(m, False):
                    reached = True
                    break
            leads[n] = reached
        self.visited += len(on_path)
        self.wanted = {n for n, reached in leads.items() if reached}

    def count_dependencies(self, roots):
        """Count the gradients each reachable node will get."""
        stack = []
        for n in roots:
            if self.first_sight(n):
                stack.append(n)
        wanted = self.wanted
        n = None
        while True:
            if n is None:
                if not stack:
                    return
                n = stack.pop()
            self.visited += 1
            following = None
            for i in range(n.n_edges):
                m = n.links[i]
                if m is None or (wanted is not None and m not in wanted):
                    continue
                if self.first_sight(m):
                    if following is None:
                        following = m
                    else:
                        stack.append(m)
                c = m.claim
                if c is None or c.task is not self:
                    c = self.elsewhere[m]
                c.waiting += 1
            n = following

    def first_sight(self, n):
        """Claim a node; False if this task has it already."""
        c = n.claim
        if c is None:
            n.claim = make_claim(self)
            return True
        if c.task is self:
            return False
        task = c.task
        if task.finished:
            n.claim = make_claim(self)
            return True
        if n in self.elsewhere:
            return False
        self.elsewhere[n] = make_claim(self)
        return True

    def execute(self, roots):
        """Run until nothing is ready. `roots` are (node, output number, gradient)."""
        s = current()
        was, outer = s.grad_enabled, running.task
        s.grad_enabled = self.create_graph
        running.task = self
        try:
            self.walk(roots, s)
        finally:
            s.grad_enabled = was
            running.task = outer
            self.finished = True
        return self.captured

    def walk(self, roots, s):
        for node, number, g in roots:
            self.add(self.claim_of(node), node, number, g)
        started = set()
        for node, _, _ in roots:
            if node not in started and self.claim_of(node).waiting == 0:
                started.add(node)
                self.ready.push(node)
        wanted = self.wanted
        capturing = len(self.captured) > 0
        steps = 0
        while True:
            node = self.ready.pop()
            if node is None:
                return
            steps += 1
            if steps & 511 == 0:
                check_signals()
            c = node.claim
            if c is not None and c.task is self:
                node.claim = None
            else:
                c = self.elsewhere.pop(node)
            found = c.buffer
            c.buffer = None
            extra = node.extra
            if extra is not None and (extra.tensor_hooks is not None or extra.retained is not None):
                found = run_tensor_hooks(node, found)
            if capturing and node in self.captured:
                keep_captured(self, node, found)
            if node.n_edges == 0:
                if self.accumulate_leaves and (wanted is None or node in wanted):
                    if extra is None:
                        node.accumulate(found, self)
                    else:
                        accumulate_hooked(node, extra, found, self)
                continue
            if wanted is not None and not leads_on(node, wanted):
                continue
            if extra is not None and extra.pre_hooks is not None:
                found = run_pre_hooks(node, found)
            given = found
            if s.special or self.checking:
                found = self.run_watched(node, found, wanted, s)
            else:
                found = self.run_function(node, found, wanted)
            if not self.keep_graph:
                node.function.release(node)
            if extra is not None and extra.post_hooks is not None:
                found = run_post_hooks(node, found, given)
            if node.n_edges == 1:
                self.deliver(node, 0, found)
            else:
                for i in range(node.n_edges):
                    if node.links[i] is not None:
                        self.deliver(node, i, found[i])
            found = None
            given = None

    def run_function(self, node, g, wanted):
        """The node's own rule; an error on the way says which forward line the node came from."""
        try:
            return node.function.backward(node, g, wanted)
        except Exception as error:
            note_location(error, node)
            raise

    def run_watched(self, node, g, wanted, s):
        """The same, recorded by the profiler and looked through for nan in anomaly mode, as is asked for."""
        if s.special & Special.RECORDING:
            call = partial(self.run_function, node, g, wanted)
            found = recorded(node.name(), "backward", s, call, g if isinstance(g, list) else (g,))
        else:
            found = self.run_function(node, g, wanted)
        if self.checking:
            check_anomaly(node, found)
        return found

    def deliver(self, node, i, g):
        """Hand result i of a node to the next one, and see whether that is now ready."""
        m = node.links[i]
        if m is None or (self.wanted is not None and m not in self.wanted):
            return
        number = 0
        extra = node.extra
        if extra is not None and extra.numbers is not None:
            number = extra.numbers[i]
        c = m.claim
        if c is None or c.task is not self:
            c = self.elsewhere[m]
        if g is not None:
            self.add(c, m, number, validated(g, m, number, node, i))
        c.waiting -= 1
        if c.waiting == 0:
            self.ready.push(m)

    def add(self, c, m, number, g):
        """Add a gradient into the buffer of output `number` of m."""
        if type(m.meta) is not tuple:
            if c.buffer is None:
                c.buffer = g
            else:
                c.buffer = add_gradients(c, g, self.create_graph)
            return
        b = c.buffer
        if b is None:
            b = c.buffer = [None] * len(m.meta)
        b[number] = g if b[number] is None else slots.add.call2(b[number], g)

    def abandon(self, roots):
        """After an error: drop what is still buffered in nodes this task claimed."""
        stack = list(roots)
        seen = set(stack)
        while stack:
            n = stack.pop()
            if n.claim is not None and n.claim.task is self:
                n.claim = None
            for i in range(n.n_edges):
                m = n.links[i]
                if m is not None and m not in seen and (self.wanted is None or m in self.wanted):
                    seen.add(m)
                    stack.append(m)
        self.elsewhere.clear()


class Running(threading.local):
    """The task that each thread is running, the innermost if there are several."""

    task = None


running = Running()


def current_task():
    """The walk that this thread is in, or None."""
    return running.task


class Anomaly:
    """Anomaly mode, for all threads: whether it is on, and whether gradients are looked through for nan."""

    enabled = False
    check_nan = True


anomaly = Anomaly()


def check_anomaly(node, found):
    """RuntimeError, with the forward line, if the node gave a gradient that has a nan."""
    for i, g in enumerate(found if isinstance(found, (list, tuple)) else (found,)):
        if isinstance(g, Tensor) and np.isnan(to_compute(g.array)).any():
            error = RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")
            note_location(error, node)
            raise error


def leads_on(node, wanted):
    """Whether some edge of the node goes to a wanted node."""
    for i in range(node.n_edges):
        if node.links[i] is not None and node.links[i] in wanted:
            return True
    return False


def accumulate_hooked(node, extra, found, task):
    """A leaf's accumulator with hooks of its own around it."""
    if extra.pre_hooks is not None:
        found = run_pre_hooks(node, found)
    node.accumulate(found, task)
    if extra.post_hooks is not None:
        run_post_hooks(node, (), found)


def keep_captured(task, node, found):
    """Note the gradients of a node whose outputs were asked for."""
    for number in task.captured[node]:
        g = found[number] if type(node.meta) is tuple and found is not None else found
        task.captured[node][number] = g


def note_location(error, node):
    """Add the forward line to an error of the backward pass."""
    where = node._forward_location()
    if where is not None and not getattr(error, "__notes__", None):
        error.add_note(f"in the backward of {node.name()}, called at {where[0]}:{where[1]}")


def validated(g, m, number, sender, i):
    """g as the node m can take it: summed over what was broadcast, cast to m's dtype, real where m is real."""
    if not isinstance(g, Tensor):
        raise RuntimeError(
            f"{sender.name()}: gradient {i} is not a tensor: expected Tensor or None, got {type(g).__name__}"
        )
    t = g
    meta = m.meta[number] if type(m.meta) is tuple else m.meta
    if t.meta is meta:
        return g
    if t.meta.shape != meta.shape:
        shape = t.meta.shape
        wanted_shape = meta.shape
        lead = len(shape) - len(wanted_shape)
        fits = lead >= 0
        if fits:
            for k in range(len(wanted_shape)):
                if wanted_shape[k] != 1 and wanted_shape[k] != shape[lead + k]:
                    fits = False
        if not fits:
            raise RuntimeError(
                f"Function {sender.name()} returned an invalid gradient at index {i} - got {list(shape)} but expected "
                f"shape compatible with {list(wanted_shape)}"
            )
        g = slots.sum_to(g, wanted_shape)
        t = g
    if t.meta.dtype is not meta.dtype:
        g = slots.cast(g, meta.dtype)
    return g


def run_backward(roots, keep_graph, create_graph, accumulate_leaves, targets):
    """Walk from `roots` [(node, output number, gradient)]. With `targets` [(node, output number)] visit only what leads
    to them; their gradients are captured, or with `accumulate_leaves` added into `.grad` as always.

    Returns {node: {output number: gradient or None}} of the captured ones."""
    task = GraphTask(keep_graph, create_graph, accumulate_leaves)
    nodes = [n for n, _, _ in roots]
    if targets is not None:
        if not accumulate_leaves:
            for n, number in targets:
                task.captured.setdefault(n, {})[number] = None
        task.restrict(nodes, {n for n, _ in targets})
        roots = [r for r in roots if r[0] in task.wanted]
        nodes = [n for n, _, _ in roots]
    try:
        task.count_dependencies(nodes)
        return task.execute(roots)
    except BaseException:
        task.finished = True
        task.abandon(nodes)
        raise
