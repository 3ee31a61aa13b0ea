"""torch.autograd: backward, grad, Function, grad modes, hooks, graph utilities, gradcheck."""

from chainrule.autograd import function, grad_mode, graph
from chainrule.autograd.function import Function
from chainrule.autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from chainrule.autograd.walks import backward, grad

__all__ = [
    "Function", "backward", "enable_grad", "function", "grad", "grad_mode", "graph", "inference_mode", "no_grad",
    "set_grad_enabled",
]  # fmt: skip
