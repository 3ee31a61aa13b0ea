"""to, type and the casts: what gives the tensor itself, what copies, what is refused; memory formats."""

import pytest

import chainrule as T


def test_nothing_to_change_gives_the_tensor_itself():
    x = T.ones(2)
    for same in (
        x.to(T.float32), x.to("cpu"), x.to(T.ones(1)), x.to(dtype=None), x.float(), x.cpu(), x.type(T.float32),
        x.contiguous(), x.type_as(T.zeros(1)), x.to("cpu", T.float32, non_blocking=True), x.to(None),
    ):  # fmt: skip
        assert same is x
    copied = x.to(T.float32, copy=True)
    assert copied is not x and copied.equal(x) and copied.data_ptr() != x.data_ptr()


@pytest.mark.parametrize("name, dtype", [
    ("half", "float16"), ("bfloat16", "bfloat16"), ("float", "float32"), ("double", "float64"), ("char", "int8"),
    ("short", "int16"), ("int", "int32"), ("long", "int64"), ("byte", "uint8"), ("bool", "bool"),
    ("cfloat", "complex64"), ("cdouble", "complex128"),
])  # fmt: skip
def test_casts_by_name(name, dtype):
    dtype = getattr(T, dtype)
    for source in (T.int64, T.float32, T.bool, T.bfloat16, T.complex64):
        x = T.tensor([0, 1]).to(source)
        cast = getattr(x, name)()
        assert cast.dtype is dtype and x.to(dtype).equal(cast) and cast.to(T.int64).tolist() == [0, 1]


def test_python_types_and_names_of_types():
    x = T.ones(2)
    assert x.to(int).dtype is T.int64 and x.to(float).dtype is T.float64 and x.to(bool).dtype is T.bool
    assert x.type() == "torch.FloatTensor" and x.long().type() == "torch.LongTensor"
    assert x.type("torch.DoubleTensor").dtype is T.float64
    with pytest.raises(ValueError, match="invalid type: 'foo'"):
        x.type("foo")


def test_a_cast_of_complex_numbers_owns_its_memory():
    z = T.tensor([1 + 2j])
    x = z.to(T.float32)
    x.zero_()
    assert z.tolist() == [1 + 2j] and x.stride() == (1,)


def test_gradients_come_back_in_the_inputs_dtype():
    x = T.ones(2, requires_grad=True)
    (x.double() * 2).sum().backward()
    assert x.grad.dtype is T.float32 and x.grad.tolist() == [2.0, 2.0]
    y = T.ones(2, requires_grad=True)
    (y.to(T.complex64) * (1 + 1j)).sum().abs().backward()
    assert y.grad.dtype is T.float32
    assert not x.long().requires_grad


@pytest.mark.parametrize(
    "call", [lambda x: x.cuda(), lambda x: x.to("cuda"), lambda x: x.to(T.device("cuda", 0))]
)
def test_there_is_no_cuda(call):
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        call(T.ones(1))


def test_arguments_that_fit_no_signature():
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        T.ones(1).to(T.float64, "cpu")
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        T.ones(1).to(foo=1)
    with pytest.raises(RuntimeError, match="device type at start of device string"):
        T.ones(1).to("nowhere")


def test_memory_formats():
    x = T.arange(24.0).reshape(1, 2, 3, 4)
    last = x.to(memory_format=T.channels_last)
    assert last.equal(x) and last.stride() == (24, 1, 8, 2)
    assert last.is_contiguous(memory_format=T.channels_last) and not last.is_contiguous()
    assert last.contiguous().is_contiguous() and x.contiguous(memory_format=T.channels_last).equal(x)
    assert last.contiguous(memory_format=T.channels_last) is last
    with pytest.raises(RuntimeError, match="required rank 4 tensor to use channels_last format"):
        x[0].contiguous(memory_format=T.channels_last)
    assert repr(T.contiguous_format) == "torch.contiguous_format"
