"""Generator: the stream of random words behind every random draw, word for word PyTorch's CPU stream.

It is the Mersenne Twister of NumPy, read in whole blocks of 624 words into a buffer, so that a small draw
is a slice. What lives here is the stream, its seed and its saved state; turning words into numbers is
chainrule._kernels.random. States are arrays of bytes in PyTorch's own layout: a state saved by either
library continues in the other.
"""

import os
import threading

import numpy as np

from chainrule._core.device import cpu
from chainrule._core.device import device as Device

BLOCK = 624
DEFAULT_SEED = 67280421310721
STRIDE = 16  # blocks read at a time by a long draw: enough to hide the call, small enough to stay in cache

# The saved state: C's padding included, so that the bytes are PyTorch's.
STATE = np.dtype(
    {
        "names": ["seed", "left", "seeded", "next", "words", "double", "has_double", "float", "has_float"],
        "formats": ["<u8", "<i4", "<i4", "<u8", ("<u8", BLOCK), "<f8", "<i4", "<f4", "u1"],
        "offsets": [0, 8, 12, 16, 24, 5024, 5040, 5048, 5052],
        "itemsize": 5056,
    }
)


class Generator:
    """A stream of pseudo-random 32-bit words. A draw holds the lock throughout: threads may share it.

    `next_double` and `next_float` hold the second half of a Box-Muller pair that the following draw will use.
    """

    def __init__(self, device="cpu"):
        if Device(device).type != "cpu":
            raise RuntimeError(f"Generator: expected the device 'cpu', got '{device}'")
        self.lock = threading.RLock()
        self._twister = None
        self._seed_with(DEFAULT_SEED)

    @property
    def device(self):
        """Where the stream lives: always the CPU."""
        return cpu

    def manual_seed(self, seed):
        """Start the stream of `seed`, -2**63 <= seed < 2**64 (negative ones wrap), and return self."""
        if isinstance(seed, bool) or not hasattr(seed, "__index__"):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        seed = seed.__index__()
        if not -(2**63) <= seed < 2**64:
            raise ValueError(
                f"manual_seed: expected -2**63 <= seed < 2**64, got {seed}: Overflow when unpacking long long"
            )
        with self.lock:
            self._seed_with(seed % 2**64)
        return self

    def seed(self):
        """Start a stream that nobody can foresee and return its seed."""
        seed = int.from_bytes(os.urandom(8), "little")
        self.manual_seed(seed)
        return seed

    def initial_seed(self):
        """The seed this stream was started with."""
        return self._seed

    def _seed_with(self, seed):
        self._seed = seed
        self._seeded = False
        self._block = None
        self._next = BLOCK
        self.next_double = None
        self.next_float = None

    def _words(self):
        """The Mersenne Twister, seeded when first needed: importing numpy.random is left to programs that draw."""
        if self._twister is None:
            self._twister = np.random.MT19937(0)
        if not self._seeded:
            # its own initialisation, from the low 32 bits; SeedSequence gives another stream
            self._twister._legacy_seeding(self._seed & 0xFFFFFFFF)
            self._seeded = True
        return self._twister

    def _refill(self):
        block = self._words().random_raw(BLOCK).astype(np.uint32)
        block.flags.writeable = False  # slices of it are handed out
        self._block = block

    def raw(self, count):
        """The next `count` words: (count,) uint32, read-only where they are a slice of the buffer."""
        with self.lock:
            start = self._next
            stop = start + count
            if stop <= BLOCK:
                if count == 0:
                    return np.empty(0, np.uint32)
                self._next = stop
                return self._block[start:stop]
            return self._raw_across(count)

    def _raw_across(self, count):
        out = np.empty(count, np.uint32)
        filled = BLOCK - self._next
        if filled:
            out[:filled] = self._block[self._next :]
        whole = filled + (count - filled - 1) // BLOCK * BLOCK  # the last block goes through the buffer
        while filled < whole:
            stop = min(filled + STRIDE * BLOCK, whole)
            out[filled:stop] = self._words().random_raw(stop - filled)
            filled = stop
        self._refill()
        self._next = count - filled
        out[filled:] = self._block[: self._next]
        return out

    def random(self):
        """The next 32-bit word as an int."""
        with self.lock:
            if self._next == BLOCK:
                self._refill()
                self._next = 0
            word = self._block.item(self._next)
            self._next += 1
            return word

    def random64(self):
        """The next two words as one 64-bit int, the first one on top."""
        with self.lock:
            return self.random() << 32 | self.random()

    def rest(self):
        """All words left in the buffer, a fresh one where none are: (n,) uint32, 0 < n <= 624, read-only."""
        with self.lock:
            if self._next == BLOCK:
                self._refill()
                self._next = 0
            words = self._block[self._next :]
            self._next = BLOCK
            return words

    def unread(self, count):
        """Put back the last `count` words that rest() gave."""
        self._next -= count

    def get_state(self):
        """The whole state: (5056,) uint8."""
        with self.lock:
            state = np.zeros(1, STATE)
            state["seed"] = self._seed
            state["seeded"] = 1
            # A stream of which nothing was drawn stands before its first block, not at the end of one.
            state["left"] = 1 if self._block is None else BLOCK + 1 - self._next
            state["next"] = 0 if self._block is None else self._next
            state["words"] = self._words().state["state"]["key"]
            if self.next_double is not None:
                state["double"] = self.next_double
                state["has_double"] = 1
            if self.next_float is not None:
                state["float"] = self.next_float
                state["has_float"] = 1
            return state.view(np.uint8)

    def set_state(self, state):
        """Continue from a saved state, (5056,) uint8; TypeError or RuntimeError for anything else."""
        if not isinstance(state, np.ndarray):
            raise TypeError(f"set_state: expected an array of bytes, got {type(state).__name__}")
        if state.dtype != np.uint8:
            raise TypeError(f"set_state: RNG state must be a torch.ByteTensor, got an array of {state.dtype}")
        if state.size != STATE.itemsize:
            raise RuntimeError(
                f"set_state: expected {STATE.itemsize} bytes, but the RNG state size is {state.size}"
            )
        found = np.ascontiguousarray(state).reshape(-1).view(STATE)[0]
        left, place = int(found["left"]), int(found["next"])
        fresh = left == 1 and place == 0
        if found["seeded"] != 1 or not 1 <= left <= BLOCK or not (fresh or left + place == BLOCK + 1):
            raise RuntimeError("set_state: Invalid mt19937 state")
        key = found["words"].astype(np.uint32)
        with self.lock:
            # Standing at 0 the twister gives the block that these words are, at 624 it makes the next one.
            position = BLOCK if fresh else 0
            self._words().state = {"bit_generator": "MT19937", "state": {"key": key, "pos": position}}
            self._block = None
            self._next = BLOCK
            if not fresh:
                self._refill()
                self._next = place
            self._seed = int(found["seed"])
            self.next_double = float(found["double"]) if found["has_double"] else None
            self.next_float = float(found["float"]) if found["has_float"] else None
        return self

    def clone_state(self):
        """A second generator that will give what this one would give."""
        clone = type(self)()
        clone.set_state(Generator.get_state(self))
        return clone

    def get_offset(self):
        """RuntimeError: a Mersenne Twister has no offset."""
        raise RuntimeError("CPU Generator does not use offset")

    def set_offset(self, offset):
        """RuntimeError: a Mersenne Twister has no offset."""
        raise RuntimeError("CPU Generator does not use offset")

    def __reduce__(self):
        return type(self), (), Generator.get_state(self)

    def __setstate__(self, state):
        Generator.set_state(self, state)


default_generator = Generator()
default_generator.seed()
