"""Measures every row of the table, each in a process made for it."""

import statistics

from benchmarks import child
from benchmarks.chain import SAVES
from benchmarks.table import Row
from benchmarks.workloads import OPS

MICRO, MILLI = 1e6, 1e3
# name: (what it is called, operations in a step if time is given per operation, how much faster it must be)
STEPS = {
    "multiplications": (f"{OPS} multiplications of 16 floats, sum, forward + backward, per op", OPS, 9),
    "rounds": ("20 rounds of tanh, log, exp, division on 16×16, mean square, backward", 1, 6),
    "tiny_mlp": ("tiny MLP (8–16–1, tanh, batch 32), Adam step, eager", 1, 7),
    "mnist_mlp": ("MNIST-size MLP (784–128–10, ReLU, batch 32), SGD momentum step", 1, 1.7),
    "pinn": ("PINN step with second derivatives (2–50–50–1, tanh, 256 points), Adam", 1, 3),
}
IMPORT = "import time, numpy; began = time.perf_counter(); import {}; print(time.perf_counter() - began)"
LINEAR = 1.5


def measure(torch, samples, count, say):
    """Every row in turn; `say` is told what is being measured."""
    libraries = ["torch", "chainrule"] if torch else ["chainrule"]
    for name, (work, operations, faster) in STEPS.items():
        say(work)
        yield _step(name, work, operations, faster, libraries, samples)
    for saves in SAVES:
        say(f"a chain of {count:,} operations that saves {saves}")
        yield from _chain(saves, libraries, count)
    say("import")
    yield Row("import, beyond NumPy's own", "ms", *_pair(_imports(libraries), MILLI), most=120)
    say("pure mode")
    work = "pure mode, the multiplications, per op"
    yield _step("multiplications", work, OPS, 1, libraries, samples, CHAINRULE_PURE="1")


def _step(name, work, operations, faster, libraries, samples, **variables):
    seconds = child.run("-m", "benchmarks.step", samples, ",".join(libraries), name, **variables)
    return Row(work, "µs", *_pair(seconds or {}, MICRO / operations), faster=faster)


def _pair(seconds, scale):
    """(ours, PyTorch's) from {library: seconds}."""
    ours, theirs = seconds.get("chainrule"), seconds.get("torch")
    return ours and ours * scale, theirs and theirs * scale


def _chain(saves, libraries, count):
    chains = {name: child.run("-m", "benchmarks.chain", name, saves, count) for name in libraries}
    ours, theirs = chains["chainrule"], chains.get("torch")
    short = child.run("-m", "benchmarks.chain", "chainrule", saves, count // 10)
    pure = child.run("-m", "benchmarks.chain", "chainrule", saves, count, CHAINRULE_PURE="1")
    work = f"{count:,}-op chain saving {saves}"
    microseconds, theirs_microseconds = (each and each["microseconds"] for each in (ours, theirs))
    yield Row(f"{work}: build, backward, free, per op", "µs", microseconds, theirs_microseconds, faster=5)
    growth = ours and short and microseconds / short["microseconds"]
    yield Row(f"{work}: time per op against a chain of a tenth", "×", growth, None, most=LINEAR)
    yield Row(f"{work}: pure mode, per op", "µs", pure and pure["microseconds"], None)
    # A chain that saves nothing keeps no tensor, so there is no array to take off.
    beside = ours and ours["bytes"] - (0 if saves == "nothing" else ours["array"])
    yield Row(
        f"{work}: memory of a node beside its array", "bytes", beside, theirs and theirs["bytes"], most=320
    )


def _imports(libraries):
    taken = {name: [] for name in libraries}
    for turn in range(8):
        for name in libraries:
            seconds = child.run("-c", IMPORT.format(name))
            # The first turn writes the byte code and warms the file cache.
            if turn and seconds:
                taken[name].append(seconds)
    return {name: statistics.median(seconds) for name, seconds in taken.items() if seconds}
