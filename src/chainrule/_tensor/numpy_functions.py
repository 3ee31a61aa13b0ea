"""NumPy's functions called on tensors: `np.exp(t)`, `np.sum(t)`, `np.concatenate([t, u])`.

Where a tensor among the arguments wants a gradient, the call is recorded: a table leads from NumPy's function to ours.
Elsewhere NumPy computes on the tensors' arrays; a ufunc gives tensors, as it does with PyTorch's, other functions give
arrays where PyTorch's tensors give arrays, and tensors where those answer by a method of the name.
"""

import numpy as np

import chainrule
from chainrule._core.boundary import plain_array
from chainrule._core.dtype import from_numpy_dtype
from chainrule._engine.op import wants_grad
from chainrule._engine.tensor import Tensor, bump_version, get_slots, wrap
from chainrule._engine.thread_state import current
from chainrule._ops.kinds import is_number
from chainrule._tensor.interchange import numpy

slots = get_slots()

NOT_RECORDED = (
    "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead. ({} has no form here that "
    "is recorded)"
)
# NumPy's ufuncs whose name here is another one.
UFUNC_NAMES = {
    "divide": "div", "power": "pow", "float_power": "float_power", "absolute": "abs", "fabs": "abs", "arcsin": "asin",
    "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
    "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "equal": "eq", "not_equal": "ne",
    "conjugate": "conj_physical", "cbrt": None, "invert": "bitwise_not", "rint": "round", "degrees": "rad2deg",
    "radians": "deg2rad", "left_shift": "bitwise_left_shift", "right_shift": "bitwise_right_shift", "vecdot": None,
}  # fmt: skip
# Functions that answer with tensors even where nothing is recorded.
GIVES_TENSORS = frozenset(
    "sum prod mean std var max min amax amin any all argmax argmin cumsum cumprod transpose reshape squeeze clip round "
    "around swapaxes take repeat nonzero argwhere argsort split diagonal inv solve".split()
)


def recording(args):
    """Whether a tensor anywhere in nested arguments wants a gradient that is being recorded."""
    return current().grad_enabled and any(wants_grad(t) for t in tensors_in(args))


def tensors_in(args):
    """The tensors in arguments, sequences and dicts opened."""
    pending = list(args.values()) if isinstance(args, dict) else list(args)
    while pending:
        value = pending.pop()
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            pending.extend(value)
        elif isinstance(value, dict):
            pending.extend(value.values())


def mapped(value, leaf):
    """Arguments with every tensor (or array) put through `leaf`, two levels of sequences deep."""
    if isinstance(value, (list, tuple)):
        return type(value)([_mapped_once(v, leaf) for v in value]) if type(value) in (list, tuple) else value
    return leaf(value)


def _mapped_once(value, leaf):
    return type(value)([leaf(v) for v in value]) if type(value) in (list, tuple) else leaf(value)


def as_array(value):
    """A tensor as its array; anything else as it is."""
    return numpy(value) if isinstance(value, Tensor) else value


def as_tensor(value):
    """An array as a tensor; anything else as it is."""
    return wrap(plain_array(value)) if isinstance(value, np.ndarray) else value


def result_tensor(value):
    """What NumPy computed as tensors: arrays and scalars, in tuples too."""
    if isinstance(value, (list, tuple)):
        return type(value)(result_tensor(v) for v in value) if type(value) in (list, tuple) else value
    return wrap(plain_array(np.asarray(value))) if isinstance(value, (np.ndarray, np.generic)) else value


def ufunc(t, function, method, inputs, kwargs):
    """`function.method(*inputs, **kwargs)` of NumPy with a tensor among the inputs."""
    out = kwargs.pop("out", ())
    # A NumPy scalar counts as a Python number: it does not widen a float32 tensor.
    by_scalar = method == "__call__" and not kwargs and not out and our_op(function) is not None and any(
        isinstance(v, np.generic) for v in inputs
    )
    if by_scalar or recording([*inputs, *out]):
        return recorded_ufunc(function, method, inputs, kwargs, out)
    arrays = [as_array(v) for v in inputs]
    if out:
        kwargs["out"] = tuple(as_array(v) for v in out)
    result = getattr(function, method)(*arrays, **kwargs)
    for v in out:
        if isinstance(v, Tensor):
            bump_version(v)
    if out:
        return out[0] if len(out) == 1 else out
    return result_tensor(result)


def our_op(function):
    """Our function for a ufunc of NumPy; None if there is none."""
    name = UFUNC_NAMES.get(function.__name__, function.__name__)
    return getattr(chainrule, name, None) if name else None


def recorded_ufunc(function, method, inputs, kwargs, out):
    """The same by our own op."""
    op = our_op(function)
    options = {k: v for k, v in kwargs.items() if v is not None}
    if method == "reduce" and function.__name__ in ("add", "multiply", "maximum", "minimum"):
        names = {"add": np.sum, "multiply": np.prod, "maximum": np.max, "minimum": np.min}
        return function_call(names[function.__name__], inputs, {"axis": 0, **options})
    if method != "__call__" or op is None or options or any(v is not None for v in out):
        extra = f" with {', '.join(options)}" if options else " into out=" if out else ""
        raise RuntimeError(
            NOT_RECORDED.format(f"np.{function.__name__}{'' if method == '__call__' else '.' + method}{extra}")
        )
    return op(*[operand(v) for v in inputs])


def operand(value):
    """An input of a ufunc as our op takes it."""
    if isinstance(value, np.generic):
        return value.item()
    return value if is_number(value) or isinstance(value, Tensor) else as_tensor(np.asarray(value))


def array_function(t, function, types, args, kwargs):
    """`function(*args, **kwargs)` of NumPy's array functions with a tensor among the arguments."""
    if recording([args, kwargs]):
        return function_call(function, args, kwargs)
    name = function.__name__
    arguments = [mapped(v, as_array) for v in args]
    result = function(*arguments, **{k: mapped(v, as_array) for k, v in kwargs.items()})
    return result_tensor(result) if name in GIVES_TENSORS else result


def function_call(function, args, kwargs):
    """The recorded form; RuntimeError for a function that has none."""
    recorded = RECORDED.get(function)
    if recorded is None:
        raise RuntimeError(NOT_RECORDED.format(f"{function.__module__}.{function.__name__}"))
    arguments = [mapped(v, as_tensor) for v in args]
    return recorded(*arguments, **{k: mapped(v, as_tensor) for k, v in kwargs.items() if v is not np._NoValue})


def _dims(t, axis):
    return tuple(range(t.dim())) if axis is None else axis


def _fold(name):
    """A reduction with NumPy's arguments."""

    def fold(a, axis=None, dtype=None, out=None, keepdims=False):
        options = {} if dtype is None else {"dtype": from_numpy_dtype(dtype)}
        return getattr(chainrule, name)(a, _dims(a, axis), keepdim=bool(keepdims), **options)

    return fold


def _spread(name):
    def spread(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
        return getattr(chainrule, name)(a, _dims(a, axis), correction=ddof, keepdim=bool(keepdims))

    return spread


def _extreme(name):
    def extreme(a, axis=None, out=None, keepdims=False):
        return getattr(chainrule, name)(a, _dims(a, axis), keepdim=bool(keepdims))

    return extreme


def _product(a, axis=None, dtype=None, out=None, keepdims=False):
    if axis is not None:
        return chainrule.prod(a, axis, keepdim=bool(keepdims))
    total = chainrule.prod(a)
    return total.reshape((1,) * a.dim()) if keepdims else total


def _running(name):
    def running(a, axis=None, dtype=None, out=None):
        return getattr(chainrule, name)(a.reshape(-1), 0) if axis is None else getattr(chainrule, name)(a, axis)

    return running


def _dot(a, b, out=None):
    if not isinstance(a, Tensor) or not isinstance(b, Tensor) or a.dim() == 0 or b.dim() == 0:
        return chainrule.mul(a, b)
    if a.dim() >= 2 and b.dim() > 2:
        return chainrule.tensordot(a, b, ([-1], [-2]))
    return chainrule.matmul(a, b)


def _norm(x, ord=None, axis=None, keepdims=False):
    return chainrule.linalg.norm(x, ord, axis, keepdim=keepdims)


RECORDED = {
    np.sum: _fold("sum"),
    np.mean: _fold("mean"),
    np.prod: _product,
    np.max: _extreme("amax"),
    np.min: _extreme("amin"),
    np.amax: _extreme("amax"),
    np.amin: _extreme("amin"),
    np.std: _spread("std"),
    np.var: _spread("var"),
    np.cumsum: _running("cumsum"),
    np.cumprod: _running("cumprod"),
    np.dot: _dot,
    np.vdot: lambda a, b: chainrule.vdot(a.reshape(-1), b.reshape(-1)),
    np.inner: lambda a, b: chainrule.inner(a, b),
    np.outer: lambda a, b, out=None: chainrule.outer(a.reshape(-1), b.reshape(-1)),
    np.tensordot: lambda a, b, axes=2: chainrule.tensordot(a, b, axes),
    np.einsum: lambda equation, *operands, **options: chainrule.einsum(equation, *operands),
    np.trace: lambda a, offset=0, axis1=0, axis2=1: chainrule.diagonal(a, offset, axis1, axis2).sum(-1),
    np.diag: lambda v, k=0: chainrule.diag(v, k),
    np.diagonal: lambda a, offset=0, axis1=0, axis2=1: chainrule.diagonal(a, offset, axis1, axis2),
    np.concatenate: lambda arrays, axis=0, out=None: (
        chainrule.cat([a.reshape(-1) for a in arrays], 0) if axis is None else chainrule.cat(arrays, axis)
    ),
    np.stack: lambda arrays, axis=0, out=None: chainrule.stack(arrays, axis),
    np.vstack: lambda tup: chainrule.vstack(tup),
    np.hstack: lambda tup: chainrule.hstack(tup),
    np.where: lambda condition, x, y: chainrule.where(condition, x, y),
    np.clip: lambda a, a_min=None, a_max=None, out=None: chainrule.clamp(a, a_min, a_max),
    np.reshape: lambda a, shape, order="C": a.reshape(shape),
    np.ravel: lambda a, order="C": a.reshape(-1),
    np.transpose: lambda a, axes=None: a.permute(tuple(reversed(range(a.dim()))) if axes is None else axes),
    np.swapaxes: lambda a, axis1, axis2: a.transpose(axis1, axis2),
    np.moveaxis: lambda a, source, destination: chainrule.movedim(a, source, destination),
    np.squeeze: lambda a, axis=None: a.squeeze() if axis is None else a.squeeze(axis),
    np.expand_dims: lambda a, axis: a.unsqueeze(axis),
    np.broadcast_to: lambda array, shape, subok=False: array.expand(shape),
    np.flip: lambda m, axis=None: chainrule.flip(m, _dims(m, axis) if not isinstance(axis, int) else (axis,)),
    np.roll: lambda a, shift, axis=None: chainrule.roll(a, shift, axis),
    np.tile: lambda A, reps: chainrule.tile(A, reps if isinstance(reps, (tuple, list)) else (reps,)),
    np.repeat: lambda a, repeats, axis=None: chainrule.repeat_interleave(a, repeats, axis),
    np.sort: lambda a, axis=-1: chainrule.sort(a, axis).values,
    np.take: lambda a, indices, axis=None: (
        a.reshape(-1)[indices] if axis is None else chainrule.index_select(a, axis, chainrule.as_tensor(indices))
    ),
    np.split: lambda ary, sections, axis=0: list(chainrule.tensor_split(ary, sections, axis)),
    np.tril: lambda m, k=0: chainrule.tril(m, k),
    np.triu: lambda m, k=0: chainrule.triu(m, k),
    np.real: lambda val: chainrule.real(val),
    np.imag: lambda val: chainrule.imag(val),
    np.nan_to_num: lambda x: chainrule.nan_to_num(x),
    np.kron: lambda a, b: chainrule.kron(a, b),
    np.copy: lambda a, order="K": a.clone(),
    np.zeros_like: lambda a, **options: chainrule.zeros_like(a),
    np.ones_like: lambda a, **options: chainrule.ones_like(a),
    np.shape: lambda a: tuple(a.shape),
    np.ndim: lambda a: a.dim(),
    np.size: lambda a: a.numel(),
    np.linalg.norm: _norm,
    np.linalg.inv: lambda a: chainrule.linalg.inv(a),
    np.linalg.det: lambda a: chainrule.linalg.det(a),
    np.linalg.solve: lambda a, b: chainrule.linalg.solve(a, b),
    np.linalg.cholesky: lambda a: chainrule.linalg.cholesky(a),
}
slots.ufunc = ufunc
slots.array_function = array_function
