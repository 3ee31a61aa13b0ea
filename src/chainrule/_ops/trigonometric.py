"""Sines, tangents, their inverses, angles and hypotenuses."""

import math

import numpy as np

from chainrule._engine.op import op
from chainrule._kernels import slopes
from chainrule._kernels import transcendental as kernels
from chainrule._ops.kinds import Elementwise
from chainrule._ops.power import rsqrt
from chainrule._ops.selection import choose
from chainrule._ops.steady import divided, scaled

DEGREE = math.pi / 180

sin = op("sin(input)", Elementwise(np.sin, floats=True),
    input=lambda g, input: scaled(g, cos(input).conj()),
    fast=slopes.sin_grad,
    doc="The sine of input in radians.")  # fmt: skip

cos = op("cos(input)", Elementwise(np.cos, floats=True),
    input=lambda g, input: scaled(-g, sin(input).conj()),
    fast=slopes.cos_grad,
    doc="The cosine of input in radians.")  # fmt: skip

tan = op("tan(input)", Elementwise(np.tan, floats=True),
    input=lambda g, out: scaled(g, (1 + out * out).conj()),
    doc="The tangent of input in radians.")  # fmt: skip

asin = op("asin(input)", Elementwise(np.arcsin, floats=True), aliases=["arcsin"],
    input=lambda g, input: scaled(g, rsqrt((1 - input) * (1 + input)).conj()),
    doc="The inverse of the sine, in radians; nan beyond ±1.")  # fmt: skip

acos = op("acos(input)", Elementwise(np.arccos, floats=True), aliases=["arccos"],
    input=lambda g, input: scaled(-g, rsqrt((1 - input) * (1 + input)).conj()),
    doc="The inverse of the cosine, in radians; nan beyond ±1.")  # fmt: skip

atan = op("atan(input)", Elementwise(np.arctan, floats=True), aliases=["arctan"],
    input=lambda g, input: divided(g, (input * input + 1).conj()),
    doc="The inverse of the tangent, in radians.")  # fmt: skip


def squared_radius(a, b):
    """a² + b², and 1 at the origin, where the slopes of an angle or a distance are taken as 0."""
    total = a * a + b * b
    return choose(total == 0, 1, total)


atan2 = op("atan2(input, other)", Elementwise(np.arctan2, floats=True, no_complex=True), aliases=["arctan2"],
    input=lambda g, input, other: g * (other / squared_radius(input, other)),
    other=lambda g, input, other: g * (-input / squared_radius(input, other)),
    doc="The angle of the point (other, input), in radians from -π to π.")  # fmt: skip

hypot = op("hypot(input, other)", Elementwise(kernels.hypot, tensors=2, no_complex=True),
    input=lambda g, input, out: g * (input / choose(out == 0, 1, out)),
    other=lambda g, other, out: g * (other / choose(out == 0, 1, out)),
    doc="√(input² + other²) without overflow; its slopes at the origin are taken as 0.")  # fmt: skip

deg2rad = op("deg2rad(input)", Elementwise(np.deg2rad, floats=True, no_complex=True),
    input=lambda g: g * DEGREE,
    node="Deg2RadBackward0",
    doc="Degrees as radians.")  # fmt: skip

rad2deg = op("rad2deg(input)", Elementwise(np.rad2deg, floats=True, no_complex=True),
    input=lambda g: g / DEGREE,
    node="Rad2DegBackward0",
    doc="Radians as degrees.")  # fmt: skip

# Each derivative of sinc has a removable singularity at 0; one kernel computes them, to any order.
sinc_derivative = op("sinc_derivative(input, order)", Elementwise(kernels.sinc_derivative, tensors=1),
    input=lambda g, input, order: g * sinc_derivative(input, order + 1).conj(),
    namespace="_engine", method=False, inplace=False,
    doc="The derivative of sinc of this order.")  # fmt: skip

sinc = op("sinc(input)", Elementwise(lambda array: kernels.sinc_derivative(array, 0), tensors=1, floats=True),
    input=lambda g, input: g * sinc_derivative(input, 1).conj(),
    doc="sin(πx) / (πx), and 1 at 0; smooth to any order.")  # fmt: skip
