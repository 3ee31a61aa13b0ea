"""Windows of signal processing: Hann, Hamming, Blackman, Bartlett, Kaiser."""

import numpy as np

from chainrule._core import dtype as _dtype
from chainrule._engine.op import composite
from chainrule._kernels.casting import cast
from chainrule._ops.creation import as_dtype, check_layout, made


def _periodic(name, window_length, periodic, dtype, layout, device, requires_grad, formula):
    """A window: `formula` of 0, 1, … over its length, of one more cut off if it is periodic."""
    check_layout(name, layout)
    d = as_dtype(name, dtype) or _dtype.get_default_dtype()
    if d.category != _dtype.FLOATING:
        raise RuntimeError(f"{name} expects floating point dtypes, got: {d}")
    n = window_length.__index__()
    if n < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={n}")

    def fill(shape, kind):
        if n == 1:
            return cast(np.ones(1), kind)
        points = n + 1 if periodic else n
        return cast(formula(np.arange(points, dtype=np.float64), points - 1)[:n], kind)

    return made(fill, (n,), d, device, requires_grad)


@composite(namespace="torch", method=False)
def hann_window(window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False,
                requires_grad=False):  # fmt: skip
    """sin²(π n / N), N the length (less one unless periodic)."""
    return _periodic("hann_window", window_length, periodic, dtype, layout, device, requires_grad,
                     lambda k, N: 0.5 - 0.5 * np.cos(2 * np.pi * k / N))  # fmt: skip


@composite(namespace="torch", method=False)
def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None, layout=None, device=None,
                   pin_memory=False, requires_grad=False):  # fmt: skip
    """alpha - beta cos(2 π n / N), N the length (less one unless periodic)."""
    return _periodic("hamming_window", window_length, periodic, dtype, layout, device, requires_grad,
                     lambda k, N: alpha - beta * np.cos(2 * np.pi * k / N))  # fmt: skip


@composite(namespace="torch", method=False)
def blackman_window(window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False,
                    requires_grad=False):  # fmt: skip
    """0.42 - 0.5 cos(2 π n / N) + 0.08 cos(4 π n / N), N the length (less one unless periodic)."""
    return _periodic("blackman_window", window_length, periodic, dtype, layout, device, requires_grad,
                     lambda k, N: 0.42 - 0.5 * np.cos(2 * np.pi * k / N)
                     + 0.08 * np.cos(4 * np.pi * k / N))  # fmt: skip


@composite(namespace="torch", method=False)
def bartlett_window(window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False,
                    requires_grad=False):  # fmt: skip
    """1 - |2 n / N - 1|, N the length (less one unless periodic)."""
    return _periodic("bartlett_window", window_length, periodic, dtype, layout, device, requires_grad,
                     lambda k, N: 1 - np.abs(2 * k / N - 1))  # fmt: skip


@composite(namespace="torch", method=False)
def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None, layout=None, device=None, pin_memory=False,
                  requires_grad=False):  # fmt: skip
    """I0(beta √(1 - (2 n / N - 1)²)) / I0(beta), N the length (less one unless periodic)."""
    return _periodic("kaiser_window", window_length, periodic, dtype, layout, device, requires_grad,
                     lambda k, N: np.i0(beta * np.sqrt(np.maximum(1 - (2 * k / N - 1) ** 2, 0)))
                     / np.i0(beta))  # fmt: skip
