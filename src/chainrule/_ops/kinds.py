"""What families of ops share: how arguments become arrays, how results get their dtype, what is a view.

A kind is asked for `forward(op, args)`: the arrays of an op's outputs (and residuals) from its arguments, which it may
normalise in place (numbers to weak tensors, dims to non-negative ones) so that the rules see them so; and for
`write(op, args, target)`: the same into an existing tensor. Kinds do not inherit from each other.
"""

import numpy as np

from chainrule._core import dtype as _dtype
from chainrule._core import promotion
from chainrule._core.boundary import plain_array
from chainrule._core.dtype import of_array
from chainrule._engine.tensor import Tensor, get_slots, wrap
from chainrule._kernels.casting import cast, compute_type, to_compute
from chainrule._kernels.loops import Ufunc, wrapping_scalar

slots = get_slots()


def check_tensor(op, name, value):
    """TypeError unless the argument is a tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{op.public_name}(): argument '{name}' must be Tensor, not {type(value).__name__}")
    return value


def check_first(op, value):
    """TypeError unless the first argument is a tensor, or the signature's name for it says that it may be more."""
    if not isinstance(value, Tensor) and op.signature.names[0] not in ("tensors", "elements"):
        check_tensor(op, op.signature.names[0], value)


def normal_dim(dim, ndim):
    """dim as a non-negative int; IndexError in PyTorch's words if it is out of range. A 0-d tensor counts as 1-d."""
    n = ndim if ndim > 0 else 1
    if not hasattr(dim, "__index__"):
        raise TypeError(f"argument 'dim' must be int, not {type(dim).__name__}")
    d = dim.__index__()
    if not -n <= d < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {d})")
    return d + n if d < 0 else d


def normal_dims(dim, ndim):
    """One dim, several or None (all) as a sorted tuple of distinct non-negative ints."""
    if dim is None:
        return tuple(range(ndim))
    if hasattr(dim, "__index__") and not isinstance(dim, (tuple, list)):
        return (normal_dim(dim, ndim),)
    if not isinstance(dim, (tuple, list)):
        raise TypeError(f"argument 'dim' must be int or tuple of ints, not {type(dim).__name__}")
    dims = [normal_dim(d, ndim) for d in dim]
    for d in dims:
        if dims.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return tuple(sorted(dims))


def result_type(values):
    """The promoted dtype of tensors (dimensioned, then 0-d) and numbers (weak tensors among them)."""
    dimensioned = zero_dim = number = None
    for v in values:
        if isinstance(v, Tensor):
            d = v.meta.dtype
            if v.weak:
                number = d if number is None else promotion.promote_types(number, d)
            elif v.meta.shape:
                dimensioned = d if dimensioned is None else promotion.promote_types(dimensioned, d)
            else:
                zero_dim = d if zero_dim is None else promotion.promote_types(zero_dim, d)
        elif v is not None:
            d = promotion.dtype_of_number(v)
            number = d if number is None else promotion.promote_types(number, d)
    return promotion.combine(dimensioned, zero_dim, number)


def weak(value, d):
    """A Python (or NumPy) number as a weak 0-d tensor of dtype d."""
    t = wrap(cast(wrapping_scalar(value, compute_type(d).np), d))
    t.weak = True
    return t


def check_fits(value, d):
    """RuntimeError if an integer dtype cannot hold a number; a negative one of no more than its size wraps."""
    if d.category != 1:
        return
    limits = np.iinfo(d.np)
    low = limits.min if d.is_signed else -limits.max
    if not low <= value <= limits.max:
        name = {"int32": "int"}.get(d.name, f"{d.name}_t")
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")


def is_number(value):
    return isinstance(value, (int, float, complex, np.number, np.bool_))


def to_arrays(value):
    """Tensors in an argument (or a list of them) as arrays a computing kernel takes; anything else as it is."""
    if isinstance(value, Tensor):
        return to_compute(value.array)
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], Tensor):
        return [to_compute(t.array) for t in value]
    return value


def raw_arrays(value):
    """The same without touching the element type."""
    if isinstance(value, Tensor):
        return value.array
    if isinstance(value, (list, tuple)) and any(isinstance(t, Tensor) for t in value):
        return [t.array if isinstance(t, Tensor) else t for t in value]
    return value


def check_cast(array, d):
    """RuntimeError unless a result may be written into a tensor of dtype d."""
    source = of_array(array)
    if not promotion.can_cast(source, d):
        raise RuntimeError(
            f"result type {source.tensor_type.removesuffix('Tensor')} can't be cast to the desired output type "
            f"{d.tensor_type.removesuffix('Tensor')}"
        )


def write_result(op, target, array):
    """Copy a computed result into the target of an in-place op: its shape and kind must fit."""
    d = target.meta.dtype
    check_cast(array, d)
    if array.shape != target.array.shape:
        try:
            fits = np.broadcast_shapes(array.shape, target.array.shape) == target.array.shape
        except ValueError:
            fits = False
        if not fits:
            raise RuntimeError(
                f"output with shape {list(target.array.shape)} doesn't match the broadcast shape {list(array.shape)}"
            )
    np.copyto(target.array, cast(array, d))


class Elementwise:
    """Broadcast, promote, apply element by element.

    `fn` is a NumPy ufunc or a kernel of arrays; the first `tensors` arguments of the signature are its operands, the
    rest is passed on. `floats`: integers are computed in the default float dtype. `no_bool`: the error for booleans.
    """

    is_view = False
    n_outputs = 1
    residuals = ""
    with_out = True

    def __init__(self, fn, tensors=None, floats=False, no_bool=None, no_complex=False, inplace=True):
        self.ufunc = Ufunc(fn) if isinstance(fn, np.ufunc) else None
        self.fn = fn
        self.tensors = tensors if tensors is not None else fn.nin
        self.floats = floats
        self.no_bool = no_bool
        self.no_complex = no_complex
        self.direct = fn if self.ufunc is None else self.ufunc
        self.direct_from = 2 if floats else 1 if no_bool else 0
        self.direct_below = 3 if no_complex else 4
        self.with_inplace = inplace

    def operands(self, op, args):
        """The operands as arrays of one computing dtype, and the dtype of the result."""
        n = self.tensors
        operands = args[:n]
        if not any(isinstance(v, Tensor) for v in operands):
            check_tensor(op, op.signature.names[0], operands[0])
        for i, v in enumerate(operands):
            if isinstance(v, np.ndarray):
                # an array beside a tensor is what from_numpy makes of it: t * a answers as a * t does
                v = operands[i] = args[i] = wrap(plain_array(v))
            if v is not None and not isinstance(v, Tensor) and not is_number(v):
                check_tensor(op, op.signature.names[i], v)
        d = result_type(operands)
        if self.floats and d.category < 2:
            d = _dtype.get_default_dtype()
        if self.no_bool and any(result_type((v,)).category == 0 for v in operands):
            raise RuntimeError(self.no_bool)
        if self.no_complex and d.category == 3:
            raise RuntimeError(f"{op.public_name} does not support complex: got {d}")
        computing = compute_type(d)
        arrays = []
        for i, v in enumerate(operands):
            if v is None:
                arrays.append(None)
                continue
            if not isinstance(v, Tensor):
                if n == 3:
                    # three operands choose and clamp: what they copy must be what was given
                    check_fits(v, d)
                v = args[i] = weak(v, d)
            arrays.append(cast(v.array, computing))
        return arrays, d

    def forward(self, op, args):
        arrays, d = self.operands(op, args)
        if self.ufunc is None:
            result = self.fn(*arrays, *args[self.tensors :])
        elif self.tensors == 1:
            result = self.ufunc.call1(arrays[0])
        else:
            result = self.ufunc.call2(arrays[0], arrays[1])
        return cast(result, d) if d.is_half and of_array(result).is_floating_point else result

    def write(self, op, args, target):
        for v in args[1 : self.tensors]:
            if isinstance(v, Tensor):
                slots.check_overlap(op.name, target.array, v.array)
        if self.ufunc is not None:
            arrays, d = self.operands(op, args)
            if d is target.meta.dtype and not d.is_half and self.ufunc.has_loop(d.np):
                if self.tensors == 1:
                    self.ufunc.into1(target.array, arrays[0])
                else:
                    self.ufunc.into2(target.array, arrays[0], arrays[1])
                return ()
        write_result(op, target, self.forward(op, args))
        return ()


class Reduction:
    """Fold along `dim` (one, several, or None for all) with `keepdim`; the kernel gets (array, axes, keepdims, …).

    Arguments are found by name in the signature. `integers`: the dtype integers are summed in; `floats`: only floating
    or complex input; `dtype=` is applied before the fold.
    """

    is_view = False
    ufunc = None
    direct_from = 0
    with_inplace = False

    def __init__(self, fn, integers=None, floats=False, n_outputs=1, residuals="", with_out=True, ints_to_float=False):
        self.fn = fn
        self.integers = integers
        self.floats = floats
        self.n_outputs = n_outputs
        self.residuals = residuals
        self.with_out = with_out
        self.ints_to_float = ints_to_float

    def forward(self, op, args):
        names = op.signature.names
        t = check_tensor(op, names[0], args[0])
        d = t.meta.dtype
        where = {name: i for i, name in enumerate(names)}
        asked = args[where["dtype"]] if "dtype" in where else None
        if asked is not None:
            d = asked
        elif self.integers is not None and d.category < 2:
            d = self.integers
        elif self.ints_to_float and d.category < 2:
            d = _dtype.get_default_dtype()
        if self.floats and d.category < 2:
            raise RuntimeError(
                f"{op.public_name}(): could not infer output dtype. {'Input' if asked is None else 'Optional'} "
                "dtype must "
                f"be either a floating point or complex dtype. Got: {d.tensor_type.removesuffix('Tensor')}"
            )
        axes = tuple(range(t.array.ndim))
        if "dim" in where:
            dim = args[where["dim"]]
            axes = normal_dims(None if isinstance(dim, (tuple, list)) and len(dim) == 0 else dim, t.array.ndim)
            args[where["dim"]] = axes
        keepdims = bool(args[where["keepdim"]]) if "keepdim" in where else False
        array = cast(t.array, compute_type(d))
        if array.ndim == 0:
            axes = ()
        rest = [args[i] for i, name in enumerate(names) if i > 0 and name not in ("dim", "keepdim", "dtype")]
        result = self.fn(array, axes, keepdims, *rest)
        if not d.is_half:
            return result
        if isinstance(result, tuple):
            return tuple(cast(r, d) if of_array(r).is_floating_point else r for r in result)
        return cast(result, d) if of_array(result).is_floating_point else result


class Along:
    """Work along one dimension: the kernel gets (array, axis, …), `dim` made non-negative.

    A `dtype=` argument is applied first. `floats`: integers are computed in the default float dtype.
    """

    is_view = False
    ufunc = None
    direct_from = 0

    def __init__(self, fn, integers=None, floats=False, n_outputs=1, residuals="", inplace=False, moves=False,
                 with_out=True):  # fmt: skip
        self.fn = fn
        self.integers = integers
        self.floats = floats
        self.n_outputs = n_outputs
        self.residuals = residuals
        self.with_inplace = inplace
        self.with_out = with_out
        self.moves = moves

    def forward(self, op, args):
        names = op.signature.names
        t = check_tensor(op, names[0], args[0])
        d = t.meta.dtype
        place = names.index("dim")
        asked = args[names.index("dtype")] if "dtype" in names else None
        if asked is not None:
            d = asked
        elif self.integers is not None and d.category < 2:
            d = self.integers
        elif self.floats and d.category < 2:
            d = _dtype.get_default_dtype()
        axis = args[place] = normal_dim(args[place], t.array.ndim)
        array = cast(t.array, d if self.moves else compute_type(d))
        rest = [raw_arrays(v) for i, v in enumerate(args) if i not in (0, place) and names[i] != "dtype"]
        result = self.fn(array, axis, *rest)
        if not d.is_half or self.moves:
            return result
        if isinstance(result, tuple):
            return tuple(cast(r, d) if of_array(r) is _dtype.float32 else r for r in result)
        return cast(result, d)

    def write(self, op, args, target):
        result = self.forward(op, args)
        if isinstance(result, tuple):
            write_result(op, target, result[0])
            return result[self.n_outputs :]
        write_result(op, target, result)
        return ()


class View:
    """Another look at the same memory: the kernel gives a NumPy view (or a list of views)."""

    is_view = True
    ufunc = None
    direct_from = 0
    residuals = ""
    with_inplace = False
    with_out = False

    def __init__(self, fn, n_outputs=1):
        self.fn = fn
        self.n_outputs = n_outputs

    def forward(self, op, args):
        t = check_tensor(op, op.signature.names[0], args[0])
        return self.fn(t.array, *args[1:])


class Contraction:
    """Sums of products of operands that must agree in dtype; 16-bit floats are computed in float32.

    A `Product` in the place of the kernel lets calls of two plain tensors take the short way."""

    is_view = False
    direct_from = 1
    residuals = ""
    n_outputs = 1
    with_inplace = False
    with_out = True

    def __init__(self, fn, tensors=2, inplace=False):
        self.ufunc = fn if isinstance(fn, Ufunc) else None
        self.fn = fn.call2 if isinstance(fn, Ufunc) else fn
        self.tensors = tensors
        self.with_inplace = inplace

    def forward(self, op, args):
        names = op.signature.names
        d = None
        arrays = []
        for i in range(self.tensors):
            if args[i] is None:
                arrays.append(None)
                continue
            t = check_tensor(op, names[i], args[i])
            if d is None:
                d = t.meta.dtype
                if d.category == 0:
                    raise NotImplementedError(f"\"{op.public_name}\" not implemented for 'Bool'")
            elif t.meta.dtype is not d:
                raise RuntimeError(
                    f"{op.public_name}: expected '{names[0]}' and '{names[i]}' to have the same dtype, but got: "
                    f"{d} != {t.meta.dtype}"
                )
            arrays.append(to_compute(t.array) if d.is_half else t.array)
        result = self.fn(*arrays, *args[self.tensors :])
        return cast(result, d) if d.is_half else result

    def write(self, op, args, target):
        write_result(op, target, self.forward(op, args))
        return ()


class Gather:
    """Elements moved, not computed: arrays go to the kernel in their own element type."""

    is_view = False
    ufunc = None
    direct_from = 0

    def __init__(self, fn, n_outputs=1, residuals="", inplace=False, with_out=True):
        self.fn = fn
        self.n_outputs = n_outputs
        self.residuals = residuals
        self.with_inplace = inplace
        self.with_out = with_out

    def forward(self, op, args):
        check_first(op, args[0])
        return self.fn(*[raw_arrays(v) for v in args])

    def write(self, op, args, target):
        result = self.forward(op, args)
        if isinstance(result, tuple):
            write_result(op, target, result[0])
            return result[1:]
        write_result(op, target, result)
        return ()


class Opaque:
    """A kernel that is taken as it is: tensors become arrays (16-bit floats widened), the result is rounded back.

    `floats`: integer input is an error. Residuals are what the kernel returns beyond its outputs.
    """

    is_view = False
    ufunc = None
    direct_from = 0

    def __init__(self, fn, n_outputs=1, residuals="", floats=False, inplace=False, with_out=True):
        self.fn = fn
        self.n_outputs = n_outputs
        self.residuals = residuals
        self.floats = floats
        self.with_inplace = inplace
        self.with_out = with_out

    def forward(self, op, args):
        check_first(op, args[0])
        d = None
        for i, v in enumerate(args):
            if isinstance(v, Tensor) and v.meta.dtype.category >= 2:
                d = v.meta.dtype if d is None else promotion.promote_types(d, v.meta.dtype)
            elif isinstance(v, Tensor) and self.floats and i == 0:
                raise RuntimeError(f'"{op.public_name}" not implemented for {v.meta.dtype.tensor_type!r}')
        result = self.fn(*[to_arrays(v) for v in args])
        if d is None or not d.is_half:
            return result
        if isinstance(result, (tuple, list)):
            return tuple(
                cast(r, d) if i < self.n_outputs and isinstance(r, np.ndarray) and of_array(r) is _dtype.float32 else r
                for i, r in enumerate(result)
            )
        return cast(result, d) if of_array(result).is_floating_point else result

    def write(self, op, args, target):
        result = self.forward(op, args)
        if isinstance(result, tuple):
            write_result(op, target, result[0])
            return result[self.n_outputs :]
        write_result(op, target, result)
        return ()
