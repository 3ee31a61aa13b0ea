"""Storages: the memory behind tensors."""

import pytest

import chainrule as T


def test_views_and_detached_tensors_have_one_storage():
    t = T.arange(4.0)
    assert t.untyped_storage() == t[1:].untyped_storage() == t.detach().untyped_storage()
    assert t.untyped_storage() != t.clone().untyped_storage()
    assert t[1:].untyped_storage().data_ptr() == t.data_ptr() and t[1:].untyped_storage().nbytes() == 16


def test_bytes_may_be_read_and_written():
    t = T.zeros(2, dtype=T.int16)
    s = t.untyped_storage()
    s[0] = 1
    assert t.tolist() == [1, 0] and len(s) == 4 and s.tolist() == [1, 0, 0, 0]
    s.fill_(255)
    assert t.tolist() == [-1, -1]


def test_typed_storage_shows_elements_in_the_order_of_memory():
    t = T.arange(6.0).reshape(2, 3).t()
    with pytest.warns(UserWarning, match="TypedStorage is deprecated"):
        s = t.storage()
    assert list(s) == [0, 1, 2, 3, 4, 5] and s[2] == 2.0 and s.dtype is T.float32 and T.is_storage(s)


def test_meta_tensors_have_none():
    with pytest.raises(NotImplementedError):
        T.empty(2, device="meta").untyped_storage()
