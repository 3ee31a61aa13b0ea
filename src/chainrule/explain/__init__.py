"""What the engine did, made visible. `draw` shows the graph that a backward pass would walk."""

from chainrule.explain.drawing import Drawing, draw

__all__ = ["Drawing", "draw"]
