"""Sampling at the points of a grid (grid_sample) and grids of affine maps (affine_grid), as plain combinations of ops.

Positions run from -1 to 1 along each axis, x (the last axis) first. Which elements a position reads is not
differentiated; how much of each, is.
"""

import itertools
import math
import warnings

import numpy as np

from chainrule._engine.op import composite
from chainrule._engine.tensor import wrap
from chainrule._kernels.casting import cast, to_compute
from chainrule._ops.window import check_elements, tensor_argument

MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")
SHARPNESS = -0.75
NO_ALIGN_CORNERS = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)


def _reflected(position, n, align_corners, fold):
    """Positions folded back at the outermost elements' centres (align_corners) or outer edges.

    `fold(array)` says how far a tensor's values are to be moved after division: the multiples are constants."""
    low, high = (0, n - 1) if align_corners else (-0.5, n - 0.5)
    span = high - low
    if span == 0:
        return position * 0
    away = (position - low).abs()
    turns = fold(away, span)
    rest = away - turns * span
    odd = turns % 2
    return rest * (1 - 2 * odd) + odd * span + low


def _turns(distance, span):
    with np.errstate(all="ignore"):
        whole = np.floor(to_compute(distance.array) / span)
    return _constant(np.where(np.isfinite(whole), whole, 0), distance)


def _constant(array, like):
    """A NumPy array as a tensor of another's dtype, outside the graph."""
    return wrap(cast(np.ascontiguousarray(array, dtype=to_compute(like.array).dtype), like.meta.dtype))


def _pixel(position, n, align_corners):
    """Positions in [-1, 1] as places among n elements, the first at 0."""
    return (position + 1) * ((n - 1) / 2) if align_corners else ((position + 1) * n - 1) / 2


def _kept_inside(place, n, padding_mode, align_corners):
    if padding_mode == "reflection":
        place = _reflected(place, n, align_corners, _turns)
    return place if padding_mode == "zeros" else place.clamp(0, n - 1)


def _linear_taps(place):
    """[(elements, weights)] of linear interpolation at places."""
    low = _floor(place)
    high_share = place - _constant(low, place)
    return [(low, 1 - high_share), (low + 1, high_share)]


def _cubic_taps(place):
    """[(elements, weights)] of cubic convolution at places (R. Keys, 1981)."""
    low = _floor(place)
    t = place - _constant(low, place)
    a = SHARPNESS
    near = [((a + 2) * d - (a + 3)) * d * d + 1 for d in (t, 1 - t)]
    far = [((a * d - 5 * a) * d + 8 * a) * d - 4 * a for d in (t + 1, 2 - t)]
    return [(low - 1, far[0]), (low, near[0]), (low + 1, near[1]), (low + 2, far[1])]


def _floor(place):
    with np.errstate(all="ignore"):
        return np.floor(to_compute(place.array))


def _nearest_taps(place):
    """The nearest element with weight 1, which keeps the grid in the graph with gradient 0."""
    with np.errstate(all="ignore"):
        nearest = np.rint(to_compute(place.array))
    return [(nearest, place.masked_fill(wrap(np.ones(nearest.shape, bool)), 1))]


def _axis_taps(place, n, mode, padding_mode, align_corners):
    """Along one axis: [(elements as int64, which of them exist, weights)]."""
    if mode == "bicubic":
        found = _cubic_taps(place)
        if padding_mode != "zeros":
            found = [
                (_kept_inside(wrap(at), n, padding_mode, align_corners).array, weight) for at, weight in found
            ]
    else:
        place = _kept_inside(place, n, padding_mode, align_corners)
        found = _nearest_taps(place) if mode == "nearest" else _linear_taps(place)
    out = []
    for at, weight in found:
        with np.errstate(all="ignore"):
            exists = (at >= 0) & (at < n)
        out.append((np.where(exists, at, 0).astype(np.int64), exists, weight))
    return out


def _check(input, grid, mode, padding_mode):
    tensor_argument("grid_sample", "input", input)
    tensor_argument("grid_sample", "grid", grid)
    if mode not in MODES:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in PADDINGS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    shape, points = list(input.meta.shape), list(grid.meta.shape)
    sizes = f"but got input with sizes {shape} and grid with sizes {points}"
    if input.meta.dtype is not grid.meta.dtype:
        raise RuntimeError(
            f"grid_sampler(): expected input and grid to have same dtype, but input has {input.meta.dtype} and grid "
            f"has {grid.meta.dtype}"
        )
    if len(shape) not in (4, 5) or len(points) != len(shape):
        raise RuntimeError(f"grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, {sizes}")
    if points[0] != shape[0]:
        raise RuntimeError(f"grid_sampler(): expected grid and input to have same batch size, {sizes}")
    if points[-1] != len(shape) - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {len(shape) - 2} in last dimension, but got grid with sizes "
            f"{points}"
        )
    if 0 in shape[2:]:
        raise RuntimeError(f"grid_sampler(): expected input to have non-empty spatial dimensions, but got {shape}")
    if mode == "bicubic" and len(shape) == 5:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    check_elements("grid_sampler", input, "f")


@composite(namespace="nn.functional")
def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """input (N, C, *spatial) read at grid (N, *points, axes), giving (N, C, *points).

    Modes 'bilinear' (linear along each axis), 'nearest' (halves to even), 'bicubic' (4D). Outside the input there are
    'zeros', its outermost elements ('border') or its mirror image ('reflection'). `align_corners`: -1 and 1 are the
    centres of the outermost elements, not their outer edges."""
    _check(input, grid, mode, padding_mode)
    if align_corners is None:
        warnings.warn(NO_ALIGN_CORNERS, UserWarning, stacklevel=2)
        align_corners = False
    n, channels, *spatial = input.meta.shape
    points = grid.meta.shape[1:-1]
    taps = []
    for k, size in enumerate(spatial):
        place = _pixel(grid.select(-1, len(spatial) - 1 - k), size, align_corners).reshape(n, -1)
        taps.append(_axis_taps(place, size, mode, padding_mode, align_corners))
    flat = input.reshape(n, channels, -1)
    total = None
    for corner in itertools.product(*taps):
        index, exists, weight = np.zeros((), np.int64), np.True_, None
        for (at, there, share), size in zip(corner, spatial, strict=True):
            index, exists = index * size + at, exists & there
            weight = share if weight is None else weight * share
        index = np.where(exists, index, 0)[:, None, :]
        part = flat.gather(2, wrap(np.ascontiguousarray(np.broadcast_to(index, (n, channels, index.shape[2])))))
        part = part * weight.masked_fill(wrap(~exists), 0).unsqueeze(1)
        total = part if total is None else total + part
    return total.reshape(n, channels, *points)


def _ticks(n, align_corners):
    """The places of n elements between -1 and 1: their centres, or with align_corners the ends included."""
    if n == 1:
        return np.zeros(1)
    ticks = np.linspace(-1, 1, n)
    return ticks if align_corners else ticks * ((n - 1) / n)


@composite(namespace="nn.functional")
def affine_grid(theta, size, align_corners=None):
    """The grid, for grid_sample, of the affine maps theta (N, 2, 3) or (N, 3, 4) over an output of `size` (N, C, …)."""
    tensor_argument("affine_grid", "theta", theta)
    if theta.meta.dtype.category != 2:
        raise ValueError(f"Expected theta to have floating point type, but got {theta.meta.dtype}")
    if align_corners is None:
        warnings.warn(NO_ALIGN_CORNERS, UserWarning, stacklevel=2)
        align_corners = False
    size = tuple(size)
    axes = len(size) - 2
    if axes not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{size}."
        )
    if len(theta.meta.shape) != 3 or theta.meta.shape[1:] != (axes, axes + 1):
        raise ValueError(
            f"Expected a batch of {axes}D affine matrices of shape Nx{axes}x{axes + 1} for size {size}. Got "
            f"{tuple(theta.meta.shape)}."
        )
    if min(size) < 1:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    spatial = size[2:]
    mesh = np.meshgrid(*(_ticks(n, align_corners) for n in spatial), indexing="ij")
    base = np.stack([*reversed(mesh), np.ones(spatial)], -1).reshape(math.prod(spatial), axes + 1)
    return (_constant(base, theta) @ theta.transpose(1, 2)).reshape(size[0], *spatial, axes)
