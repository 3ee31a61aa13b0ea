"""The layers as functions: everything the op table puts into torch.nn.functional, under PyTorch's names."""

from chainrule._tensor.methods import public
from chainrule.compat import missing

# What torch.nn.functional takes from torch as it is.
FROM_TORCH = (
    "adaptive_avg_pool1d", "avg_pool1d", "bilinear", "celu_", "channel_shuffle", "conv1d", "conv2d", "conv3d",
    "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "cosine_similarity", "hardshrink",
    "native_channel_shuffle", "pairwise_distance", "pdist", "pixel_shuffle", "pixel_unshuffle", "prelu", "relu_",
    "rrelu_", "selu_", "sigmoid", "tanh", "threshold_",
)  # fmt: skip
_torch = public("torch")
globals().update({name: _torch[name] for name in FROM_TORCH if name in _torch})
globals().update(public("nn.functional"))

__getattr__ = missing.names_of(__name__)
