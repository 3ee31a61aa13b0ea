"""Sorting, medians and distinct elements: order of equals and nan, named results, refused arguments."""

import math
import pickle

import numpy as np
import pytest

import chainrule as T

NAN = float("nan")


def gradient(f, values):
    x = T.tensor(values, dtype=T.float64, requires_grad=True)
    f(x).sum().backward()
    return x.grad.tolist()


def test_equals_keep_their_order_both_ways():
    x = T.tensor([2, 1, 2, 1, 2])
    assert x.sort().indices.tolist() == [1, 3, 0, 2, 4]
    assert x.sort(descending=True).indices.tolist() == [0, 2, 4, 1, 3]
    assert x.argsort(descending=True, stable=True).tolist() == [0, 2, 4, 1, 3]


def test_nan_is_the_largest():
    x = T.tensor([1.0, NAN, 3.0])
    assert x.sort().indices.tolist() == [0, 2, 1] and x.topk(1).indices.item() == 1
    assert math.isnan(x.median().item()) and x.nanmedian().item() == 1


@pytest.mark.parametrize("dtype", [T.float16, T.bfloat16, T.uint8, T.int16, T.bool])
def test_every_element_type_sorts_in_its_own(dtype):
    x = T.tensor([3, 0, 1]).to(dtype)
    values, _ = x.sort()
    assert values.dtype is dtype and values.tolist() == sorted(x.tolist())
    assert x.unique().dtype is dtype


def test_results_have_names_and_pickle():
    result = T.tensor([3.0, 1.0]).sort()
    assert result.values is result[0] and result.indices is result[1]
    assert repr(result).startswith("torch.return_types.sort(\nvalues=tensor(")
    again = pickle.loads(pickle.dumps(T.return_types.max((1, 2))))
    assert type(again) is T.return_types.max and again.indices == 2
    with pytest.raises(TypeError, match="takes a 2-sequence"):
        T.return_types.sort((1, 2, 3))


def test_gradients_go_to_the_places_taken():
    assert gradient(lambda x: x.sort().values[:2], [3.0, 1.0, 2.0]) == [0, 1, 1]
    assert gradient(lambda x: x.topk(1)[0], [3.0, 1.0, 2.0]) == [1, 0, 0]
    assert gradient(lambda x: x.kthvalue(2)[0], [3.0, 1.0, 2.0]) == [0, 0, 1]
    assert gradient(lambda x: x.mode()[0], [2.0, 1.0, 2.0]) == [0, 0, 1]
    assert gradient(lambda x: x.median(0, True)[0], [3.0, 1.0, 2.0]) == [0, 0, 1]


def test_equal_medians_share_the_gradient():
    assert gradient(lambda x: x.median(), [2.0, 2.0, 2.0, 5.0]) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])
    assert gradient(lambda x: x.nanmedian(), [NAN, 1.0, 1.0]) == [0, 0.5, 0.5]


def test_the_median_is_the_lower_one():
    assert T.tensor([4.0, 1.0, 3.0, 2.0]).median().item() == 2
    assert math.isnan(T.zeros(0).median().item())


def test_distinct_elements():
    x = T.tensor([[3, 1], [1, 3]])
    values, inverse, counts = x.unique(return_inverse=True, return_counts=True)
    assert values.tolist() == [1, 3] and counts.tolist() == [2, 2]
    assert values[inverse].tolist() == x.tolist()
    rows, counts = T.unique(T.tensor([[1, 2], [0, 5], [1, 2]]), dim=0, return_counts=True)
    assert rows.tolist() == [[0, 5], [1, 2]] and counts.tolist() == [1, 2]
    assert T.unique_consecutive(T.tensor([1, 1, 2, 1])).tolist() == [1, 2, 1]


def test_distinct_elements_say_that_they_have_no_derivative():
    x = T.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="derivative for unique"):
        x.unique().sum().backward()


def test_out_forms():
    x = T.tensor([3.0, 1.0, 2.0])
    values, indices = T.empty(0), T.empty(0, dtype=T.int64)
    T.sort(x, out=(values, indices))
    assert values.tolist() == [1, 2, 3] and indices.tolist() == [1, 2, 0]
    T.topk(x, 2, out=(values, indices))
    assert values.tolist() == [3, 2] and indices.tolist() == [0, 2]
    assert T.msort(x, out=values) is values and values.tolist() == [1, 2, 3]


def test_many_of_the_largest_are_the_head_of_the_order():
    x = T.from_numpy(np.random.default_rng(0).integers(0, 50, 3000))
    for k in (1, 20, 40, 2000):
        for largest in (True, False):
            values, indices = x.topk(k, largest=largest)
            assert values.tolist() == x.sort(descending=largest).values[:k].tolist()
            assert x[indices].tolist() == values.tolist()


@pytest.mark.parametrize("call, error, words", [
    (lambda x: x.to(T.complex64).sort(), RuntimeError, "does not support complex"),
    (lambda x: x.sort(2), IndexError, "Dimension out of range"),
    (lambda x: x.topk(4), RuntimeError, "k out of range: dimension 1 has 3 elements, but k is 4"),
    (lambda x: (x > 0).topk(1), RuntimeError, "topk does not support bool"),
    (lambda x: x.kthvalue(0), RuntimeError, "out of range for dimension 1: it has 3 elements, but k is 0"),
    (lambda x: (x > 0).median(), NotImplementedError, "Bool"),
    (lambda x: T.zeros(0, 2).median(0), IndexError, "median.*dim 0 to have non-zero size"),
    (lambda x: T.zeros(0, 2).mode(0), IndexError, "mode.*dim 0 to have non-zero size"),
    (lambda x: x.to(T.complex64).unique(), NotImplementedError, "unique.*ComplexFloat"),
    (lambda x: T.unique([1, 2]), TypeError, "unique.*'input' must be Tensor, not list"),
])  # fmt: skip
def test_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(T.ones(2, 3))
