"""Median seconds of several steps, measured in turn so that what disturbs one disturbs all."""

import statistics
import time

SAMPLE_SECONDS = 0.03


def repeat(step, count):
    start = time.perf_counter()
    for _ in range(count):
        step()
    return time.perf_counter() - start


def calibrated(step):
    """How many repetitions make one sample; doubles as the warm-up."""
    count = 1
    while repeat(step, count) < SAMPLE_SECONDS:
        count *= 2
    return count


def medians(steps, samples):
    """{name: median seconds of one call} for {name: step}."""
    counts = {name: calibrated(step) for name, step in steps.items()}
    taken = {name: [] for name in steps}
    for _ in range(samples):
        for name, step in steps.items():
            taken[name].append(repeat(step, counts[name]) / counts[name])
    return {name: statistics.median(seconds) for name, seconds in taken.items()}
