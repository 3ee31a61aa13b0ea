"""Exponentials, logarithms and hyperbolic functions."""

import numpy as np

from chainrule._engine.op import op
from chainrule._ops.kinds import Elementwise

tanh = op("tanh(input)", Elementwise(np.tanh, floats=True),
    input=lambda g, out: g * (1 - out * out).conj(),
    doc="Hyperbolic tangent.")  # fmt: skip

exp = op("exp(input)", Elementwise(np.exp, floats=True),
    input=lambda g, out: g * out.conj(),
    doc="e to the power of input.")  # fmt: skip

log = op("log(input)", Elementwise(np.log, floats=True),
    input=lambda g, input: g / input.conj(),
    doc="Natural logarithm.")  # fmt: skip

sin = op("sin(input)", Elementwise(np.sin, floats=True),
    input=lambda g, input: g * cos(input).conj(),
    doc="Sine (radians).")  # fmt: skip

cos = op("cos(input)", Elementwise(np.cos, floats=True),
    input=lambda g, input: -g * sin(input).conj(),
    doc="Cosine (radians).")  # fmt: skip
