"""A tensor's part in the graph: whether it wants a gradient, the gradient, and the ways out of the graph."""

from chainrule._engine import views
from chainrule._engine.native import install
from chainrule._engine.op import wants_grad
from chainrule._engine.tensor import Tensor, get_slots, need_autograd, wrap
from chainrule._tensor.subclass import as_subclass_of, ask, asks

slots = get_slots()


def _set_requires_grad(t, value):
    if not isinstance(value, bool):
        raise RuntimeError("requires_grad must be a bool")
    if t.node is not None and not value:
        raise RuntimeError(
            "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
            "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
        )
    if value and t.meta.dtype.category < 2:
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    t.needs_grad = value


def _get_grad(t):
    return None if t.autograd is None else t.autograd.grad


def _set_grad(t, value):
    if value is None:
        if t.autograd is not None:
            t.autograd.grad = None
        return
    if not isinstance(value, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is t:
        raise RuntimeError("can't assign Variable as its own grad")
    if value.meta.dtype is not t.meta.dtype:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{value.meta.dtype.name}' to a tensor with dtype "
            f"'{t.meta.dtype.name}'. The gradient must match the tensor's dtype"
        )
    if value.meta.shape != t.meta.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(value.meta.shape)}' to a tensor of size "
            f"'{list(t.meta.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )
    need_autograd(t).grad = value


def _get_data(t):
    out = wrap(t.array)
    views.share_memory(t, out, with_version=False)
    out.on_meta = t.on_meta
    return as_subclass_of(type(t), out) if asks(t) else out


def _set_data(t, value):
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if wants_grad(t) and value.meta.dtype.category < 2:
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    storage = views.storage_of(value)
    accumulator = None if t.autograd is None or t.autograd.accumulator is None else t.autograd.accumulator()
    t.array = value.array
    t.meta = value.meta
    t.on_meta = value.on_meta
    need_autograd(t).storage = storage
    if accumulator is not None and accumulator.meta is not t.meta:
        accumulator.meta = t.meta


def requires_grad_(self, requires_grad=True):
    """Set `requires_grad` in place and return the tensor."""
    _set_requires_grad(self, requires_grad)
    return self


def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Compute the gradients of this tensor with respect to the graph's leaves and add them into their `.grad`."""
    from chainrule import autograd

    autograd.backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def detach(self):
    """The same data without history; memory and version counter are shared."""
    if asks(self):
        return ask(detach, self)
    out = wrap(self.array)
    views.share_memory(self, out, with_version=True)
    out.on_meta = self.on_meta
    return out


def detach_(self):
    """Take the tensor out of its graph, in place: it becomes a leaf that wants no gradient."""
    if self.autograd is not None and self.autograd.base is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
            "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
            "detach_() cannot be called on these gradients. To fix this error, please refer to the "
            "Optimizer.zero_grad() function in torch/optim/optimizer.py as a solution."
        )
    self.node = None
    self.output_number = 0
    self.needs_grad = False
    return self


def _retains_grad(t):
    return t.autograd is not None and bool(t.autograd.retains_grad)


install(
    Tensor,
    "requires_grad",
    property(lambda t: bool(wants_grad(t)), _set_requires_grad, doc="Whether gradients are wanted."),
)
install(Tensor, "grad", property(_get_grad, _set_grad, lambda t: _set_grad(t, None), doc="The gradient of a leaf."))
install(Tensor, "data", property(_get_data, _set_data, doc="The same memory outside the graph."))
install(Tensor, "retains_grad", property(_retains_grad, doc="Whether this non-leaf keeps its gradient."))
for _f in (requires_grad_, backward, detach, detach_):
    install(Tensor, _f.__name__, _f)
