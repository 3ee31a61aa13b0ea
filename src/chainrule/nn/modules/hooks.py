"""What runs around a module's forward and backward: the hook tables and the call that obeys them.

A module without hooks owns none of this: its ``_call_hooks`` is None and ``Module.__call__`` goes straight to
``forward``. The registering methods are Module's; hooks for every module are registered by the functions
here.
"""

import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from chainrule import Tensor
from chainrule.nn.modules.passage import Passage
from chainrule.utils.hooks import RemovableHandle

__all__ = [
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]


class CallHooks:
    """The hooks around one module's call (or around every module's), in the order in which they run."""

    __slots__ = (
        "backward",
        "backward_is_full",
        "backward_pre",
        "forward",
        "forward_always",
        "forward_kwargs",
        "forward_pre",
        "forward_pre_kwargs",
        "live",
    )

    def __init__(self, live: OrderedDict | None = None) -> None:
        self.forward_pre: OrderedDict[int, Callable] = OrderedDict()
        self.forward: OrderedDict[int, Callable] = OrderedDict()
        self.backward_pre: OrderedDict[int, Callable] = OrderedDict()
        self.backward: OrderedDict[int, Callable] = OrderedDict()
        # None until the first backward hook decides: the two kinds cannot be mixed.
        self.backward_is_full: bool | None = None
        # Which of the hooks above take keyword arguments, and which run although forward raised.
        self.forward_pre_kwargs: OrderedDict[int, bool] = OrderedDict()
        self.forward_kwargs: OrderedDict[int, bool] = OrderedDict()
        self.forward_always: OrderedDict[int, bool] = OrderedDict()
        # If given, the ids of all hooks that have not been removed.
        self.live = live

    def add_forward_pre(self, hook: Callable, prepend: bool, with_kwargs: bool) -> RemovableHandle:
        handle = self._add(self.forward_pre, hook, prepend, self.forward_pre_kwargs)
        if with_kwargs:
            self.forward_pre_kwargs[handle.id] = True
        return handle

    def add_forward(
        self, hook: Callable, prepend: bool, with_kwargs: bool, always_call: bool
    ) -> RemovableHandle:
        handle = self._add(self.forward, hook, prepend, self.forward_kwargs, self.forward_always)
        if with_kwargs:
            self.forward_kwargs[handle.id] = True
        if always_call:
            self.forward_always[handle.id] = True
        return handle

    def add_backward_pre(self, hook: Callable, prepend: bool) -> RemovableHandle:
        return self._add(self.backward_pre, hook, prepend)

    def add_backward(self, hook: Callable, full: bool, prepend: bool, owner: str) -> RemovableHandle:
        if self.backward_is_full is not None and self.backward_is_full is not full:
            raise RuntimeError(
                f"Cannot use both regular backward hooks and full backward hooks on a {owner}. "
                "Please use only one of them."
            )
        self.backward_is_full = full
        return self._add(self.backward, hook, prepend)

    def _add(self, table: OrderedDict, hook: Callable, prepend: bool, *flags: OrderedDict) -> RemovableHandle:
        extra = flags if self.live is None else (*flags, self.live)
        handle = RemovableHandle(table, extra_dict=list(extra))
        table[handle.id] = hook
        if prepend:
            table.move_to_end(handle.id, last=False)
        if self.live is not None:
            self.live[handle.id] = True
        return handle


# ``_every`` holds the hooks around all modules. ``every_live`` is empty as long as there are none; it is the
# one thing that a call without hooks has to look at.
every_live: OrderedDict[int, bool] = OrderedDict()
_every = CallHooks(every_live)
_no_hooks = CallHooks()

buffer_registration_hooks: OrderedDict[int, Callable] = OrderedDict()
module_registration_hooks: OrderedDict[int, Callable] = OrderedDict()
parameter_registration_hooks: OrderedDict[int, Callable] = OrderedDict()


def register_module_forward_pre_hook(hook: Callable) -> RemovableHandle:
    """Run ``hook(module, args)`` before every module's forward; what it returns replaces the arguments."""
    return _every.add_forward_pre(hook, False, False)


def register_module_forward_hook(
    hook: Callable, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Run ``hook(module, args, output)`` after every module's forward; a result replaces the output."""
    return _every.add_forward(hook, False, with_kwargs, always_call)


def register_module_full_backward_pre_hook(hook: Callable) -> RemovableHandle:
    """Run ``hook(module, grad_output)`` before every module's backward; a result replaces grad_output."""
    return _every.add_backward_pre(hook, False)


def register_module_full_backward_hook(hook: Callable) -> RemovableHandle:
    """Run ``hook(module, grad_input, grad_output)`` after every backward; a result replaces grad_input."""
    return _every.add_backward(hook, True, False, "global Module hook")


def register_module_backward_hook(hook: Callable) -> RemovableHandle:
    """The older :func:`register_module_full_backward_hook`: it sees only the output's last operation."""
    return _every.add_backward(hook, False, False, "global Module hook")


def register_module_buffer_registration_hook(hook: Callable) -> RemovableHandle:
    """Run ``hook(module, name, buffer)`` at each registration; a result is registered instead."""
    return _add_registration(buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Callable) -> RemovableHandle:
    """Run ``hook(module, name, child)`` at each registration; a result is registered instead."""
    return _add_registration(module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook: Callable) -> RemovableHandle:
    """Run ``hook(module, name, parameter)`` at each registration; a result is registered instead."""
    return _add_registration(parameter_registration_hooks, hook)


def _add_registration(table: OrderedDict, hook: Callable) -> RemovableHandle:
    handle = RemovableHandle(table)
    table[handle.id] = hook
    return handle


def run_registration_hooks(hooks: OrderedDict, module: Any, name: str, value: Any) -> Any:
    """The value to register: the given one unless a hook returned another."""
    for hook in hooks.values():
        replaced = hook(module, name, value)
        if replaced is not None:
            value = replaced
    return value


def call_with_hooks(module: Any, args: tuple, kwargs: dict) -> Any:
    """``module.forward(*args, **kwargs)`` with all the hooks around it, global ones first."""
    own = module._call_hooks or _no_hooks
    finished: set[int] = set()
    result = None
    try:
        args, kwargs = _run_forward_pre(module, own, args, kwargs)
        passage = _backward_passage(module, own)
        if passage is not None:
            args = passage.enter(args)
        result = module.forward(*args, **kwargs)
        for hooks in (_every, own):
            for key, hook in tuple(hooks.forward.items()):
                finished.add(key)
                replaced = _run_forward(hook, key in hooks.forward_kwargs, module, args, kwargs, result)
                if replaced is not None:
                    result = replaced
        if passage is not None:
            if not isinstance(result, (Tensor, tuple)):
                warnings.warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors "
                    f"but received {type(result)}",
                    stacklevel=3,
                )
            result = passage.leave(result)
        _attach_legacy(module, own, result)
        return result
    except Exception:
        _run_always_called(module, own, finished, args, kwargs, result)
        raise


def _run_forward_pre(module: Any, own: CallHooks, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    for hooks in (_every, own):
        for key, hook in tuple(hooks.forward_pre.items()):
            if key in hooks.forward_pre_kwargs:
                replaced = hook(module, args, kwargs)
                if replaced is None:
                    continue
                if not (isinstance(replaced, tuple) and len(replaced) == 2):
                    raise RuntimeError(
                        "forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                        f"but got {replaced}."
                    )
                args, kwargs = replaced
            else:
                replaced = hook(module, args)
                if replaced is not None:
                    args = replaced if isinstance(replaced, tuple) else (replaced,)
    return args, kwargs


def _run_forward(
    hook: Callable, with_kwargs: bool, module: Any, args: tuple, kwargs: dict, result: Any
) -> Any:
    if with_kwargs:
        return hook(module, args, kwargs, result)
    return hook(module, args, result)


def _run_always_called(
    module: Any, own: CallHooks, finished: set[int], args: tuple, kwargs: dict, result: Any
) -> None:
    """After an error: the hooks that asked to run regardless. Their own errors must not hide the first."""
    for hooks in (_every, own):
        for key, hook in tuple(hooks.forward.items()):
            if key in hooks.forward_always and key not in finished:
                try:
                    replaced = _run_forward(hook, key in hooks.forward_kwargs, module, args, kwargs, result)
                    if replaced is not None:
                        result = replaced
                except Exception as error:
                    scope = "global module" if hooks is _every else "module"
                    warnings.warn(
                        f"{scope} forward hook with ``always_call=True`` raised an exception that was "
                        f"silenced as another error was raised in forward: {error!s}",
                        stacklevel=4,
                    )


def _backward_passage(module: Any, own: CallHooks) -> Passage | None:
    before = [*_every.backward_pre.values(), *own.backward_pre.values()]
    after = [
        hook for hooks in (_every, own) if hooks.backward_is_full is True for hook in hooks.backward.values()
    ]
    return Passage(module, before, after) if before or after else None


def _attach_legacy(module: Any, own: CallHooks, result: Any) -> None:
    """Hang the older kind of backward hooks on the node that made the (first) output."""
    legacy = [
        hook for hooks in (_every, own) if hooks.backward_is_full is False for hook in hooks.backward.values()
    ]
    if not legacy:
        return
    while isinstance(result, (tuple, list, dict)) and len(result):
        result = next(iter(result.values())) if isinstance(result, dict) else result[0]
    node = result.grad_fn if isinstance(result, Tensor) else None
    if node is None:
        return

    def run(grad_input: tuple, grad_output: tuple) -> Any:
        for hook in legacy:
            replaced = hook(module, grad_input, grad_output)
            if replaced is not None:
                grad_input = replaced if isinstance(replaced, tuple) else (replaced,)
        return grad_input

    node.register_hook(run)
