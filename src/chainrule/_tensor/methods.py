"""Tensor's methods, installed from the op table: ops and composites that say so, in-place forms, aliases."""

from chainrule._engine import attributes, collector
from chainrule._engine.native import install
from chainrule._engine.op import composites, registry
from chainrule._engine.tensor import Tensor


def public(namespace):
    """Every public function of a namespace by name; a composite goes before an op of its name."""
    found = {}
    for entry in registry.values():
        if entry.namespace == namespace:
            for name in (entry.public_name, *entry.alias_names):
                found[name] = entry.function
                if entry.inplace_function is not None and namespace in ("torch", "nn.functional"):
                    found.setdefault(name + "_", entry.inplace_function)
    for (space, name), (function, _) in composites.items():
        if space == namespace:
            found[name] = function
    return found


def methods():
    """Every method of Tensor by name."""
    found = {}
    for entry in registry.values():
        if entry.namespace in ("torch", "Tensor") and entry.method:
            for name in (entry.public_name, *entry.alias_names):
                found[name] = entry.function
                if entry.inplace_function is not None:
                    found[name + "_"] = entry.inplace_function
    for (_space, name), (function, as_method) in composites.items():
        if as_method:
            found[name] = function
    return found


def install_methods():
    """Put the methods into Tensor's type dictionary; names the class defines itself stay its own."""
    attributes.make_lazy()
    collector.show_links()
    for name, function in methods().items():
        if name not in vars(Tensor):
            install(Tensor, name, function)
