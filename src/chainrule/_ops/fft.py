"""Discrete Fourier transforms: three entries (complex to complex, real to complex, complex to real) and the public
functions over them, which pad or cut the input, promote it and choose the scaling."""

import numpy as np

from chainrule._core import dtype as _dtype
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import Tensor, wrap
from chainrule._kernels import fourier
from chainrule._kernels.casting import cast
from chainrule._ops.foundation import copy_out, to_dtype
from chainrule._ops.kinds import Opaque, normal_dim
from chainrule._ops.searching import kind_of

complex_fft = op("_fft_c2c(input, dim, normalization, forward)", Opaque(fourier.complex_to_complex, with_out=False),
    input=lambda g, dim, normalization, forward: complex_fft(g, dim, normalization, not forward),
    method=False, namespace="_engine", node="FftC2CBackward0",
    doc="The transform of a complex tensor over `dim`. Its adjoint is the transform the other way.")  # fmt: skip

real_fft = op("_fft_r2c(input, dim, normalization, onesided)", Opaque(fourier.real_to_complex, with_out=False),
    input=lambda g, dim, normalization, onesided, input_shape: complex_fft(
        zero_filled(g, dim[-1], input_shape[dim[-1]]) if onesided else g, dim, normalization, False),
    method=False, namespace="_engine", node="FftR2CBackward0",
    doc="The transform of a real tensor; `onesided` drops the negative frequencies of the last of `dim`.")  # fmt: skip

inverse_real_fft = op("_fft_c2r(input, dim, normalization, last_dim_size)",
    Opaque(fourier.complex_to_real, with_out=False),
    input=lambda g, dim, normalization, last_dim_size: doubled_inside(
        real_fft(g, dim, normalization, True), dim[-1], last_dim_size),
    method=False, namespace="_engine", node="FftC2RBackward0",
    doc="The inverse transform of a half spectrum to a real tensor.")  # fmt: skip

zero_filled = op("zero_filled(input, dim, size)", Opaque(fourier.zero_filled, with_out=False),
    input=lambda g, dim, input_shape: g.narrow(dim, 0, input_shape[dim]),
    method=False, namespace="_engine", node="ConstantPadNdBackward0",
    doc="Zeros added after the end of one dimension.")  # fmt: skip

doubled_inside = op("doubled_inside(input, dim, last_dim_size)", Opaque(fourier.doubled_inside, with_out=False),
    input=lambda g, dim, last_dim_size: doubled_inside(g, dim, last_dim_size),
    method=False, namespace="_engine",
    doc="A half spectrum with the frequencies doubled that stand for two.")  # fmt: skip


def scaling(norm, forward):
    """How a transform is scaled: 0 not at all, 1 by 1/√n, 2 by 1/n."""
    if norm is None or norm == "backward":
        return 0 if forward else 2
    if norm == "forward":
        return 2 if forward else 0
    if norm == "ortho":
        return 1
    raise RuntimeError(f'Invalid normalization mode: "{norm}"')


def promoted(name, input, to_complex=False):
    """The input as a float (or complex) tensor; half precision is refused, as by PyTorch on the CPU."""
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' must be Tensor, not {type(input).__name__}")
    d = input.meta.dtype
    if d.is_half:
        raise RuntimeError(f"{name}: Unsupported dtype {kind_of(input.array)}")
    target = d if d.category >= 2 else _dtype.get_default_dtype()
    if to_complex and not target.is_complex:
        target = target.to_complex()
    return input if target is d else to_dtype(input, target)


def real_only(name, input):
    if isinstance(input, Tensor) and input.meta.dtype.is_complex:
        raise RuntimeError(f"{name} expects a real input tensor, but got {kind_of(input.array)}")
    return promoted(name, input)


def resized(t, dims, sizes):
    """t cut or filled with zeros to `sizes` along `dims`; None and -1 leave a dimension as it is."""
    for dim, n in zip(dims, sizes, strict=True):
        if n is None or n == -1:
            n = t.meta.shape[dim]
        if n < 1:
            raise RuntimeError(f"Invalid number of data points ({n}) specified")
        if n < t.meta.shape[dim]:
            t = t.narrow(dim, 0, n)
        elif n > t.meta.shape[dim]:
            t = zero_filled(t, dim, n)
    return t


def chosen_dims(name, t, s, dim):
    """`dim` and `s` of the n-dimensional transforms as lists of one length."""
    if isinstance(s, int):
        s = (s,)
    if isinstance(dim, int):
        dim = (dim,)
    if dim is None:
        n = t.array.ndim if s is None else len(s)
        if n > t.array.ndim:
            raise RuntimeError(
                f"{name}: Got shape with {n} values but input tensor only has {t.array.ndim} dimensions."
            )
        dim = range(t.array.ndim - n, t.array.ndim)
    dims = [normal_dim(d, t.array.ndim) for d in dim]
    if len(set(dims)) < len(dims):
        raise RuntimeError(f"{name}: FFT dims must be unique")
    if s is None:
        return dims, [None] * len(dims)
    if len(s) != len(dims):
        raise RuntimeError(
            f"{name}: When given, dim and shape arguments must have the same length: {len(dims)} dims, {len(s)} sizes"
        )
    return dims, list(s)


def one_dim(t, dim):
    if t.array.ndim == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return normal_dim(dim, t.array.ndim)


def full(name, input, s, dim, norm, forward):
    """fftn and ifftn."""
    t = promoted(name, input)
    dims, sizes = chosen_dims(name, t, s, dim)
    t = resized(t, dims, sizes)
    if not dims:
        return promoted(name, t, True).clone()
    if forward and not t.meta.dtype.is_complex:
        return real_fft(t, tuple(dims), scaling(norm, True), False)
    return complex_fft(promoted(name, t, True), tuple(dims), scaling(norm, forward), forward)


def to_half(name, input, s, dim, norm, forward):
    """rfftn and ihfftn: a real tensor to a half spectrum along the last dim."""
    t = real_only(name, input)
    dims, sizes = chosen_dims(name, t, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    t = resized(t, dims, sizes)
    if forward:
        return real_fft(t, tuple(dims), scaling(norm, True), True)
    half = real_fft(t, (dims[-1],), scaling(norm, False), True).conj()
    return complex_fft(half, tuple(dims[:-1]), scaling(norm, False), False) if len(dims) > 1 else half


def from_half(name, input, s, dim, norm, forward):
    """irfftn and hfftn: a half spectrum along the last dim to a real tensor."""
    t = promoted(name, input, True)
    dims, sizes = chosen_dims(name, t, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    last = sizes[-1]
    if last is None or last == -1:
        last = 2 * (t.meta.shape[dims[-1]] - 1)
    if last < 1:
        raise RuntimeError(f"Invalid number of data points ({last}) specified")
    t = resized(t, dims, [*sizes[:-1], last // 2 + 1])
    if not forward:
        return inverse_real_fft(t, tuple(dims), scaling(norm, False), last)
    if len(dims) > 1:
        t = complex_fft(t, tuple(dims[:-1]), scaling(norm, True), True)
    return inverse_real_fft(t.conj(), (dims[-1],), scaling(norm, True), last)


@composite("fft")
def fft(input, n=None, dim=-1, norm=None, *, out=None):
    """The discrete Fourier transform along one dimension, of `n` points (cut or filled with zeros)."""
    t = promoted("fft", input)
    return copy_out(full("fft", t, (n,), (one_dim(t, dim),), norm, True), out)


@composite("fft")
def ifft(input, n=None, dim=-1, norm=None, *, out=None):
    """The inverse of `fft`: divided by n unless `norm` says otherwise."""
    t = promoted("ifft", input)
    return copy_out(full("ifft", t, (n,), (one_dim(t, dim),), norm, False), out)


@composite("fft")
def rfft(input, n=None, dim=-1, norm=None, *, out=None):
    """The transform of a real tensor: the n // 2 + 1 non-negative frequencies."""
    t = real_only("rfft", input)
    return copy_out(to_half("rfft", t, (n,), (one_dim(t, dim),), norm, True), out)


@composite("fft")
def irfft(input, n=None, dim=-1, norm=None, *, out=None):
    """The inverse of `rfft`: `n` real values (default 2 · (frequencies - 1)) from a half spectrum."""
    t = promoted("irfft", input, True)
    return copy_out(from_half("irfft", t, (n,), (one_dim(t, dim),), norm, False), out)


@composite("fft")
def hfft(input, n=None, dim=-1, norm=None, *, out=None):
    """The transform of a Hermitian signal, given by its first half: `n` real values."""
    t = promoted("hfft", input, True)
    return copy_out(from_half("hfft", t, (n,), (one_dim(t, dim),), norm, True), out)


@composite("fft")
def ihfft(input, n=None, dim=-1, norm=None, *, out=None):
    """The inverse of `hfft`: the first half of a Hermitian signal from a real spectrum."""
    t = real_only("ihfft", input)
    return copy_out(to_half("ihfft", t, (n,), (one_dim(t, dim),), norm, False), out)


@composite("fft")
def fftn(input, s=None, dim=None, norm=None, *, out=None):
    """The transform over several dimensions (all by default), of sizes `s`."""
    return copy_out(full("fftn", input, s, dim, norm, True), out)


@composite("fft")
def ifftn(input, s=None, dim=None, norm=None, *, out=None):
    """The inverse of `fftn`."""
    return copy_out(full("ifftn", input, s, dim, norm, False), out)


@composite("fft")
def rfftn(input, s=None, dim=None, norm=None, *, out=None):
    """`fftn` of a real tensor without the negative frequencies of the last dimension."""
    return copy_out(to_half("rfftn", input, s, dim, norm, True), out)


@composite("fft")
def irfftn(input, s=None, dim=None, norm=None, *, out=None):
    """The inverse of `rfftn`; `s` may be needed to tell odd sizes of the last dimension."""
    return copy_out(from_half("irfftn", input, s, dim, norm, False), out)


@composite("fft")
def hfftn(input, s=None, dim=None, norm=None, *, out=None):
    """The transform of a signal that is Hermitian over `dim`: a real tensor."""
    return copy_out(from_half("hfftn", input, s, dim, norm, True), out)


@composite("fft")
def ihfftn(input, s=None, dim=None, norm=None, *, out=None):
    """The inverse of `hfftn`."""
    return copy_out(to_half("ihfftn", input, s, dim, norm, False), out)


@composite("fft")
def fft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    """`fftn` over the last two dimensions."""
    return fftn(input, s, dim, norm, out=out)


@composite("fft")
def ifft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    """`ifftn` over the last two dimensions."""
    return ifftn(input, s, dim, norm, out=out)


@composite("fft")
def rfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    """`rfftn` over the last two dimensions."""
    return rfftn(input, s, dim, norm, out=out)


@composite("fft")
def irfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    """`irfftn` over the last two dimensions."""
    return irfftn(input, s, dim, norm, out=out)


@composite("fft")
def hfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    """`hfftn` over the last two dimensions."""
    return hfftn(input, s, dim, norm, out=out)


@composite("fft")
def ihfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    """`ihfftn` over the last two dimensions."""
    return ihfftn(input, s, dim, norm, out=out)


def frequencies(name, count, n, d, out, dtype, requires_grad):
    """Multiples of 1 / (n·d) as a tensor."""
    target = _dtype.get_default_dtype() if dtype is None else dtype
    if target.category < 2:
        raise RuntimeError(f"{name}(): result dtype must be floating point or complex, got {target}")
    if n < 1:
        raise RuntimeError(f"{name}(): n must be positive, got {n}")
    result = wrap(cast(count / (n * d), target))
    if requires_grad:
        result.requires_grad_()
    return copy_out(result, out)


@composite("fft")
def fftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """The frequencies of `fft`'s n values in order, in cycles per unit of the sample spacing d."""
    half = (n - 1) // 2 + 1
    count = np.concatenate([np.arange(half), np.arange(-(n // 2), 0)]).astype(np.float64)
    return frequencies("fftfreq", count, n, d, out, dtype, requires_grad)


@composite("fft")
def rfftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """The frequencies of `rfft`'s n // 2 + 1 values, in cycles per unit of the sample spacing d."""
    return frequencies("rfftfreq", np.arange(n // 2 + 1, dtype=np.float64), n, d, out, dtype, requires_grad)


def shifted_dims(input, dim):
    if dim is None:
        return tuple(range(input.array.ndim))
    return tuple(normal_dim(d, input.array.ndim) for d in ((dim,) if isinstance(dim, int) else dim))


@composite("fft")
def fftshift(input, dim=None):
    """Frequency zero moved from the beginning to the middle, along every dimension or `dim`."""
    dims = shifted_dims(input, dim)
    return input.roll(tuple(input.meta.shape[d] // 2 for d in dims), dims)


@composite("fft")
def ifftshift(input, dim=None):
    """The inverse of `fftshift`."""
    dims = shifted_dims(input, dim)
    return input.roll(tuple((input.meta.shape[d] + 1) // 2 for d in dims), dims)
