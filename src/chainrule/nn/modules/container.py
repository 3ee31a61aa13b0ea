"""Containers: modules that hold other modules, or parameters, in a sequence or by name."""

import operator
from collections import OrderedDict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any

from chainrule import Tensor
from chainrule.nn.modules.members import CHILD
from chainrule.nn.modules.module import Module, _addindent
from chainrule.nn.parameter import Parameter

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


def _position(index: Any, length: int) -> int:
    """A possibly negative index as one from the start."""
    index = operator.index(index)
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of range")
    return index % length


class _Numbered(Module):
    """What Sequential and ModuleList share: children named "0", "1", … in order."""

    def _children(self) -> list[Any]:
        return list(self._modules.values())

    def _renumber(self, modules: Iterable[Any]) -> None:
        self._modules = {str(i): module for i, module in enumerate(modules)}

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._children())

    def __delitem__(self, idx: Any) -> None:
        modules = self._children()
        if not isinstance(idx, slice):
            idx = _position(idx, len(modules))
        del modules[idx]
        self._renumber(modules)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, module: Module) -> Any:
        """Add ``module`` at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: Any) -> Module:
        """Remove the module at ``key`` and return it."""
        module = self[key]
        del self[key]
        return module

    def __getitem__(self, idx: Any) -> Any:
        raise NotImplementedError


class Sequential(_Numbered):
    """Modules called one after the other: y = fₙ(… f₂(f₁(x))).

    Arguments: the modules in order, or one OrderedDict that also names them.

    >>> m = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
    >>> m
    Sequential(
      (0): Linear(in_features=4, out_features=3, bias=True)
      (1): ReLU()
    )
    >>> m(torch.zeros(2, 4)).shape
    torch.Size([2, 3])
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for i, module in enumerate(args):
                self.add_module(str(i), module)

    def forward(self, input: Any) -> Any:
        fields = self.__dict__
        for name, role in self._member_roles.items():
            if role == CHILD:
                input = fields[name](input)
        return input

    def _name_at(self, idx: Any) -> str:
        names = list(self._modules)
        return names[_position(idx, len(names))]

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return self.__class__(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._name_at(idx)]

    def __setitem__(self, idx: Any, module: Module) -> None:
        setattr(self, self._name_at(idx), module)

    def insert(self, index: int, module: Module) -> "Sequential":
        """Put ``module`` before position ``index``."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        n = len(self)
        if not -n <= index <= n:
            raise IndexError(f"Index out of range: {index}")
        modules = self._children()
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def extend(self, sequential: Iterable[Module]) -> "Sequential":
        """Add all of ``sequential`` at the end."""
        for module in list(sequential):
            self.append(module)
        return self

    def __add__(self, other: "Sequential") -> "Sequential":
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        return Sequential(*self, *other)

    def __iadd__(self, other: "Sequential") -> "Sequential":
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        return self.extend(other)

    def __mul__(self, other: int) -> "Sequential":
        _check_times(other)
        return Sequential(*(self._children() * other))

    def __rmul__(self, other: int) -> "Sequential":
        return self * other

    def __imul__(self, other: int) -> "Sequential":
        _check_times(other)
        return self.extend(self._children() * (other - 1))


def _check_times(times: Any) -> None:
    if not isinstance(times, int):
        raise TypeError(f"unsupported operand type(s) for *: {type(Sequential())} and {type(times)}")
    if times <= 0:
        raise ValueError(f"Non-positive multiplication factor {times} for {Sequential}")


class ModuleList(_Numbered):
    """A list of modules that are all registered; it has no forward of its own.

    Argument: an iterable of modules.

    >>> layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
    >>> len(layers), len(list(layers.parameters()))
    (3, 6)
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, idx: Any) -> Any:
        modules = self._children()
        if isinstance(idx, slice):
            return self.__class__(modules[idx])
        return modules[_position(idx, len(modules))]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, str(_position(idx, len(self))), module)

    def insert(self, index: int, module: Module) -> None:
        """Put ``module`` before position ``index``."""
        modules = self._children()
        modules.insert(index, module)
        self._renumber(modules)

    def extend(self, modules: Iterable[Module]) -> "ModuleList":
        """Add all of ``modules`` at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}"
            )
        for module in list(modules):
            self.append(module)
        return self

    def __add__(self, other: Iterable[Module]) -> "ModuleList":
        return ModuleList([*self, *list(other)])

    def __iadd__(self, modules: Iterable[Module]) -> "ModuleList":
        return self.extend(modules)

    def __repr__(self) -> str:
        """Neighbours that print alike share a line: ``(0-2): 3 x Linear(…)``."""
        groups: list[list[Any]] = []
        for i, module in enumerate(self):
            text = repr(module)
            if groups and groups[-1][2] == text:
                groups[-1][1] = i
            else:
                groups.append([i, i, text])
        if not groups:
            return self._get_name() + "()"
        lines = [
            _addindent(
                f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}", 2
            )
            for first, last, text in groups
        ]
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """Modules by name, all registered, in order of insertion.

    Argument: a mapping from names to modules, or an iterable of pairs.

    >>> heads = nn.ModuleDict({"small": nn.Linear(2, 1), "large": nn.Linear(2, 9)})
    >>> heads["large"](torch.zeros(2)).shape
    torch.Size([9])
    """

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove everything."""
        self._modules = {}

    def pop(self, key: str) -> Module:
        """Remove ``key`` and return its module."""
        module = self[key]
        del self[key]
        return module

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def items(self) -> Any:
        """The pairs of name and module."""
        return self._modules.items()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add or replace from a mapping or an iterable of pairs."""
        for key, module in _pairs(modules, "ModuleDict.update"):
            self[key] = module


def _pairs(source: Any, caller: str) -> list[tuple[str, Any]]:
    """The key/value pairs of a mapping or of an iterable of pairs."""
    if isinstance(source, (Mapping, ModuleDict, ParameterDict)):
        return list(source.items())
    if not isinstance(source, Container):
        raise TypeError(
            f"{caller} should be called with an iterable of key/value pairs, but got {type(source).__name__}"
        )
    kind = caller.partition(".")[0]
    pairs = []
    for i, pair in enumerate(source):  # type: ignore[var-annotated, arg-type]
        if not isinstance(pair, Iterable):
            raise TypeError(
                f"{kind} update sequence element #{i} should be Iterable; is{type(pair).__name__}"
            )
        pair = tuple(pair)
        if len(pair) != 2:
            raise ValueError(f"{kind} update sequence element #{i} has length {len(pair)}; 2 is required")
        pairs.append(pair)
    return pairs


def _as_parameter(value: Any) -> Any:
    """Tensors become parameters; anything else is kept as it is."""
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        return Parameter(value)
    return value


def _describe(name: Any, value: Any, type_text: Callable[[Tensor], str]) -> str:
    if isinstance(value, Tensor):
        kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
        size = "x".join(str(n) for n in value.size())
        place = "" if value.device.type == "cpu" else f" ({value.device})"
        return f"  ({name}): {kind} containing: [{type_text(value)} of size {size}{place}]"
    return f"  ({name}): Object of type: {type(value).__name__}"


class ParameterList(Module):
    """A list of parameters that are all registered; tensors put in become parameters.

    Argument: an iterable of tensors (other values are kept, but are not parameters).

    >>> p = nn.ParameterList([torch.zeros(2), torch.ones(3)])
    >>> [len(v) for v in p]
    [2, 3]
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return self.__class__(list(self)[idx])
        return getattr(self, str(_position(idx, len(self))))

    def __setitem__(self, idx: int, param: Any) -> None:
        setattr(self, str(_position(idx, len(self))), _as_parameter(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([getattr(self, str(i)) for i in range(self._size)])

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, value: Any) -> "ParameterList":
        """Add ``value`` at the end."""
        setattr(self, str(self._size), _as_parameter(value))
        self._size += 1
        return self

    def extend(self, values: Iterable[Any]) -> "ParameterList":
        """Add all of ``values`` at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}"
            )
        for value in list(values):
            self.append(value)
        return self

    def pop(self, idx: Any) -> Any:
        """Remove the last value and return it."""
        value = self[idx]
        del self[idx]
        return value

    def __delitem__(self, idx: Any) -> None:
        values = list(self)
        if not isinstance(idx, slice):
            idx = _position(idx, len(values))
        del values[idx]
        for i in range(self._size):
            delattr(self, str(i))
        self._size = 0
        self.extend(values)

    def __iadd__(self, values: Iterable[Any]) -> "ParameterList":
        return self.extend(values)

    def extra_repr(self) -> str:
        return "\n".join(_describe(i, value, lambda t: str(t.dtype)) for i, value in enumerate(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """Parameters by name, all registered, in order of insertion; tensors put in become parameters.

    Argument: a mapping from names to tensors, or an iterable of pairs. A plain ``dict`` is taken in the order
    of its sorted names, as in PyTorch.

    >>> p = nn.ParameterDict({"scale": torch.ones(2)})
    >>> p["scale"].requires_grad, "shift" in p
    (True, False)
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    @staticmethod
    def _check(key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is "
                f"not a string (type is '{type(key).__name__}'). Open an issue on "
                "github if you need non-string keys."
            )
        return key

    def __getitem__(self, key: str) -> Any:
        if key not in self._keys:
            # PyTorch looks the key up as an attribute, and so does code that catches the error.
            raise AttributeError(f"'{self._get_name()}' object has no attribute '{key}'")
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._check(key)
        if key not in self._keys and hasattr(self, key):
            raise KeyError(f"attribute '{key}' already exists")
        self._keys[key] = None
        setattr(self, key, _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def copy(self) -> "ParameterDict":
        """Another dictionary with the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of ``key``, put there first if it is missing."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Remove everything."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Remove ``key`` and return its value."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Remove the last pair and return it."""
        key, _ = self._keys.popitem()
        self._keys[key] = None
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of ``key``, or ``default``."""
        return self[key] if key in self._keys else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> "ParameterDict":
        """A new dictionary that gives every key the same value."""
        return ParameterDict(OrderedDict.fromkeys(keys, default))

    def keys(self) -> Any:
        """The names."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """The pairs of name and value."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        """The values."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add or replace from a mapping (a plain ``dict`` in order of its names) or an iterable of pairs."""
        pairs = _pairs(parameters, "ParameterDict.update")
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            pairs.sort(key=lambda pair: pair[0])
        for key, value in pairs:
            self[key] = value

    def extra_repr(self) -> str:
        return "\n".join(_describe(key, value, lambda t: t.type()) for key, value in self.items())

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: "ParameterDict") -> "ParameterDict":
        joined = self.copy()
        joined.update(other)
        return joined

    def __ror__(self, other: "ParameterDict") -> "ParameterDict":
        joined = other.copy()
        joined.update(self)
        return joined

    def __ior__(self, other: "ParameterDict") -> "ParameterDict":
        self.update(other)
        return self
