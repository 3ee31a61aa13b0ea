"""What a module holds by name: parameters, buffers and children, each seen as a mapping.

The values are ordinary instance attributes, so that ``self.weight`` in a forward is a plain attribute read.
Beside them the module keeps one dictionary, ``_member_roles``, from name to role, in order of registration.
"""

from collections.abc import Iterator, MutableMapping
from typing import Any

PARAMETER = "parameter"
BUFFER = "buffer"
CHILD = "child module"

# The attribute of a module under which the members of each role are seen.
VIEWS = {PARAMETER: "_parameters", BUFFER: "_buffers", CHILD: "_modules"}


class Members(MutableMapping):
    """``module._parameters`` and its like: a live mapping from name to value for one role, without checks."""

    __slots__ = ("_module", "_role")

    def __init__(self, module: Any, role: str) -> None:
        self._module = module
        self._role = role

    def __getitem__(self, name: str) -> Any:
        if self._module._member_roles.get(name) != self._role:
            raise KeyError(name)
        return self._module.__dict__[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._module._hold(self._role, name, value)

    def __delitem__(self, name: str) -> None:
        self[name]
        del self._module._member_roles[name]
        del self._module.__dict__[name]

    def __contains__(self, name: object) -> bool:
        return self._module._member_roles.get(name) == self._role

    def __iter__(self) -> Iterator[str]:
        return iter(self.copy())

    def __len__(self) -> int:
        return sum(role == self._role for role in self._module._member_roles.values())

    def __repr__(self) -> str:
        return repr(self.copy())

    def copy(self) -> dict[str, Any]:
        fields = self._module.__dict__
        return {name: fields[name] for name, role in self._module._member_roles.items() if role == self._role}

    # Views of the members as they are now, so that the module may change while they are walked.

    def keys(self) -> Any:
        return self.copy().keys()

    def values(self) -> Any:
        return self.copy().values()

    def items(self) -> Any:
        return self.copy().items()

    def __reduce__(self) -> tuple:
        # A copy or a pickle is the mapping at that moment, not another handle on the module.
        return dict, (self.copy(),)
