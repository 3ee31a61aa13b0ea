"""Factories, constructors and draws against stored answers of PyTorch; memory and flags, which answers do not show."""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import chainrule as T

REFERENCE = Path(__file__).parent.parent / "reference"
sys.path.insert(0, str(REFERENCE))
from factory_expressions import EXPRESSIONS, answer  # noqa: E402

STORED = json.loads((REFERENCE / "factories.json").read_text())["answers"]
# Computed by other formulas than PyTorch's vector code: equal to the last digit but one.
CLOSE = ("logspace", "_window", "cauchy_", "log_normal_")


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_answer_is_the_stored_one(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = answer(T, text)
    stored = dict(STORED[text])
    if any(name in text for name in CLOSE) and "elements" in stored:
        numbers = [float.fromhex(x) if isinstance(x, str) else x for x in found.pop("elements")]
        wanted = [float.fromhex(x) if isinstance(x, str) else x for x in stored.pop("elements")]
        np.testing.assert_allclose(numbers, wanted, rtol=1e-6, atol=1e-7)
    assert found == stored


def test_every_stored_answer_is_asked_for():
    assert set(STORED) == set(EXPRESSIONS)


def test_tensor_copies_and_from_numpy_shares():
    a = np.zeros(3)
    copied, shared = T.tensor(a), T.from_numpy(a)
    a[0] = 5
    assert copied.tolist() == [0, 0, 0] and shared.tolist() == [5, 0, 0]
    shared[1] = 7
    assert a.tolist() == [5, 7, 0]


def test_a_tensor_does_not_follow_the_shape_of_the_array_it_was_made_of():
    a = np.zeros(6)
    t = T.from_numpy(a)
    a.shape = (2, 3)
    assert t.shape == (6,) and t.array.shape == (6,)
    b = t.numpy()
    b.shape = (3, 2)
    assert t.array.shape == (6,)


def test_from_numpy_warns_of_memory_that_cannot_be_written():
    a = np.zeros(2)
    a.flags.writeable = False
    with pytest.warns(UserWarning, match="not writable"):
        T.from_numpy(a)


@pytest.mark.parametrize(
    "bad", [np.array(["a"]), np.array([1], "M8[s]"), np.zeros(2, "i4,i4"), np.zeros(1, np.uint16)]
)
def test_from_numpy_names_the_types_it_takes(bad):
    with pytest.raises(TypeError, match="only supported types are: float64"):
        T.from_numpy(bad)


def test_copy_construction_warns_and_leaves_the_graph():
    x = T.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="sourceTensor"):
        t = T.tensor(x * 2)
    assert t.is_leaf and not t.requires_grad and t.tolist() == [2, 2]


def test_as_tensor_gives_tensors_and_arrays_back_without_a_copy():
    t = T.ones(2)
    assert T.as_tensor(t) is t
    a = np.ones(2)
    assert T.as_tensor(a).data_ptr() == a.__array_interface__["data"][0]
    assert T.as_tensor(a, dtype=T.float32).dtype is T.float32


def test_asarray_shares_unless_told_to_copy():
    a = np.ones(2)
    assert T.asarray(a).data_ptr() == a.__array_interface__["data"][0]
    assert T.asarray(a, copy=True).data_ptr() != a.__array_interface__["data"][0]
    with pytest.raises(ValueError, match="can't alias"):
        T.asarray([1, 2], copy=False)
    with pytest.raises(ValueError, match="can't alias tensor with dtype"):
        T.asarray(a, dtype=T.float32, copy=False)


def test_meta_factories_hold_one_element_whatever_the_size():
    t = T.empty(10**6, 10**6, device="meta")
    assert t.shape == (10**6, 10**6) and t.is_meta and set(t.array.strides) == {0}
    assert t.stride() == (10**6, 1) and t.is_contiguous()
    small = T.empty(2, 3, device="meta") + 1
    assert small.is_meta and small.shape == (2, 3) and set(small.array.strides) == {0}


def test_default_device_and_its_block():
    with T.device("meta"):
        assert T.zeros(2).is_meta
        with T.device("cpu"):
            assert T.zeros(2).is_cpu
    assert T.zeros(2).is_cpu
    T.set_default_device("meta")
    try:
        assert T.get_default_device() == T.device("meta") and T.randn(2).is_meta
    finally:
        T.set_default_device(None)
    assert T.ones(1).is_cpu


def test_default_dtype_decides_floats_and_complex_numbers():
    T.set_default_dtype(T.float64)
    try:
        assert T.tensor(1.0).dtype is T.float64 and T.tensor(1j).dtype is T.complex128 and T.rand(1).dtype is T.float64
        assert T.Tensor([1]).dtype is T.float64
    finally:
        T.set_default_dtype(T.float32)
    with pytest.raises(TypeError):
        T.set_default_dtype(T.int64)
    T.set_default_tensor_type("torch.DoubleTensor")
    try:
        assert T.get_default_dtype() is T.float64
    finally:
        T.set_default_tensor_type(T.FloatTensor)


def test_out_is_resized_written_and_counted():
    out = T.ones(2)
    assert T.zeros(3, out=out) is out and out.tolist() == [0, 0, 0] and out._version > 0
    with pytest.raises(TypeError, match="argument 'out' must be Tensor"):
        T.zeros(3, out=[1])


def test_frombuffer_shares_memory():
    b = bytearray(8)
    t = T.frombuffer(b, dtype=T.int32)
    b[0] = 3
    assert t.tolist() == [3, 0]


def test_a_draw_that_fails_takes_nothing_from_the_stream():
    T.manual_seed(1)
    wanted = T.rand(3)
    T.manual_seed(1)
    with pytest.raises(RuntimeError):
        T.zeros(2).uniform_(2, 1)
    assert T.equal(T.rand(3), wanted)


def test_like_factories_ask_for_a_tensor():
    with pytest.raises(TypeError, match=r"zeros_like\(\): argument 'input' \(position 1\) must be Tensor, not int"):
        T.zeros_like(3)


def test_meta_tensors_may_be_changed_in_place():
    m = T.zeros(2, 3, device="meta")
    for change in (m.zero_, lambda: m.fill_(2), lambda: m.copy_(T.ones(3)), lambda: m.mul_(2), m.normal_):
        assert change() is m and m.is_meta and m.shape == (2, 3)
    layer = T.nn.Linear(2, 3, device="meta")
    assert layer.weight.is_meta and layer(T.zeros(4, 2, device="meta")).shape == (4, 3)
