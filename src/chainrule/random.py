"""torch.random: generators, seeds and saved states."""

import contextlib

from chainrule._core import rng
from chainrule._core.rng import default_generator
from chainrule._engine.tensor import Tensor, wrap

__all__ = ["fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


class Generator(rng.Generator):
    """A stream of random numbers of its own; its state is a ByteTensor."""

    def get_state(self):
        """The whole state: (5056,) uint8."""
        return wrap(super().get_state())

    def set_state(self, new_state):
        """Continue from a saved state."""
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        return super().set_state(new_state.array)


    def clone_state(self):
        """A second generator that will give what this one would give."""
        return Generator().set_state(self.get_state())


Generator.__module__ = "chainrule._C"
# The one stream is the ground's own object, seen through the public class.
default_generator.__class__ = Generator


def manual_seed(seed):
    """Start the default stream anew from `seed` and return its generator."""
    return default_generator.manual_seed(int(seed))


def seed():
    """Start the default stream from a seed nobody can foresee, and return that seed."""
    return default_generator.seed()


def initial_seed():
    """The seed the default stream was started with."""
    return default_generator.initial_seed()


def get_rng_state():
    """The default stream's state: (5056,) uint8."""
    return default_generator.get_state()


def set_rng_state(new_state):
    """Let the default stream continue from a saved state."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type="cuda"):
    """Within the block, draw as usual; at its end the default stream is put back where it was."""
    if not enabled:
        yield
        return
    state = default_generator.get_state()
    try:
        yield
    finally:
        default_generator.set_state(state)
