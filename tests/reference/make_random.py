"""Makes random.npz: what PyTorch draws for the cases below. It needs PyTorch and records its version.

    python tests/reference/make_random.py

A case is a seed and a list of draws made one after the other from one generator, so that a draw that takes a
word too many or too few shows in the next. The tests make the same draws; they take the cases from here.
"""

import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

FILE = Path(__file__).with_name("random.npz")
LONGEST = 512  # bytes: longer results are kept as their SHA-256

NUMPY = {"bfloat16": np.uint16}  # every other dtype has NumPy's name
SHAPES = [(), (0,), (1,), (2,), (15,), (16,), (17,), (31,), (32,), (33,), (4, 5), (3, 4, 5), (1, 17)]
FLOATS = ["float32", "float64", "float16", "bfloat16"]
INTEGERS = ["uint8", "int8", "int16", "int32", "int64"]


class Draw(NamedTuple):
    """One draw: args follow the generator, shape and dtype. Layout says how the target lies in memory."""

    op: str
    dtype: str
    shape: tuple
    args: tuple = ()
    layout: str = "contiguous"


def np_dtype(name):
    return np.dtype(NUMPY.get(name, name))


def target(shape, name, layout):
    """Zeros laid out as said: contiguous, the axes in reverse order, or every second element of another."""
    dtype = np_dtype(name)
    if layout == "reversed":
        return np.zeros(shape[::-1], dtype).transpose()
    if layout == "stepped":
        return np.zeros((*shape, 2), dtype)[..., 0]
    return np.zeros(shape, dtype)


def ramp(name, shape, low, high):
    """Parameters of a draw: values from low to high, exact in every dtype used."""
    size = int(np.prod(shape))
    values = np.round(np.linspace(low, high, size) * 64) / 64 if size else np.empty(0)
    return values.astype(np.float32 if name == "bfloat16" else name).reshape(shape)


def cases():
    """name: (seed, draws)."""
    found = {}
    for name in FLOATS:
        for low, high in ((0.0, 1.0), (-0.375, 1.625)):
            draws = [Draw("uniform", name, shape, (low, high)) for shape in SHAPES]
            found[f"uniform-{name}-{low}"] = (1, draws)
        for mean, std in ((0.0, 1.0), (0.25, 1.75)):
            draws = [Draw("normal", name, shape, (mean, std)) for shape in SHAPES]
            found[f"normal-{name}-{mean}"] = (2, draws)
        shaped = (3, "log_normal", (0.25, 0.5)), (4, "exponential", (1.5,)), (5, "cauchy", (0.25, 1.75))
        for seed, op, args in shaped:
            found[f"{op}-{name}"] = (seed, [Draw(op, name, (n,), args) for n in (0, 1, 5, 33)])
        draws = [Draw("dropout", name, shape, (p,)) for shape in ((), (5, 7)) for p in (0.1, 0.5)]
        found[f"dropout-{name}"] = (6, draws)
        found[f"poisson-{name}"] = (7, [Draw("poisson", name, (20,), (0.0, high)) for high in (4.0, 60.0)])
    for name in FLOATS + INTEGERS:
        found[f"geometric-{name}"] = (8, [Draw("geometric", name, (33,), (p,)) for p in (0.25, 0.75)])
    for name in [*FLOATS, *INTEGERS, "bool"]:
        found[f"bernoulli-{name}"] = (9, [Draw("bernoulli", name, (4, 5), (p,)) for p in (0.0, 0.3, 1.0)])
        top = 2 if name == "bool" else 100
        ranges = (((9,), ()), ((9,), (0, top)), ((), (1,)))
        found[f"random_-{name}"] = (10, [Draw("random_", name, shape, args) for shape, args in ranges])
    for name in FLOATS:
        found[f"bernoulli_each-{name}"] = (11, [Draw("bernoulli_each", name, s) for s in ((), (4, 5), (33,))])
        found[f"multinomial-{name}"] = (12, [Draw("multinomial", name, (3, 7), (k, True)) for k in (1, 9)])
    for name in ("float32", "float64"):
        draws = [Draw("multinomial", name, (9,), (k, False)) for k in (1, 4, 9)]
        found[f"multinomial-once-{name}"] = (13, draws)
        found[f"gamma-{name}"] = (14, [Draw("gamma", name, (20,), (0.0, high)) for high in (1.0, 40.0)])
        draws = [Draw("binomial", name, (20,), (0.0, high)) for high in (8.0, 400.0)]
        found[f"binomial-{name}"] = (15, draws)
        bounds = ((0.0, 1.0, -2.0, 2.0), (0.5, 0.02, -2.0, 2.0), (0.0, 1.0, 3.0, 4.0))
        found[f"trunc_normal-{name}"] = (16, [Draw("trunc_normal", name, (4, 5), b) for b in bounds])
    found["dirichlet-float32"] = (17, [Draw("dirichlet", "float32", (4, 3), (0.5, 9.0))])
    for name in ("complex64", "complex128"):
        draws = [Draw(op, name, s) for op in ("uniform", "normal") for s in ((), (3,), (8,), (9,), (2, 10))]
        draws += [Draw("normal", name, (4, 5), (0.25, 2.0), layout) for layout in ("reversed", "stepped")]
        found[f"complex-{name}"] = (18, draws)
    spans = [(-5, 7), (0, 2**28 - 1), (0, 2**28), (-(2**62), 2**62), (-(2**63), 2**63 - 1), (0, 2**24 + 5)]
    for name in ("int64", "float64", "float32"):
        draws = [Draw("random_", name, (9,), span) for span in [*spans, (-(2**63),)]]
        found[f"spans-{name}"] = (19, draws)
    found["randperm"] = (20, [Draw("randperm", "int64", (n,)) for n in (0, 1, 2, 9, 60, 1000, 100003)])
    for layout in ("reversed", "stepped"):
        draws = [
            Draw(op, name, (4, 5, 3), args, layout)
            for name in ("float32", "float64")
            for op, args in (("uniform", ()), ("normal", ()), ("bernoulli", (0.4,)), ("bernoulli_each", ()))
        ]
        found[f"layout-{layout}"] = (21, draws)
    found["long"] = (22, [Draw(op, "float32", (n,)) for n in (1000, 100003) for op in ("uniform", "normal")])
    draws = [Draw("uniform", "float64", (100003,)), Draw("random_", "int64", (5000,), (0, 2**40))]
    found["long-double"] = (-1, draws)
    mixed = [
        Draw("normal", "float32", (3,)),
        Draw("uniform", "float32", (7,)),
        Draw("normal", "float64", (20,)),
        Draw("normal", "float16", (1,)),
        Draw("log_normal", "float64", (2,)),
        Draw("gamma", "float64", (3,), (0.5, 2.0)),
        Draw("normal", "bfloat16", (17,)),
        Draw("randperm", "int64", (30,)),
        Draw("normal", "complex64", (3,)),
        Draw("poisson", "float32", (5,), (1.0, 90.0)),
        Draw("uniform", "float64", (300,)),
        Draw("normal", "float32", (5,)),
    ]
    for seed in (0, 42, 2**32 + 7, -3, 2**64 - 1):
        found[f"mixed-{seed}"] = (seed, mixed * 2)
    for _, draws in found.values():
        draws.append(Draw("random_", "int64", (4,)))
    return found


def packed(array):
    """The bytes of a result in index order, or their hash where they are many."""
    data = np.ascontiguousarray(array).tobytes()
    return data if len(data) <= LONGEST else hashlib.sha256(data).digest()


def torch_draw(torch, draw):
    """The result of one draw from PyTorch's default generator, as an array."""
    op, name, shape, args, layout = draw
    dtype = getattr(torch, name)

    def parameters(low, high):
        return torch.from_numpy(ramp(name, shape, low, high)).to(dtype)

    if op == "randperm":
        result = torch.randperm(shape[0], dtype=dtype)
    elif op == "multinomial":
        result = torch.multinomial(parameters(0.5, 4.0), *args)
    elif op == "poisson":
        result = torch.poisson(parameters(*args))
    elif op == "gamma":
        result = torch._standard_gamma(parameters(*args))
    elif op == "dirichlet":
        result = torch._sample_dirichlet(parameters(*args))
    elif op == "binomial":
        result = torch.binomial(parameters(*args).floor(), parameters(0.0, 1.0))
    elif op == "dropout":
        result = torch.nn.functional.dropout(torch.ones(shape, dtype=dtype), *args)
    elif op == "trunc_normal":
        result = torch.nn.init.trunc_normal_(torch.empty(shape, dtype=dtype), *args)
    else:
        array = target(shape, name, layout)
        result = torch.zeros(0, dtype=dtype).set_(
            torch.zeros(array.size * 2 + 2, dtype=dtype).untyped_storage(), 0, shape,
            [step // array.itemsize for step in array.strides],
        )  # fmt: skip
        if op == "bernoulli_each":
            result.bernoulli_(parameters(0.0, 1.0))
        elif op == "random_":
            result.random_(*args, *(() if len(args) != 1 else (None,)))
        else:
            getattr(result, op + "_")(*args)
    return (result.view(torch.uint16) if name == "bfloat16" and result.dtype == dtype else result).numpy()


def torch_results(torch, seed, draws):
    """The packed results of a case, one after the other."""
    torch.manual_seed(seed)
    return b"".join(packed(torch_draw(torch, draw)) for draw in draws)


def main():
    import warnings

    import torch

    warnings.simplefilter("ignore")
    kept = {name: torch_results(torch, *case) for name, case in cases().items()}
    kept = {name: np.frombuffer(data, np.uint8) for name, data in kept.items()}
    torch.manual_seed(7)
    kept["state-fresh"] = torch.get_rng_state().numpy().copy()
    torch.randn(700, dtype=torch.float64)
    torch.randn(3)
    kept["state-used"] = torch.get_rng_state().numpy().copy()
    kept["state-following"] = torch.randn(5, dtype=torch.float64).numpy()
    np.savez_compressed(FILE, version=np.array(torch.__version__), **kept)
    print(f"{FILE.name}: {len(kept)} arrays, {FILE.stat().st_size} bytes, PyTorch {torch.__version__}")


if __name__ == "__main__":
    main()
