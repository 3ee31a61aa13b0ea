"""The profiler: what is recorded, how calls nest, sums, schedules, the trace file."""

import json
import threading

import pytest

import chainrule as torch
from chainrule._engine.dispatch import CallRecord
from chainrule.profiler import ProfilerAction, ProfilerActivity, profile, record_function, schedule
from chainrule.profiler.events import events_of


def recorded(work, **options):
    with profile(**options) as p:
        work()
    return p


def test_calls_forward_and_backward():
    x = torch.ones(2, requires_grad=True)
    p = recorded(lambda: (x * 3).sin().sum().backward())
    names = [e.name for e in p.events()]
    assert names[:3] == ["aten::mul", "aten::sin", "aten::sum"]
    backward = [n for n in names if "Backward" in n]
    assert backward == ["SumBackward0", "SinBackward0", "MulBackward0"]


def test_in_place_forms_and_own_functions_have_names():
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = torch.ones(2, requires_grad=True)
    p = recorded(lambda: Twice.apply(x).add_(1).sum().backward())
    names = [e.name for e in p.events()]
    assert {"Twice", "aten::add_", "TwiceBackward"} <= set(names)
    (twice,) = [e for e in p.events() if e.name == "Twice"]
    assert [c.name for c in twice.cpu_children] == ["aten::mul"] and twice.cpu_children[0].cpu_parent is twice
    (back,) = [e for e in p.events() if e.name == "TwiceBackward"]
    assert [c.name for c in back.cpu_children] == ["aten::mul"]


def test_named_blocks_hold_what_runs_inside():
    def work():
        with pytest.raises(KeyError), record_function("block"):
            torch.ones(3) + 1
            with record_function("inner"):
                torch.ones(3) * 1
            raise KeyError
        torch.ones(2) * 3

    for _ in range(2):
        p = recorded(work)
        (block,) = [e for e in p.events() if e.name == "block"]
        assert [c.name for c in block.cpu_children if c.name != "aten::ones"] == ["aten::add", "inner"]
        assert block.cpu_time_total >= sum(c.cpu_time_total for c in block.cpu_children)
        assert block.self_cpu_time_total >= 0
        assert [e.name for e in p.events()][-1] == "aten::mul"


def test_a_named_block_as_a_decorator():
    @record_function("named")
    def f(x):
        return x + 1

    p = recorded(lambda: [f(torch.ones(1)) for _ in range(3)])
    assert {r.key: r.count for r in p.key_averages()}["named"] == 3
    f(torch.ones(1))


def test_sums_by_name_leave_the_events_alone():
    x = torch.ones(2)
    p = recorded(lambda: [x + 1, x + 2, x * 2], record_shapes=True)
    before = [e.self_cpu_time_total for e in p.events()]
    rows = {r.key: r for r in p.key_averages()}
    assert rows["aten::add"].count == 2 and rows["aten::mul"].count == 1
    adds = [e for e in p.events() if e.name == "aten::add"]
    assert rows["aten::add"].cpu_time_total == sum(e.cpu_time_total for e in adds)
    assert adds[0].input_shapes[0] == [2]
    assert before == [e.self_cpu_time_total for e in p.events()]
    assert p.total_average().count == 3
    assert not recorded(lambda: x + 1).events()[0].input_shapes


def test_a_call_within_one_of_its_name_counts_its_time_once():
    outer, inner = (CallRecord("r", *span, ()) for span in ((0, 100_000, "user", 0), (10_000, 60_000, "user", 1)))
    (row,) = events_of([inner, outer]).key_averages()
    assert (row.count, row.cpu_time_total, row.self_cpu_time_total, row.cpu_time) == (2, 100, 100, 50)


def test_the_table():
    x = torch.ones(2)
    text = recorded(lambda: [x + 1, x * 2]).key_averages().table(sort_by="self_cpu_time_total", row_limit=1)
    lines = text.splitlines()
    assert "Name" in lines[1] and "# of Calls" in lines[1] and "Self CPU time total" in lines[-1]
    assert sum("aten::" in line for line in lines) == 1
    with pytest.raises(ValueError, match="sort_by"):
        recorded(lambda: x + 1).key_averages().table(sort_by="colour")


def test_nothing_is_recorded_outside():
    x = torch.ones(2)
    p = recorded(lambda: x + 1)
    x * 2
    assert [e.name for e in p.events()] == ["aten::add"]
    with profile() as outer:
        x + 1
        with profile() as inner:
            x * 2
        x - 1
    assert [e.name for e in inner.events()] == ["aten::mul"]
    assert [e.name for e in outer.events()] == ["aten::add", "aten::mul", "aten::sub"]


def test_threads_started_inside_are_recorded():
    x = torch.ones(2)

    def work():
        thread = threading.Thread(target=lambda: x + 1)
        thread.start()
        thread.join()

    (event,) = recorded(work).events()
    assert event.name == "aten::add" and event.thread != threading.get_ident()


def test_a_schedule():
    plan = schedule(skip_first=1, wait=1, warmup=1, active=2, repeat=1)
    names = [plan(step).name for step in range(7)]
    assert names == ["NONE", "NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE", "NONE", "NONE"]
    assert plan(3) is ProfilerAction.RECORD
    ready, x = [], torch.ones(2)
    activities = [ProfilerActivity.CPU]
    with profile(activities=activities, schedule=plan, on_trace_ready=lambda p: ready.append(p.step_num)) as p:
        for _ in range(7):
            x + 1
            p.step()
    assert len(ready) == 1 and len(p.events()) == 2
    with pytest.raises(ValueError, match="active"):
        schedule(wait=1, warmup=1, active=0)


def test_the_trace_file(tmp_path):
    x = torch.ones(2)
    path = tmp_path / "trace.json"
    recorded(lambda: x + 1, record_shapes=True).export_chrome_trace(str(path))
    (entry,) = json.loads(path.read_text())["traceEvents"]
    assert entry["name"] == "aten::add" and entry["ph"] == "X" and entry["dur"] >= 0
    assert entry["args"]["Input Dims"][0] == [2]


def test_the_older_interface():
    x = torch.ones(2)
    with torch.autograd.profiler.profile() as p:
        x + 1
    assert p.function_events[0].name == "aten::add" and "aten::add" in p.table() and p.self_cpu_time_total > 0
    with torch.autograd.profiler.profile(enabled=False) as p:
        x + 1
    assert p.function_events == []
