"""Module: what every layer and every network is.

Here: the attribute protocol, walking the tree, conversion, modes. The hooks around a call are in hooks.py,
saving and loading in state.py, the mapping view of a module's members in members.py.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import chainrule
from chainrule import Tensor
from chainrule.nn.modules.hooks import (
    CallHooks,
    buffer_registration_hooks,
    call_with_hooks,
    every_live,
    module_registration_hooks,
    parameter_registration_hooks,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
    run_registration_hooks,
)
from chainrule.nn.modules.members import BUFFER, CHILD, PARAMETER, VIEWS, Members
from chainrule.nn.modules.state import (
    EXTRA_STATE,
    StateHooks,
    _IncompatibleKeys,
    collect,
    load,
    load_members,
    save_members,
)
from chainrule.nn.parameter import Buffer, Parameter
from chainrule.utils.hooks import RemovableHandle

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

_EXTRA_STATE_KEY_SUFFIX = EXTRA_STATE

T = TypeVar("T", bound="Module")


def _addindent(text: str, spaces: int) -> str:
    """``text`` with every line but the first moved right."""
    return text.replace("\n", "\n" + " " * spaces)


def _type_name(value: object) -> str:
    if isinstance(value, Tensor):
        return value.type()
    cls = value if isinstance(value, type) else type(value)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


def _members_property(role: str) -> property:
    def see(self: "Module") -> Members:
        return Members(self, role)

    def replace(self: "Module", members: Mapping[str, Any]) -> None:
        kept = dict(members)
        roles = {name: kind for name, kind in self._member_roles.items() if kind != role}
        for name in self._member_roles.keys() - roles.keys():
            del self.__dict__[name]
        self.__dict__["_member_roles"] = roles
        for name, value in kept.items():
            self._hold(role, name, value)

    return property(see, replace, doc=f"Each {role} of this module alone, by name.")


def _hooks_property(table: str) -> property:
    def see(self: "Module") -> Any:
        return getattr(self._own_call_hooks(), table)

    def replace(self: "Module", hooks: Mapping[int, Callable]) -> None:
        own = see(self)
        kept = list(hooks.items())
        own.clear()
        own.update(kept)

    return property(
        see, replace, doc=f"This module's {table.replace('_', '-')} hooks by id, in calling order."
    )


class Module:
    """The base of layers and networks: it owns parameters, buffers and children, and computes ``forward``.

    Assign them as attributes in ``__init__``, after ``super().__init__()``; a tensor that is neither
    Parameter nor Buffer, and any other value, is a plain attribute. Call the module, not its ``forward``: the
    call runs the hooks.

    >>> class Double(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = nn.Parameter(torch.tensor(2.0))
    ...
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> Double()(torch.ones(2))
    tensor([2., 2.], grad_fn=<MulBackward0>)

    ``training`` says whether the module is in training mode (dropout, batch normalisation).
    """

    _version: int = 1
    training: bool
    # A class that inherits from others besides Module may set this to pass arguments on to them.
    call_super_init: bool = False
    # None until the first hook of the kind is registered: most modules never have one.
    _call_hooks: CallHooks | None = None
    _state_hooks: StateHooks | None = None
    _member_roles: dict[str, str]
    _non_persistent_buffers_set: set[str]

    _parameters = _members_property(PARAMETER)
    _buffers = _members_property(BUFFER)
    _modules = _members_property(CHILD)

    _forward_pre_hooks = _hooks_property("forward_pre")
    _forward_hooks = _hooks_property("forward")
    _backward_pre_hooks = _hooks_property("backward_pre")
    _backward_hooks = _hooks_property("backward")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            if kwargs:
                raise TypeError(
                    f"{type(self).__name__}.__init__() got an unexpected keyword argument "
                    f"'{next(iter(kwargs))}'"
                )
            if args:
                raise TypeError(
                    f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} "
                    "were given"
                )
        fields = self.__dict__
        fields["training"] = True
        fields["_member_roles"] = {}
        fields["_non_persistent_buffers_set"] = set()
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def forward(self, *input: Any) -> Any:
        """What the module computes; every subclass defines it."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._call_hooks is None and not every_live:
            return self.forward(*args, **kwargs)
        return call_with_hooks(self, args, kwargs)

    def __setattr__(self, name: str, value: Any) -> None:
        roles = self.__dict__.get("_member_roles")
        if roles is None or name in roles or isinstance(value, (Tensor, Module)):
            self._assign(name, value)
        else:
            object.__setattr__(self, name, value)

    def _assign(self, name: str, value: Any) -> None:
        """Assignment that may concern a member."""
        roles = self.__dict__.get("_member_roles")
        role = None if roles is None else roles.get(name)
        if isinstance(value, Parameter):
            if roles is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            if role != PARAMETER:
                self._forget(name)
            self.register_parameter(name, value)
        elif role == PARAMETER:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_type_name(value)}' as parameter '{name}' "
                    "(torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, None)
        elif isinstance(value, Module):
            if roles is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            if role != CHILD:
                self._forget(name)
            self._hold(CHILD, name, run_registration_hooks(module_registration_hooks, self, name, value))
        elif role == CHILD:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_type_name(value)}' as child module '{name}' "
                    "(torch.nn.Module or None expected)"
                )
            self._hold(CHILD, name, run_registration_hooks(module_registration_hooks, self, name, None))
        elif isinstance(value, Buffer):
            if roles is None:
                raise AttributeError("cannot assign buffer before Module.__init__() call")
            if role != BUFFER:
                self._forget(name)
            self.register_buffer(name, value, value.persistent)
        elif role == BUFFER:
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign '{_type_name(value)}' as buffer '{name}' "
                    "(torch.nn.Buffer, torch.Tensor or None expected)"
                )
            self._hold(BUFFER, name, run_registration_hooks(buffer_registration_hooks, self, name, value))
        else:
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        # Reached only when the attribute is missing; it exists because wrappers call super().__getattr__.
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        if name in self.__dict__.get("_member_roles", ()):
            self._forget(name)
        else:
            super().__delattr__(name)

    def __dir__(self) -> list[str]:
        # The children of a Sequential are numbered; those names are no use after a dot.
        return sorted(name for name in super().__dir__() if not name[0].isdigit())

    def __setstate__(self, state: dict[str, Any]) -> None:
        fields = self.__dict__
        fields.update(state)
        # Own ones, since a shallow copy arrives here with the original's.
        fields["_member_roles"] = dict(fields.get("_member_roles", {}))
        fields["_non_persistent_buffers_set"] = set(fields.get("_non_persistent_buffers_set", ()))
        # A module pickled by PyTorch keeps its members in three dictionaries of those names.
        for role, view in VIEWS.items():
            for name, value in (fields.pop(view, None) or {}).items():
                self._hold(role, name, value)

    def _hold(self, role: str, name: str, value: Any) -> None:
        """Make ``value`` the member ``name``, unchecked."""
        self._member_roles[name] = role
        self.__dict__[name] = value

    def _forget(self, name: str) -> None:
        """Drop the attribute or member ``name`` if there is one."""
        self.__dict__.pop(name, None)
        self._member_roles.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def _check_new_name(self, name: str, role: str, kind: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {_type_name(name)}")
        if role != CHILD and "." in name:
            raise KeyError(f'{kind} name can\'t contain "."')
        if role != CHILD and name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and self._member_roles.get(name) != role:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add the parameter ``name``; None keeps the name for a parameter that this module does without."""
        if "_member_roles" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_new_name(name, PARAMETER, "parameter")
        if param is not None:
            if not isinstance(param, Parameter):
                raise TypeError(
                    f"cannot assign '{_type_name(param)}' object to parameter '{name}' "
                    "(torch.nn.Parameter or None required)"
                )
            if param.grad_fn is not None:
                raise ValueError(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be "
                    f"created explicitly. To express '{name}' as a function of another Tensor, compute the "
                    "value in the forward() method."
                )
            param = run_registration_hooks(parameter_registration_hooks, self, name, param)
        self._hold(PARAMETER, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add the tensor ``name`` as untrained state; only a persistent one enters ``state_dict``."""
        if "_member_roles" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_new_name(name, BUFFER, "buffer")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{_type_name(tensor)}' object to buffer '{name}' "
                "(torch Tensor or None required)"
            )
        self._hold(BUFFER, name, run_registration_hooks(buffer_registration_hooks, self, name, tensor))
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: "Module | None") -> None:
        """Add the child ``name``; None keeps the name without a child."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_type_name(module)} is not a Module subclass")
        self._check_new_name(name, CHILD, "module")
        self._hold(CHILD, name, run_registration_hooks(module_registration_hooks, self, name, module))

    def register_module(self, name: str, module: "Module | None") -> None:
        """The same as :meth:`add_module`."""
        self.add_module(name, module)

    def get_submodule(self, target: str) -> "Module":
        """The module at the dotted path ``target``, ``""`` this one; AttributeError where it breaks."""
        module: Any = self
        for step in target.split(".") if target else ():
            if not hasattr(module, step):
                raise AttributeError(f"{module._get_name()} has no attribute `{step}`")
            module = getattr(module, step)
            if not isinstance(module, Module):
                raise AttributeError(f"`{step}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: "Module", strict: bool = False) -> None:
        """Put ``module`` at the dotted path ``target``; with ``strict`` there must be a module already."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        path, _, name = target.rpartition(".")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at the dotted path ``target``; AttributeError when there is none."""
        return self._get_member(target, lambda holder, value: isinstance(value, Parameter), "an nn.Parameter")

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at the dotted path ``target``; AttributeError when there is none."""
        name = target.rpartition(".")[2]
        return self._get_member(target, lambda holder, value: name in holder._buffers, "a buffer")

    def _get_member(self, target: str, is_right: Callable[["Module", Any], bool], what: str) -> Any:
        path, _, name = target.rpartition(".")
        holder = self.get_submodule(path)
        if not hasattr(holder, name):
            raise AttributeError(f"{holder._get_name()} has no attribute `{name}`")
        value = getattr(holder, name)
        if not is_right(holder, value):
            raise AttributeError(f"`{name}` is not {what}")
        return value

    def get_extra_state(self) -> Any:
        """Define this, with :meth:`set_extra_state`, to keep more than tensors in ``state_dict``."""
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called. "
            "Please define get_extra_state and set_extra_state in the module's class."
        )

    def set_extra_state(self, state: Any) -> None:
        """Define this to take back what :meth:`get_extra_state` gave."""
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called. "
            "Please define get_extra_state and set_extra_state in the module's class."
        )

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """Parameters and persistent buffers of the whole tree by dotted name, detached unless ``keep_vars``.

        The values share memory with the module. Names are prefixed with ``prefix`` and written into
        ``destination`` if given.

        >>> list(nn.Linear(2, 3).state_dict())
        ['weight', 'bias']
        """
        if args:
            warnings.warn(
                "state_dict: positional arguments are deprecated, pass them by name",
                FutureWarning,
                stacklevel=2,
            )
            names = ("destination", "prefix", "keep_vars")
            given = {"destination": destination, "prefix": prefix, "keep_vars": keep_vars}
            given.update(zip(names, args, strict=False))
            destination, prefix, keep_vars = (given[name] for name in names)
        return collect(self, destination, prefix, keep_vars)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copy ``state_dict`` into parameters and buffers, or with ``assign`` put its tensors there.

        Returns the names that were missing and unexpected; with ``strict`` there may be none. RuntimeError
        lists everything that did not fit; what did fit has then been loaded, as in PyTorch. Tensors that are
        shared between modules stay shared, with ``assign`` too (PyTorch parts them).

        >>> m = nn.Linear(2, 3)
        >>> m.load_state_dict(nn.Linear(2, 3).state_dict())
        <All keys matched successfully>
        """
        return load(self, state_dict, strict, assign)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        save_members(self, destination, prefix, keep_vars)

    def _load_from_state_dict(
        self,
        state_dict: Mapping[str, Any],
        prefix: str,
        local_metadata: dict,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        load_members(
            self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def _own_call_hooks(self) -> CallHooks:
        if self._call_hooks is None:
            object.__setattr__(self, "_call_hooks", CallHooks())
        return self._call_hooks  # type: ignore[return-value]

    def _own_state_hooks(self) -> StateHooks:
        if self._state_hooks is None:
            object.__setattr__(self, "_state_hooks", StateHooks())
        return self._state_hooks  # type: ignore[return-value]

    def register_forward_pre_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Run ``hook(module, args)`` before forward; what it returns replaces the arguments.

        With ``with_kwargs`` it is ``hook(module, args, kwargs)`` and returns both or None.
        """
        return self._own_call_hooks().add_forward_pre(hook, prepend, with_kwargs)

    def register_forward_hook(
        self,
        hook: Callable,
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Run ``hook(module, args, output)`` after forward; what it returns replaces the output.

        With ``with_kwargs`` it is ``hook(module, args, kwargs, output)``. With ``always_call`` it runs even
        when forward raised.
        """
        return self._own_call_hooks().add_forward(hook, prepend, with_kwargs, always_call)

    def register_full_backward_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Run ``hook(module, grad_output)`` before the module's backward; a result replaces grad_output."""
        return self._own_call_hooks().add_backward_pre(hook, prepend)

    def register_full_backward_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Run ``hook(module, grad_input, grad_output)`` when the gradients of the inputs are known.

        Both are tuples with None for what is no tensor or wants no gradient; a result replaces grad_input.
        """
        return self._own_call_hooks().add_backward(hook, True, prepend, "single Module")

    def register_backward_hook(self, hook: Callable) -> RemovableHandle:
        """The older form of :meth:`register_full_backward_hook`: it sees only the output's last operation."""
        return self._own_call_hooks().add_backward(hook, False, False, "single Module")

    def register_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Run ``hook(module, prefix, keep_vars)`` before the state is collected."""
        return self._add_state_hook(self._own_state_hooks().save_pre, hook)

    def register_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Run ``hook(module, state_dict, prefix, local_metadata)`` when the state is collected."""
        return self._add_state_hook(self._own_state_hooks().save_post, (hook, True))

    def _register_state_dict_hook(self, hook: Callable) -> RemovableHandle:
        """As :meth:`register_state_dict_post_hook`, but what the hook returns replaces the dictionary."""
        return self._add_state_hook(self._own_state_hooks().save_post, (hook, False))

    def register_load_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Run ``hook(module, state_dict, prefix, local_metadata, strict, missing, unexpected, errors)``."""
        return self._add_state_hook(self._own_state_hooks().load_pre, (hook, True))

    def _register_load_state_dict_pre_hook(
        self, hook: Callable, with_module: bool = False
    ) -> RemovableHandle:
        """As :meth:`register_load_state_dict_pre_hook`; the module is passed only if asked for."""
        return self._add_state_hook(self._own_state_hooks().load_pre, (hook, with_module))

    def register_load_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Run ``hook(module, incompatible_keys)`` after loading; it may change the keys in place."""
        return self._add_state_hook(self._own_state_hooks().load_post, hook)

    @staticmethod
    def _add_state_hook(table: Any, entry: Any) -> RemovableHandle:
        handle = RemovableHandle(table)
        table[handle.id] = entry
        return handle

    def named_modules(
        self, memo: set["Module"] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, "Module"]]:
        """This module and all below it with dotted names, parents first; shared ones once unless asked."""
        seen = set() if memo is None else memo
        waiting: list[tuple[str, Module]] = [(prefix, self)]
        while waiting:
            path, module = waiting.pop()
            if module in seen:
                continue
            if remove_duplicate:
                seen.add(module)
            yield path, module
            start = path + "." if path else ""
            waiting += [
                (start + name, child)
                for name, child in reversed(module._modules.items())
                if child is not None
            ]

    def modules(self, remove_duplicate: bool = True) -> Iterator["Module"]:
        """This module and all below it, parents first."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self) -> Iterator[tuple[str, "Module"]]:
        """The immediate children by name, shared ones once."""
        seen = set()
        for name, child in self._modules.items():
            if child is not None and child not in seen:
                seen.add(child)
                yield name, child

    def children(self) -> Iterator["Module"]:
        """The immediate children."""
        for _, child in self.named_children():
            yield child

    def _named_members(
        self,
        get_members_fn: Callable[["Module"], Any],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        """The named values that ``get_members_fn`` gives for each module, None left out."""
        seen = set()
        modules = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        for path, module in modules:
            start = path + "." if path else ""
            for name, value in get_members_fn(module):
                if value is None or value in seen:
                    continue
                if remove_duplicate:
                    seen.add(value)
                yield start + name, value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters with dotted names; a shared one appears once, under its first name, unless asked."""
        return self._named_members(
            lambda module: module._parameters.items(), prefix, recurse, remove_duplicate
        )

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters, each once; this is what an optimiser takes.

        >>> [p.shape for p in nn.Linear(2, 3).parameters()]
        [torch.Size([3, 2]), torch.Size([3])]
        """
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers with dotted names, each once unless asked."""
        return self._named_members(lambda module: module._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def apply(self: T, fn: Callable[["Module"], None]) -> T:
        """Call ``fn`` on every module below and then on this one.

        >>> def start(m):
        ...     if isinstance(m, nn.Linear):
        ...         nn.init.zeros_(m.weight)
        >>> nn.Sequential(nn.Linear(1, 1, bias=False)).apply(start)[0].weight.item()
        0.0
        """
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def train(self: T, mode: bool = True) -> T:
        """Set training mode here and below."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self: T) -> T:
        """Set evaluation mode here and below: ``train(False)``."""
        return self.train(False)

    def requires_grad_(self: T, requires_grad: bool = True) -> T:
        """Say for all parameters whether they want a gradient."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients of all parameters, or fill them with zeros."""
        for parameter in self.parameters():
            if parameter.grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            elif parameter.grad.grad_fn is not None:
                parameter.grad = chainrule.zeros_like(parameter.grad)
            else:
                parameter.grad.requires_grad_(False)
                parameter.grad.zero_()

    def _apply(self: T, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> T:
        """Replace every parameter, gradient and buffer by ``fn`` of it; parameters stay the same objects."""
        if recurse:
            for child in self.children():
                child._apply(fn)
        for name, parameter in self._parameters.items():
            if parameter is None:
                continue
            gradient = parameter.grad
            with chainrule.no_grad():
                changed = fn(parameter)
                changed_gradient = None if gradient is None else fn(gradient)
            if changed.device.type == parameter.device.type:
                parameter.grad = None
                parameter.data = changed
            else:
                parameter = Parameter(changed, parameter.requires_grad)
                self._hold(PARAMETER, name, parameter)
            if changed_gradient is not None:
                parameter.grad = changed_gradient.requires_grad_(gradient.requires_grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._hold(BUFFER, name, fn(buffer))
        return self

    def to(self: T, *args: Any, **kwargs: Any) -> T:
        """Change device or floating dtype in place: ``to(device)``, ``to(dtype)``, ``to(tensor)`` or both.

        Integer tensors keep their dtype.

        >>> nn.Linear(1, 1).to(torch.float64).weight.dtype
        torch.float64
        """
        device, dtype, non_blocking, memory_format = _destination(*args, **kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )

        def convert(t: Tensor) -> Tensor:
            wanted = dtype if t.is_floating_point() or t.is_complex() else None
            if memory_format is not None and t.dim() in (4, 5):
                return t.to(device, wanted, non_blocking, memory_format=memory_format)
            return t.to(device, wanted, non_blocking)

        return self._apply(convert)

    def type(self: T, dst_type: Any) -> T:
        """Convert all parameters and buffers, integers too, to ``dst_type``."""
        return self._apply(lambda t: t.type(dst_type))

    def _to_floating(self: T, dtype: Any) -> T:
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def float(self: T) -> T:
        """Convert floating parameters and buffers to float32."""
        return self._to_floating(chainrule.float32)

    def double(self: T) -> T:
        """Convert floating parameters and buffers to float64."""
        return self._to_floating(chainrule.float64)

    def half(self: T) -> T:
        """Convert floating parameters and buffers to float16."""
        return self._to_floating(chainrule.float16)

    def bfloat16(self: T) -> T:
        """Convert floating parameters and buffers to bfloat16."""
        return self._to_floating(chainrule.bfloat16)

    def cpu(self: T) -> T:
        """Move everything to the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self: T, device: Any = None) -> T:
        """Refused as soon as there is a tensor to move: there is no CUDA here."""
        return self._apply(lambda t: t.cuda(device))

    def to_empty(self: T, *, device: Any, recurse: bool = True) -> T:
        """Move to ``device`` without copying values: the way off the meta device."""
        return self._apply(lambda t: chainrule.empty_like(t, device=device), recurse=recurse)

    def share_memory(self: T) -> T:
        """Move the storage of everything into memory that other processes can share."""
        return self._apply(lambda t: t.share_memory_())

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Refused: a module cannot be compiled in place."""
        raise NotImplementedError("Module.compile: compiling a module in place is not supported")

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What to print between the parentheses; layers define it."""
        return ""

    def __repr__(self) -> str:
        # Extra text may have several lines of its own.
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {_addindent(repr(child), 2)}" for name, child in self._modules.items()]
        if not lines and not children:
            return self._get_name() + "()"
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines + children) + "\n)"


def _destination(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool, Any]:
    """(device, dtype, non_blocking, memory_format) from the forms that ``Module.to`` takes."""
    memory_format = kwargs.pop("memory_format", None)
    device = kwargs.pop("device", None)
    dtype = kwargs.pop("dtype", None)
    non_blocking = kwargs.pop("non_blocking", False)
    other = kwargs.pop("tensor", None)
    kwargs.pop("copy", None)
    if kwargs:
        raise TypeError(
            f"to() received an invalid combination of arguments - unexpected {next(iter(kwargs))!r}"
        )
    places = list(args)
    if places and isinstance(places[0], Tensor):
        other = places.pop(0)
    elif places and isinstance(places[0], chainrule.dtype):
        dtype = places.pop(0)
    elif places:
        device = places.pop(0)
        if places and (places[0] is None or isinstance(places[0], chainrule.dtype)):
            dtype = places.pop(0)
    if places:
        non_blocking = places.pop(0)
    if not isinstance(non_blocking, bool) or len(places) > 1:
        raise TypeError(f"to() received an invalid combination of arguments - got {args!r}")
    if other is not None:
        device, dtype = other.device, other.dtype
    return None if device is None else chainrule.device(device), dtype, non_blocking, memory_format
