"""Questions about objects: is it a tensor, a storage, and which dtype would two operands have together."""

from chainrule._engine.tensor import Tensor
from chainrule._ops import kinds as families
from chainrule._tensor.storage import is_storage

__all__ = ["is_storage", "is_tensor", "result_type", "typename"]


def is_tensor(obj, /):
    """Whether the object is a tensor."""
    return isinstance(obj, Tensor)


def result_type(tensor1, tensor2):
    """The dtype that an operation of the two (tensors or numbers) would have."""
    for value in (tensor1, tensor2):
        if not isinstance(value, Tensor) and not families.is_number(value):
            raise TypeError(f"result_type(): arguments must be tensors or numbers, not {type(value).__name__}")
    return families.result_type((tensor1, tensor2))


def typename(obj, /):
    """The name of an object's class with its module; a tensor's legacy type."""
    if isinstance(obj, Tensor):
        return obj.type()
    cls = obj if isinstance(obj, type) else type(obj)
    module = cls.__module__
    if module in (None, "builtins"):
        return cls.__qualname__
    return f"{module.replace('chainrule', 'torch', 1)}.{cls.__qualname__}"
