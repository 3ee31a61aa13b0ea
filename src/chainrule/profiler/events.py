"""Events: recorded calls with their times, who called whom, and sums over calls of one name. Times are microseconds."""

from typing import NamedTuple

from chainrule.profiler.table import format_table, time_text


class Interval(NamedTuple):
    """A span of time."""

    start: float
    end: float

    def elapsed_us(self):
        """Its length."""
        return self.end - self.start


class Times:
    """What one event and an average of several have in common: totals per call and as text."""

    @property
    def cpu_time(self):
        """Mean time of one call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self):
        return time_text(self.cpu_time)

    @property
    def cpu_time_total_str(self):
        return time_text(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self):
        return time_text(self.self_cpu_time_total)


class FunctionEvent(Times):
    """One call: `name`, `time_range`, the calls it made (`cpu_children`) and its place in the trace."""

    count = 1
    is_async = False
    is_remote = False

    def __init__(self, id, name, thread, start, end, shapes=(), phase="forward"):
        self.id = id
        self.name = self.key = self.trace_name = name
        self.thread = thread
        self.time_range = Interval(start, end)
        self.input_shapes = [list(s) for s in shapes]
        self.phase = phase
        self.cpu_children = []
        self.cpu_parent = None

    @property
    def cpu_time_total(self):
        """The call's time, with all that it called."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self):
        """The call's time without what it called."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    def __repr__(self):
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} cpu_start_us="
            f"{self.time_range.start:.3f} cpu_end_us={self.time_range.end:.3f} thread={self.thread} "
            f"cpu_children={[child.id for child in self.cpu_children]}>"
        )


class EventAverage(Times):
    """All calls of one key: `key`, `count`, and times summed over them."""

    def __init__(self, key, input_shapes=None):
        self.key = key
        self.input_shapes = input_shapes or []
        self.count = 0
        self.cpu_time_total = 0.0
        self.self_cpu_time_total = 0.0

    def add(self, event):
        """Count one call in. A call inside another of the same key is part of the outer one's total."""
        self.count += 1
        self.self_cpu_time_total += event.self_cpu_time_total
        outer = event.cpu_parent
        while outer is not None and outer.key != event.key:
            outer = outer.cpu_parent
        if outer is None:
            self.cpu_time_total += event.cpu_time_total

    def __repr__(self):
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} cpu_time="
            f"{self.cpu_time_str} count={self.count}>"
        )


class EventList(list):
    """Events or averages, with the sums and the table over them."""

    @property
    def self_cpu_time_total(self):
        """The time of all events together, counted once."""
        return sum(event.self_cpu_time_total for event in self)

    def key_averages(self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
        """An EventList with one EventAverage for each name (and shapes of inputs, if asked for)."""
        groups = {}
        for event in self:
            shapes = event.input_shapes if group_by_input_shapes else []
            place = (event.key, str(shapes))
            if place not in groups:
                groups[place] = EventAverage(event.key, shapes)
            groups[place].add(event)
        return EventList(groups.values())

    def total_average(self):
        """One EventAverage over all events."""
        total = EventAverage("Total")
        for event in self:
            total.count += event.count
            total.self_cpu_time_total += event.self_cpu_time_total
        total.cpu_time_total = total.self_cpu_time_total
        return total

    def table(self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55,
              max_shapes_column_width=80, header=None, top_level_events_only=False, time_unit=None):  # fmt: skip
        """The events as text, a line each, with their share of the whole. sort_by: the name of a time or "count"."""
        rows = [e for e in self if not top_level_events_only or getattr(e, "cpu_parent", None) is None]
        return format_table(rows, sort_by, row_limit, max_name_column_width, header)

    def __str__(self):
        return self.table()


def events_of(records):
    """An EventList in order of start from CallRecords: in each thread a call lies inside the one open around it."""
    ordered = sorted(records, key=lambda r: (r.start, r.depth))
    events = EventList()
    open_in = {}
    for number, r in enumerate(ordered):
        event = FunctionEvent(number, r.name, r.thread, r.start / 1000, r.end / 1000, r.shapes, r.phase)
        stack = open_in.setdefault(r.thread, [])
        while stack and (stack[-1][1].end < r.end or stack[-1][1].depth >= r.depth):
            stack.pop()
        if stack:
            event.cpu_parent = stack[-1][0]
            stack[-1][0].cpu_children.append(event)
        stack.append((event, r))
        events.append(event)
    return events
