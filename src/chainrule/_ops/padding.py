"""Padding: constant, reflect, replicate, circular.

`pad` is PyTorch's flat list: before and after of the last axis, then of the one before it. Negative amounts crop.
"""

import numpy as np

from chainrule._core.dtype import of_array
from chainrule._engine.op import composite, op
from chainrule._kernels import padding as kernels
from chainrule._kernels.casting import cast
from chainrule._ops.kinds import Gather, Opaque
from chainrule._ops.window import check_elements, tensor_argument


def _constant(array, pad, value):
    return kernels.pad(array, pad, "constant", cast(np.asarray(value), of_array(array)))


constant_pad = op("constant_pad(input, pad, value)", Gather(_constant, with_out=False),
    input=lambda g, pad: constant_pad(g, tuple(-n for n in pad), 0),
    namespace="_engine", method=False, node="ConstantPadNdBackward0",
    doc="The input with `value` around it; the adjoint crops by the same amounts.")  # fmt: skip


def _repeating(mode, name, n):
    """The entry of a padding that repeats elements, for the modes and ranks whose nodes PyTorch names apart."""
    widen = op(f"{mode}_pad{n}d(input, pad)", Gather(lambda array, pad: kernels.pad(array, pad, mode), with_out=False),
        input=lambda g, input_shape, pad: add_up(g, input_shape, pad),
        namespace="_engine", method=False, node=f"{name}Pad{n}DBackward0",
        doc=f"The input with its own elements around it: {mode}.")  # fmt: skip
    add_up = op(f"{mode}_pad{n}d_sums(input, shape, pad)",
        Opaque(lambda g, shape, pad: kernels.pad_grad(g, shape, pad, mode), with_out=False),
        input=lambda g, pad: widen(g, pad),
        namespace="_engine", method=False, node=f"{name}Pad{n}DBackwardBackward0",
        doc=f"The adjoint of padding by {mode}: each element's sum over the places that repeat it.")  # fmt: skip
    return widen


_REPEATING = {
    (mode, n): _repeating(mode, name, n)
    for mode, name in (("reflect", "Reflection"), ("replicate", "Replication"), ("circular", "Circular"))
    for n in (1, 2, 3)
}


def _amounts(name, input, pad):
    """The pad list as a tuple of ints, two for each axis it speaks of."""
    tensor_argument(name, "input", input)
    if not isinstance(pad, (tuple, list)):
        raise TypeError(f"{name}(): argument 'pad' must be tuple of ints, not {type(pad).__name__}")
    for i, n in enumerate(pad):
        if not hasattr(n, "__index__"):
            raise TypeError(
                f"{name}(): argument 'pad' must be tuple of ints, but found element of type {type(n).__name__} at pos "
                f"{i}"
            )
    if len(pad) % 2:
        raise RuntimeError(f"{name}: Padding length must be divisible by 2, got {len(pad)} amounts")
    if len(pad) > 2 * len(input.meta.shape):
        raise RuntimeError(
            f"{name}: Padding length should be less than or equal to two times the input dimension but got padding "
            f"length {len(pad)} and input of dimension {len(input.meta.shape)}"
        )
    return tuple(n.__index__() for n in pad)


def _check_cropping(input, pad):
    """RuntimeError where negative amounts take away more than there is."""
    shape = input.meta.shape
    for k in range(len(pad) // 2):
        dim, before, after = len(shape) - 1 - k, pad[2 * k], pad[2 * k + 1]
        if shape[dim] + min(before, 0) + min(after, 0) < 0:
            raise RuntimeError(
                f"The input size {shape[dim]}, plus negative padding {before} and {after}, resulted in a negative "
                f"output size, which is invalid. Check dimension {dim} of your input."
            )


@composite(method=False)
def constant_pad_nd(input, pad, value=0):
    """The input with `value` before and after the axes that `pad` speaks of, last axis first; negative amounts crop."""
    pad = _amounts("constant_pad_nd", input, pad)
    _check_cropping(input, pad)
    return constant_pad(input, pad, value)


def _check_repeating(mode, input, pad):
    """Which axes a repeating mode pads, and that there is enough on them to repeat."""
    axes, shape = len(pad) // 2, input.meta.shape
    if not 1 <= axes <= 3 or len(shape) not in (axes + 1, axes + 2):
        raise NotImplementedError(
            f"Padding size {len(pad)} is not supported for {len(shape)}D input tensor: {mode} takes 2 amounts for a 2D "
            "or 3D input, 4 for 3D or 4D, 6 for 4D or 5D"
        )
    for k in range(axes):
        dim, before, after = len(shape) - 1 - k, pad[2 * k], pad[2 * k + 1]
        n = shape[dim]
        if mode == "reflect" and max(before, after) >= n:
            raise RuntimeError(
                f"Padding size should be less than the corresponding input dimension, but got: padding ({before}, "
                f"{after}) at dimension {dim} of input {list(shape)}"
            )
        if mode == "circular" and max(before, after) > n:
            raise RuntimeError(
                f"Padding value causes wrapping around more than once: padding ({before}, {after}) at dimension {dim} "
                f"of input {list(shape)}"
            )
        if mode == "replicate" and n == 0:
            raise RuntimeError(
                f"Expected {axes + 1}D or {axes + 2}D (batch mode) tensor with possibly 0 batch size and other "
                f"non-zero dimensions for input, but got: {list(shape)}"
            )


@composite(namespace="nn.functional")
def pad(input, pad, mode="constant", value=None):
    """The input grown at the ends of its last axes, or cropped by negative amounts.

    `pad` is (before, after) of the last axis, then of the one before it, and so on. Mode 'constant' fills with `value`
    (0 unless given) on any axes; 'reflect', 'replicate' and 'circular' repeat elements on the last one to three."""
    if mode == "constant":
        return constant_pad_nd(input, pad, 0 if value is None else value)
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"pad: Unrecognised padding mode {mode}")
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    amounts = _amounts("pad", input, pad)
    _check_repeating(mode, input, amounts)
    _check_cropping(input, amounts)
    if mode != "circular":
        check_elements(f"{mode}_pad", input, "ifc")
    return _REPEATING[mode, len(amounts) // 2](input, amounts)
