"""torch.autograd.profiler: the older names of the profiler."""

from chainrule.profiler import record_function, session
from chainrule.profiler.events import FunctionEvent

__all__ = ["FunctionEvent", "profile", "record_function"]


class profile(session.profile):
    """`torch.profiler.profile` with the older arguments; `enabled=False` records nothing."""

    def __init__(self, enabled=True, *, use_cuda=False, use_device=None, record_shapes=False, with_flops=False,
                 profile_memory=False, with_stack=False, with_modules=False, use_kineto=True, use_cpu=True,
                 experimental_config=None, acc_events=False, custom_trace_id_callback=None):  # fmt: skip
        super().__init__(record_shapes=record_shapes)
        self.enabled = enabled

    def start(self):
        if self.enabled:
            super().start()

    @property
    def function_events(self):
        """The recorded calls."""
        return self.events()

    @property
    def self_cpu_time_total(self):
        """The time of all calls together."""
        return self.events().self_cpu_time_total

    def table(self, *args, **kwargs):
        """The table over the single calls."""
        return self.events().table(*args, **kwargs)

    def __str__(self):
        return self.table()
