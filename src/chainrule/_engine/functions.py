"""Public functions of the commonest shapes. The plain twin."""


def unary(op, with_out):
    """function(input) or function(input, *, out=None) calling the op."""
    if not with_out:
        return lambda input: op.call1(input)

    def function(input, *, out=None):
        if out is not None:
            return op.call_out((input,), out)
        return op.call1(input)

    return function


def binary(op, with_out):
    """function(input, other) or function(input, other, *, out=None) calling the op."""
    if not with_out:
        return lambda input, other: op.call2(input, other)

    def function(input, other, *, out=None):
        if out is not None:
            return op.call_out((input, other), out)
        return op.call2(input, other)

    return function
