"""`python -m benchmarks.step SAMPLES LIBRARIES WORKLOAD` prints {library: median seconds a step}."""

import importlib
import json
import sys

from benchmarks import workloads
from benchmarks.timing import medians


def main():
    samples, libraries, workload = sys.argv[1:]
    make = getattr(workloads, workload)
    steps = {name: make(importlib.import_module(name)) for name in libraries.split(",")}
    print(json.dumps(medians(steps, int(samples))))


if __name__ == "__main__":
    main()
