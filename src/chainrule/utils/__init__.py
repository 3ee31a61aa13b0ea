"""torch.utils: data loading, hooks' handles and other helpers of programs; its rooms are imported when asked for."""

import importlib

from chainrule.compat import missing

_SUBMODULES = frozenset("_pytree benchmark checkpoint collect_env data dlpack hooks model_zoo tensorboard".split())


def _find(name):
    if name not in _SUBMODULES:
        return None
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{name}":
            raise
        return None


__getattr__ = missing.names_of(__name__, _find)


def __dir__():
    return sorted(set(globals()) | _SUBMODULES)
