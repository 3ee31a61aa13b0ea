"""assert_close: values, or nested lists and mappings of values, that must agree up to tolerances.

A comparison is first taken apart into pairs of leaves, each with the keys that lead to it, so that what has no
counterpart is reported before anything is computed; then the pairs are compared in order. The message is
PyTorch's, laid out as PyTorch lays it out.
"""

import cmath
from collections.abc import Mapping, Sequence

import numpy as np

import chainrule

__all__ = ["assert_close"]

# rtol and atol by dtype; everything else must be equal.
TOLERANCES = {
    chainrule.float16: (1e-3, 1e-5),
    chainrule.bfloat16: (1.6e-2, 1e-5),
    chainrule.float32: (1.3e-6, 1e-5),
    chainrule.float64: (1e-7, 1e-7),
    chainrule.complex64: (1.3e-6, 1e-5),
    chainrule.complex128: (1e-7, 1e-7),
}
NUMBER_DTYPES = {float: chainrule.float64, complex: chainrule.complex128}


class Rules:
    """What one call of assert_close asks of every pair of leaves."""

    def __init__(self, allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride):
        if (rtol is None) != (atol is None):
            missing = "rtol" if rtol is None else "atol"
            raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.")
        self.allow_subclasses = allow_subclasses
        self.rtol, self.atol, self.equal_nan = rtol, atol, equal_nan
        self.check_device, self.check_dtype = check_device, check_dtype
        self.check_layout, self.check_stride = check_layout, check_stride

    def tolerances(self, *dtypes):
        """The ones that were given, or the widest of what the dtypes have."""
        if self.rtol is not None:
            return self.rtol, self.atol
        found = [TOLERANCES.get(dtype, (0.0, 0.0)) for dtype in dtypes]
        return max(rtol for rtol, _ in found), max(atol for _, atol in found)


def assert_close(actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False,
                 check_device=True, check_dtype=True, check_layout=True, check_stride=False, msg=None):  # fmt: skip
    """AssertionError unless |actual - expected| <= atol + rtol |expected| in every element.

    actual, expected: tensors, NumPy arrays, numbers, booleans, None, or sequences and mappings of them, nested to
    any depth and of one structure. rtol, atol: both or neither; by default (1.3e-6, 1e-5) for float32 and complex64,
    (1e-7, 1e-7) for float64, complex128 and Python's own, (1e-3, 1e-5) for float16, (1.6e-2, 1e-5) for bfloat16 and
    (0, 0) for the rest. equal_nan: NaN agrees with NaN. check_*: these attributes must agree, too. Infinities agree
    with themselves only. msg: a text to raise instead of the description, or a function of the description.
    ValueError for one tolerance without the other; TypeError for what cannot be compared: a tensor with a number or
    an array with a tensor (of two classes one must be derived from the other, with allow_subclasses=False the same)."""
    __tracebackhide__ = True
    rules = Rules(allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride)
    for path, compare, a, b in _leaves(actual, expected, rules):
        text = compare(a, b, rules)
        if text:
            raise AssertionError(_customized(text + _where(path), msg))


def _leaves(actual, expected, rules):
    """(path, function, actual, expected) for each pair of leaves, in order."""
    __tracebackhide__ = True
    leaves, stack = [], [((), actual, expected)]
    while stack:
        path, a, b = stack.pop()
        if _both(a, b, Sequence) and not (isinstance(a, str) or isinstance(b, str)):
            if len(a) != len(b):
                raise AssertionError(f"The length of the sequences mismatch: {len(a)} != {len(b)}{_where(path)}")
            stack.extend(((*path, i), a[i], b[i]) for i in reversed(range(len(a))))
        elif _both(a, b, Mapping):
            stack.extend(((*path, key), a[key], b[key]) for key in reversed(_common_keys(a, b, path)))
        else:
            leaves.append((path, *_leaf(a, b, path, rules)))
    return leaves


def _both(a, b, kind):
    return isinstance(a, kind) and isinstance(b, kind)


def _common_keys(a, b, path):
    __tracebackhide__ = True
    missing, additional = [key for key in b if key not in a], [key for key in a if key not in b]
    if missing or additional:
        raise AssertionError(
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {_in_order(missing)}\n"
            f"Additional keys in the actual mapping: {_in_order(additional)}{_where(path)}"
        )
    return _in_order(a)


def _in_order(keys):
    """Sorted, or as they come where they have no order."""
    try:
        return sorted(keys)
    except TypeError:
        return list(keys)


def _leaf(a, b, path, rules):
    """How the pair is compared, and the two values in the form for that; TypeError where they cannot be."""
    __tracebackhide__ = True
    if a is None or b is None:
        return _nones, a, b
    if _both(a, b, (bool, np.bool_)):
        return _booleans, bool(a), bool(b)
    if _both(a, b, (int, float, complex, np.number)):
        return _numbers, _plain(a), _plain(b)
    related = isinstance(a, type(b)) or isinstance(b, type(a)) if rules.allow_subclasses else type(a) is type(b)
    if related and not isinstance(a, (str, np.generic)):
        try:
            return _tensors, chainrule.as_tensor(a).detach(), chainrule.as_tensor(b).detach()
        except (TypeError, ValueError, RuntimeError):
            pass
    raise TypeError(f"No comparison pair was able to handle inputs of type {type(a)} and {type(b)}.{_where(path)}")


def _plain(number):
    return number.item() if isinstance(number, np.generic) else number


def _where(path):
    return "\n\nThe failure occurred for item " + "".join(f"[{key!r}]" for key in path) if path else ""


def _customized(text, msg):
    if callable(msg):
        return msg(text)
    return msg if isinstance(msg, str) else text


def _nones(a, b, rules):
    if a is not b:
        return f"None mismatch: {a} is not {b}"


def _booleans(a, b, rules):
    if a is not b:
        return f"Booleans mismatch: {a} is not {b}"


def _numbers(a, b, rules):
    if rules.check_dtype and type(a) is not type(b):
        return f"The (d)types do not match: {type(a)} != {type(b)}."
    rtol, atol = rules.tolerances(NUMBER_DTYPES.get(type(a)), NUMBER_DTYPES.get(type(b)))
    if a == b or rules.equal_nan and a != a and b != b:
        return None
    difference = abs(a - b)
    if (rtol or atol) and cmath.isfinite(difference) and difference <= atol + rtol * abs(b):
        return None
    return _scalars_differ(a, b, rtol, atol)


def _scalars_differ(a, b, rtol, atol):
    exact = not (rtol or atol)
    relative = abs(a - b) / abs(b) if b else cmath.inf
    return (
        f"Scalars are not {'equal' if exact else 'close'}!\n\nExpected {b} but got {a}.\n"
        f"Absolute difference: {abs(a - b)}{_allowed(exact, atol)}\n"
        f"Relative difference: {relative}{_allowed(exact, rtol)}"
    )


def _allowed(exact, tolerance):
    return "" if exact else f" (up to {tolerance} allowed)"


def _tensors(a, b, rules):
    attributes = (
        (True, "shape", a.shape, b.shape),
        (rules.check_layout, "layout", a.layout, b.layout),
        (rules.check_device, "device", a.device, b.device),
        (rules.check_stride, "stride()", a.stride(), b.stride()),
        (rules.check_dtype, "dtype", a.dtype, b.dtype),
    )
    for wanted, name, ours, theirs in attributes:
        if wanted and ours != theirs:
            return f"The values for attribute '{name}' do not match: {ours} != {theirs}."
    # A meta tensor has no values that could differ.
    if a.is_meta or b.is_meta:
        return None
    rtol, atol = rules.tolerances(a.dtype, b.dtype)
    common = chainrule.promote_types(a.dtype, b.dtype)
    a, b = a.to(common), b.to(common)
    matches = chainrule.isclose(a, b, rtol=rtol, atol=atol, equal_nan=rules.equal_nan)
    if matches.all():
        return None
    if a.dim() == 0:
        return _scalars_differ(a.item(), b.item(), rtol, atol)
    return _elements_differ(a, b, matches, rtol, atol)


def _elements_differ(a, b, matches, rtol, atol):
    count, total = int((~matches).sum()), matches.numel()
    exact = not (rtol or atol)
    # A difference of small integers may need more room than they have, and truth values have none.
    if not (a.is_floating_point() or a.is_complex()):
        a, b = a.long(), b.long()
    absolute = (a - b).abs()
    greatest = [
        _greatest(name, values.masked_fill(matches, 0), _allowed(exact, tolerance))
        for name, values, tolerance in (("absolute", absolute, atol), ("relative", absolute / b.abs(), rtol))
    ]
    return (
        f"Tensor-likes are not {'equal' if exact else 'close'}!\n\n"
        f"Mismatched elements: {count} / {total} ({count / total:.1%})\n" + "\n".join(greatest)
    )


def _greatest(name, differences, allowed):
    """The line that names the first of the greatest differences; NaN is greater than all."""
    flat = int(differences.argmax())
    index = tuple(int(i) for i in np.unravel_index(flat, differences.shape))
    return f"Greatest {name} difference: {differences[index].item()} at index {index}{allowed}"
