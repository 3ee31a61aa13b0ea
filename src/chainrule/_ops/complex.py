"""Complex numbers: their parts, conjugates, angles and signs; complex tensors seen as real ones and back."""

import numpy as np

from chainrule._core.dtype import COMPLEX, FLOATING
from chainrule._engine.native import install
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import Tensor, get_slots
from chainrule._kernels import elementwise, transcendental
from chainrule._ops.foundation import zero
from chainrule._ops.kinds import Elementwise, View
from chainrule._ops.selection import choose
from chainrule._ops.trigonometric import cos, sin

slots = get_slots()

conjugate = op("conj(input)", Elementwise(np.conjugate, inplace=False),
    input=lambda g: g.conj(),
    method=False,
    doc="The complex conjugate.")  # fmt: skip

conj_physical = op("conj_physical(input)", Elementwise(elementwise.conjugate, tensors=1),
    input=lambda g: g.conj(),
    doc="The complex conjugate, always as a tensor of its own.")  # fmt: skip

real_part = op("real(input)", View(lambda array: array.real),
    input=lambda g: g,
    node="SelectBackward0", method=False,
    doc="The real part, a view.")  # fmt: skip

imaginary_part = op("imag(input)", View(lambda array: array.imag),
    input=lambda g: g * 1j,
    node="SelectBackward0", method=False,
    doc="The imaginary part, a view.")  # fmt: skip


def as_pairs(array):
    """The parts of complex numbers along a new last dimension, in the same memory."""
    part = array.real.dtype
    return np.lib.stride_tricks.as_strided(
        array.view(part) if array.ndim and array.flags.c_contiguous else array.real,
        (*array.shape, 2),
        (*array.strides, part.itemsize),
    )


def from_pairs(array):
    """Pairs along the last dimension as complex numbers, in the same memory."""
    return array.view(np.complex128 if array.dtype == np.float64 else np.complex64)[..., 0]


pairs_view = op("view_as_real(input)", View(as_pairs),
    input=lambda g: view_as_complex(g.contiguous()),
    method=False,
    doc="The real and imaginary parts along a new last dimension, a view.")  # fmt: skip

complex_view = op("view_as_complex(input)", View(from_pairs),
    input=lambda g: view_as_real(g),
    method=False,
    doc="Pairs of parts in the last dimension as complex numbers, a view.")  # fmt: skip


@composite(method=False)
def view_as_real(input):
    """A view of a complex tensor with its two parts along a new last dimension; RuntimeError for a real one."""
    if input.meta.dtype.category != COMPLEX:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return pairs_view(input)


@composite(method=False)
def view_as_complex(input):
    """A view of pairs in the last dimension as complex numbers. RuntimeError for other shapes and dtypes."""
    d = input.meta.dtype
    if d.category != FLOATING or d.is_half:
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar "
            f"type: {d.tensor_type.removesuffix('Tensor')}"
        )
    if not input.meta.shape:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if input.meta.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if input.storage_offset() % 2:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    strides = input.array.strides
    if strides[-1] != d.itemsize:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(s % (2 * d.itemsize) for s in strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return complex_view(input)


@composite(method=False)
def real(input):
    """The real part, a view; a real tensor gives itself."""
    return real_part(input) if input.meta.dtype.category == COMPLEX else input


@composite(method=False)
def imag(input):
    """The imaginary part, a view. RuntimeError for a real tensor."""
    if input.meta.dtype.category != COMPLEX:
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return imaginary_part(input)


@composite(method=False)
def conj(input):
    """The complex conjugate; a real tensor gives itself."""
    return input.conj()


@composite(aliases=["resolve_neg"])
def resolve_conj(input):
    """The tensor itself: a conjugate is computed at once here."""
    return input


@composite()
def is_complex(input):
    """Whether the dtype is complex."""
    return input.meta.dtype.is_complex


@composite()
def is_floating_point(input):
    """Whether the dtype is a floating-point one."""
    return input.meta.dtype.is_floating_point


@composite()
def is_conj(input):
    """False: a conjugate is computed at once here."""
    return False


def same_floats(name, names, a, b):
    """Both must be float or double tensors of one dtype."""
    for argument, t in zip(names, (a, b), strict=True):
        if not isinstance(t, Tensor):
            raise TypeError(f"{name}(): argument '{argument}' must be Tensor, not {type(t).__name__}")
    first, second = (t.meta.dtype.tensor_type.removesuffix("Tensor") for t in (a, b))
    if any(t.meta.dtype.category != FLOATING or t.meta.dtype.is_half for t in (a, b)):
        raise RuntimeError(
            f"Expected both inputs to be Half, Float or Double tensors but got {first} and {second}"
        )
    if a.meta.dtype is not b.meta.dtype:
        raise RuntimeError(
            f"Expected object of scalar type {first} but got scalar type {second} for second argument"
        )


combined = op("complex(real, imag)", Elementwise(transcendental.complex_from, tensors=2, inplace=False),
    real=lambda g: real(g),
    imag=lambda g: imag(g),
    method=False,
    doc="real + i·imag.")  # fmt: skip

turned = op("polar(abs, angle)", Elementwise(transcendental.polar, tensors=2, inplace=False),
    abs=lambda g, angle: real(g) * cos(angle) + imag(g) * sin(angle),
    angle=lambda g, abs, angle: abs * (imag(g) * cos(angle) - real(g) * sin(angle)),
    method=False,
    doc="abs · exp(i·angle).")  # fmt: skip


@composite(method=False)
def complex(real, imag, *, out=None):
    """real + i·imag. RuntimeError unless both are float or double of one dtype."""
    same_floats("complex", ("real", "imag"), real, imag)
    return combined(real, imag, out=out)


@composite(method=False)
def polar(abs, angle, *, out=None):
    """abs · exp(i·angle). RuntimeError unless both are float or double of one dtype."""
    same_floats("polar", ("abs", "angle"), abs, angle)
    return turned(abs, angle, out=out)


def angle_slope(g, input):
    """Real: nothing. Complex: i·z / |z|², and 0 at 0."""
    if not input.meta.dtype.is_complex:
        return zero(g)
    size = input.abs()
    return g * (input * 1j / choose(size == 0, 1, size * size))


angle = op("angle(input)", Elementwise(transcendental.angle, tensors=1, floats=True, inplace=False),
    input=angle_slope,
    doc="The argument in radians; of real numbers 0, or π where negative.")  # fmt: skip

sign = op("sign(input)", Elementwise(elementwise.sign_of_real, tensors=1),
    input=lambda g: zero(g),
    doc="-1, 0 or 1.")  # fmt: skip


def sgn_slope(g, input, out):
    """Real: nothing. Complex: the part of g across z, divided by |z|, and 0 at 0."""
    if not input.meta.dtype.is_complex:
        return zero(g)
    size = input.abs()
    across = g - out * real(g * out.conj())
    return choose(size == 0, 0, across) / choose(size == 0, 1, size)


sgn = op("sgn(input)", Elementwise(elementwise.sign, tensors=1),
    input=sgn_slope,
    doc="z / |z|, and 0 for 0: the sign of real numbers.")  # fmt: skip


def write_real(t, value):
    """`t.real = value`."""
    real(t).copy_(value)


def write_imag(t, value):
    """`t.imag = value`."""
    imag(t).copy_(value)


# Overrides are told of the public forms.
for _entry, _public in (
    (conjugate, conj),
    (real_part, real),
    (imaginary_part, imag),
    (pairs_view, view_as_real),
    (complex_view, view_as_complex),
    (combined, complex),
    (turned, polar),
):
    _entry.op.function = _public

slots.conj = conjugate.op
install(Tensor, "real", property(real, write_real, doc="The real part, a view; a real tensor gives itself."))
install(
    Tensor,
    "imag",
    property(imag, write_imag, doc="The imaginary part, a view; RuntimeError for a real tensor."),
)
