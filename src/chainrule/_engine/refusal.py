"""What a refused call raises, and the other names some arguments have.

Nothing is looked at before a call: arguments that do not fit make the work fail, wherever that is noticed. What the
caller is told is found here, afterwards: the first argument of a type that cannot be meant, or the error itself in
the exception type PyTorch gives it. Plain calls pay nothing for it.
"""

import functools
import re

import numpy as np

from chainrule._core.dtype import dtype as DType
from chainrule._engine.missing import MISSING
from chainrule._engine.tensor import Tensor

NUMBERS = (int, float, complex, np.number, np.bool_)
INTEGERS = (int, np.integer)

# Names that NumPy's programs use and PyTorch takes for its own.
OTHER_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}

ALWAYS_TENSORS = frozenset(
    "mask mat mat1 mat2 vec vec1 vec2 batch1 batch2 tensor1 tensor2 target running_mean running_var "
    "bias input1 input2 x1 x2 aweights fweights append prepend LU_data LU_pivots".split()
)
TENSORS_OR_NUMBERS = frozenset("input other tensor exponent src weight test_elements elements".split())
TRUTHS = frozenset(
    "keepdim descending stable unbiased ceil_mode count_include_pad largest sorted accumulate training train "
    "return_inverse return_counts full_matrices some left transpose unitriangular hermitian right out_int32 "
    "scale_grad_by_freq include_self log_input as_tuple zero_infinity requires_grad pin_memory unpack_data "
    "unpack_pivots dense_dim".split()
)
WHOLE = frozenset(
    "k n chunks diagonal dim0 dim1 groups num_classes minlength length rowvar correction_length".split()
)
PLACES = frozenset("dim dims size shape sizes".split())
REAL_OR_COMPLEX = frozenset("alpha beta negative_slope lambd threshold eps min_val max_val".split())

# The bit of a code object's flags that says that the function has *args.
VARIADIC = 4

# Composites and their public forms, where those differ.
faces = {}

NUMPY_WORDS = re.compile(
    "could not (be )?broadcast|non-broadcastable|axis remapping|is ambiguous|cannot "
    "reshape|axes don't match|setting an array element|"
    "not aligned|negative dimensions|zero-size array|^matmul: |maximum supported dimension|Maximum allowed|"
    "need at least one array|all the input array|arrays? used as ind|array is too big|no negative elements|"
    "shape mismatch|inhomogeneous|could not convert string"
)


def type_name(value):
    """A value's type as error messages spell it."""
    return "torch.dtype" if isinstance(value, DType) else type(value).__name__


def is_whole(value):
    return (isinstance(value, INTEGERS) and not isinstance(value, bool)) or (
        isinstance(value, (Tensor, np.ndarray)) and value.ndim == 0
    )


def misfit(parameter, value):
    """What an argument of this name must be, where the value's type says that it is not; else None."""
    if isinstance(value, Tensor) or value is None:
        return "bool" if parameter in TRUTHS and value is not None else None
    if parameter in ALWAYS_TENSORS:
        return "Tensor"
    if parameter in TENSORS_OR_NUMBERS:
        return None if isinstance(value, (*NUMBERS, np.ndarray)) else "Tensor"
    if parameter in TRUTHS:
        return None if isinstance(value, bool) else "bool"
    if parameter == "dtype":
        return None if isinstance(value, DType) or isinstance(value, type) else "torch.dtype"
    if parameter == "out":
        several = isinstance(value, (tuple, list)) and value and all(isinstance(t, Tensor) for t in value)
        return None if several else "Tensor"
    if parameter in PLACES:
        if isinstance(value, (tuple, list)):
            return None if all(is_whole(v) or isinstance(v, (tuple, list)) for v in value) else "tuple of ints"
        return None if is_whole(value) else "int"
    if parameter in WHOLE:
        return None if is_whole(value) else "int"
    if parameter in REAL_OR_COMPLEX:
        return None if isinstance(value, NUMBERS) else "Number"
    return None


def must_be(name, parameter, i, wanted, value):
    return TypeError(f"{name}(): argument '{parameter}' (position {i + 1}) must be {wanted}, not {type_name(value)}")


def refusal(name, names, values, error):
    """The exception a call raises whose work raised `error`: often the same one."""
    if isinstance(error, TypeError) and "argument" in str(error):
        return error
    for i, (parameter, value) in enumerate(zip(names, values, strict=False)):
        if value is MISSING:
            return TypeError(f"{name}() missing 1 required positional argument: '{parameter}'")
        wanted = misfit(parameter, value)
        if wanted is not None:
            return must_be(name, parameter, i, wanted, value)
    if isinstance(error, (RuntimeError, NotImplementedError)):
        return error
    if isinstance(error, AttributeError):
        return unfit_object(name, names, values, error)
    if isinstance(error, np.exceptions.AxisError):
        return IndexError(f"{name}(): {error}")
    if isinstance(error, IndexError):
        return error
    if type(error).__name__ in ("_UFuncNoLoopError", "UFuncTypeError", "_UFuncInputCastingError"):
        return NotImplementedError(f'"{name}" not implemented for {dtypes_of(values)}')
    if type(error) is ValueError and NUMPY_WORDS.search(str(error)):
        return RuntimeError(f"{name}(): the arguments do not fit one another: {described(names, values)} ({error})")
    if isinstance(error, (ZeroDivisionError, MemoryError)):
        return RuntimeError(f"{name}(): {error or type(error).__name__}")
    if type(error) is TypeError and "(" not in str(error).partition(" ")[0]:
        return TypeError(f"{name}(): {error}; got {described(names, values)}")
    return error


def unfit_object(name, names, values, error):
    """An attribute was missing: the argument, or the element of a list, that was asked for it is no tensor."""
    for i, (parameter, value) in enumerate(zip(names, values, strict=False)):
        if value is error.obj:
            return must_be(name, parameter, i, "Tensor", value)
        if isinstance(value, (list, tuple)):
            for k, element in enumerate(value):
                if element is error.obj:
                    return TypeError(
                        f"{name}(): expected Tensor as element {k} in argument '{parameter}', "
                        f"but got {type_name(element)}"
                    )
    return error


def dtypes_of(values):
    return ", ".join(str(v.meta.dtype) for v in values if isinstance(v, Tensor))


def described(names, values):
    """The arguments in short: tensors by shape."""
    words = []
    for parameter, value in zip(names, values, strict=False):
        if isinstance(value, Tensor):
            words.append(f"{parameter} of shape {list(value.array.shape)}")
        elif value is not None:
            words.append(f"{parameter}={type_name(value) if isinstance(value, (list, tuple, dict)) else repr(value)}")
    return ", ".join(words)


def renamed(named, names):
    """The keywords under PyTorch's names; None if one is neither a parameter nor another name of one."""
    answer = {}
    for key, value in named.items():
        own = key if key in names else OTHER_NAMES.get(key)
        if own not in names or own in answer:
            return None
        answer[own] = value
    return answer


def by_numpy_names(name, dim, keepdim, axis, keepdims):
    """(dim, keepdim) of a fold that was given NumPy's names for them."""
    if axis is not None and dim is not None:
        raise TypeError(f"{name}() got two values for argument 'dim'")
    return dim if axis is None else axis, keepdim if keepdims is None else keepdims


def guarded(function):
    """The public form of a composite: the same function, whose failures are told as those of ops are."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @functools.wraps(function)
    def public(*args, **named):
        try:
            return function(*args, **named)
        except Exception as error:
            if type(error) is TypeError and named and not named.keys() <= set(names):
                known = renamed(named, names)
                if known is not None:
                    return public(*args, **known)
            values = dict(zip(names[: code.co_argcount], args, strict=False)) | named
            if code.co_flags & VARIADIC:
                values[code.co_varnames[len(names)]] = args[code.co_argcount :]
            told = refusal(public.__name__, values.keys(), values.values(), error)
            if told is error:
                raise
            raise told from error

    return public


# Called so often, or given functions of the program's own to run, that they stand without a guard.
BARE = frozenset(
    "add add_ sub sub_ mul div div_ sum mean max min view reshape permute transpose to item detach size pow "
    "linear relu apply_ map_ clamp float double type backward copy_ zero_ flatten matmul "
    "softmax log_softmax softmin grid_sample affine_grid".split()
)


def takes_guard(function):
    """Whether a composite gets a guard: its parameters can be read, and it is not one of those that stand bare."""
    return function.__name__ not in BARE and hasattr(function, "__code__")
