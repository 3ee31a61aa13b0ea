"""torch.autograd: backward, grad, Function, grad modes, hooks, graph utilities, gradcheck."""

from chainrule.autograd.walks import backward, grad

__all__ = ["backward", "grad"]
