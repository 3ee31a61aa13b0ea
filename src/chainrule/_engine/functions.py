"""Public functions of the commonest shapes. The plain twin."""


def unary(op, with_out):
    """function(input) or function(input, *, out=None) calling the op."""
    if with_out:

        def function(input, *, out=None):
            if out is not None:
                return op.call_out((input,), out)
            return op.call1(input)

    else:

        def function(input):
            return op.call1(input)

    return function


def binary(op, with_out):
    """function(input, other) or function(input, other, *, out=None) calling the op."""
    if with_out:

        def function(input, other, *, out=None):
            if out is not None:
                return op.call_out((input, other), out)
            return op.call2(input, other)

    else:

        def function(input, other):
            return op.call2(input, other)

    return function
