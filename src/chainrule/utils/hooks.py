"""RemovableHandle: what registering a hook returns."""

from chainrule._engine.handles import RemovableHandle

__all__ = ["RemovableHandle"]
