"""Variable: the name tensors had when only they could be differentiated. Now every tensor can."""

from chainrule._engine.tensor import Tensor

__all__ = ["Variable"]


class _VariableMeta(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor)


class Variable(metaclass=_VariableMeta):
    """`Variable(tensor)` gives the tensor's data as a tensor of its own, without history."""

    def __new__(cls, data=None, requires_grad=False, volatile=False):
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        return data.detach().requires_grad_(requires_grad)
