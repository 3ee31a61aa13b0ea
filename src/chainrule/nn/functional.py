"""The layers as functions: everything the op table puts into torch.nn.functional, under PyTorch's names."""

from chainrule._tensor.methods import public

globals().update(public("nn.functional"))
_TORCH = public("torch")
globals().update({name: _TORCH[name] for name in ("sigmoid", "tanh") if name in _TORCH})
