"""Store what PyTorch gives for every sample call of the casebook: python tests/reference/make_ops.py (needs torch)."""

import sys
from pathlib import Path

import numpy as np
import torch

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "ops"))

import conftest  # noqa: E402, F401
from casebook import CASES, flat_tensors, tensors  # noqa: E402


def main():
    """Write ops.npz beside this file; a case PyTorch cannot run is reported and must say reference=False."""
    stored = {"torch_version": np.array(torch.__version__)}
    refused = []
    for name, c in sorted(CASES.items()):
        if not c.reference:
            continue
        try:
            outputs = flat_tensors(torch, c.call(torch, *tensors(torch, c)))
        except Exception as error:
            refused.append(f"{name}: {type(error).__name__}: {str(error)[:100]}")
            continue
        stored[f"{name}|count"] = np.array(len(outputs))
        for i, t in enumerate(outputs):
            stored[f"{name}|{i}"] = t.detach().resolve_conj().numpy()
    np.savez_compressed(HERE / "ops.npz", **stored)
    print(f"{len(stored)} arrays from torch {torch.__version__}")
    print("\n".join(refused))


if __name__ == "__main__":
    main()
