"""deepcopy, copy and pickle of tensors."""

import copy
import pickle
import weakref

import pytest

import chainrule as T


def test_deepcopy_of_a_leaf_takes_data_gradient_flag_and_attributes():
    w = T.ones(2, requires_grad=True)
    w.tag = ["a"]
    (w * 3).sum().backward()
    c = copy.deepcopy(w)
    assert c.requires_grad and c.tolist() == [1, 1] and c.grad.tolist() == [3, 3] and c.tag == ["a"]
    assert c.grad is not w.grad and c.tag is not w.tag and c.data_ptr() != w.data_ptr()


def test_deepcopy_of_a_result_is_refused():
    y = T.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(y)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_tensors_that_shared_memory_share_it_again(again):
    x = T.arange(6.0)
    parts = [x, x[2:4], x.reshape(2, 3).t(), x]
    y, middle, turned, same = again(parts)
    y[2] = 99
    assert same is y and middle.tolist() == [99, 3] and turned.tolist() == [[0, 3], [1, 4], [99, 5]]
    assert turned.stride() == (1, 3) and middle.storage_offset() == 2 and x[2].item() == 2


@pytest.mark.parametrize("dtype", [T.bool, T.int8, T.bfloat16, T.float16, T.float64, T.complex64])
def test_pickle_keeps_dtype_flag_and_attributes(dtype):
    t = T.tensor([0, 1, 1], dtype=dtype)
    if t.is_floating_point():
        t.requires_grad_()
    t.note = "kept"
    u = pickle.loads(pickle.dumps(t))
    assert u.dtype is dtype and u.tolist() == t.tolist() and u.requires_grad == t.requires_grad and u.note == "kept"


def test_pickle_of_meta_empty_and_scalar_tensors():
    for t in (T.empty(2, 3, device="meta"), T.empty(0, 3), T.tensor(2.5)):
        u = pickle.loads(pickle.dumps(t))
        assert u.shape == t.shape and u.device == t.device and u.dtype is t.dtype
    assert pickle.loads(pickle.dumps(T.tensor(2.5))).item() == 2.5


def test_pickled_storage_may_be_written():
    u = pickle.loads(pickle.dumps(T.ones(3), protocol=5))
    u.add_(1)
    assert u.tolist() == [2, 2, 2]


def test_parameters_come_back_as_parameters():
    p = T.nn.Parameter(T.ones(2))
    p.tag = 1
    for q in (pickle.loads(pickle.dumps(p)), copy.deepcopy(p)):
        assert type(q) is T.nn.Parameter and q.requires_grad and q.tolist() == [1, 1]
    assert pickle.loads(pickle.dumps(p)).tag == 1


def test_copy_is_another_tensor_on_the_same_memory():
    t = T.ones(2)
    c = copy.copy(t)
    c[0] = 5
    assert c is not t and t.tolist() == [5, 1]


def test_subclasses_are_copied_and_pickled_as_such():
    t = T.ones(2).as_subclass(Tagged)
    t.tag = 3
    for u in (copy.deepcopy(t), pickle.loads(pickle.dumps(t))):
        assert type(u) is Tagged and u.tag == 3 and u.tolist() == [1, 1]


class Tagged(T.Tensor):
    pass


def test_hash_attributes_and_weak_references():
    t = T.ones(2)
    t.own = 1
    r = weakref.ref(t)
    assert hash(t) == hash(t) and r() is t and t.own == 1 and t.__dict__["own"] == 1
    del t
    assert r() is None
