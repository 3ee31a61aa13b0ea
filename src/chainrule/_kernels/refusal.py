"""The error for element types that a kernel does not take, in PyTorch's words."""

from chainrule._core.dtype import of_array


def refuse(name, array, kinds):
    """NotImplementedError unless the array's NumPy kind is among `kinds` ("biufc")."""
    if array.dtype.kind not in kinds:
        kind = of_array(array).tensor_type.removesuffix("Tensor")
        raise NotImplementedError(f'"{name}" not implemented for {kind!r}')
