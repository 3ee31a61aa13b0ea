"""Optimizer, the base of every optimizer: parameter groups, per-parameter state, hooks, state dicts.

How an update is computed is not here: `dense.py` walks the groups, and one file per method has the formula.
"""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

import chainrule
from chainrule.utils.hooks import RemovableHandle

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]


class _Required:
    """The default of an option that every group must state itself."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()

_every_pre_hook: OrderedDict[int, Callable[..., Any]] = OrderedDict()
_every_post_hook: OrderedDict[int, Callable[..., Any]] = OrderedDict()


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` before the step of every optimizer; returns a handle."""
    return _register(_every_pre_hook, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after the step of every optimizer; returns a handle."""
    return _register(_every_post_hook, hook)


def _register(
    hooks: OrderedDict[int, Callable[..., Any]], hook: Callable[..., Any], prepend: bool = False
) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def _with_step_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """`step` with the hooks around it; it also notes that a step was made, which the schedulers ask for."""

    @functools.wraps(step)
    def hooked_step(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        self._opt_called = True
        pre, post = self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks
        if not (pre or post or _every_pre_hook or _every_post_hook) or type(self).step is not hooked_step:
            # Nothing to call, or an overriding step that reached us through super() has called it.
            return step(self, *args, **kwargs)
        for hook in chain(list(_every_pre_hook.values()), list(pre.values())):
            changed = hook(self, (self, *args), kwargs)
            if changed is None:
                continue
            if not (isinstance(changed, tuple) and len(changed) == 2):
                raise RuntimeError(
                    f"{step} must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                )
            (_, *args), kwargs = changed
        result = step(self, *args, **kwargs)
        for hook in chain(list(post.values()), list(_every_post_hook.values())):
            hook(self, (self, *args), kwargs)
        return result

    hooked_step.hooked = True  # type: ignore[attr-defined]
    return hooked_step


class Optimizer:
    """Base class of optimizers.

    `params` is an iterable of tensors, of (name, tensor) pairs, or of dicts with "params" and the options of
    that group; `defaults` holds the options of groups that do not state them. A subclass defines `step`.
    """

    defaults: dict[str, Any]
    state: defaultdict[Any, Any]
    param_groups: list[dict[str, Any]]

    # For schedules: whether one watches, and whether a step was made since it does.
    _watched: bool
    _opt_called: bool

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        step = cls.__dict__.get("step")
        if callable(step) and not hasattr(step, "hooked"):
            cls.step = _with_step_hooks(step)  # type: ignore[method-assign]

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if isinstance(params, chainrule.Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + _typename(params)
            )
        self.defaults = defaults
        self._make_hook_tables()
        self.state = defaultdict(dict)
        self.param_groups = []

        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _make_hook_tables(self) -> None:
        self._optimizer_step_pre_hooks: OrderedDict[int, Any] = OrderedDict()
        self._optimizer_step_post_hooks: OrderedDict[int, Any] = OrderedDict()
        self._optimizer_state_dict_pre_hooks: OrderedDict[int, Any] = OrderedDict()
        self._optimizer_state_dict_post_hooks: OrderedDict[int, Any] = OrderedDict()
        self._optimizer_load_state_dict_pre_hooks: OrderedDict[int, Any] = OrderedDict()
        self._optimizer_load_state_dict_post_hooks: OrderedDict[int, Any] = OrderedDict()

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_optimizer_step_pre_hooks" not in self.__dict__:
            self._make_hook_tables()

    def __repr__(self) -> str:
        lines = [type(self).__name__ + " ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines.extend(f"    {key}: {group[key]}" for key in sorted(group) if key != "params")
        return "\n".join(lines) + "\n)"

    # Groups

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group: a dict with "params" and options of its own; the rest come from the defaults.

        Raises TypeError or ValueError when the parameters are not leaf tensors in an ordered collection,
        when one is in two groups, or when only some are named. A refused group leaves the optimizer as it
        was.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params, names = _split_names(param_group["params"])
        for param in params:
            self._check_param(param)
        missing = [n for n, value in self.defaults.items() if value is required and n not in param_group]
        if missing:
            raise ValueError(
                f"parameter group didn't specify a value of required optimization parameter {missing[0]}"
            )
        if len(params) != len(set(params)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will "
                "cause an error",
                stacklevel=3,
            )
        named = names is not None or "param_names" in param_group
        if any(("param_names" in group) != named for group in self.param_groups):
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                + ("with names" if named else "without names")
                + " to the optimizer"
            )
        taken = set(chain.from_iterable(group["params"] for group in self.param_groups))
        if not taken.isdisjoint(params):
            raise ValueError("some parameters appear in more than one parameter group")

        param_group["params"] = params
        if names is not None:
            param_group["param_names"] = names
        for name, value in self.defaults.items():
            param_group.setdefault(name, value)
        self.param_groups.append(param_group)

    def _check_param(self, param: Any) -> None:
        if not isinstance(param, chainrule.Tensor):
            raise TypeError(
                "optimizer can only optimize Tensors, but one of the params is " + _typename(param)
            )
        if not self.defaults.get("differentiable") and not (param.is_leaf or param.retains_grad):
            raise ValueError("can't optimize a non-leaf Tensor")

    # The step

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or with `set_to_none=False` fill them with zeros."""
        for group in self.param_groups:
            for param in group["params"]:
                grad = param.grad
                if grad is None:
                    continue
                if set_to_none:
                    param.grad = None
                    continue
                if grad.grad_fn is not None:
                    grad.detach_()
                else:
                    grad.requires_grad_(False)
                grad.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters once; `closure` computes the loss anew and returns it."""
        raise NotImplementedError

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step; it may return new `(args, kwargs)`."""
        return _register(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return _register(self._optimizer_step_post_hooks, hook)

    # State dicts

    def register_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer)` before a state dict is made."""
        return _register(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` on a new state dict; it may return another to hand out."""
        return _register(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` on a shallow copy before loading; it may return another."""
        return _register(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer)` after a state dict was loaded."""
        return _register(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    def state_dict(self) -> dict[str, Any]:
        """Plain data: `{"state": {number: {...}}, "param_groups": [{..., "params": [number]}]}`.

        Parameters are numbered in the order of the groups. The tensors are the live ones, not copies.
        """
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[int, int] = {}
        packed_groups = []
        start = 0
        for group in self.param_groups:
            for i, param in enumerate(group["params"], start):
                numbers.setdefault(id(param), i)
            start += len(group["params"])
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [numbers[id(param)] for param in group["params"]]
            packed_groups.append(packed)
        packed_state = {
            numbers[id(key)] if isinstance(key, chainrule.Tensor) else key: value
            for key, value in self.state.items()
        }
        state_dict = {"state": packed_state, "param_groups": packed_groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            replacement = hook(self, state_dict)
            if replacement is not None:
                state_dict = replacement
        return state_dict

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over options and state from another optimizer's `state_dict()`.

        Everything is copied, so that two live optimizers never share a buffer (PyTorch 2.13 shares them).
        Floating state takes the dtype of its parameter, except "step". Parameters are matched by position.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            replacement = hook(self, state_dict)
            if replacement is not None:
                state_dict = replacement

        new_groups = deepcopy(state_dict["param_groups"])
        if len(self.param_groups) != len(new_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        owner: dict[Any, Any] = {}
        for group, new_group in zip(self.param_groups, new_groups, strict=True):
            if len(group["params"]) != len(new_group["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of "
                    "optimizer's group"
                )
            owner.update(
                (number, (param, new_group))
                for number, param in zip(new_group["params"], group["params"], strict=True)
            )
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in owner:
                param, group = owner[key]
                state[param] = _copied_for(param, group, value)
            else:
                state[key] = deepcopy(value)
        for group, new_group in zip(self.param_groups, new_groups, strict=True):
            new_group["params"] = group["params"]
            if "param_names" in group:
                new_group.setdefault("param_names", group["param_names"])
        self.__setstate__({"state": state, "param_groups": new_groups})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)


def _split_names(params: Any) -> tuple[list[Any], list[str] | None]:
    """The tensors of a group as a list, and their names when they came as (name, tensor) pairs."""
    if isinstance(params, chainrule.Tensor):
        return [params], None
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of "
            "tensors in sets will change between runs. Please use a list instead."
        )
    entries = list(params)
    names = [entry[0] for entry in entries if isinstance(entry, tuple)]
    if names and len(names) != len(entries):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    return [entry[1] if isinstance(entry, tuple) else entry for entry in entries], names or None


def _copied_for(param: Any, group: dict[str, Any], value: Any, key: Any = None) -> Any:
    """A deep copy of a piece of loaded state, its tensors brought to the dtype and device of `param`."""
    if isinstance(value, chainrule.Tensor):
        if key == "step":
            pinned = group.get("capturable") or group.get("fused")
            moved = value.to(dtype=chainrule.float32, device=param.device) if pinned else value
        elif param.is_floating_point():
            moved = value.to(dtype=param.dtype, device=param.device)
        else:
            moved = value.to(device=param.device)
        return moved.clone() if moved is value else moved
    if isinstance(value, dict):
        return {k: _copied_for(param, group, v, k) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_copied_for(param, group, v) for v in value)
    return deepcopy(value)


def _typename(value: Any) -> str:
    if isinstance(value, chainrule.Tensor):
        return str(value.type())
    cls = type(value)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
