"""What a call does when it is not plain: overrides by subclasses, and the record of each call.

`special` is the one branch that every plain call pays for all of this. Its bits are listed in `Special`; a bit's own
work is done here, around `Op.run`.
"""

import threading
import time

from chainrule._engine.refusal import faces
from chainrule._engine.tensor import Tensor, get_slots
from chainrule._engine.thread_state import current, process

slots = get_slots()


class Special:
    """The bits of `State.special`."""

    RECORDING = 1
    NO_OVERRIDES = 2
    DEFAULT_DEVICE = 4


class CallRecord:
    """One call: its name, start and end in nanoseconds, the thread, and its phase: forward, backward, or a user's span.

    `depth` counts the recorded calls it was made inside."""

    __slots__ = ("name", "start", "end", "phase", "depth", "shapes", "thread")

    def __init__(self, name, start, end, phase, depth, shapes):
        self.name = name
        self.start = start
        self.end = end
        self.phase = phase
        self.depth = depth
        self.shapes = shapes
        self.thread = threading.get_ident()

    def __repr__(self):
        return f"<{self.phase} {self.name} {(self.end - self.start) / 1000:.1f} us>"


class Recorder:
    """Collects call records; one list for all threads that record. `active` counts who wants them."""

    def __init__(self):
        self.records = []
        self.active = 0


recorder = Recorder()


def start_recording():
    """Record the calls of this thread, and of those that start from now on. Returns the place of the first record."""
    recorder.active += 1
    current().special |= Special.RECORDING
    process.special |= Special.RECORDING
    return len(recorder.records)


def stop_recording():
    """The end of one `start_recording`; with the last one the records are dropped."""
    recorder.active -= 1
    if recorder.active == 0:
        current().special &= ~Special.RECORDING
        process.special &= ~Special.RECORDING
        recorder.records = []


def special_call(op, args, form="plain"):
    """A call with some special bit set, or with an overriding operand."""
    s = current()
    overriding = [] if s.special & Special.NO_OVERRIDES else overriding_types(args)
    if overriding:
        return override(op, args, form, overriding)
    if not s.special & Special.RECORDING:
        return compute(op, args, form)
    name = f"aten::{op.public_name}" + ("_" if form == "inplace" else "")
    return recorded(name, "forward", s, lambda: compute(op, args, form), args)


def recorded(name, phase, s, work, args=()):
    """Run `work` and note it as one call."""
    if not recorder.active:
        # A thread that was started during a recording outlives it.
        s.special &= ~Special.RECORDING
        return work()
    start = time.perf_counter_ns()
    s.depth += 1
    try:
        return work()
    finally:
        s.depth -= 1
        note(name, phase, start, s.depth, tuple(tuple(a.meta.shape) for a in args if isinstance(a, Tensor)))


def note(name, phase, start, depth, shapes):
    """Add the record of something that began at `start` and ends now."""
    recorder.records.append(CallRecord(name, start, time.perf_counter_ns(), phase, depth, shapes))


def compute(op, args, form):
    """The call itself, with the special bits that this level has dealt with out of the way."""
    s = current()
    kept, s.special = s.special, s.special & ~(Special.RECORDING | Special.NO_OVERRIDES)
    hidden = [a for a in flat(args) if a.override]
    for a in hidden:
        a.override = False
    try:
        return op.call_inplace(args) if form == "inplace" else op.run(args)
    finally:
        s.special = kept
        for a in hidden:
            a.override = True


def flat(args):
    """The tensors among the arguments, lists opened."""
    for a in args:
        if isinstance(a, Tensor):
            yield a
        elif isinstance(a, (list, tuple)):
            for t in a:
                if isinstance(t, Tensor):
                    yield t


def overriding_types(args):
    """The classes of overriding operands, subclasses before their bases, in order of appearance."""
    found = []
    for t in flat(args):
        if t.override and type(t) not in found:
            at = next((i for i, known in enumerate(found) if issubclass(type(t), known)), len(found))
            found.insert(at, type(t))
    return found


def override(op, args, form, types):
    """Ask each overriding class in turn, as `__torch_function__` prescribes."""
    function = op.inplace_function if form == "inplace" else op.function
    function = faces.get(function, function)
    n = op.signature.n_positional
    named = dict(zip(op.signature.names[n:], args[n:], strict=True))
    defaults = op.signature.keyword_defaults
    named = {k: v for k, v in named.items() if k not in defaults or v is not defaults[k]}
    for cls in types:
        answer = cls.__torch_function__(function, tuple(types), tuple(args[:n]), named)
        if answer is not NotImplemented:
            return answer
    raise TypeError(
        f"Multiple dispatch failed for 'torch.{op.public_name}'; all __torch_function__ handlers returned "
        f"NotImplemented: {', '.join(cls.__name__ for cls in types)}"
    )


slots.special = special_call
