"""torch.profiler: what a program's calls cost, forward and backward."""

from chainrule.profiler.annotation import record_function
from chainrule.profiler.session import (
    ProfilerAction,
    ProfilerActivity,
    profile,
    schedule,
    tensorboard_trace_handler,
)  # fmt: skip

__all__ = [
    "ProfilerAction", "ProfilerActivity", "profile", "record_function", "schedule", "tensorboard_trace_handler",
]  # fmt: skip
