"""The copying forms of views: `narrow_copy` is `narrow` and a clone of what it shows."""

from chainrule._engine.op import composite
from chainrule._ops.diagonal import diagonal
from chainrule._ops.foundation import clone
from chainrule._ops.indexing import narrow, select
from chainrule._ops.joining import split, split_with_sizes, unbind
from chainrule._ops.restriding import as_strided, unfold
from chainrule._ops.shape import expand, permute, squeeze, t, transpose, unsqueeze, view

VIEWS = (
    narrow, select, diagonal, split, split_with_sizes, unbind, as_strided, unfold, expand, permute, squeeze, t,
    transpose, unsqueeze, view,
)  # fmt: skip


def copying(function):
    """The form of a view function that gives copies."""

    def copied(input, *args, **kwargs):
        result = function(input, *args, **kwargs)
        return tuple([clone(r) for r in result]) if isinstance(result, tuple) else clone(result)

    copied.__name__ = copied.__qualname__ = function.__name__ + "_copy"
    copied.__doc__ = f"`{function.__name__}` as a copy that shares no memory with the input."
    return copied


for _view in VIEWS:
    composite(method=_view is narrow)(copying(_view))
