"""`python -m benchmarks.steps SAMPLES LIBRARIES WORKLOADS` prints {workload: {library: seconds a step}}."""

import importlib
import json
import sys

from benchmarks import workloads
from benchmarks.timing import medians


def main():
    samples, libraries, names = sys.argv[1:]
    modules = {name: importlib.import_module(name) for name in libraries.split(",")}
    found = {}
    for name in names.split(","):
        make = getattr(workloads, name)
        found[name] = medians({library: make(T) for library, T in modules.items()}, int(samples))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
