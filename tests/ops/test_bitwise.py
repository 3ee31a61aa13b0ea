"""Bits: only integers and booleans have them."""

import pytest

import chainrule as T


def test_floats_have_no_bits():
    x, i = T.tensor([1.0]), T.tensor([1])
    for call in (lambda: x & 1, lambda: i | x, lambda: x ^ x, lambda: x << 1, lambda: i >> x):
        with pytest.raises(NotImplementedError, match="Float"):
            call()
    with pytest.raises(TypeError, match="integer and Boolean"):
        T.bitwise_not(x)


def test_shifts_by_more_than_the_width():
    i = T.tensor([3, -4])
    assert (i << 64).tolist() == [0, 0] and (i >> 70).tolist() == [0, -1]
    assert (1 << T.tensor([2, 3])).tolist() == [4, 8]
    with pytest.raises(NotImplementedError, match="Bool"):
        T.tensor([True]) << T.tensor([True])


def test_in_place_operators():
    i = T.tensor([5])
    same = i
    i <<= 2
    i |= 3
    i &= 22
    i ^= 1
    i >>= 1
    assert i is same and i.item() == (((5 << 2) | 3) & 22 ^ 1) >> 1
