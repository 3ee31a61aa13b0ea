"""profile: switches the recording of calls on and off, by steps if a schedule says so, and shows what was recorded."""

import enum
import json
import os
import platform
import time

from chainrule._engine.dispatch import recorder, start_recording, stop_recording
from chainrule.profiler.events import events_of


class ProfilerActivity(enum.Enum):
    """What can be profiled. Only CPU exists here; CUDA and XPU are accepted and record nothing."""

    CPU = 0
    XPU = 1
    CUDA = 3


class ProfilerAction(enum.Enum):
    """What a schedule asks for at a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """A function from step to ProfilerAction: skip, then wait, warm up and record `active` steps, `repeat` times."""
    if active <= 0:
        raise ValueError(f"schedule: expected active > 0, got {active}")
    cycle = wait + warmup + active

    def action(step):
        step -= skip_first
        if step < 0 or (repeat > 0 and step // cycle >= repeat):
            return ProfilerAction.NONE
        place = step % cycle
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


class profile:
    """Records every call of an op, forward and backward, between entering and leaving. `events()`, `key_averages()`.

    record_shapes: keep the shapes of inputs. schedule: record only the steps it names; call `step()` after each.
    on_trace_ready: called with the profile when a recorded span ends. PyTorch's other arguments are accepted."""

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False,
                 profile_memory=False, with_stack=False, with_flops=False, with_modules=False,
                 experimental_config=None, execution_trace_observer=None, acc_events=False, use_cuda=None,
                 custom_trace_id_callback=None):  # fmt: skip
        self.schedule = schedule
        self.on_trace_ready = on_trace_ready
        self.record_shapes = record_shapes
        self.step_num = 0
        self._records = []
        self._recording = False

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exc):
        self.stop()

    def start(self):
        """Begin, as the schedule says for step 0."""
        self._obey(self._action())

    def stop(self):
        """End; what was recorded stays readable."""
        if self._recording:
            self._end()

    def step(self):
        """Say that a step of the program is over."""
        was = self._action()
        self.step_num += 1
        if was is ProfilerAction.RECORD_AND_SAVE and self._recording and self.schedule is not None:
            self._end()
        self._obey(self._action())

    def _action(self):
        return ProfilerAction.RECORD if self.schedule is None else self.schedule(self.step_num)

    def _obey(self, action):
        record = action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if record and not self._recording:
            self._recording = True
            self._mark = start_recording()
        elif not record and self._recording:
            self._end()

    def _end(self):
        self._recording = False
        self._records = recorder.records[self._mark :]
        stop_recording()
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def events(self):
        """The recorded calls in order of start, as an EventList of FunctionEvents."""
        events = events_of(self._records)
        if not self.record_shapes:
            for event in events:
                event.input_shapes = []
        return events

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """One EventAverage for each name."""
        return self.events().key_averages(group_by_input_shape)

    def total_average(self):
        """One EventAverage over everything."""
        return self.events().total_average()

    def export_chrome_trace(self, path):
        """Write the calls as a Chrome trace (chrome://tracing, Perfetto) to a file of JSON."""
        entries = [
            {
                "ph": "X",
                "cat": "cpu_op" if event.phase != "user" else "user_annotation",
                "name": event.name,
                "pid": os.getpid(),
                "tid": event.thread,
                "ts": event.time_range.start,
                "dur": event.cpu_time_total,
                "args": {"Input Dims": event.input_shapes} if event.input_shapes else {},
            }
            for event in self.events()
        ]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": entries, "displayTimeUnit": "ms"}, file)

    def add_metadata(self, key, value):
        """Accepted for programs that label their traces; nothing is written."""


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    """An `on_trace_ready` that writes each trace into a folder as `<worker>.<time>.pt.trace.json`."""

    def handler(prof):
        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{platform.node()}_{os.getpid()}"
        prof.export_chrome_trace(os.path.join(dir_name, f"{worker}.{time.time_ns()}.pt.trace.json"))

    return handler
