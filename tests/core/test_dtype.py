"""Element types, their promotion, devices and sizes."""

import copy
import pickle

import numpy as np
import pytest

from chainrule._core import dtype as dtypes
from chainrule._core import promotion
from chainrule._core.device import device
from chainrule._core.size import Size

PROMOTIONS = {
    ("uint8", "int8"): "int16", ("uint8", "int64"): "int64", ("int64", "float16"): "float16",
    ("float16", "bfloat16"): "float32", ("bfloat16", "float32"): "float32", ("int32", "bool"): "int32",
    ("float64", "complex64"): "complex128", ("float32", "complex64"): "complex64", ("bool", "bool"): "bool",
    ("uint8", "bool"): "uint8", ("int16", "complex64"): "complex64", ("float16", "complex64"): "complex64",
}  # fmt: skip


@pytest.mark.parametrize("pair, expected", PROMOTIONS.items())
def test_promotion_across_kinds(pair, expected):
    a, b = (dtypes.named(n) for n in pair)
    assert promotion.promote_types(a, b).name == expected
    assert promotion.promote_types(b, a).name == expected


def test_promotion_is_commutative_and_idempotent():
    for a in dtypes.ALL:
        assert promotion.promote_types(a, a) is a
        for b in dtypes.ALL:
            assert promotion.promote_types(a, b) is promotion.promote_types(b, a)


def test_lower_ranks_decide_by_kind_only():
    f32, f64, i32, i64 = dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64
    assert promotion.combine(f32, f64, None) is f32
    assert promotion.combine(i32, f64, None) is f64
    assert promotion.combine(i32, i64, None) is i32
    assert promotion.combine(None, i32, f64) is f64
    assert promotion.combine(f32, None, dtypes.complex64) is dtypes.complex64


@pytest.mark.parametrize("d", dtypes.ALL, ids=repr)
def test_dtypes_are_singletons(d):
    assert copy.deepcopy(d) is d and pickle.loads(pickle.dumps(d)) is d
    assert repr(d) == f"torch.{d.name}"
    assert dtypes.of_array(np.zeros(1, d.np)) is d


def test_numpy_types_from_outside():
    assert dtypes.from_numpy_dtype(">f4") is dtypes.float32
    with pytest.raises(TypeError, match="can't convert np.ndarray of type"):
        dtypes.from_numpy_dtype(np.uint16)


def test_devices():
    assert repr(device("cuda", 1)) == "device(type='cuda', index=1)" and str(device("cpu")) == "cpu"
    assert device("cuda:1") == device("cuda", 1) and device("cpu") != device("meta")
    assert pickle.loads(pickle.dumps(device("cuda:1"))) == device("cuda:1")
    for wrong in ("cuda:-1", "cpu:", "cuda:01"):
        with pytest.raises(RuntimeError):
            device(wrong)
    with pytest.raises(RuntimeError, match="Expected one of cpu"):
        device("gpu")


def test_sizes():
    s = Size([2, 3])
    assert repr(s) == "torch.Size([2, 3])" and s.numel() == 6 and Size(()).numel() == 1
    assert isinstance(s[:1], Size) and isinstance(s + (4,), Size) and isinstance((1,) + s, Size)
    assert s == (2, 3) and pickle.loads(pickle.dumps(s)) == s
    with pytest.raises(TypeError):
        Size([1.5])
