"""Parametrizations: a parameter computed, at each use, from one or more others.

``register_parametrization(module, "weight", P())`` keeps the unconstrained tensor as
``module.parametrizations.weight.original`` and makes ``module.weight`` a property that gives P of it.
Assigning to ``module.weight`` goes back through ``P.right_inverse``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import chainrule
from chainrule import Tensor
from chainrule.nn.modules.container import ModuleDict, ModuleList
from chainrule.nn.modules.module import Module
from chainrule.nn.parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "type_before_parametrizations",
]

# Above zero inside ``cached()``; then the computed values are kept here, by module and name.
_cached_depth = 0
_cache: dict[tuple[int, str], Tensor] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Inside, each parametrized tensor is computed at first use only."""
    global _cached_depth
    _cached_depth += 1
    try:
        yield
    finally:
        _cached_depth -= 1
        if _cached_depth == 0:
            _cache.clear()


def _wrap(tensor: Tensor, wants_grad: bool) -> Tensor:
    return Parameter(tensor, wants_grad)


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, in order, and the tensor(s) they start from.

    ``original``, or ``original0``, ``original1``, … when ``right_inverse`` gives several.
    """

    original: Tensor

    def __init__(self, modules: Any, original: Tensor, unsafe: bool = False) -> None:
        modules = list(modules)
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        start: Any = original
        with chainrule.no_grad():
            for parametrization in reversed(modules):
                if hasattr(parametrization, "right_inverse"):
                    start = parametrization.right_inverse(start)
        if not isinstance(start, Tensor) and not isinstance(start, (list, tuple)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(start).__name__}"
            )
        self.is_tensor = isinstance(start, Tensor)
        self.ntensors = 1 if self.is_tensor else len(start)
        if self.is_tensor:
            if original.dtype != start.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {original.dtype}\n"
                    f"right_inverse(original).dtype: {start.dtype}"
                )
            with chainrule.no_grad():
                # The same object, so that an optimiser that holds it goes on training it.
                original.data = start.data
            self._keep("original", original)
        else:
            for i, tensor in enumerate(start):
                if not isinstance(tensor, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                        f"Got element {i} of the sequence with type {type(tensor).__name__}."
                    )
                if isinstance(original, Parameter):
                    tensor = _wrap(tensor, original.requires_grad)
                self._keep(f"original{i}", tensor)
        if not unsafe:
            self._check_result(original)

    def _keep(self, name: str, tensor: Tensor) -> None:
        if isinstance(tensor, Parameter):
            self.register_parameter(name, tensor)
        else:
            self.register_buffer(name, tensor)

    def _originals(self) -> list[Tensor]:
        if self.is_tensor:
            return [self.original]
        return [getattr(self, f"original{i}") for i in range(self.ntensors)]

    def _check_result(self, original: Tensor) -> None:
        result = self()
        if not isinstance(result, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(result).__name__}.")
        for attribute in ("dtype", "shape"):
            before, after = getattr(original, attribute), getattr(result, attribute)
            if before != after:
                raise ValueError(
                    f"Registering a parametrization may not change the {attribute} of the tensor, unless "
                    f"`unsafe` flag is enabled.\nunparametrized {attribute}: {before}\n"
                    f"parametrized {attribute}: {after}"
                )

    def right_inverse(self, value: Tensor) -> None:
        """Set the originals so that the parametrized tensor becomes ``value``."""
        with chainrule.no_grad():
            start: Any = value
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                start = module.right_inverse(start)
            if self.is_tensor:
                if not isinstance(start, Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(start).__name__}")
                if start.dtype != self.original.dtype:
                    raise ValueError(
                        "The tensor returned by `right_inverse` has dtype "
                        f"{start.dtype} while `original` has dtype {self.original.dtype}"
                    )
                start = [start]
            elif len(start) != self.ntensors:
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors of length "
                    f"{self.ntensors}. Got a sequence of length {len(start)}."
                )
            for original, tensor in zip(self._originals(), start, strict=True):
                original.data = tensor.data

    def forward(self) -> Tensor:
        first, *rest = list(self)
        value = first(*self._originals())
        for parametrization in rest:
            value = parametrization(value)
        return value


def _make_parametrized_class(module: Module) -> None:
    """Give this one module a class of its own, in which the parametrized names are properties."""
    cls = type(module)

    def refuse_pickle(self: Any) -> None:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
            "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
        )

    def copy_deeply(self: Any, memo: dict) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        # A class of its own too: removing a parametrization from the copy must not touch the original.
        own = type(self)
        fields = {key: value for key, value in vars(own).items() if key not in ("__dict__", "__weakref__")}
        copied: Any = object.__new__(type(own.__name__, own.__bases__, fields))
        memo[id(self)] = copied
        copied.__dict__ = deepcopy(self.__dict__, memo)
        return copied

    module.__class__ = type(
        "Parametrized" + cls.__name__,
        (cls,),
        {"__getstate__": refuse_pickle, "__deepcopy__": copy_deeply, "__module__": cls.__module__},
    )


def _make_property(module: Module, name: str) -> None:
    def get(self: Any) -> Tensor:
        parametrization = self.parametrizations[name]
        if _cached_depth == 0:
            return parametrization()
        key = (id(self), name)
        if key not in _cache:
            _cache[key] = parametrization()
        return _cache[key]

    def put(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, put))


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Make the parameter or buffer ``tensor_name`` of ``module`` a function of another tensor.

    ``parametrization.forward`` computes it; ``parametrization.right_inverse``, if there is one, finds the
    start. Several on one tensor are applied in order of registration; only the first one's ``right_inverse``
    moves the start, a later one changes the value. Shape and dtype may change only if ``unsafe``.

    >>> class Symmetric(nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).transpose(-1, -2)
    >>> m = nn.utils.parametrize.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
    >>> torch.equal(m.weight, m.weight.T)
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        parametrizations = module.parametrizations[tensor_name]  # type: ignore[index]
        if not unsafe:
            _check_another(getattr(module, tensor_name), parametrization)
        parametrizations.append(parametrization)
        parametrizations.unsafe = parametrizations.unsafe or unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        parametrizations = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _make_parametrized_class(module)
            module.parametrizations = ModuleDict()
        _make_property(module, tensor_name)
        module.parametrizations[tensor_name] = parametrizations  # type: ignore[index, operator]
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with "
            f"name '{tensor_name}'"
        )
    return module


def _check_another(current: Tensor, parametrization: Module) -> None:
    """A parametrization added to others must keep shape and dtype, both ways."""
    with chainrule.no_grad():
        result = parametrization(current)
        if result.dtype != current.dtype or result.shape != current.shape:
            raise ValueError(
                "Registering a parametrization may not change the dtype or shape of the tensor, unless the "
                f"`unsafe` flag is enabled.\nbefore: {current.dtype}, {current.shape}\n"
                f"after: {result.dtype}, {result.shape}"
            )
        if hasattr(parametrization, "right_inverse"):
            start = parametrization.right_inverse(current)
            if not isinstance(start, Tensor) or start.dtype != current.dtype or start.shape != current.shape:
                raise ValueError(
                    "parametrization.right_inverse must return one tensor of the same dtype and shape when "
                    "it is added to other parametrizations"
                )


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether ``module`` (or its ``tensor_name``) is parametrized."""
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Make ``tensor_name`` an ordinary parameter again: of its current value, or of the original's."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]  # type: ignore[index]
    if parametrizations.is_tensor:
        original = parametrizations.original
        if leave_parametrized:
            with chainrule.no_grad():
                value = getattr(module, tensor_name)
                original.data = value.data
    elif leave_parametrized:
        with chainrule.no_grad():
            value = getattr(module, tensor_name)
        wants_grad = any(tensor.requires_grad for tensor in parametrizations._originals())
        original = Parameter(value.detach(), wants_grad) if wants_grad else value.detach()
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms "
            "of a sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]  # type: ignore[union-attr]
    if isinstance(original, Parameter):
        module.register_parameter(tensor_name, original)
    else:
        module.register_buffer(tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The module's class as it was before parametrizations gave it another."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)
