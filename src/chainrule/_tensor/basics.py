"""What a tensor tells about itself and how it enters and leaves Python: flags, sizes, numbers, lists, arrays."""


from chainrule._core.dtype import bfloat16, of_array
from chainrule._engine import views
from chainrule._engine.native import install
from chainrule._engine.op import wants_grad
from chainrule._engine.tensor import Tensor, get_slots, need_autograd, wrap
from chainrule._kernels.casting import cast

slots = get_slots()


def _get_requires_grad(t):
    return bool(wants_grad(t))


def _set_requires_grad(t, value):
    if t.node is not None and not value:
        raise RuntimeError(
            "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
            "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
        )
    if value and t.meta.dtype.category < 2:
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    t.needs_grad = bool(value)


def _get_grad(t):
    return None if t.autograd is None else t.autograd.grad


def _set_grad(t, value):
    if value is not None:
        if not isinstance(value, Tensor):
            raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
        if value is t:
            raise RuntimeError("can't assign Variable as its own grad")
        if value.meta.dtype is not t.meta.dtype:
            raise RuntimeError(
                f"assigned grad has data of a different type: expected {t.meta.dtype}, got {value.meta.dtype}"
            )
        if value.meta.shape != t.meta.shape:
            raise RuntimeError(
                f"assigned grad has data of a different size: expected {list(t.meta.shape)}, got "
                f"{list(value.meta.shape)}"
            )
    elif t.autograd is None:
        return
    need_autograd(t).grad = value


def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Compute the gradients of this tensor with respect to the graph's leaves and add them into their `.grad`."""
    from chainrule import autograd

    autograd.backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def item(self):
    """The one element as a Python number."""
    if self.array.size != 1:
        raise RuntimeError(f"a Tensor with {self.array.size} elements cannot be converted to Scalar")
    if self.on_meta:
        raise RuntimeError("Tensor.item() cannot be called on meta tensors")
    array = self.array
    if of_array(array) is bfloat16:
        from chainrule._core.dtype import float32

        array = cast(array, float32)
    return array.item()


def _convert(t, kind):
    if t.array.size != 1:
        if kind is bool:
            if t.array.size == 0:
                raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        if kind == "index":
            raise TypeError("only integer tensors of a single element can be converted to an index")
    value = item(t)
    if kind == "index":
        if t.meta.dtype.category > 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(value)
    return kind(value)


def detach(self):
    """The same data without history; memory and version counter are shared."""
    out = wrap(self.array)
    views.share_memory(self, out, with_version=True)
    out.on_meta = self.on_meta
    return out


def numpy(self, *, force=False):
    """The tensor's array itself, sharing memory; refused for tensors in a graph unless `force`."""
    if wants_grad(self) and not force:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    return self.array


def size(self, dim=None):
    """The shape, or one size of it."""
    if dim is None:
        return self.shape
    from chainrule._ops.kinds import normal_dim

    return self.shape[normal_dim(dim, len(self.shape))]


def tolist(self):
    """The elements as (nested lists of) Python numbers."""
    array = self.array
    if of_array(array) is bfloat16:
        from chainrule._core.dtype import float32

        array = cast(array, float32)
    return array.tolist()


def requires_grad_(self, requires_grad=True):
    """Set `requires_grad` in place and return the tensor."""
    _set_requires_grad(self, requires_grad)
    return self


def conj(self):
    """The complex conjugate; real tensors give themselves."""
    return self if self.meta.dtype.category < 3 else slots.conj.call1(self)


def dim(self):
    """The number of dimensions."""
    return len(self.meta.shape)


def numel(self):
    """The number of elements."""
    return self.array.size


def _get_data(t):
    out = wrap(t.array)
    views.share_memory(t, out, with_version=False)
    out.on_meta = t.on_meta
    return out


def _set_data(t, value):
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if t.requires_grad and value.meta.dtype.category < 2:
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    t.array = value.array
    t.meta = value.meta
    t.on_meta = value.on_meta
    need_autograd(t).storage = views.storage_of(value)


install(Tensor, "data", property(_get_data, _set_data, doc="The same memory outside the graph."))
install(Tensor, "requires_grad", property(_get_requires_grad, _set_requires_grad, doc="Whether gradients are wanted."))
install(Tensor, "grad", property(_get_grad, _set_grad, doc="The accumulated gradient of a leaf."))
install(Tensor, "ndim", property(dim))
for _f in (backward, item, detach, numpy, size, tolist, requires_grad_, conj, dim, numel):
    install(Tensor, _f.__name__, _f)
slots.bool = _convert

