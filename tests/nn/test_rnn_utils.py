"""Padding sequences into one tensor, and back."""

import pytest

import chainrule
from chainrule import tensor
from chainrule.nn.utils.rnn import pad_sequence, unpad_sequence


def test_padding():
    long, short = tensor([1, 2]), tensor([3])
    assert pad_sequence([long, short]).tolist() == [[1, 3], [2, 0]]
    assert pad_sequence((t for t in (short, long)), batch_first=True, padding_value=7).tolist() == [[3, 7], [1, 2]]
    assert pad_sequence([long, short], True, 7, "left").tolist() == [[1, 2], [7, 3]]
    assert pad_sequence([long.double(), short]).dtype is chainrule.float64
    assert pad_sequence([short, long.double()]).dtype is chainrule.int64
    assert pad_sequence(tensor([[1, 2], [3, 4]])).tolist() == [[1, 3], [2, 4]]


def test_there_and_back():
    sequences = [chainrule.randn(n, 2, 3) for n in (2, 4, 0)]
    for batch_first, shape in [(False, (4, 3, 2, 3)), (True, (3, 4, 2, 3))]:
        padded = pad_sequence(sequences, batch_first)
        assert padded.shape == shape
        back = unpad_sequence(padded, tensor([2, 4, 0]), batch_first)
        assert all(a.equal(b) for a, b in zip(back, sequences, strict=True))


def test_gradients_go_to_the_sequences():
    a, b = chainrule.ones(1, requires_grad=True), chainrule.ones(3, requires_grad=True)
    (pad_sequence([a, b]) * tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])).sum().backward()
    assert a.grad.tolist() == [1] and b.grad.tolist() == [2, 4, 6]


@pytest.mark.parametrize(
    ("sequences", "options", "error", "text"),
    [
        ([], {}, RuntimeError, "received an empty list of sequences"),
        (5, {}, RuntimeError, "Expected iterable for input sequences, but got arg of type: <class 'int'>"),
        ([tensor([1]), [2]], {}, TypeError, "expected Tensor as element 1, but got list"),
        ([tensor(1)], {}, RuntimeError, "at least one dimension, element 0 has none"),
        ([chainrule.ones(2, 2), chainrule.ones(1, 3)], {}, RuntimeError, r"the length, but got \[3\]"),
        ([tensor([1])], {"padding_side": "x"}, RuntimeError, "one of left or right, but got x"),
    ],
)
def test_refusals(sequences, options, error, text):
    with pytest.raises(error, match=text):
        pad_sequence(sequences, **options)
