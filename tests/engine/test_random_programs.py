"""Random programs of arithmetic, views and in-place writes: values as NumPy has them, gradients as finite differences.

A program is drawn from a seed as a list of steps. It runs on tensors, and on plain arrays, which share memory as
tensors do and know nothing of graphs: what the walk gives must be the slope of the second run. Rules that need values
get copies, so that no write makes a program's walk an error.
"""

import copy
import random

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import chainrule as torch

STEP = 1e-6
SHAPES = [(2, 3), (3,), (6,), (2, 1), (3, 2)]
WHAT = "add mul div exp tanh sum turn slice pick cut stretch glue copy".split()
WRITES = "add_ mul_ fill_ put put_number".split()


def draw(seed, length=20):
    """The leaves' values, and the steps: (what, first operand, second operand, number)."""
    r = random.Random(seed)
    leaves = [
        np.array([r.uniform(0.2, 1.2) for _ in range(np.prod(s))]).reshape(s) for s in r.choices(SHAPES, k=3)
    ]
    steps = [(r.choice(WHAT + WRITES), r.random(), r.random(), r.randrange(6)) for _ in range(length)]
    return leaves, steps


class Run:
    """One run of a program on tensors (`on` is torch) or arrays (`on` is numpy). `made` holds every value so far."""

    def __init__(self, on, starts):
        self.on = on
        self.made = [x * 1.0 for x in starts]
        self.fixed = set()

    def new(self, what, x, y, k):
        """What a step makes, or None if it does not fit its operands."""
        tensors = self.on is torch
        axis = k % x.ndim if x.ndim else None
        fits = x.ndim <= 2 and y.ndim <= 2 and broadcast(x, y) is not None
        match what:
            case "add":
                return x + y * 0.5 if fits else None
            case "mul":
                return (x * 1.0) * (y * 1.0) if fits else None
            case "div":
                return (x * 1.0) / (y + 3.0) * 1.0 if fits else None
            case "exp":
                return self.on.exp(x * -0.5) * 1.0
            case "tanh":
                return self.on.tanh(x * 1.0) * 1.0
            case "sum":
                return None if axis is None else x.sum(axis)
            case "turn":
                return x.permute(tuple(range(x.ndim))[::-1]) if tensors else x.T
            case "slice":
                return None if axis is None else x[::2]
            case "pick":
                return None if axis is None else x[k % x.shape[0], ...]
            case "cut":
                return None if axis is None else x[..., None, : k + 1]
            case "stretch":
                if x.ndim > 2:
                    return None
                return x.expand(2, *x.shape) if tensors else as_strided(x, (2, *x.shape), (0, *x.strides))
            case "glue":
                return (torch.cat if tensors else np.concatenate)([x.reshape(-1), y.reshape(-1)])
            case "copy":
                return x.clone() if tensors else x.copy()

    def write(self, what, x, y, k):
        """Change x in place, or leave it where that does not fit."""
        tensors = self.on is torch
        fits = broadcast(x, y) == tuple(x.shape)
        match what:
            case "add_" if fits:
                x += y * 0.5
            case "mul_" if fits:
                x *= y * 0.5
            case "fill_":
                x.fill_(0.25) if tensors else x.fill(0.25)
            case "put" if x.ndim and broadcast(x[0], y) == tuple(x[0].shape):
                x[k % x.shape[0]] = y * 0.5
            case "put_number" if x.ndim:
                x[k % x.shape[0]] = 0.5

    def step(self, what, first, second, k):
        x, y = (self.made[int(part * len(self.made))] for part in (first, second))
        if what in WRITES:
            if not stretched(x):
                self.write(what, x, y * 1.0, k)
            return
        made = self.new(what, x, y, k)
        if made is not None:
            self.made.append(made if self.on is torch else np.asarray(made))

    def total(self):
        """One number that depends on every value."""
        return sum((x * (0.5 + 0.1 * i)).sum() for i, x in enumerate(self.made))


def broadcast(x, y):
    try:
        return np.broadcast_shapes(tuple(x.shape), tuple(y.shape))
    except ValueError:
        return None


def stretched(x):
    """Whether x shows an element more than once; neither side may write it then."""
    strides = x.stride() if isinstance(x, torch.Tensor) else x.strides
    return any(n > 1 and step == 0 for n, step in zip(x.shape, strides, strict=True))


def on_arrays(leaves, steps):
    run = Run(np, leaves)
    for step in steps:
        run.step(*step)
    return run


def slopes(leaves, steps):
    """The gradient of the total by every element of every leaf, by central differences."""
    found = []
    for i, values in enumerate(leaves):
        slope = np.empty_like(values)
        for place in np.ndindex(values.shape):
            ends = []
            for change in (STEP, -STEP):
                moved = copy.deepcopy(leaves)
                moved[i][place] += change
                ends.append(on_arrays(moved, steps).total())
            slope[place] = (ends[0] - ends[1]) / (2 * STEP)
        found.append(slope)
    return found


@pytest.mark.parametrize("first_seed", range(0, 120, 10))
def test_values_and_gradients(first_seed):
    for seed in range(first_seed, first_seed + 10):
        leaves, steps = draw(seed)
        starts = [torch.tensor(x, requires_grad=True) for x in leaves]
        run = Run(torch, starts)
        for step in steps:
            run.step(*step)
        expected = on_arrays(leaves, steps)
        assert len(run.made) == len(expected.made)
        for i, (t, array) in enumerate(zip(run.made, expected.made, strict=True)):
            np.testing.assert_allclose(
                t.detach().numpy(), array, rtol=1e-12, err_msg=f"seed {seed}, value {i}"
            )
        grads = torch.autograd.grad(run.total(), starts, allow_unused=True, materialize_grads=True)
        for i, (grad, slope) in enumerate(zip(grads, slopes(leaves, steps), strict=True)):
            np.testing.assert_allclose(
                grad.numpy(), slope, rtol=1e-4, atol=1e-6, err_msg=f"seed {seed}, leaf {i}"
            )
