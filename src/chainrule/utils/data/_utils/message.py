"""Messages from a worker to its loader: pickles whose arrays travel in shared memory.

A message is pickled with its array buffers kept apart. A small one goes through the connection as it is. The
parts of a large one are laid into an anonymous file in memory whose descriptor is handed over; the receiver
maps it, and its arrays lie in the mapping. There is no name to forget: the memory is gone with its last
user, however that ends.
"""

from __future__ import annotations

import io
import mmap
import os
import pickle
import tempfile
from multiprocessing import reduction
from multiprocessing.connection import Connection
from typing import Any

import chainrule

# Up to here copying through the socket costs less than setting up a mapping.
INLINE_LIMIT = 1 << 16
ALIGNMENT = 64


class _Pickler(pickle.Pickler):
    """Pickles plain tensors as their arrays, so that protocol 5 hands out the buffers."""

    def reducer_override(self, obj: Any) -> Any:
        if (
            not isinstance(obj, chainrule.Tensor)
            or type(obj) is not chainrule.Tensor
            or obj.device.type != "cpu"
        ):
            return NotImplemented
        if obj.requires_grad and not obj.is_leaf:
            raise RuntimeError(
                "cannot send a non-leaf tensor that requires grad to another process: autograd does not "
                "cross processes; send tensor.detach()"
            )
        plain = obj.detach().contiguous()
        if obj.dtype == chainrule.bfloat16:
            return _bfloat16_tensor, (plain.view(chainrule.int16).numpy(), obj.requires_grad)
        return _tensor, (plain.numpy(), obj.requires_grad)


def _tensor(array: Any, requires_grad: bool) -> Any:
    tensor = chainrule.from_numpy(array)
    return tensor.requires_grad_() if requires_grad else tensor


def _bfloat16_tensor(array: Any, requires_grad: bool) -> Any:
    tensor = chainrule.from_numpy(array).view(chainrule.bfloat16)
    return tensor.requires_grad_() if requires_grad else tensor


def pack(value: Any) -> list[Any]:
    """The value as its parts: the pickle, then the buffers of its arrays."""
    buffers: list[pickle.PickleBuffer] = []
    stream = io.BytesIO()
    _Pickler(stream, protocol=5, buffer_callback=buffers.append).dump(value)
    return [stream.getbuffer(), *(buffer.raw() for buffer in buffers)]


def send(connection: Connection, parts: list[Any]) -> None:
    """Send what `pack` gave."""
    sizes = [len(part) for part in parts]
    if sum(sizes) <= INLINE_LIMIT:
        connection.send_bytes(pickle.dumps((False, sizes)))
        for part in parts:
            connection.send_bytes(part)
        return
    connection.send_bytes(pickle.dumps((True, sizes)))
    descriptor = _anonymous_file(sum(map(_aligned, sizes)))
    try:
        offset = 0
        for part, size in zip(parts, sizes, strict=True):
            written = 0
            while written < size:
                written += os.pwrite(descriptor, memoryview(part)[written:], offset + written)
            offset += _aligned(size)
        reduction.send_handle(connection, descriptor, None)
    finally:
        os.close(descriptor)


def _anonymous_file(size: int) -> int:
    """The descriptor of a file of `size` bytes that has no name, in memory where the system offers that."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("chainrule batch", os.MFD_CLOEXEC)
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    os.truncate(descriptor, size)
    return descriptor


def receive(connection: Connection) -> Any:
    """The value of the next message. EOFError or OSError when the other side is gone."""
    shared, sizes = pickle.loads(connection.recv_bytes())
    if not shared:
        stream, *buffers = (bytearray(connection.recv_bytes()) for _ in sizes)
        return pickle.loads(stream, buffers=buffers)
    descriptor = reduction.recv_handle(connection)
    try:
        mapping = memoryview(mmap.mmap(descriptor, sum(map(_aligned, sizes))))
    finally:
        os.close(descriptor)
    views = []
    offset = 0
    for size in sizes:
        views.append(mapping[offset : offset + size])
        offset += _aligned(size)
    return pickle.loads(views[0], buffers=views[1:])


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
