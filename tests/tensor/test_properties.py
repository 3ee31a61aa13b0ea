"""What a tensor tells about itself."""

import pytest

import chainrule as T


def test_sizes_and_strides():
    t = T.zeros(2, 3, 4)
    assert t.size() == t.shape == (2, 3, 4) and t.size(-1) == 4 and t.stride() == (12, 4, 1) and t.stride(0) == 12
    assert t.dim() == t.ndim == t.ndimension() == 3 and t.numel() == t.nelement() == T.numel(t) == 24
    assert t.element_size() == t.itemsize == 4 and t.nbytes == 96
    for ask in (t.size, t.stride):
        with pytest.raises(IndexError, match=r"expected to be in range of \[-3, 2\], but got 3"):
            ask(3)


def test_place_in_memory():
    t = T.arange(10.0)
    u = t[3:]
    assert u.storage_offset() == 3 and u.data_ptr() == t.data_ptr() + 12 and u._base is t and t._base is None
    assert T.empty(0).data_ptr() == 0 and t.is_set_to(t.detach()) and not t.is_set_to(t.clone())


def test_contiguity_in_both_orders():
    t = T.zeros(1, 2, 3, 4)
    last = t.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)
    assert t.is_contiguous() and not t.is_contiguous(memory_format=T.channels_last)
    assert last.is_contiguous(memory_format=T.channels_last) and not last.is_contiguous()
    assert not T.zeros(2).is_contiguous(memory_format=T.channels_last)


def test_kinds():
    assert T.ones(1).is_floating_point() and T.is_complex(T.ones(1, dtype=T.complex64))
    assert T.ones(1, dtype=T.int8).is_signed() and not T.ones(1, dtype=T.uint8).is_signed()
    t = T.ones(1)
    assert t.is_cpu and not t.is_cuda and not t.is_sparse and not t.is_quantized and t.layout is T.strided
    assert t.get_device() == -1 and not t.is_shared() and not t.is_pinned() and not t.is_inference()
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        T.is_floating_point(3)


def test_version_counts_changes_shared_by_detach_but_not_by_data():
    t = T.ones(3)
    d, data = t.detach(), t.data
    t.add_(1)
    assert t._version == d._version == 1 and data._version == 0 and data.tolist() == [2, 2, 2]


def test_is_nonzero_asks_for_one_element():
    assert T.is_nonzero(T.tensor([2.0])) and not T.is_nonzero(T.tensor(0))
    with pytest.raises(RuntimeError, match="more than one value is ambiguous"):
        T.is_nonzero(T.ones(2))


def test_dir_lists_methods_and_own_attributes():
    t = T.ones(1)
    t.own = 3
    assert {"own", "add_", "backward", "shape"} <= set(dir(t))


def test_names_that_do_not_exist_raise():
    with pytest.raises(AttributeError, match="no attribute 'nonexistent'"):
        _ = T.ones(1).nonexistent


def test_finfo_and_iinfo():
    assert T.finfo(T.float32).eps == 2**-23 and T.finfo().dtype == "float32" and T.finfo(T.complex128).bits == 64
    assert T.finfo(T.bfloat16).max == (2 - 2**-7) * 2.0**127 and T.finfo(T.float16).min == -65504.0
    assert (T.iinfo(T.int8).min, T.iinfo(T.uint8).max, T.iinfo(T.int64).bits) == (-128, 255, 64)
    assert repr(T.iinfo(T.int8)) == "iinfo(min=-128, max=127, dtype=int8)"
    assert repr(T.finfo(T.float32)).startswith("finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19")
    with pytest.raises(TypeError, match="requires a floating point input type"):
        T.finfo(T.int8)
    with pytest.raises(TypeError, match="requires an integer input type"):
        T.iinfo(T.float32)


def test_questions_about_objects():
    assert T.is_tensor(T.ones(1)) and not T.is_tensor(3) and not T.is_storage(3)
    assert T.typename(T.ones(1)) == "torch.FloatTensor" and T.typename(3) == "int"
    assert T.typename(T.nn.Linear(1, 1)) == "torch.nn.modules.linear.Linear"
    assert T.result_type(T.ones(2, dtype=T.int8), 1.5) is T.float32 and T.result_type(1, 2) is T.int64
    assert T.promote_types(T.int8, T.float16) is T.float16 and not T.can_cast(T.float32, T.int8)


def test_settings_are_remembered():
    T.set_num_threads(3)
    assert T.get_num_threads() == 3
    with pytest.raises(RuntimeError, match="positive"):
        T.set_num_threads(0)
    T.use_deterministic_algorithms(True, warn_only=True)
    assert T.are_deterministic_algorithms_enabled() and T.get_deterministic_debug_mode() == 1
    T.set_deterministic_debug_mode("default")
    assert not T.are_deterministic_algorithms_enabled()
    with pytest.raises(RuntimeError, match="expected one of"):
        T.set_float32_matmul_precision("low")
    assert T.get_float32_matmul_precision() == "highest"


def test_public_names_are_there():
    for name in T.__all__:
        assert getattr(T, name, T) is not None or name == "newaxis"
    assert T.nn is __import__("chainrule.nn", fromlist=["nn"]) and "optim" in dir(T)
    with pytest.raises(AttributeError, match="not in chainrule yet"):
        _ = T.no_such_name
