"""A long chain: `python -m benchmarks.chain LIBRARY SAVES COUNT` builds it, walks it and frees it.

One process a chain, because its memory is read from the process's resident size: the growth while building,
divided by the operations. `array` is the same growth for bare NumPy arrays of that size, so that what the
graph adds can be told from what the numbers take. The cyclic collector stays on.
"""

import importlib
import json
import resource
import sys
import time

import numpy as np

SIZE = 16
SAVES = {
    "nothing": lambda T, x, c: x + c,
    "an input": lambda T, x, c: x * x,
    "the output": lambda T, x, c: T.tanh(x),
}


def resident():
    """Bytes of this process in memory (where /proc is missing: the most it ever had)."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def bytes_of_an_array(count=100_000):
    before = resident()
    arrays = [None] * count
    listed = resident()
    arrays[:] = [np.ones(SIZE, np.float32) for _ in range(count)]
    grown = resident() - max(before, listed)
    return grown / len(arrays) - 8


def measure(T, saves, count):
    """Microseconds and bytes for each operation of one chain."""
    apply = SAVES[saves]
    start = T.ones(SIZE, requires_grad=True)
    constant = T.ones(SIZE)
    apply(T, start, constant).sum().backward()
    start.grad = None
    before = resident()
    began = time.perf_counter()
    x = start
    for _ in range(count):
        x = apply(T, x, constant)
    built = resident()
    x.sum().backward()
    del x
    seconds = time.perf_counter() - began
    return {"microseconds": 1e6 * seconds / count, "bytes": (built - before) / count}


def main():
    library, saves, count = sys.argv[1:]
    array = bytes_of_an_array()
    found = measure(importlib.import_module(library), saves, int(count))
    print(json.dumps({**found, "array": array}))


if __name__ == "__main__":
    main()
