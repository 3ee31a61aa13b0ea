"""torch.autograd: backward, grad, Function, grad modes, hooks, graph utilities, gradcheck."""

from chainrule.autograd import anomaly_mode, function, functional, grad_mode, graph, profiler, variable
from chainrule.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from chainrule.autograd.function import Function
from chainrule.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)  # fmt: skip
from chainrule.autograd.gradcheck import gradcheck, gradgradcheck
from chainrule.autograd.variable import Variable
from chainrule.autograd.walks import backward, grad

__all__ = [
    "Function", "Variable", "anomaly_mode", "backward", "detect_anomaly", "enable_grad", "function", "functional",
    "grad", "grad_mode", "gradcheck", "gradgradcheck", "graph", "inference_mode", "no_grad", "profiler",
    "set_detect_anomaly", "set_grad_enabled", "set_multithreading_enabled", "variable",
]  # fmt: skip
