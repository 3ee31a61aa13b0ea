"""Tensors into Python's numbers."""

import pytest

import chainrule as T


def test_item_and_tolist():
    assert T.tensor(2.5).item() == 2.5 and T.tensor([[3]]).item() == 3
    assert T.tensor([1.5], dtype=T.bfloat16).item() == 1.5
    assert T.tensor([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]] and T.tensor(1).tolist() == 1
    assert T.ones(2, dtype=T.bfloat16).tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="a Tensor with 2 elements cannot be converted to Scalar"):
        T.ones(2).item()
    with pytest.raises(RuntimeError, match="cannot be called on meta tensors"):
        T.ones(1, device="meta").item()
    with pytest.raises(NotImplementedError, match="no data"):
        T.ones(1, device="meta").tolist()


def test_conversions():
    assert int(T.tensor(1.7)) == 1 and float(T.tensor([3])) == 3.0 and complex(T.tensor(1j)) == 1j and bool(T.tensor(2))
    assert [10, 20][T.tensor(1)] == 20 and T.tensor(True).__index__() == 1
    assert float(T.tensor(2 + 0j)) == 2.0
    for kind in (int, float):
        with pytest.raises(RuntimeError, match="cannot be converted to type"):
            kind(T.tensor(1j))
        with pytest.raises(ValueError, match="only one element tensors"):
            kind(T.ones(2))
    for t in (T.tensor(1.5), T.ones(2, dtype=T.int64)):
        with pytest.raises(TypeError, match="only integer tensors of a single element"):
            t.__index__()


def test_truth_needs_one_element():
    with pytest.raises(RuntimeError, match="no values is ambiguous"):
        bool(T.ones(0))
    with pytest.raises(RuntimeError, match="more than one value is ambiguous"):
        bool(T.ones(2))


def test_apply_and_map_change_in_place():
    t = T.tensor([1.0, 2.0])
    assert t.apply_(lambda x: x * 10) is t and t.tolist() == [10, 20]
    assert t.map_(T.tensor(1.0), lambda x, y: x + y).tolist() == [11, 21]
    assert t.map2_(T.ones(2), T.tensor([2.0, 3.0]), lambda x, y, z: x + y * z).tolist() == [13, 24]
    y = T.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="Can't call apply_"):
        y.apply_(lambda x: x)
