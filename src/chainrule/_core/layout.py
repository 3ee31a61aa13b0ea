"""torch.layout and torch.memory_format: names that programs pass about. Only strided tensors exist here, and a memory
format is a wish that copies honour where NumPy can.
"""


class layout:
    """How a tensor's elements are stored. There is one object for each, compared by identity."""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name


class memory_format:
    """An order of dimensions in memory. There is one object for each, compared by identity."""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name


strided = layout("strided")
sparse_coo = layout("sparse_coo")
sparse_csr = layout("sparse_csr")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


def channels_order(ndim, memory_format):
    """The order of dimensions in memory with channels last, outermost first; None for contiguous formats."""
    if memory_format is channels_last or memory_format is channels_last_3d:
        rank = 4 if memory_format is channels_last else 5
        if ndim != rank:
            raise RuntimeError(f"required rank {rank} tensor to use {memory_format.name} format")
        return (0, *range(2, rank), 1)
    return None
