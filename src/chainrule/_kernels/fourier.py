"""Discrete Fourier transforms over several axes; float32 stays float32 and complex64.

`scaling`: 0 leaves the sums as they are, 1 divides by √n, 2 by n, n the number of points transformed. The last of
`axes` is the one of which a half spectrum keeps the non-negative frequencies only.
"""

import numpy as np

FORWARD = ("backward", "ortho", "forward")
INVERSE = ("forward", "ortho", "backward")


def complex_to_complex(x, axes, scaling, forward):
    """Σ x·exp(∓2πi jk/n), minus for forward."""
    if not axes:
        return x.copy()
    if forward:
        return np.fft.fftn(x, axes=axes, norm=FORWARD[scaling])
    return np.fft.ifftn(x, axes=axes, norm=INVERSE[scaling])


def real_to_complex(x, axes, scaling, onesided):
    """The forward transform of a real array; with `onesided` the half spectrum along the last of axes."""
    if onesided:
        return np.fft.rfftn(x, axes=axes, norm=FORWARD[scaling])
    return np.fft.fftn(x, axes=axes, norm=FORWARD[scaling])


def complex_to_real(x, axes, scaling, last_size):
    """The inverse transform of a half spectrum to a real array with `last_size` elements along the last of axes.

    What a Hermitian spectrum cannot have, imaginary parts at frequency zero and at half the rate, is ignored."""
    sizes = [x.shape[axis] for axis in axes[:-1]] + [last_size]
    return np.fft.irfftn(x, s=sizes, axes=axes, norm=INVERSE[scaling])


def zero_filled(x, axis, size):
    """x with zeros after its end along one axis, up to `size`."""
    shape = list(x.shape)
    shape[axis] = size
    out = np.zeros(shape, x.dtype)
    out[(slice(None),) * axis + (slice(0, x.shape[axis]),)] = x
    return out


def doubled_inside(x, axis, last_size):
    """x with the frequencies doubled that a half spectrum of `last_size` points stands for twice."""
    weights = np.full(x.shape[axis], 2, x.real.dtype)
    weights[0] = 1
    if last_size % 2 == 0 and x.shape[axis] > 1:
        weights[last_size // 2] = 1
    return x * weights.reshape((-1,) + (1,) * (x.ndim - axis - 1))
