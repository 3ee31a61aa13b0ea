"""assert_close: what agrees, what does not, and the text that says so."""

from collections import OrderedDict, deque

import numpy as np
import pytest

import chainrule
from chainrule import tensor
from chainrule.testing import assert_close

inf, nan = float("inf"), float("nan")


def message(actual, expected, error=AssertionError, **options):
    with pytest.raises(error) as caught:
        assert_close(actual, expected, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("dtype", "rtol", "atol"),
    [
        (chainrule.float16, 1e-3, 1e-5),
        (chainrule.bfloat16, 1.6e-2, 1e-5),
        (chainrule.float32, 1.3e-6, 1e-5),
        (chainrule.float64, 1e-7, 1e-7),
        (chainrule.complex64, 1.3e-6, 1e-5),
        (chainrule.complex128, 1e-7, 1e-7),
    ],
)
def test_default_tolerances(dtype, rtol, atol):
    # 256 is a power of two: its neighbours are evenly spaced around the bound.
    expected = chainrule.full((2,), 256.0, dtype=dtype)
    assert_close(expected * (1 + rtol / 2), expected)
    text = message(expected * (1 + 4 * rtol), expected)
    assert f"(up to {atol} allowed)" in text and f"(up to {rtol} allowed)" in text


def test_everything_else_must_be_equal():
    assert_close(tensor([1, 2]), tensor([1, 2]))
    assert message(tensor([[1, 2], [3, 4]]), tensor([[1, 2], [3, 5]])) == (
        "Tensor-likes are not equal!\n\n"
        "Mismatched elements: 1 / 4 (25.0%)\n"
        "Greatest absolute difference: 1 at index (1, 1)\n"
        "Greatest relative difference: 0.20000000298023224 at index (1, 1)"
    )
    assert "absolute difference: 254 at" in message(*(tensor([n], dtype=chainrule.uint8) for n in (1, 255)))
    assert "absolute difference: 1 at index (1,)" in message(tensor([True, False]), tensor([True, True]))


def test_the_layout_of_the_message():
    assert message(tensor([1.0, 2.0, 0.0]), tensor([1.0, 4.0, 1.0])) == (
        "Tensor-likes are not close!\n\n"
        "Mismatched elements: 2 / 3 (66.7%)\n"
        "Greatest absolute difference: 2.0 at index (1,) (up to 1e-05 allowed)\n"
        "Greatest relative difference: 1.0 at index (2,) (up to 1.3e-06 allowed)"
    )
    assert message(tensor(1.0), tensor(2.0)) == (
        "Scalars are not close!\n\nExpected 2.0 but got 1.0.\n"
        "Absolute difference: 1.0 (up to 1e-05 allowed)\n"
        "Relative difference: 0.5 (up to 1.3e-06 allowed)"
    )


def test_elements_within_the_tolerance_are_not_the_greatest():
    text = message(tensor([1e6, 1.0]), tensor([1e6 + 1, 1.5]))
    assert "1 / 2" in text and "0.5 at index (1,)" in text


def test_given_tolerances():
    assert_close(tensor([1.0]), tensor([1.4]), rtol=0, atol=0.5)
    assert_close(tensor([5]), tensor([6]), rtol=0.5, atol=0)
    assert_close(1.0, 1.4, rtol=0.3, atol=0)
    assert "are not equal" in message(tensor([1.0]), tensor([1.1]), rtol=0, atol=0)
    assert message(1.0, 1.0, ValueError, rtol=0.1) == (
        "Both 'rtol' and 'atol' must be either specified or omitted, but got no atol."
    )
    assert "but got no rtol" in message(1.0, 1.0, ValueError, atol=0.1)


def test_infinities_and_nan():
    assert_close(tensor([inf, -inf]), tensor([inf, -inf]))
    assert_close(inf, inf)
    assert "inf at index (0,)" in message(tensor([inf]), tensor([1.0]))
    assert "Expected inf but got 1.0" in message(1.0, inf, rtol=1, atol=0)
    assert "difference: nan at index (1,)" in message(tensor([1.0, nan]), tensor([1.0, nan]))
    assert_close(tensor([1.0, nan]), tensor([1.0, nan]), equal_nan=True)
    assert_close(nan, nan, equal_nan=True)
    assert "Expected nan but got nan" in message(nan, nan)


def test_numbers():
    assert_close(1, 1)
    assert_close(1.0, 1.0 + 1e-8)
    assert_close(np.float32(2), 2.0)
    assert_close(1, 1.0, check_dtype=False)
    assert message(1, 1.0) == "The (d)types do not match: <class 'int'> != <class 'float'>."
    assert message(1, True) == "The (d)types do not match: <class 'int'> != <class 'bool'>."
    assert message(7, 0) == (
        "Scalars are not equal!\n\nExpected 0 but got 7.\nAbsolute difference: 7\nRelative difference: inf"
    )
    assert "Expected 2j but got 1j." in message(1j, 2j)
    assert "are not equal" in message(10**400, 10**400 + 1)


def test_booleans_and_none():
    assert_close([True, None, np.True_], [True, None, True])
    assert message(True, False) == "Booleans mismatch: True is not False"
    assert message(None, tensor(1.0)) == "None mismatch: None is not 1.0"
    assert message(1, None) == "None mismatch: 1 is not None"


@pytest.mark.parametrize(
    ("actual", "expected", "off", "text"),
    [
        (chainrule.zeros(2), chainrule.zeros(3), None, "'shape' do not match: torch.Size([2]) != torch.Size([3])."),
        (tensor([1.0]), tensor([1]), "check_dtype", "'dtype' do not match: torch.float32 != torch.int64."),
        (chainrule.ones(2, device="meta"), chainrule.ones(2), "check_device", "'device' do not match: meta != cpu."),
    ],
)
def test_attributes(actual, expected, off, text):
    assert message(actual, expected) == f"The values for attribute {text}"
    if off:
        assert_close(actual, expected, **{off: False})


def test_strides_are_compared_when_asked():
    every_other = tensor([1.0, 2.0, 3.0, 4.0])[::2]
    assert_close(every_other, tensor([1.0, 3.0]))
    text = message(every_other, tensor([1.0, 3.0]), check_stride=True)
    assert text == "The values for attribute 'stride()' do not match: (2,) != (1,)."


def test_dtypes_that_differ_are_promoted():
    assert_close(tensor([1.0]).double(), tensor([1.0005]).half(), check_dtype=False)
    assert "Expected 5.0 but got 3.0." in message(tensor(3), tensor(5.0), check_dtype=False)


def test_arrays():
    assert_close(np.ones(2), np.ones(2))
    assert "2 / 2" in message(np.ones(2), np.zeros(2))
    assert "Expected 2.0 but got 1.0." in message(np.array(1.0), np.array(2.0))


def test_sequences_and_mappings():
    assert_close([tensor([1.0]), (2, {"a": [3.0]})], (tensor([1.0]), [2, {"a": [3.0]}]))
    assert_close(OrderedDict(a=1), {"a": 1})
    assert_close(deque([0, 1, 2]), range(3))
    text = message({"a": [1, {"z": tensor([2.0])}]}, {"a": [1, {"z": tensor([3.0])}]})
    assert text.startswith("Tensor-likes") and text.endswith("\n\nThe failure occurred for item ['a'][1]['z']")
    assert message([[1, 2]], [[1]]) == (
        "The length of the sequences mismatch: 2 != 1\n\nThe failure occurred for item [0]"
    )
    assert message({"c": 1, "a": 3}, {"b": 1}) == (
        "The keys of the mappings do not match:\n"
        "Missing keys in the actual mapping: ['b']\n"
        "Additional keys in the actual mapping: ['a', 'c']"
    )
    assert "Additional keys in the actual mapping: ['a', 1]" in message({"a": 1, 1: 1}, {})


def test_the_first_difference_is_reported_and_structure_comes_first():
    assert message([1, 2, 3], [1, 3, 4]).endswith("item [1]")
    assert message({"b": 1, "a": 2}, {"b": 2, "a": 3}).endswith("item ['a']")
    assert message([1, [2]], [2, [2, 3]]).startswith("The length")


def test_deep_nesting():
    def nested(leaf):
        for _ in range(3_000):
            leaf = [leaf]
        return leaf

    assert_close(nested(1), nested(1))
    assert message(nested(1), nested(2)).endswith("[0]" * 3_000)


def test_what_cannot_be_compared():
    array, one = np.ones(1), tensor([1.0])
    for a, b in [(one, array), (one, [1.0]), (1.0, tensor(1.0)), ({1}, {1}), ([], {}), ("a", ["a"]), ("a", "a")]:
        text = message(a, b, TypeError)
        assert text == f"No comparison pair was able to handle inputs of type {type(a)} and {type(b)}."
    assert message([1, "a"], [2, "a"], TypeError).endswith("for item [1]")
    assert "No comparison pair" in message(np.array(["a"]), np.array(["a"]), TypeError)


def test_subclasses():
    class Left(chainrule.Tensor):
        pass

    class Right(chainrule.Tensor):
        pass

    plain, left, right = tensor([1.0]), tensor([1.0]).as_subclass(Left), tensor([1.0]).as_subclass(Right)
    assert_close(left, plain)
    assert_close(chainrule.nn.Parameter(plain), plain)
    assert_close(left, left.clone(), allow_subclasses=False)
    assert "No comparison pair" in message(left, right, TypeError)
    assert "No comparison pair" in message(left, plain, TypeError, allow_subclasses=False)


def test_own_messages():
    one, two = tensor([1.0]), tensor([2.0])
    assert message(one, two, msg="own words") == "own words"
    text = message([one], [two], msg=lambda text: f"Step 3\n{text}")
    assert text.startswith("Step 3\nTensor-likes are not close!") and text.endswith("item [0]")
    assert message([1], [1, 2], msg="own words") == "The length of the sequences mismatch: 1 != 2"


def test_nothing_is_recorded():
    a = chainrule.ones(3, requires_grad=True)
    assert_close(a * 2, tensor([2.0, 2.0, 2.0]))
    assert "3 / 3" in message(a, chainrule.zeros(3))
    assert a.grad is None
