"""Every sample call of the casebook under every check that needs no knowledge of the op.

Values and gradients against stored PyTorch values; gradients and second gradients against finite differences along
random directions; the same results from non-contiguous and expanded inputs; the same function as method, in place and
with `out=`; an entry without any sample is an error.
"""

from pathlib import Path

import numpy as np
import pytest
from casebook import CASES, Const, flat_tensors, rng_for, tensors
from differences import directional, random_direction

import chainrule as T
from chainrule._engine.op import composites, registry

NAMES = sorted(CASES)
SMOOTH = [n for n in NAMES if CASES[n].smooth]
STORED = np.load(Path(__file__).parent.parent / "reference" / "ops.npz")


def is_free(a):
    """Whether an input is differentiated."""
    return not isinstance(a, Const) and np.asarray(a).dtype.kind in "fc"


def weights_for(name, outputs):
    """One fixed cotangent for each floating output."""
    rng = rng_for(name + " cotangent")
    return [T.from_numpy(random_direction(rng, t.detach().numpy())) for t in outputs]


def smooth_outputs(result):
    return [t for t in flat_tensors(T, result) if t.dtype.is_floating_point or t.dtype.is_complex]


def scalar_of(c, arrays):
    """The real number that the gradient checks differentiate: Re <cotangents, outputs>, without recording."""
    values = iter(arrays)
    inputs = []
    for a in c.inputs:
        held = next(values) if is_free(a) else (a.array if isinstance(a, Const) else np.asarray(a))
        inputs.append(T.from_numpy(np.array(held)))
    with T.no_grad():
        outputs = smooth_outputs(c.call(T, *inputs))
        total = 0.0
        for t, w in zip(outputs, weights_for(c.name, outputs), strict=True):
            total += np.vdot(w.numpy(), t.numpy()).real
    return float(total)


def paired(gradients, directions):
    return sum(np.vdot(g, d).real for g, d in zip(gradients, directions, strict=True))


def free_leaves(c):
    leaves = tensors(T, c, requires_grad=True)
    return leaves, [t for t, a in zip(leaves, c.inputs, strict=True) if is_free(a)]


@pytest.mark.parametrize("name", SMOOTH)
def test_gradient_equals_finite_differences(name):
    c = CASES[name]
    inputs, leaves = free_leaves(c)
    outputs = list(smooth_outputs(c.call(T, *inputs)))
    wanted = [(t, w) for t, w in zip(outputs, weights_for(name, outputs), strict=True) if t.requires_grad]
    assert wanted, "no output requires a gradient"
    found = T.autograd.grad([t for t, _ in wanted], leaves, [w for _, w in wanted], allow_unused=True)
    rng = rng_for(name + " direction")
    arrays = [t.detach().numpy() for t in leaves]
    for g, a in zip(found, arrays, strict=True):
        assert g is None or (g.numpy().shape == a.shape and g.numpy().dtype == a.dtype)
    gradients = [np.zeros_like(a) if g is None else g.detach().numpy() for g, a in zip(found, arrays, strict=True)]
    for _ in range(2):
        directions = [random_direction(rng, a) for a in arrays]
        numeric = directional(lambda xs: scalar_of(c, xs), arrays, directions, 1e-4)
        np.testing.assert_allclose(paired(gradients, directions), numeric, rtol=c.tolerance, atol=10 * c.tolerance)


@pytest.mark.parametrize("name", [n for n in SMOOTH if CASES[n].second])
def test_second_gradient_equals_finite_differences(name):
    c = CASES[name]
    rng = rng_for(name + " second")
    inputs, leaves = free_leaves(c)
    arrays = [t.detach().numpy() for t in leaves]
    directions = [random_direction(rng, a) for a in arrays]

    def slope(inputs, leaves, create_graph):
        """Re <gradient, direction>: the number whose own gradient is checked."""
        outputs = smooth_outputs(c.call(T, *inputs))
        wanted = [(t, w) for t, w in zip(outputs, weights_for(name, outputs), strict=True) if t.requires_grad]
        found = T.autograd.grad(
            [t for t, _ in wanted], leaves, [w for _, w in wanted], create_graph=create_graph, allow_unused=True
        )
        total = None
        for g, d in zip(found, directions, strict=True):
            if g is not None:
                part = (g * T.from_numpy(d).conj()).sum()
                part = part.real if part.dtype.is_complex else part
                total = part if total is None else total + part
        return total

    first = slope(inputs, leaves, True)
    second = [None] * len(leaves)
    if first is not None and first.requires_grad:
        second = T.autograd.grad(first, leaves, allow_unused=True)
    gradients = [np.zeros_like(a) if g is None else g.detach().numpy() for g, a in zip(second, arrays, strict=True)]

    def numeric_slope(xs):
        values = iter(xs)
        again = []
        for a in c.inputs:
            if is_free(a):
                again.append(T.from_numpy(np.array(next(values))).requires_grad_())
            else:
                again.append(T.from_numpy(np.array(a.array if isinstance(a, Const) else np.asarray(a))))
        free = [t for t, a in zip(again, c.inputs, strict=True) if is_free(a)]
        value = slope(again, free, False)
        return 0.0 if value is None else value.item()

    others = [random_direction(rng, a) for a in arrays]
    numeric = directional(numeric_slope, arrays, others, 1e-4)
    np.testing.assert_allclose(paired(gradients, others), numeric, rtol=10 * c.tolerance, atol=100 * c.tolerance)


@pytest.mark.parametrize("name", [n for n in NAMES if CASES[n].reference])
def test_values_equal_stored_ones(name):
    c = CASES[name]
    count = int(STORED[f"{name}|count"])
    outputs = flat_tensors(T, c.call(T, *tensors(T, c)))
    assert len(outputs) == count
    for i, t in enumerate(outputs):
        stored = STORED[f"{name}|{i}"]
        assert t.numpy().dtype == stored.dtype and t.numpy().shape == stored.shape
        np.testing.assert_allclose(t.detach().numpy(), stored, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_layout_does_not_matter(name):
    c = CASES[name]
    plain = flat_tensors(T, c.call(T, *tensors(T, c)))
    stepped = []
    for t in tensors(T, c):
        a = t.numpy()
        if a.ndim == 0:
            stepped.append(t)
            continue
        wide = np.zeros((*a.shape[:-1], 2 * a.shape[-1]), a.dtype)
        wide[..., ::2] = a
        back = np.array(wide[..., ::2].transpose(), order="C")
        stepped.append(T.from_numpy(back).permute(*reversed(range(a.ndim))))
    again = flat_tensors(T, c.call(T, *stepped))
    assert len(plain) == len(again)
    for t, u in zip(plain, again, strict=True):
        np.testing.assert_allclose(u.numpy(), t.numpy(), rtol=1e-12, atol=1e-13, equal_nan=True)


def test_every_entry_has_a_sample():
    sampled = {c.op for c in CASES.values()}
    public = {(e.namespace, e.public_name) for e in registry.values() if not e.namespace.startswith("_")}
    public |= {key for key, _ in composites.items() if not key[1].endswith("_")}
    missing = sorted(f"{space}.{name}" for space, name in public if name not in sampled)
    lines = (Path(__file__).parent / "unsampled.txt").read_text().splitlines()
    known = [line for line in lines if not line.startswith("#")]
    assert sorted(set(missing) - set(known)) == [], "public ops without a sample call"
    assert sorted(set(known) - set(missing)) == [], "listed as unsampled, but they have a sample (or do not exist)"
