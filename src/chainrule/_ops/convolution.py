"""Convolutions, transposed convolutions, and patches as columns (unfold, fold).

A convolution is a bilinear map of input and weight. `conv`, `conv_input` and `conv_weight` are the map and its two
adjoints; each one's rules are the other two, so that derivatives of any order need nothing else, and a transposed
convolution is `conv_input` under its public name. The last axes are spatial; one axis (channels) comes before them, or
two (batch, channels).
"""

from chainrule._engine.op import composite, op
from chainrule._kernels import convolution as kernels
from chainrule._ops.kinds import Contraction, Opaque
from chainrule._ops.padding import constant_pad_nd
from chainrule._ops.window import check_elements, check_least, check_rank, per_axis, tensor_argument


def _forward(x, weight, bias, stride, padding, dilation, groups, extent):
    if x.ndim < weight.ndim:
        return kernels.conv_forward(x[None], weight, bias, stride, padding, dilation, groups, extent)[0]
    return kernels.conv_forward(x, weight, bias, stride, padding, dilation, groups, extent)


def _to_input(g, weight, bias, spatial, stride, padding, dilation, groups):
    batch = g if g.ndim == weight.ndim else g[None]
    shape = (len(batch), weight.shape[1] * groups, *spatial)
    out = kernels.conv_grad_input(batch, weight, shape, stride, padding, dilation, groups)
    if bias is not None:
        out += bias.reshape(-1, *(1,) * len(spatial))
    return out if batch is g else out[0]


def _to_weight(g, x, kernel, stride, padding, dilation, groups):
    if g.ndim < len(kernel) + 2:
        g, x = g[None], x[None]
    shape = (g.shape[1], x.shape[1] // groups, *kernel)
    return kernels.conv_grad_weight(g, x, shape, stride, padding, dilation, groups)


def _to_bias(g, stride):
    channel = g.dim() - len(stride) - 1
    return g.sum([d for d in range(g.dim()) if d != channel])


conv = op("conv(input, weight, bias, stride, padding, dilation, groups, extent)", Contraction(_forward, tensors=3),
    input=lambda g, weight, input_shape, stride, padding, dilation, groups:
        conv_input(g, weight.conj(), None, input_shape[-len(stride):], stride, padding, dilation, groups),
    weight=lambda g, input, weight_shape, stride, padding, dilation, groups:
        conv_weight(g, input.conj(), weight_shape[2:], stride, padding, dilation, groups),
    bias=_to_bias,
    namespace="_engine", method=False, node="ConvolutionBackward0",
    doc="Cross-correlation of input and weight plus bias; `extent`, if given, is the number of positions.")  # fmt: skip

conv_input = op("conv_input(input, weight, bias, spatial, stride, padding, dilation, groups)",
    Contraction(_to_input, tensors=3),
    input=lambda g, weight, input_shape, stride, padding, dilation, groups:
        conv(g, weight.conj(), None, stride, padding, dilation, groups, input_shape[-len(stride):]),
    weight=lambda g, input, weight_shape, stride, padding, dilation, groups:
        conv_weight(input.conj(), g, weight_shape[2:], stride, padding, dilation, groups),
    bias=_to_bias,
    namespace="_engine", method=False, node="ConvolutionBackward0",
    doc="The adjoint of `conv` in its input, of shape `spatial`, plus bias: a transposed convolution.")  # fmt: skip

conv_weight = op("conv_weight(input, x, kernel, stride, padding, dilation, groups)", Contraction(_to_weight),
    input=lambda g, x, input_shape, stride, padding, dilation, groups:
        conv(x.conj(), g, None, stride, padding, dilation, groups, input_shape[-len(stride):]),
    x=lambda g, input, x_shape, stride, padding, dilation, groups:
        conv_input(input.conj(), g, None, x_shape[-len(stride):], stride, padding, dilation, groups),
    namespace="_engine", method=False, node="ConvolutionBackwardBackward0",
    doc="The adjoint of `conv` in its weight: the input, a cotangent, against the patches of x.")  # fmt: skip


def _check_operands(name, n, input, weight, bias):
    check_rank(name, input, n)
    check_elements(name, input, "ifc")
    d = input.meta.dtype
    if tensor_argument(name, "weight", weight).meta.dtype is not d:
        raise RuntimeError(
            f"{name}: Input type ({d.tensor_type}) and weight type ({weight.meta.dtype.tensor_type}) should be the same"
        )
    if bias is not None and tensor_argument(name, "bias", bias).meta.dtype is not d:
        raise RuntimeError(f"{name}: Input type ({d}) and bias type ({bias.meta.dtype}) should be the same")
    if len(weight.meta.shape) != n + 2:
        raise RuntimeError(
            f"{name}: expected weight to be {n + 2}-dimensional, but got weight of size {list(weight.meta.shape)}"
        )


def _check_channels(n, input, weight, bias, groups, transposed):
    """PyTorch's checks, in PyTorch's words, of what must fit between input, weight, bias and groups."""
    shape = list(weight.meta.shape)
    if shape[0] % groups or shape[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size {shape} instead"
        )
    channels, expected = input.meta.shape[-n - 1], shape[0] if transposed else shape[1] * groups
    if channels != expected:
        given = "transposed=1" if transposed else f"groups={groups}"
        raise RuntimeError(
            f"Given {given}, weight of size {shape}, expected input{list(input.meta.shape)} to have {expected} "
            f"channels, but got {channels} channels instead"
        )
    outputs = shape[1] * groups if transposed else shape[0]
    if bias is not None and bias.meta.shape != (outputs,):
        given = "transposed=1, weight" if transposed else "weight"
        raise RuntimeError(
            f"Given {given} of size {shape}, expected bias to be 1-dimensional with {outputs} elements, but got bias "
            f"of size {list(bias.meta.shape)} instead"
        )


def _named_padding(name, padding, kernel, stride, dilation):
    """The amounts before and after each axis that the words 'valid' and 'same' stand for."""
    if padding == "valid":
        return [(0, 0)] * len(kernel)
    if padding != "same":
        raise RuntimeError(f"{name}: Invalid padding string: {padding!r}, expected 'valid' or 'same'")
    if max(stride) > 1:
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    totals = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
    return [(total // 2, total - total // 2) for total in totals]


def _convolve(name, n, input, weight, bias, stride, padding, dilation, groups):
    _check_operands(name, n, input, weight, bias)
    stride = per_axis(name, "stride", stride, n)
    dilation = per_axis(name, "dilation", dilation, n)
    for what, values in (("stride", stride), ("dilation", dilation), ("groups", (groups,))):
        check_least(name, what, values, 1)
    kernel = weight.meta.shape[2:]
    if isinstance(padding, str):
        sides = _named_padding(name, padding, kernel, stride, dilation)
        extra = [after - before for before, after in sides]
        if any(extra):
            input = constant_pad_nd(input, [amount for e in reversed(extra) for amount in (0, e)])
        padding = tuple(before for before, _ in sides)
    else:
        padding = per_axis(name, "padding", padding, n)
        check_least(name, "padding", padding, 0)
    _check_channels(n, input, weight, bias, groups, False)
    padded = [size + 2 * p for size, p in zip(input.meta.shape[-n:], padding, strict=True)]
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True)]
    if any(size < r for size, r in zip(padded, reach, strict=True)):
        raise RuntimeError(
            f"{name}: Calculated padded input size per channel: ({' x '.join(map(str, padded))}). Kernel size: "
            f"({' x '.join(map(str, reach))}). Kernel size can't be greater than actual input size"
        )
    return conv(input, weight, bias, stride, padding, dilation, groups, None)


def _convolve_transposed(name, n, input, weight, bias, stride, padding, output_padding, groups, dilation):
    _check_operands(name, n, input, weight, bias)
    stride = per_axis(name, "stride", stride, n)
    dilation = per_axis(name, "dilation", dilation, n)
    padding = per_axis(name, "padding", padding, n)
    extra = per_axis(name, "output_padding", output_padding, n)
    for what, values in (("stride", stride), ("dilation", dilation), ("groups", (groups,))):
        check_least(name, what, values, 1)
    check_least(name, "padding", padding, 0)
    check_least(name, "output_padding", extra, 0)
    if any(e >= s and e >= d for e, s, d in zip(extra, stride, dilation, strict=True)):
        raise RuntimeError(
            f"{name}: output padding must be smaller than either stride or dilation, but got "
            f"output_padding={extra}, stride={stride}, dilation={dilation}"
        )
    _check_channels(n, input, weight, bias, groups, True)
    spatial = kernels.conv_transpose_output_size(
        input.meta.shape[-n:], weight.meta.shape[2:], stride, padding, extra, dilation
    )
    if min(spatial) < 1:
        raise RuntimeError(
            f"{name}: Given input size per channel: {input.meta.shape[-n:]}. Calculated output size per channel: "
            f"{spatial}. Output size is too small"
        )
    return conv_input(input, weight, bias, spatial, stride, padding, dilation, groups)


@composite(namespace="nn.functional")
@composite(method=False)
def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Cross-correlation over one axis: input (N, C, L) or (C, L), weight (C_out, C / groups, k), bias (C_out,).

    `padding` is an amount, 'valid' or 'same'."""
    return _convolve("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


@composite(namespace="nn.functional")
@composite(method=False)
def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Cross-correlation over two axes: input (N, C, H, W) or (C, H, W), weight (C_out, C / groups, kH, kW).

    `padding` is an amount, one per axis, 'valid' or 'same'."""
    return _convolve("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


@composite(namespace="nn.functional")
@composite(method=False)
def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Cross-correlation over three axes: input (N, C, D, H, W) or unbatched, weight (C_out, C / groups, kD, kH, kW).

    `padding` is an amount, one per axis, 'valid' or 'same'."""
    return _convolve("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


@composite(namespace="nn.functional")
@composite(method=False)
def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The adjoint of conv1d as an operation of its own: input (N, C, L), weight (C, C_out / groups, k)."""
    return _convolve_transposed(
        "conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@composite(namespace="nn.functional")
@composite(method=False)
def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The adjoint of conv2d as an operation of its own: input (N, C, H, W), weight (C, C_out / groups, kH, kW)."""
    return _convolve_transposed(
        "conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@composite(namespace="nn.functional")
@composite(method=False)
def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The adjoint of conv3d as an operation of its own: (N, C, D, H, W) and (C, C_out / groups, kD, kH, kW)."""
    return _convolve_transposed(
        "conv_transpose3d", 3, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def _unfold(x, kernel, dilation, padding, stride):
    batch = x if x.ndim == 4 else x[None]
    out = kernels.unfold(batch, kernel, dilation, padding, stride)
    return out if batch is x else out[0]


def _fold(cols, output_size, kernel, dilation, padding, stride):
    batch = cols if cols.ndim == 3 else cols[None]
    out = kernels.fold(batch, output_size, kernel, dilation, padding, stride)
    return out if batch is cols else out[0]


im2col = op("im2col(input, kernel_size, dilation, padding, stride)", Opaque(_unfold),
    input=lambda g, input_shape, kernel_size, dilation, padding, stride:
        col2im(g, input_shape[-2:], kernel_size, dilation, padding, stride),
    namespace="_engine", method=False, node="Im2ColBackward0",
    doc="The patches of (N, C, H, W) or (C, H, W) as columns.")  # fmt: skip

col2im = op("col2im(input, output_size, kernel_size, dilation, padding, stride)", Opaque(_fold),
    input=lambda g, kernel_size, dilation, padding, stride: im2col(g, kernel_size, dilation, padding, stride),
    namespace="_engine", method=False, node="Col2ImBackward0",
    doc="The adjoint of `im2col`: columns added up where their patches lay.")  # fmt: skip


def _patches(name, kernel_size, dilation, padding, stride):
    """The four sizes of a patch grid as pairs, checked."""
    pairs = [
        per_axis(name, what, value, 2)
        for what, value in (
            ("kernel_size", kernel_size), ("dilation", dilation), ("padding", padding), ("stride", stride),
        )
    ]  # fmt: skip
    for what, sizes, least in zip(("kernel_size", "dilation", "padding", "stride"), pairs, (1, 1, 0, 1), strict=True):
        check_least(name, what, sizes, least)
    return pairs


@composite(namespace="nn.functional")
def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """The sliding patches of (N, C, H, W) as columns (N, C · kH · kW, positions); without N, without it."""
    check_rank("unfold", input, 2)
    check_elements("im2col", input, "bfc")
    kernel, dilation, padding, stride = _patches("unfold", kernel_size, dilation, padding, stride)
    return im2col(input, kernel, dilation, padding, stride)


@composite(namespace="nn.functional")
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Columns (N, C · kH · kW, positions) added up into (N, C, *output_size): the adjoint of unfold."""
    check_rank("fold", input, 1)
    check_elements("col2im", input, "fc")
    size = per_axis("fold", "output_size", output_size, 2)
    kernel, dilation, padding, stride = _patches("fold", kernel_size, dilation, padding, stride)
    rows, positions = input.meta.shape[-2:]
    if rows % (kernel[0] * kernel[1]):
        raise RuntimeError(
            f"fold: Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={rows} and kernel_size={kernel}"
        )
    counts = [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, d, p, s in zip(size, kernel, dilation, padding, stride, strict=True)
    ]
    if min(counts) < 1 or counts[0] * counts[1] != positions:
        raise RuntimeError(
            f"fold: Given output_size={size}, kernel_size={kernel}, dilation={dilation}, padding={padding}, "
            f"stride={stride}, expected size of input's dimension 2 to match the calculated number of sliding blocks "
            f"{counts[0]} * {counts[1]} = {counts[0] * counts[1]}, but got input.size(2)={positions}"
        )
    return col2im(input, size, kernel, dilation, padding, stride)
