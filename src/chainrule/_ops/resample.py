"""Resizing (interpolate), rearranging between channels and space (pixel_shuffle, channel_shuffle)."""

import warnings

import numpy as np

from chainrule._engine.op import composite, op
from chainrule._kernels import resample as kernels
from chainrule._ops.kinds import Gather, Opaque
from chainrule._ops.pooling import adaptive_average
from chainrule._ops.window import check_elements, tensor_argument


def _resizing(mode, n, name, antialias=False):
    """The entry of one way of resizing n axes, for the modes and ranks whose nodes PyTorch names apart."""
    tail = f"{n}DAa" if antialias else f"{n}D"

    def forward(x, size, align_corners, scales):
        return kernels.interpolate(x, size, mode, align_corners, scales, antialias)

    def adjoint(g, shape, align_corners, scales):
        return kernels.interpolate_grad(g, shape, mode, align_corners, scales, antialias, n)

    resize = op(f"resize_{name.lower()}{tail.lower()}(input, size, align_corners, scales)",
        Opaque(forward, with_out=False),
        input=lambda g, input_shape, align_corners, scales: back(g, input_shape, align_corners, scales),
        namespace="_engine", method=False, node=f"Upsample{name}{tail}Backward0",
        doc=f"Resize the last {n} axes: {mode}.")  # fmt: skip
    back = op(f"resize_{name.lower()}{tail.lower()}_adjoint(input, shape, align_corners, scales)",
        Opaque(adjoint, with_out=False),
        input=lambda g, input_shape, align_corners, scales: resize(g, input_shape[-n:], align_corners, scales),
        namespace="_engine", method=False, node=f"Upsample{name}{tail}BackwardBackward0",
        doc=f"The adjoint of resizing the last {n} axes: {mode}.")  # fmt: skip
    return resize


_RESIZE = {
    **{("nearest", n, False): _resizing("nearest", n, "Nearest") for n in (1, 2, 3)},
    **{("nearest-exact", n, False): _resizing("nearest-exact", n, "NearestExact") for n in (1, 2, 3)},
    ("linear", 1, False): _resizing("linear", 1, "Linear"),
    ("bilinear", 2, False): _resizing("bilinear", 2, "Bilinear"),
    ("trilinear", 3, False): _resizing("trilinear", 3, "Trilinear"),
    ("bicubic", 2, False): _resizing("bicubic", 2, "Bicubic"),
    ("bilinear", 2, True): _resizing("bilinear", 2, "Bilinear", True),
    ("bicubic", 2, True): _resizing("bicubic", 2, "Bicubic", True),
}
_RANKS = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}
_ANY_RANK = ("nearest", "nearest-exact", "area")


def _check_mode(mode, input, align_corners, antialias):
    if mode in _ANY_RANK:
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | "
                "trilinear"
            )
    elif mode in _RANKS and len(input.meta.shape) in (3, 4, 5) and len(input.meta.shape) != _RANKS[mode]:
        raise NotImplementedError(f"Got {len(input.meta.shape)}D input, but {mode} mode needs {_RANKS[mode]}D input")
    if len(input.meta.shape) not in (3, 4, 5) or (mode not in _RANKS and mode not in _ANY_RANK):
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {len(input.meta.shape)}D) for the modes: "
            f"nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got {mode})"
        )
    if antialias and mode not in ("bilinear", "bicubic"):
        raise ValueError(
            "Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor as input"
        )


def _listed(what, value, spatial):
    """One value for all axes, or one for each, as a tuple; ValueError for another number of them."""
    if not isinstance(value, (tuple, list)):
        return (value,) * len(spatial)
    if len(value) != len(spatial):
        raise ValueError(
            f"Input and {what} must have the same number of spatial dimensions, but got input with spatial dimensions "
            f"of {list(spatial)} and {what} of {tuple(value)}. Please provide input tensor in (N, C, d1, d2, ...,dK) "
            "format."
        )
    return tuple(value)


def _checked_numbers(what, values, attribute):
    for v in values:
        if not hasattr(v, attribute) or isinstance(v, str):
            kind = "ints" if attribute == "__index__" else "numbers"
            raise TypeError(f"interpolate(): argument '{what}' must be {kind}, but got {type(v).__name__}")
    return values


@composite(namespace="nn.functional")
def interpolate(
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
    antialias=False,
):
    """Resize the spatial axes of (N, C, L), (N, C, H, W) or (N, C, D, H, W) to `size` or by `scale_factor`.

    Modes: 'nearest', 'nearest-exact', 'area', 'linear' (3D), 'bilinear' and 'bicubic' (4D, with `antialias` a filter as
    wide as the step), 'trilinear' (5D). A given scale factor sets the positions unless recomputed from the sizes."""
    tensor_argument("interpolate", "input", input)
    _check_mode(mode, input, align_corners, antialias)
    spatial = tuple(input.meta.shape[2:])
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    scales = None
    if size is not None:
        if recompute_scale_factor:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        size = tuple(int(s) for s in _checked_numbers("size", _listed("output size", size, spatial), "__index__"))
    else:
        given = _checked_numbers("scale_factor", _listed("scale_factor", scale_factor, spatial), "__float__")
        scales = tuple(float(s) for s in given)
        size = kernels.resized(spatial, scales)
        if recompute_scale_factor:
            scales = None
    if min(size) < 1 or 0 in spatial:
        raise RuntimeError(
            f"interpolate: Input and output sizes should be greater than 0, but got input {spatial} output {size}"
        )
    n = len(spatial)
    if mode == "area":
        return adaptive_average(f"adaptive_avg_pool{n}d", n, input, size)
    check_elements(f"upsample_{mode}{n}d", input, "if" if input.meta.dtype.name == "uint8" else "f")
    return _RESIZE[mode, n, bool(antialias)](input, size, bool(align_corners), scales)


def _deprecated(name):
    warnings.warn(
        f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.", UserWarning, stacklevel=3
    )


@composite(namespace="nn.functional")
def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """interpolate, under its older name."""
    _deprecated("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


@composite(namespace="nn.functional")
def upsample_nearest(input, size=None, scale_factor=None):
    """interpolate with mode 'nearest', under its older name."""
    _deprecated("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


@composite(namespace="nn.functional")
def upsample_bilinear(input, size=None, scale_factor=None):
    """interpolate with mode 'bilinear' and aligned corners, under its older name."""
    _deprecated("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def _shuffle_pixels(x, r):
    *batch, c, h, w = x.shape
    parts = x.reshape(*batch, c // (r * r), r, r, h, w)
    n = len(batch)
    out = parts.transpose(*range(n + 1), n + 3, n + 1, n + 4, n + 2)
    return np.array(out, order="C").reshape(*batch, c // (r * r), h * r, w * r)


def _unshuffle_pixels(x, r):
    *batch, c, h, w = x.shape
    parts = x.reshape(*batch, c, h // r, r, w // r, r)
    n = len(batch)
    out = parts.transpose(*range(n + 1), n + 2, n + 4, n + 1, n + 3)
    return np.array(out, order="C").reshape(*batch, c * r * r, h // r, w // r)


def _shuffle_channels(x, groups):
    n, c, *spatial = x.shape
    out = x.reshape(n, groups, c // groups, *spatial).swapaxes(1, 2)
    return np.array(out, order="C").reshape(x.shape)


pixels_to_space = op("pixels_to_space(input, upscale_factor)", Gather(_shuffle_pixels, with_out=False),
    input=lambda g, upscale_factor: space_to_pixels(g, upscale_factor),
    namespace="_engine", method=False, node="PixelShuffleBackward0",
    doc="(*, C · r², H, W) rearranged to (*, C, H · r, W · r).")  # fmt: skip

space_to_pixels = op("space_to_pixels(input, downscale_factor)", Gather(_unshuffle_pixels, with_out=False),
    input=lambda g, downscale_factor: pixels_to_space(g, downscale_factor),
    namespace="_engine", method=False, node="PixelUnshuffleBackward0",
    doc="(*, C, H · r, W · r) rearranged to (*, C · r², H, W).")  # fmt: skip

shuffled_channels = op("shuffled_channels(input, groups)", Gather(_shuffle_channels, with_out=False),
    input=lambda g, input_shape, groups: shuffled_channels(g, input_shape[1] // groups),
    namespace="_engine", method=False, node="ChannelShuffleBackward0",
    doc="The channels of (N, C, *) dealt out from groups in turn.")  # fmt: skip


def _check_pixels(name, input, factor, what):
    shape = tensor_argument(name, "input", input).meta.shape
    if len(shape) < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {len(shape)} dimension(s)"
        )
    if factor < 1:
        raise RuntimeError(f"{name} expects a positive {what}, but got {factor}")
    return shape


@composite(namespace="nn.functional")
@composite(method=False)
def pixel_shuffle(input, upscale_factor):
    """(*, C · r², H, W) rearranged to (*, C, H · r, W · r)."""
    shape = _check_pixels("pixel_shuffle", input, upscale_factor, "upscale_factor")
    if shape[-3] % upscale_factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={shape[-3]} is not divisible by {upscale_factor**2}"
        )
    return pixels_to_space(input, upscale_factor)


@composite(namespace="nn.functional")
@composite(method=False)
def pixel_unshuffle(input, downscale_factor):
    """(*, C, H · r, W · r) rearranged to (*, C · r², H, W): the inverse of pixel_shuffle."""
    shape = _check_pixels("pixel_unshuffle", input, downscale_factor, "downscale_factor")
    for what, d in (("height", -2), ("width", -1)):
        if shape[d] % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {what} to be divisible by downscale_factor, but input.size({d})={shape[d]} "
                f"is not divisible by {downscale_factor}"
            )
    return space_to_pixels(input, downscale_factor)


@composite(namespace="nn.functional")
@composite(method=False)
def channel_shuffle(input, groups):
    """The channels of (N, C, *) in `groups` groups, dealt out one from each group in turn."""
    shape = tensor_argument("channel_shuffle", "input", input).meta.shape
    if len(shape) < 3:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(shape)}")
    if groups < 1:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {shape[1]} channels and {groups} groups."
        )
    return shuffled_channels(input, groups)
