"""Ops that write to chosen places of a tensor, in a copy or in place."""

import numpy as np

from chainrule._core.dtype import of_array
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import Tensor, get_slots, wrap
from chainrule._kernels import indexing as kernels
from chainrule._ops.indexing import as_numpy_index, index
from chainrule._ops.kinds import check_tensor, raw_arrays

slots = get_slots()


class Into:
    """Elements written into the first argument: the kernel gets (array, …, out) and writes to out, or to a copy."""

    is_view = False
    ufunc = None
    direct_from = 0
    n_outputs = 1
    residuals = ""
    with_inplace = True

    def __init__(self, fn, with_out=True):
        self.fn = fn
        self.with_out = with_out

    def forward(self, op, args):
        check_tensor(op, op.signature.names[0], args[0])
        return self.fn(*[raw_arrays(v) for v in args], out=None)

    def write(self, op, args, target):
        arrays = [raw_arrays(v) for v in args]
        for i in range(1, len(arrays)):
            if isinstance(arrays[i], np.ndarray) and np.may_share_memory(arrays[i], target.array):
                arrays[i] = arrays[i].copy()
        self.fn(*arrays, out=target.array)
        return ()


def _index_put(array, indices, values, accumulate, out):
    source, d = of_array(values), of_array(array)
    if source is not d:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{d.tensor_type.removesuffix('Tensor')} for the destination and {source.tensor_type.removesuffix('Tensor')} "
            "for the source."
        )
    try:
        return kernels.index_put(array, as_numpy_index(indices), values, accumulate, out)
    except ValueError:
        found = np.broadcast_to(np.empty(()), array.shape)[as_numpy_index(indices)].shape
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing result of shape "
            f"{list(found)}"
        ) from None


def without(g, indices):
    """g with zeros where index tensors point."""
    return put_at(g, indices, wrap(np.zeros((), g.array.dtype)), False)


put_at = op("index_put_(input, indices, values, accumulate)", Into(_index_put, with_out=False), public="index_put",
    input=lambda g, indices, accumulate: g if accumulate else without(g, indices),
    values=lambda g, indices: index(g, indices),
    method=False, namespace="_engine", node="IndexPutBackward0",
    doc="input with `values` at the places that the index tensors name, or added there.")  # fmt: skip
