"""torch.overrides: which calls classes with `__torch_function__` see, and how they are asked."""

from chainrule._engine.tensor import Tensor
from chainrule._tensor.subclass import disabled, is_plain

__all__ = [
    "get_default_nowrap_functions", "get_overridable_functions", "handle_torch_function", "has_torch_function",
    "is_tensor_like", "is_tensor_method_or_property", "resolve_name", "wrap_torch_function",
]  # fmt: skip


def is_tensor_like(inp):
    """Whether the object is a tensor or its class defines `__torch_function__`."""
    return isinstance(inp, Tensor) or hasattr(type(inp), "__torch_function__")


def has_torch_function(relevant_args):
    """Whether the class of an argument wants to be asked before a call on it."""
    for value in relevant_args:
        cls = type(value)
        if isinstance(value, Tensor):
            if not is_plain(cls):
                return True
        elif hasattr(cls, "__torch_function__") and cls.__torch_function__ is not disabled:
            return True
    return False


def has_torch_function_unary(value):
    """`has_torch_function` of one argument."""
    return has_torch_function((value,))


def has_torch_function_variadic(*values):
    """`has_torch_function` of several arguments."""
    return has_torch_function(values)


def asked_types(relevant_args):
    """The classes to ask, subclasses before their bases, in order of appearance."""
    found = []
    for value in relevant_args:
        cls = type(value)
        if cls in found or not has_torch_function((value,)):
            continue
        at = next((i for i, known in enumerate(found) if issubclass(cls, known)), len(found))
        found.insert(at, cls)
    return found


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """Ask the classes of the arguments in turn for the call's result; TypeError if none answers."""
    types = asked_types(relevant_args)
    for cls in types:
        answer = cls.__torch_function__(public_api, tuple(types), args, kwargs)
        if answer is not NotImplemented:
            return answer
    name = f"{public_api.__module__}.{public_api.__name__}".replace("chainrule", "torch", 1)
    raise TypeError(
        f"no implementation found for '{name}' on types that implement __torch_function__: "
        f"{[cls.__name__ for cls in types]}"
    )


def wrap_torch_function(dispatcher):
    """Make a function of the program's own one that is asked for: `dispatcher(*args)` names its relevant arguments."""

    def decorate(function):
        def asked(*args, **kwargs):
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(asked, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        asked.__name__, asked.__qualname__, asked.__doc__ = function.__name__, function.__qualname__, function.__doc__
        asked.__module__ = function.__module__
        return asked

    return decorate


def get_default_nowrap_functions():
    """The attributes whose results the default `__torch_function__` leaves as they are."""
    return {getattr(Tensor, name) for name in ("_base", "grad") if hasattr(Tensor, name)}


def get_overridable_functions():
    """Every public function and method that asks classes with `__torch_function__`, by where it is found."""
    import chainrule

    functions = [getattr(chainrule, name) for name in chainrule.__all__ if callable(getattr(chainrule, name, None))]
    methods = [value for name, value in vars(Tensor).items() if callable(value) and not name.startswith("__")]
    return {chainrule: functions, Tensor: methods}


def is_tensor_method_or_property(func):
    """Whether the function is a method of Tensor or the getter of one of its properties."""
    return any(
        value is func or getattr(value, "fget", None) is func or getattr(value, "__get__", None) is func
        for value in vars(Tensor).values()
    )


def resolve_name(f):
    """The name under which a program knows a function: 'torch.add', 'torch.Tensor.add_'; None for others."""
    name = getattr(f, "__name__", None)
    if name is None:
        return None
    if vars(Tensor).get(name) is f:
        return f"torch.Tensor.{name}"
    module = getattr(f, "__module__", None) or ""
    return f"{module.replace('chainrule', 'torch', 1)}.{name}" if module.startswith("chainrule") else None
