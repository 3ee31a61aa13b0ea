"""torch.autograd: backward, grad, Function, grad modes, hooks, graph utilities, gradcheck."""

from chainrule.autograd import grad_mode
from chainrule.autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from chainrule.autograd.walks import backward, grad

__all__ = ["backward", "enable_grad", "grad", "grad_mode", "inference_mode", "no_grad", "set_grad_enabled"]
