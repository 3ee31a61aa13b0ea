"""Writes printing.json: random tensors and the text PyTorch prints for them. Needs torch; the tests do not.

A case holds the raw bytes of a few elements (hex), repeated to fill the shape, with the print options, the
default dtype and the tensor's history.
"""

import json
import math
from pathlib import Path

import numpy as np
import torch

DTYPES = [
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
    "complex64", "complex128",
]  # fmt: skip
SHAPES = [
    (), (1,), (2,), (5,), (9,), (30,), (0,), (0, 3), (2, 0), (1, 1), (2, 3), (3, 2), (4, 7), (7, 2), (1, 24),
    (9, 9), (2, 2, 2), (1, 7, 3), (8, 1, 8), (2, 1, 2, 3), (1, 2, 1, 2, 2), (1001,), (40, 30), (2, 700),
    (9, 8, 7, 3),
]  # fmt: skip
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0]


def floats(rng, n):
    """n values of one of the looks that printing tells apart: fixed, whole, scientific, special."""
    values = rng.standard_normal(n)
    look = rng.integers(6)
    if look == 1:
        values = np.round(values * 10.0 ** rng.integers(0, 5))
    elif look == 2:
        values = values * 10.0 ** rng.integers(-9, 12)
    elif look == 3:
        values = values * 10.0 ** rng.uniform(-4, 4, n)
    elif look == 4:
        values = 10.0 ** rng.integers(-4, 9, n)
    elif look == 5:
        values = values * rng.choice([1.0, 999.0, 1000.5, 0.0001])
    if rng.random() < 0.3:
        values = np.where(rng.random(n) < 0.4, rng.choice(SPECIAL, n), values)
    return values


def elements(rng, dtype, n):
    """n elements of a dtype as a 1-d tensor."""
    if dtype == "bool":
        return torch.from_numpy(rng.random(n) < rng.choice([0.5, 1.0]))
    kind = getattr(torch, dtype)
    if kind.is_complex:
        return torch.complex(torch.from_numpy(floats(rng, n)), torch.from_numpy(floats(rng, n))).to(kind)
    if kind.is_floating_point:
        return torch.from_numpy(floats(rng, n)).to(kind)
    info = torch.iinfo(kind)
    high = min(info.max, 10 ** int(rng.integers(0, 19)))
    return torch.from_numpy(rng.integers(max(info.min, -high), high, n, dtype=dtype, endpoint=True))


def options(rng):
    chosen = {}
    if rng.random() < 0.5:
        return chosen
    for name, choices in {
        "precision": [0, 1, 2, 6, 8],
        "threshold": [0, 3, 20],
        "edgeitems": [0, 1, 2, 5],
        "linewidth": [5, 20, 40, 120],
        "sci_mode": [True, False],
        "profile": ["short", "full"],
    }.items():
        if rng.random() < 0.4:
            chosen[name] = choices[rng.integers(len(choices))]
    return chosen


def case(rng, dtype, shape):
    count = min(math.prod(shape), 40)
    flat = elements(rng, dtype, count)
    raw = flat.view(torch.uint8).numpy().tobytes().hex() if count else ""
    repeats = -(-math.prod(shape) // count) if count else 0
    tensor = flat.repeat(repeats)[: math.prod(shape)].reshape(shape)
    default = "float64" if rng.random() < 0.2 else "float32"
    chosen = options(rng)
    differentiable = dtype.startswith(("float", "bfloat", "complex"))
    history = rng.choice(["", "requires_grad", "CloneBackward0"]) if differentiable else ""
    if history:
        tensor = tensor.requires_grad_()
    if history == "CloneBackward0":
        tensor = tensor.clone()
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**chosen)
    torch.set_default_dtype(getattr(torch, default))
    text = repr(tensor)
    torch.set_default_dtype(torch.float32)
    return {
        "dtype": dtype, "shape": shape, "data": raw, "options": chosen, "default_dtype": default,
        "history": history, "text": text,
    }  # fmt: skip


def main():
    rng = np.random.default_rng(2)
    cases = [case(rng, dtype, shape) for dtype in DTYPES for shape in SHAPES]
    lines = ",\n".join(json.dumps(entry) for entry in cases)
    path = Path(__file__).with_name("printing.json")
    path.write_text(f'{{"torch": {json.dumps(torch.__version__)}, "cases": [\n{lines}\n]}}\n')
    print(f"{len(cases)} cases, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
