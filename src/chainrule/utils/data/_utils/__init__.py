"""How a loader works inside: collating samples, fetching them, and the worker processes."""
