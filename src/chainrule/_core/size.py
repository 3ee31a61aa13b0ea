"""torch.Size: the shape of a tensor, a tuple that knows its number of elements."""

import math


class Size(tuple):
    """A tuple of ints. Slices, sums and repetitions are Sizes too."""

    __slots__ = ()

    def __new__(cls, sizes=()):
        sizes = tuple(sizes)
        for i, s in enumerate(sizes):
            if not hasattr(s, "__index__"):
                raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type(s).__name__}')")
        return tuple.__new__(cls, [s if type(s) is int else s.__index__() for s in sizes])

    def numel(self):
        """The number of elements of a tensor of this size (1 for a 0-d one)."""
        return math.prod(self)

    def __repr__(self):
        return f"torch.Size([{', '.join(map(str, self))}])"

    __str__ = __repr__

    def __getitem__(self, index):
        found = tuple.__getitem__(self, index)
        return of(found) if isinstance(index, slice) else found

    def __add__(self, other):
        if not isinstance(other, tuple):
            return NotImplemented
        return of(tuple.__add__(self, other))

    def __radd__(self, other):
        if not isinstance(other, tuple):
            return NotImplemented
        return of(tuple.__add__(other, self))

    def __mul__(self, times):
        return of(tuple.__mul__(self, times))

    __rmul__ = __mul__

    def __reduce__(self):
        return (Size, (tuple(self),))


def of(shape):
    """A Size from a tuple of plain ints, unchecked."""
    return tuple.__new__(Size, shape)
