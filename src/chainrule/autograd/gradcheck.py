"""gradcheck and gradgradcheck: a function's derivatives from autograd against finite differences.

Both are written as Jacobians with a row for each element of an input and a column for each element of an output. A
complex output counts as two real ones, its real and its imaginary part; for a complex input the entry is
d/d(real) + i d/d(imag), which is what autograd calls a gradient.
"""

import warnings

import numpy as np

from chainrule._engine.op import wants_grad
from chainrule._engine.tensor import Tensor, wrap
from chainrule._kernels.casting import cast
from chainrule.autograd.function import Function
from chainrule.autograd.walks import grad

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """A derivative is not what finite differences say it is."""


FAST_MODE = """
The above quantities relating the numerical and analytical jacobians are computed
in fast mode: along one random direction of the input and one of the output.
Below, we recompute numerical and analytical jacobians in slow mode:

Numerical:
 {numerical}
Analytical:
{analytical}

The max per-element difference (slow mode) is: {difference}.
"""


class Settings:
    """The tolerances and switches of one check."""

    def __init__(self, eps, atol, rtol, nondet_tol, check_undefined_grad, check_grad_dtypes, check_batched_grad,
                 fast_mode):  # fmt: skip
        self.eps = eps
        self.atol = atol
        self.rtol = rtol
        self.nondet_tol = nondet_tol
        self.check_undefined_grad = check_undefined_grad
        self.check_grad_dtypes = check_grad_dtypes
        self.check_batched_grad = check_batched_grad
        self.fast_mode = fast_mode


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0,
              check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
              check_batched_forward_grad=False, check_forward_ad=False, check_backward_ad=True, fast_mode=False,
              masked=None):  # fmt: skip
    """Compare func's gradients by autograd with central differences of step `eps`: |a - n| <= atol + rtol |n|.

    func: takes the inputs, returns a tensor or a tuple of them. inputs: a tensor or a tuple; those that require a
    gradient are checked and should be float64 or complex128. fast_mode: only along a random direction. nondet_tol: how
    far two backward passes may differ. Returns True; otherwise raises GradcheckError (raise_exception=False: False)."""
    settings = Settings(
        eps, atol, rtol, nondet_tol, check_undefined_grad, check_grad_dtypes, check_batched_grad, fast_mode
    )
    if check_forward_ad or check_batched_forward_grad:
        raise NotImplementedError("gradcheck: forward-mode derivatives cannot be checked: leave check_forward_ad False")
    try:
        if check_backward_ad:
            _check(func, _as_tuple(inputs), settings)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3,
                  gen_non_contig_grad_outputs=False, raise_exception=True, nondet_tol=0.0, check_undefined_grad=True,
                  check_grad_dtypes=False, check_batched_grad=False, check_fwd_over_rev=False,
                  check_rev_over_rev=True, fast_mode=False, masked=False):  # fmt: skip
    """`gradcheck` of func's backward: second derivatives with respect to `inputs` and `grad_outputs`.

    grad_outputs: what backward starts with, of the outputs' shapes; random by default."""
    inputs = _as_tuple(inputs)
    if grad_outputs is None:
        outs = _differentiable(func(*inputs))
        grad_outputs = _random_like(outs, gen_non_contig_grad_outputs)
    else:
        grad_outputs = _as_tuple(grad_outputs)
    n = len(grad_outputs)

    def backward(*args):
        given, seeds = args[: len(args) - n], args[len(args) - n :]
        outs = _differentiable(func(*given))
        wanted = [t for t in given if isinstance(t, Tensor) and wants_grad(t)]
        found = grad(outs, wanted, seeds, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(
        backward, (*inputs, *grad_outputs), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
        nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad, check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev, fast_mode=fast_mode,
    )  # fmt: skip


def _as_tuple(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _tensors(outputs):
    """The outputs of a checked function as a tuple of tensors; TypeError for anything else."""
    outputs = _as_tuple(outputs)
    for out in outputs:
        if not isinstance(out, Tensor):
            raise TypeError(f"gradcheck: expected func to return Tensors, got {type(out).__name__}")
    return outputs


def _differentiable(outputs):
    return tuple(out for out in _tensors(outputs) if wants_grad(out))


def _random_like(outs, non_contiguous):
    """Tensors of the outputs' shapes between -1 and 1 that require a gradient."""
    rng = np.random.default_rng(0)
    found = []
    for out in outs:
        shape = (*out.meta.shape, 2) if non_contiguous and out.meta.shape else out.meta.shape
        values = rng.uniform(-1, 1, shape)
        if out.meta.dtype.is_complex:
            values = values + 1j * rng.uniform(-1, 1, shape)
        t = wrap(cast(np.asarray(values), out.meta.dtype))
        if shape != out.meta.shape:
            t = t[..., 0]
        found.append(t.detach().requires_grad_())
    return tuple(found)


def _check_inputs(inputs):
    wanted = [(i, t) for i, t in enumerate(inputs) if isinstance(t, Tensor) and wants_grad(t)]
    if not wanted:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    for i, t in wanted:
        if t.meta.dtype.name not in ("float64", "complex128"):
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex.",
                stacklevel=4,
            )
        if any(stride == 0 and n > 1 for stride, n in zip(t.array.strides, t.array.shape, strict=True)):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )
        t.retain_grad()
    return [t for _, t in wanted]


def _check(func, inputs, settings):
    """The whole check; raises GradcheckError."""
    wanted = _check_inputs(inputs)
    outs = _tensors(func(*inputs))
    smooth = [k for k, out in enumerate(outs) if wants_grad(out)]
    if not smooth:
        for k, out in enumerate(outs):
            if out.meta.dtype.category >= 2 and any(j.any() for j in _numerical(func, inputs, wanted, k, settings.eps)):
                raise GradcheckError("Numerical gradient for function expected to be zero")
        return
    for part, words in ((np.imag, "imaginary"), (np.real, "real"), (None, "")):
        chosen = [k for k in smooth if outs[k].meta.dtype.is_complex == (part is not None)]
        prefix = f"While considering the {words} part of complex outputs only, " if part is not None else ""
        for k in chosen:
            if settings.fast_mode:
                _check_fast(func, inputs, wanted, k, part, prefix, settings)
            else:
                _check_slow(func, inputs, wanted, k, part, prefix, settings)
    outs = [outs[k] for k in smooth]
    if settings.check_batched_grad:
        _check_batched(outs, wanted)
    _check_zero_seed(outs, wanted, settings)
    if settings.check_undefined_grad:
        _check_undefined(_differentiable(func(*inputs)), wanted)


def _seed(out, part, values):
    """What backward starts with for the real or imaginary part of an output: the adjoint of taking that part."""
    values = 1j * values if part is np.imag else values
    return wrap(cast(np.asarray(values).reshape(out.meta.shape), out.meta.dtype))


def _numerical(func, inputs, wanted, k, eps, part=None):
    """For each wanted input the Jacobian of output k by central differences, element by element."""
    found = []
    for t in wanted:
        rows = []
        for place in np.ndindex(t.array.shape):
            steps = (eps, 1j * eps) if t.meta.dtype.is_complex else (eps,)
            slopes = [_slope(func, inputs, t, k, part, _one_step(t, place, step), eps) for step in steps]
            rows.append(slopes[0] + 1j * slopes[1] if len(slopes) == 2 else slopes[0])
        found.append(np.array(rows) if rows else np.zeros((0, 0)))
    return found


def _one_step(t, place, step):
    direction = np.zeros_like(t.array)
    direction[place] = step
    return direction


def _slope(func, inputs, t, k, part, step, eps):
    """(func(t + step) - func(t - step)) / 2 eps of output k, flat. t's data is put back."""
    before = t.array.copy()
    try:
        np.copyto(t.array, before + step)
        above = _flat_output(func, inputs, k, part)
        np.copyto(t.array, before - step)
        below = _flat_output(func, inputs, k, part)
    finally:
        np.copyto(t.array, before)
    return (above - below) / (2 * eps)


def _flat_output(func, inputs, k, part):
    values = _tensors(func(*inputs))[k].array.ravel().copy()
    return values if part is None else part(values)


def _analytical(out, wanted, part):
    """For each wanted input the Jacobian of an output by autograd: a column for each of the output's elements."""
    n = out.array.size
    found = [np.zeros((t.array.size, n), t.array.dtype) for t in wanted]
    dtypes = [None] * len(wanted)
    for j in range(n):
        values = np.zeros(n)
        values[j] = 1
        for i, g in enumerate(grad(out, wanted, _seed(out, part, values), retain_graph=True, allow_unused=True)):
            if g is not None:
                found[i][:, j] = g.array.ravel()
                dtypes[i] = g.meta.dtype
    return found, dtypes


def _check_slow(func, inputs, wanted, k, part, prefix, settings):
    """Whole Jacobians of output k."""
    out = _tensors(func(*inputs))[k]
    numerical = _numerical(func, inputs, wanted, k, settings.eps, part)
    analytical, dtypes = _analytical(out, wanted, part)
    again, _ = _analytical(out, wanted, part)
    for i, t in enumerate(wanted):
        a, n = analytical[i], numerical[i]
        if settings.check_grad_dtypes and dtypes[i] is not None and dtypes[i] is not t.meta.dtype:
            raise GradcheckError(f"Backward has a gradient of dtype {dtypes[i]}, expected {t.meta.dtype}")
        if not a.size:
            continue
        if not _close(a, n, settings.rtol, settings.atol):
            raise GradcheckError(prefix + _mismatch(k, i, wrap(n.astype(t.array.dtype)), wrap(a)))
        _check_same(a, again[i], settings)


def _close(a, n, rtol, atol):
    return bool(np.all(np.abs(a - n) <= atol + rtol * np.abs(n)))


def _check_same(a, again, settings):
    if not _close(a, again, 0, settings.nondet_tol):
        raise GradcheckError(
            "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
            "different values, although analytical gradient matches numerical gradient.The tolerance for "
            f"nondeterminism was {settings.nondet_tol}. If this is expected, pass a larger nondet_tol."
        )


def _mismatch(k, i, numerical, analytical):
    return (
        f"Jacobian mismatch for output {k} with respect to input {i},\n"
        f"numerical:{numerical}\nanalytical:{analytical}\n"
    )


def _direction(rng, size):
    """A random direction with positive entries, of length one."""
    values = rng.uniform(size=size)
    length = np.linalg.norm(values)
    return values / length if length else values


def _check_fast(func, inputs, wanted, k, part, prefix, settings):
    """Each Jacobian of output k between one random direction of the input and one of the output."""
    rng = np.random.default_rng(0)
    out = _tensors(func(*inputs))[k]
    v = _direction(rng, out.array.size)
    pulled = [
        grad(out, wanted, _seed(out, part, v), retain_graph=True, allow_unused=True) for _ in range(2)
    ]
    for i, t in enumerate(wanted):
        numerical, analytical, weight = 0.0, [0.0, 0.0], 0.0
        for unit in (1, 1j) if t.meta.dtype.is_complex else (1,):
            u = _direction(rng, t.array.size)
            step = (u * unit * settings.eps).reshape(t.array.shape)
            numerical += unit * (v @ _slope(func, inputs, t, k, part, step, settings.eps))
            weight += u.sum()
            for attempt in range(2):
                g = pulled[attempt][i]
                if g is not None:
                    flat = g.array.ravel()
                    analytical[attempt] += unit * (u @ (flat.imag if unit == 1j else flat.real))
        atol = settings.atol * float(weight) * float(v.sum())
        if not _close(np.asarray(analytical[0]), np.asarray(numerical), settings.rtol, atol):
            n = _numerical(func, inputs, [t], k, settings.eps, part)[0]
            a = _analytical(out, [t], part)[0][0]
            slow = FAST_MODE.format(
                numerical=wrap(n.astype(t.array.dtype)), analytical=wrap(a), difference=float(np.abs(a - n).max())
            )
            raise GradcheckError(prefix + _mismatch(k, i, numerical, analytical[0]) + slow)
        _check_same(np.asarray(analytical[0]), np.asarray(analytical[1]), settings)


def _check_batched(outs, wanted):
    """Gradients for a batch of seeds at once against one at a time."""
    rng = np.random.default_rng(0)
    for out in outs:
        seeds = [_seed(out, None, rng.uniform(-1, 1, out.array.size)) for _ in range(2)]
        stacked = wrap(np.stack([s.array for s in seeds]))
        single = [grad(out, wanted, s, retain_graph=True, allow_unused=True) for s in seeds]
        batched = grad(out, wanted, stacked, retain_graph=True, allow_unused=True, is_grads_batched=True)
        for i, together in enumerate(batched):
            for one, s in enumerate(single):
                if together is not None and not _close(together.array[one], s[i].array, 1e-5, 1e-8):
                    raise GradcheckError(f"Batched gradients differ from single ones for input {i}")


def _check_zero_seed(outs, wanted, settings):
    """With zeros for all outputs, every gradient is zero and has its input's shape."""
    seeds = [wrap(np.zeros_like(out.array)) for out in outs]
    for i, g in enumerate(grad(outs, wanted, seeds, retain_graph=True, allow_unused=True)):
        if g is None:
            continue
        if g.array.any():
            raise GradcheckError("backward not multiplied by grad_output")
        if g.meta.shape != wanted[i].meta.shape:
            raise GradcheckError(f"grad is incorrect size: expected {list(wanted[i].meta.shape)}, got {list(g.shape)}")


class Undefined(Function):
    """The identity, through which no gradient comes back."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return None


def _check_undefined(outs, wanted):
    """Backward copes with outputs that got no gradient: with none at all, then with one of several missing."""
    choices = [set(range(len(outs)))] + ([{k} for k in range(len(outs))] if len(outs) > 1 else [])
    for missing in choices:
        through = [Undefined.apply(out) if k in missing else out for k, out in enumerate(outs)]
        seeds = [wrap(np.zeros_like(out.array)) for out in outs]
        for g in grad(through, wanted, seeds, retain_graph=True, allow_unused=True):
            if g is not None and g.array.any():
                raise GradcheckError(
                    "Expected all input grads to be undefined or zero when all output grads are undefined or zero."
                )
