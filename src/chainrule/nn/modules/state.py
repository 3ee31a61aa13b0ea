"""A module's state as a dictionary, and back.

The functions here walk; what one module contributes or takes is its own ``_save_to_state_dict`` and
``_load_from_state_dict``, which layers override when the layout of their state has changed between versions.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import chainrule
from chainrule import Tensor
from chainrule.nn.parameter import Parameter

EXTRA_STATE = "_extra_state"


class _IncompatibleKeys(NamedTuple):
    """What ``load_state_dict`` returns: keys the module wanted and keys it had no use for."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"

    def __str__(self) -> str:
        return repr(self)


class StateHooks:
    """The hooks around saving and loading one module's state."""

    __slots__ = ("load_post", "load_pre", "save_post", "save_pre")

    def __init__(self) -> None:
        self.save_pre: OrderedDict[int, Callable] = OrderedDict()
        # Each as (hook, whether it must return None).
        self.save_post: OrderedDict[int, tuple[Callable, bool]] = OrderedDict()
        # Each as (hook, whether it takes the module first).
        self.load_pre: OrderedDict[int, tuple[Callable, bool]] = OrderedDict()
        self.load_post: OrderedDict[int, Callable] = OrderedDict()


class Assignment:
    """One ``load_state_dict(assign=True)``: puts loaded tensors in place and keeps shared members shared.

    A tensor that several modules hold is replaced in all of them. When the loaded entries for it differ, the
    last one wins, as it does when values are copied.
    """

    def __init__(self) -> None:
        # id of the replaced tensor -> (that tensor, kept alive so that the id stays its own; its places)
        self._places: dict[int, tuple[Tensor, list[tuple[Any, str]]]] = {}

    def put(self, module: Any, name: str, old: Tensor, new: Tensor) -> None:
        if isinstance(old, Parameter):
            if isinstance(new, Parameter):
                new.requires_grad_(old.requires_grad)
            else:
                new = Parameter(new, requires_grad=old.requires_grad)
        _, places = self._places.setdefault(id(old), (old, []))
        places.append((module, name))
        for holder, its_name in places:
            setattr(holder, its_name, new)


def collect(module: Any, destination: Any, prefix: str, keep_vars: bool) -> Any:
    """Write the state of ``module`` and everything below it into ``destination``."""
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()
    local_metadata = {"version": module._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = local_metadata
    hooks = module._state_hooks
    if hooks is not None:
        for hook in tuple(hooks.save_pre.values()):
            hook(module, prefix, keep_vars)
    module._save_to_state_dict(destination, prefix, keep_vars)
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    if hooks is not None:
        for hook, must_return_none in tuple(hooks.save_post.values()):
            replaced = hook(module, destination, prefix, local_metadata)
            if must_return_none and replaced is not None:
                raise RuntimeError("state_dict post-hook must return None")
            if replaced is not None:
                destination = replaced
    return destination


def load(root: Any, state_dict: Mapping[str, Any], strict: bool, assign: bool) -> _IncompatibleKeys:
    """Read ``state_dict`` into ``root`` and everything below it; errors are gathered and raised together."""
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    missing: list[str] = []
    unexpected: list[str] = []
    errors: list[str] = []
    metadata = getattr(state_dict, "_metadata", None)
    # A copy, since version upgrades may rename entries.
    state: dict[str, Any] = OrderedDict(state_dict)
    if metadata is not None:
        state._metadata = metadata  # type: ignore[attr-defined]
    assignment = Assignment() if assign else None

    def descend(module: Any, state: dict[str, Any], prefix: str) -> None:
        local_metadata = {} if metadata is None else dict(metadata.get(prefix[:-1], {}))
        if assignment is not None:
            local_metadata["assign_to_params_buffers"] = assignment
        module._load_from_state_dict(state, prefix, local_metadata, True, missing, unexpected, errors)
        for name, child in module._modules.items():
            if child is not None:
                below = f"{prefix}{name}."
                descend(child, {key: value for key, value in state.items() if key.startswith(below)}, below)
        if module._state_hooks is not None:
            incompatible = _IncompatibleKeys(missing, unexpected)
            for hook in tuple(module._state_hooks.load_post.values()):
                if hook(module, incompatible) is not None:
                    raise AssertionError(
                        "Hooks registered with ``register_load_state_dict_post_hook`` are not"
                        "expected to return new values, if incompatible_keys need to be modified,"
                        "it should be done inplace."
                    )

    descend(root, state, "")
    if strict:
        for title, keys in (("Unexpected", unexpected), ("Missing", missing)):
            if keys:
                names = ", ".join(f'"{key}"' for key in keys)
                errors.insert(0, f"{title} key(s) in state_dict: {names}. ")
    if errors:
        raise RuntimeError(
            "Error(s) in loading state_dict for {}:\n\t{}".format(type(root).__name__, "\n\t".join(errors))
        )
    return _IncompatibleKeys(missing, unexpected)


def save_members(module: Any, destination: Any, prefix: str, keep_vars: bool) -> None:
    """One module's own entries: parameters, persistent buffers, extra state."""
    for name, value in _persistent_members(module):
        destination[prefix + name] = value if keep_vars else value.detach()
    if _overrides(module, "get_extra_state"):
        destination[prefix + EXTRA_STATE] = module.get_extra_state()


def load_members(
    module: Any,
    state_dict: Mapping[str, Any],
    prefix: str,
    local_metadata: dict,
    strict: bool,
    missing_keys: list[str],
    unexpected_keys: list[str],
    error_msgs: list[str],
) -> None:
    """Take one module's own entries out of ``state_dict``; what does not fit is added to the three lists."""
    if module._state_hooks is not None:
        for hook, takes_module in tuple(module._state_hooks.load_pre.values()):
            given = (module,) if takes_module else ()
            hook(
                *given, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
            )
    assignment = local_metadata.get("assign_to_params_buffers", None)
    if assignment is True:
        assignment = Assignment()
    own = dict(_persistent_members(module))
    for name, member in own.items():
        key = prefix + name
        if key in state_dict:
            error = _take(module, name, member, key, state_dict[key], assignment)
            if error is not None:
                error_msgs.append(error)
        elif strict:
            missing_keys.append(key)
    extra_key = prefix + EXTRA_STATE
    takes_extra = _overrides(module, "set_extra_state")
    if takes_extra and extra_key in state_dict:
        module.set_extra_state(state_dict[extra_key])
    elif takes_extra and strict:
        missing_keys.append(extra_key)
    if strict:
        for key in state_dict:
            if not key.startswith(prefix) or (key == extra_key and takes_extra):
                continue
            first, dot, _ = key[len(prefix) :].partition(".")
            if first not in (module._modules if dot else own):
                unexpected_keys.append(key)


def _take(
    module: Any, name: str, member: Tensor, key: str, value: Any, assignment: Assignment | None
) -> str | None:
    """Load one entry; the message when it does not fit."""
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
            f"checkpoint but received {type(value)}"
        )
    if member.dim() == 0 and value.dim() == 1:
        # Scalars were once saved as tensors of one element.
        value = value[0]
    if member.shape != value.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
            f"the shape in current model is {member.shape}."
        )
    try:
        with chainrule.no_grad():
            if assignment is not None:
                assignment.put(module, name, member, value)
            else:
                member.copy_(value)
    except Exception as error:
        return (
            f'While copying the parameter named "{key}", whose dimensions in the model are {member.size()} '
            f"and whose dimensions in the checkpoint are {value.size()}, an exception occurred : "
            f"{error.args}."
        )
    return None


def _persistent_members(module: Any) -> list[tuple[str, Tensor]]:
    members = list(module._parameters.items())
    passing = module._non_persistent_buffers_set
    members += [(name, buffer) for name, buffer in module._buffers.items() if name not in passing]
    return [(name, value) for name, value in members if value is not None]


def _overrides(module: Any, method: str) -> bool:
    base = chainrule.nn.Module
    return getattr(type(module), method, getattr(base, method)) is not getattr(base, method)
