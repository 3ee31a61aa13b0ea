"""Activation functions: element by element, and glu. Softmax is in softmax.py, sigmoid and tanh with the exponentials.

Each op has the name it has in torch or torch.nn.functional; the functions with `inplace=` choose between its two forms.
"""

import numpy as np

from chainrule._core.dtype import of_array
from chainrule._engine.op import composite, op
from chainrule._kernels import special as kernels
from chainrule._ops.kinds import Elementwise


def floating(name, kernel):
    """The kernel, refusing what is not a real float in PyTorch's words."""

    def checked(x, *rest):
        if x.dtype.kind != "f":
            raise NotImplementedError(f'"{name}" not implemented for {type_name(x)!r}')
        return kernel(x, *rest)

    return checked


def type_name(array):
    """PyTorch's word for an element type in messages: 'Float', 'Long', …"""
    return of_array(array).tensor_type.removesuffix("Tensor")


def rectified(x):
    return np.asarray(np.maximum(x, x.dtype.type(0)))


def rectified_grad(g, out):
    return np.where(out <= 0, g.dtype.type(0), g)


rectify = op("relu(input)", Elementwise(rectified, tensors=1, no_complex=True),
    input=lambda g, out: g.masked_fill(out <= 0, 0),
    fast=rectified_grad,
    doc="max(0, input); the slope at 0 is 0.")  # fmt: skip


@composite("nn.functional")
def relu(input, inplace=False):
    """max(0, input); the slope at 0 is 0."""
    return rectify.op.call_inplace((input,)) if inplace else rectify(input)
