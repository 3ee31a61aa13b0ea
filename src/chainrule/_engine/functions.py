"""Public functions of the commonest shapes. The plain twin."""

from chainrule._engine.missing import MISSING


def unary(op, with_out):
    """function(input) or function(input, *, out=None) calling the op."""
    if with_out:

        def function(input=MISSING, *more, out=None):
            if more:
                op.refuse_count(1 + len(more))
            if out is not None:
                return op.call_out((input,), out)
            return op.call1(input)

    else:

        def function(input=MISSING, *more):  # type: ignore[misc]
            if more:
                op.refuse_count(1 + len(more))
            return op.call1(input)

    return function


def binary(op, with_out):
    """function(input, other) or function(input, other, *, out=None) calling the op."""
    if with_out:

        def function(input=MISSING, other=MISSING, *more, out=None):
            if more:
                op.refuse_count(2 + len(more))
            if out is not None:
                return op.call_out((input, other), out)
            return op.call2(input, other)

    else:

        def function(input=MISSING, other=MISSING, *more):  # type: ignore[misc]
            if more:
                op.refuse_count(2 + len(more))
            return op.call2(input, other)

    return function
