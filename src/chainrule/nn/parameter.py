"""Parameter and Buffer: the tensors that a Module owns.

A Parameter is a Tensor whose only extra is its class: assigned to a Module it joins ``parameters()``.
A Buffer is a marked plain tensor: assigned to a Module it joins ``buffers()``.
"""

from collections import OrderedDict
from typing import Any

import chainrule
from chainrule import Tensor
from chainrule._tensor.copying import own_attributes
from chainrule._tensor.subclass import disabled

__all__ = ["Buffer", "Parameter"]


class _ParameterType(type(Tensor)):  # type: ignore[misc]
    """Lets a marked tensor of the user's own class pass as a Parameter."""

    def __instancecheck__(cls, instance: object) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class Parameter(Tensor, metaclass=_ParameterType):
    """A tensor that is a module's parameter: ``Parameter(data=None, requires_grad=True)``.

    It shares memory with ``data`` and is always a leaf. ``data`` of a Tensor subclass keeps its class and
    is only marked as a parameter. Without ``data`` the parameter is empty.

    >>> p = nn.Parameter(torch.ones(2))
    >>> p
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Any:
        if data is None:
            data = chainrule.empty(0)
        if type(data) is Tensor or type(data) is Parameter:
            return Tensor._make_subclass(cls, data, requires_grad)
        if not isinstance(data, Tensor):
            raise TypeError(f"Parameter(): argument 'data' must be Tensor, not {type(data).__name__}")
        marked: Any = data.detach().requires_grad_(requires_grad)
        if type(marked) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() "
                f"returns an instance of the same type, but return type {type(marked).__name__} was found "
                "instead. To use the type as a Parameter, please correct the detach() semantics defined by "
                "its __torch_dispatch__() implementation."
            )
        marked._is_param = True
        return marked

    # A tensor in every respect but its class: calls on it need not ask, and results are plain tensors.
    __torch_function__ = disabled

    def __deepcopy__(self, memo: dict) -> "Parameter":
        # The value only: a copied model starts without gradients.
        if id(self) in memo:
            return memo[id(self)]
        data = self.data.clone(memory_format=chainrule.preserve_format)
        memo[id(self)] = copied = type(self)(data, self.requires_grad)
        return copied

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol: Any) -> tuple:
        # Hooks stay behind: they belong to the running program, not to the value.
        attributes = own_attributes(self)
        if attributes:
            return _rebuild_parameter_with_state, (self.data, self.requires_grad, OrderedDict(), attributes)
        return _rebuild_parameter, (self.data, self.requires_grad, OrderedDict())


class _BufferType(type(Tensor)):  # type: ignore[misc]
    """Makes ``isinstance(tensor, Buffer)`` true for tensors that ``Buffer(...)`` marked."""

    def __instancecheck__(cls, instance: object) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferType):
    """A tensor that becomes a module's buffer when it is assigned: ``Buffer(data=None, *, persistent=True)``.

    The result is an ordinary tensor that shares memory with ``data`` and carries a mark. A buffer that is
    not ``persistent`` is left out of ``state_dict()``.

    >>> m = nn.Module()
    >>> m.mean = nn.Buffer(torch.zeros(2))
    >>> [name for name, _ in m.named_buffers()]
    ['mean']
    """

    persistent: bool
    __torch_function__ = disabled

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = chainrule.empty(0)
        marked: Any = data.detach().requires_grad_(data.requires_grad)
        marked.persistent = persistent
        marked._is_buffer = True
        return marked


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: dict) -> Parameter:
    """What a pickled Parameter calls to come back; ``backward_hooks`` is part of the pickled form, unused."""
    return Parameter(data, requires_grad)


def _rebuild_parameter_with_state(
    data: Tensor, requires_grad: bool, backward_hooks: dict, state: dict
) -> Parameter:
    """The same for a Parameter that carried attributes of the user's own."""
    parameter = _rebuild_parameter(data, requires_grad, backward_hooks)
    for name, value in state.items():
        setattr(parameter, name, value)
    return parameter
