"""NumPy and DLPack without a copy."""

import numpy as np
import pytest

import chainrule as T


def test_numpy_shares_memory_and_refuses_what_it_cannot_show():
    t = T.zeros(2)
    t.numpy()[0] = 3
    assert t.tolist() == [3, 0]
    w = T.ones(2, requires_grad=True)
    for ask in (w.numpy, w.__array__, (w * 1).numpy):
        with pytest.raises(RuntimeError, match="Can't call numpy\\(\\) on Tensor that requires grad"):
            ask()
    assert w.numpy(force=True).tolist() == [1, 1]
    with T.no_grad():
        assert w.numpy().tolist() == np.asarray(w).tolist() == [1, 1]
    with pytest.raises(TypeError, match="Got unsupported ScalarType BFloat16"):
        T.ones(1, dtype=T.bfloat16).numpy()
    with pytest.raises(TypeError, match="can't convert meta device type tensor to numpy"):
        T.ones(1, device="meta").numpy()


def test_asarray_copies_and_casts_when_asked():
    t = T.ones(2)
    assert np.asarray(t).base is not None and np.array(t, dtype=np.int64).dtype == np.int64
    c = np.array(t)
    c[0] = 7
    assert t.tolist() == [1, 1]


@pytest.mark.parametrize("dtype", [T.float32, T.int64, T.float64, T.bfloat16, T.uint8, T.complex64])
def test_dlpack_there_and_back_shares_memory(dtype):
    t = T.tensor([1, 2, 3], dtype=dtype)
    u = T.from_dlpack(t)
    v = T.utils.dlpack.from_dlpack(T.utils.dlpack.to_dlpack(t[1:]))
    u[1] = 9
    assert u.dtype is v.dtype is dtype and t.tolist() == [1, 9, 3] and v.tolist() == [9, 3]
    v[0] = 5
    assert t[1].item() == 5


def test_dlpack_to_and_from_numpy():
    t = T.zeros(2, 3)
    a = np.from_dlpack(t)
    t[0, 0] = 4
    assert a[0, 0] == 4
    b = np.zeros(2)
    u = T.from_dlpack(b)
    u[0] = 5
    assert b[0] == 5 and T.from_dlpack(b, copy=True).data_ptr() != u.data_ptr()


def test_dlpack_keeps_strides():
    t = T.arange(6.0).reshape(2, 3).t()
    assert T.from_dlpack(t).stride() == (1, 3) and T.from_dlpack(t).tolist() == t.tolist()


def test_dlpack_refuses_graphs_meta_and_used_capsules():
    with pytest.raises(BufferError, match="require gradient"):
        T.ones(1, requires_grad=True).__dlpack__()
    with pytest.raises(BufferError, match="meta"):
        T.ones(1, device="meta").__dlpack__()
    capsule = T.ones(1).__dlpack__()
    T.from_dlpack(capsule)
    with pytest.raises(RuntimeError, match="nobody has consumed"):
        T.from_dlpack(capsule)
    assert T.ones(1).__dlpack_device__() == (1, 0)


def test_imported_memory_lives_as_long_as_the_tensor():
    a = np.arange(3.0)
    t = T.from_dlpack(T.from_numpy(a).__dlpack__())
    del a
    assert t.tolist() == [0, 1, 2]
