"""What a call of Tensor makes, and the user's own attributes on a tensor: uncompiled, its dictionary."""

from chainrule._engine.tensor import Tensor


def make_lazy():
    """Nothing to do: see the compiled form."""


def construct_with(function):
    """Let a call of Tensor with arguments fill the new object by `function(t, args, kwargs)`."""

    def new(cls, *args, **kwargs):
        made = object.__new__(cls)
        if args or kwargs or cls is not Tensor:
            function(made, args, kwargs)
        return made

    def init(self, *args, **kwargs):
        if not hasattr(self, "array"):
            function(self, (), {})

    Tensor.__module__ = "chainrule"
    Tensor.__new__ = staticmethod(new)
    Tensor.__init__ = init


FIELDS = frozenset(
    "array meta node counter autograd needs_grad override weak on_meta output_number".split()
)


def dictionary(t):
    """The tensor's own attributes: what is no field of the engine's."""
    return {name: value for name, value in vars(t).items() if name not in FIELDS}
