"""Layer, root-mean-square, batch and group normalization in NumPy: the plain twin of normalization.pyx.

Sums are taken in float64 and rounded once: results may differ from the native ones in the last digits."""

import numpy as np

from chainrule._kernels.dense import row_major


def fitting(a, x, size, who, what):
    """a as a C-contiguous array of x's dtype with size elements, or None."""
    if a is None:
        return None
    b = row_major(a, who)
    if b.dtype != x.dtype:
        raise TypeError(f"{who}: expected {what} of dtype {x.dtype}, got {b.dtype}")
    if b.size != size:
        raise ValueError(f"{who}: expected {what} with {size} elements, got {b.size}")
    return b


def paired(g, x, who):
    """g as a C-contiguous array of x's shape and dtype."""
    a = row_major(g, who)
    if a.dtype != x.dtype or a.shape != x.shape:
        raise ValueError(f"{who}: expected g like x, {x.dtype}{x.shape}, got {a.dtype}{a.shape}")
    return a


def standardized(x, axes, eps, centred):
    """x in float64 less its mean along axes and over its deviation, the mean, and 1 / deviation."""
    wide = x.astype(np.float64)
    mean = wide.mean(axes, keepdims=True) if centred else np.zeros(())
    wide = wide - mean
    rstd = 1 / np.sqrt((wide * wide).mean(axes, keepdims=True) + eps)
    return wide * rstd, mean, rstd


def standard_grad(g, xhat, rstd, axes, centred):
    """The derivative of standardized for the cotangent g of its result."""
    pulled = g - xhat * (g * xhat).mean(axes, keepdims=True)
    return rstd * (pulled - g.mean(axes, keepdims=True) if centred else pulled)


def split_rows(x, normalized_ndim, who):
    """The normalized axes of x, and their shape."""
    if not 1 <= normalized_ndim <= x.ndim:
        raise ValueError(f"{who}: expected 1 to {x.ndim} normalized axes, got {normalized_ndim}")
    return tuple(range(x.ndim - normalized_ndim, x.ndim)), x.shape[x.ndim - normalized_ndim :]


def rows_forward(x, normalized_ndim, weight, bias, eps, centred, who):
    x = row_major(x, who)
    axes, shape = split_rows(x, normalized_ndim, who)
    size = int(np.prod(shape))
    weight, bias = fitting(weight, x, size, who, "weight"), fitting(bias, x, size, who, "bias")
    with np.errstate(all="ignore"):
        out, mean, rstd = standardized(x, axes, eps, centred)
        if weight is not None:
            out = out * weight.reshape(shape)
        if bias is not None:
            out = out + bias.reshape(shape)
        return out.astype(x.dtype), mean.astype(x.dtype), rstd.astype(x.dtype)


def rows_backward(g, x, mean, rstd, weight, normalized_ndim, wants, who):
    x = row_major(x, who)
    g = paired(g, x, who)
    axes, shape = split_rows(x, normalized_ndim, who)
    leading = tuple(range(x.ndim - normalized_ndim))
    size = int(np.prod(shape))
    per_row = x.shape[: x.ndim - normalized_ndim] + (1,) * normalized_ndim
    rows = int(np.prod(per_row))
    rstd, mean = fitting(rstd, x, rows, who, "rstd"), fitting(mean, x, rows, who, "mean")
    weight = fitting(weight, x, size, who, "weight")
    with np.errstate(all="ignore"):
        rstd = rstd.reshape(per_row).astype(np.float64)
        xhat = (x if mean is None else x - mean.reshape(per_row).astype(np.float64)) * rstd
        weighted = g.astype(np.float64) if weight is None else g * weight.reshape(shape).astype(np.float64)
        gx = standard_grad(weighted, xhat, rstd, axes, mean is not None).astype(x.dtype) if wants[0] else None
        gw = (g * xhat).sum(leading).astype(x.dtype) if wants[1] else None
        gb = g.sum(leading, dtype=np.float64).astype(x.dtype) if wants[2] else None
    return gx, gw, gb


def layer_norm(x, normalized_ndim, weight, bias, eps):
    """(out, mean, rstd): the last normalized_ndim axes to mean 0 and variance 1, times weight, plus bias.

    mean and rstd = 1 / sqrt(biased variance + eps) have x's leading shape followed by ones."""
    return rows_forward(x, normalized_ndim, weight, bias, eps, True, "layer_norm")


def layer_norm_grad(g, x, mean, rstd, weight, normalized_ndim, wants):
    """(gx, gw, gb) of layer_norm, each None where wants says so."""
    return rows_backward(g, x, mean, rstd, weight, normalized_ndim, wants, "layer_norm_grad")


def rms_norm(x, normalized_ndim, weight, eps):
    """(out, rstd): x over the root of its mean square along the last axes, times weight."""
    out, _, rstd = rows_forward(x, normalized_ndim, weight, None, eps, False, "rms_norm")
    return out, rstd


def rms_norm_grad(g, x, rstd, weight, normalized_ndim, wants):
    """(gx, gw) of rms_norm, each None where wants says so."""
    flags = (wants[0], wants[1], False)
    return rows_backward(g, x, None, rstd, weight, normalized_ndim, flags, "rms_norm_grad")[:2]


def channelled(x, who):
    """x C-contiguous, and the shape that lays a vector along its axis 1."""
    x = row_major(x, who)
    if x.ndim < 2:
        raise ValueError(f"{who}: expected at least 2 axes, got shape {x.shape}")
    return x, (1, x.shape[1]) + (1,) * (x.ndim - 2)


def blend(running, new, momentum):
    """running = (1 - momentum) * running + momentum * new, in place."""
    running[...] = (1.0 - momentum) * running.astype(np.float64) + momentum * new.reshape(running.shape)


def batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps):
    """(out, save_mean, save_rstd): each channel (axis 1) to mean 0 and variance 1, times weight, plus bias.

    In training by the batch's own moments, which are blended into the running ones in place (the variance
    unbiased); otherwise by the running ones."""
    x, across = channelled(x, "batch_norm")
    channels = x.shape[1]
    weight = fitting(weight, x, channels, "batch_norm", "weight")
    bias = fitting(bias, x, channels, "batch_norm", "bias")
    for running, what in ((running_mean, "running_mean"), (running_var, "running_var")):
        if running is not None and running.size != channels:
            raise ValueError(f"batch_norm: expected {what} with {channels} elements, got {running.size}")
    with np.errstate(all="ignore"):
        if training:
            axes = (0, *range(2, x.ndim))
            out, mean, rstd = standardized(x, axes, eps, True)
            count = x.size // channels if channels else 0
            if running_mean is not None:
                blend(running_mean, mean.astype(x.dtype).astype(np.float64), momentum)
            if running_var is not None:
                variance = np.mean((x - mean) ** 2, axis=axes)
                blend(running_var, variance * np.float64(count) / np.float64(count - 1), momentum)
        else:
            if running_mean is None or running_var is None:
                raise ValueError("batch_norm: expected running_mean and running_var when training=False")
            mean = running_mean.reshape(across).astype(np.float64)
            rstd = 1 / np.sqrt(running_var.reshape(across).astype(np.float64) + eps)
            out = (x - mean) * rstd
        if weight is not None:
            out = out * weight.reshape(across)
        if bias is not None:
            out = out + bias.reshape(across)
        return (
            out.astype(x.dtype),
            mean.astype(x.dtype).reshape(channels),
            rstd.astype(x.dtype).reshape(channels),
        )


def batch_norm_grad(g, x, weight, save_mean, save_rstd, training, wants):
    """(gx, gw, gb) of batch_norm, each None where wants says so; moments are constants unless training."""
    x, across = channelled(x, "batch_norm_grad")
    g = paired(g, x, "batch_norm_grad")
    channels = x.shape[1]
    axes = (0, *range(2, x.ndim))
    weight = fitting(weight, x, channels, "batch_norm_grad", "weight")
    mean = fitting(save_mean, x, channels, "batch_norm_grad", "save_mean").reshape(across).astype(np.float64)
    rstd = fitting(save_rstd, x, channels, "batch_norm_grad", "save_rstd").reshape(across).astype(np.float64)
    gx = gw = gb = None
    with np.errstate(all="ignore"):
        xhat = (x - mean) * rstd
        if wants[0]:
            weighted = (
                g.astype(np.float64) if weight is None else g * weight.reshape(across).astype(np.float64)
            )
            gx = standard_grad(weighted, xhat, rstd, axes, True) if training else weighted * rstd
            gx = gx.astype(x.dtype)
        if wants[1]:
            gw = (g * xhat).sum(axes).astype(x.dtype)
        if wants[2]:
            gb = g.sum(axes, dtype=np.float64).astype(x.dtype)
    return gx, gw, gb


def grouped(x, num_groups, who):
    """x C-contiguous, x as (batch, groups, depth, inner), and the shape of a channel vector along that."""
    x, _ = channelled(x, who)
    batch, channels = x.shape[:2]
    if num_groups < 1 or channels % num_groups:
        raise RuntimeError(f"{who}: expected num_groups to divide the {channels} channels, got {num_groups}")
    depth, inner = channels // num_groups, int(np.prod(x.shape[2:]))
    return x, x.reshape(batch, num_groups, depth, inner), (1, num_groups, depth, 1)


def group_norm(x, num_groups, weight, bias, eps):
    """(out, mean, rstd): each group of channels (axis 1) to mean 0 and variance 1, times weight, plus bias.

    weight and bias are per channel, mean and rstd (batch, num_groups)."""
    x, blocks, across = grouped(x, num_groups, "group_norm")
    weight = fitting(weight, x, x.shape[1], "group_norm", "weight")
    bias = fitting(bias, x, x.shape[1], "group_norm", "bias")
    with np.errstate(all="ignore"):
        out, mean, rstd = standardized(blocks, (2, 3), eps, True)
        if weight is not None:
            out = out * weight.reshape(across)
        if bias is not None:
            out = out + bias.reshape(across)
        flat = x.shape[0], num_groups
        return (
            out.astype(x.dtype).reshape(x.shape),
            mean.astype(x.dtype).reshape(flat),
            rstd.astype(x.dtype).reshape(flat),
        )


def group_norm_grad(g, x, mean, rstd, weight, num_groups, wants):
    """(gx, gw, gb) of group_norm, each None where wants says so."""
    x, blocks, across = grouped(x, num_groups, "group_norm_grad")
    g = paired(g, x, "group_norm_grad").reshape(blocks.shape)
    channels, flat = x.shape[1], (x.shape[0], num_groups, 1, 1)
    weight = fitting(weight, x, channels, "group_norm_grad", "weight")
    mean = (
        fitting(mean, x, x.shape[0] * num_groups, "group_norm_grad", "mean").reshape(flat).astype(np.float64)
    )
    rstd = (
        fitting(rstd, x, x.shape[0] * num_groups, "group_norm_grad", "rstd").reshape(flat).astype(np.float64)
    )
    gx = gw = gb = None
    with np.errstate(all="ignore"):
        xhat = (blocks - mean) * rstd
        if wants[0]:
            weighted = (
                g.astype(np.float64) if weight is None else g * weight.reshape(across).astype(np.float64)
            )
            gx = standard_grad(weighted, xhat, rstd, (2, 3), True).astype(x.dtype).reshape(x.shape)
        if wants[1]:
            gw = (g * xhat).sum((0, 3)).astype(x.dtype).reshape(channels)
        if wants[2]:
            gb = g.sum((0, 3), dtype=np.float64).astype(x.dtype).reshape(channels)
    return gx, gw, gb
