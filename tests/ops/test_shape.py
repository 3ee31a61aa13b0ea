"""Views: what shares memory, what is refused, and in whose words; changes of shape and memory in place."""

import itertools

import numpy as np
import pytest

import chainrule as T


def shares(a, b):
    return np.shares_memory(a.detach().numpy(), b.detach().numpy())


VIEWS = [
    lambda x: x.view(3, 2), lambda x: x.view(-1), lambda x: x.reshape(3, 2), lambda x: x.flatten(), lambda x: x.t(),
    lambda x: x.T, lambda x: x.mT, lambda x: x.transpose(0, 1), lambda x: x.permute(1, 0), lambda x: x.unsqueeze(1),
    lambda x: x.squeeze(), lambda x: x.expand(2, 2, 3), lambda x: x.movedim(0, 1), lambda x: x.unflatten(1, (3, 1)),
    lambda x: x.narrow(0, 0, 1), lambda x: x.select(0, 1), lambda x: x.unbind()[1], lambda x: x.split(1)[1],
    lambda x: x.chunk(2, 1)[0], lambda x: x.diagonal(), lambda x: x.unfold(1, 2, 1), lambda x: x.as_strided((2,), (1,)),
    lambda x: x.swapaxes(0, 1), lambda x: x.tensor_split(2)[1], lambda x: x.view(T.int32), lambda x: x.detach(),
]  # fmt: skip


@pytest.mark.parametrize("view", VIEWS)
def test_views_share_memory_and_version(view):
    x = T.arange(6.0).reshape(2, 3).clone()
    v = view(x)
    assert shares(v, x)
    x.zero_()
    assert v._version == x._version == 1
    v.fill_(0)
    assert x._version == 2


@pytest.mark.parametrize("view", VIEWS[:22])
def test_writes_through_a_view_reach_the_base_and_its_gradient(view):
    leaf = T.arange(1.0, 7.0).reshape(2, 3).requires_grad_()
    plain = leaf.detach().clone()
    x = leaf * 1
    v, w = view(x), view(plain)
    if v.grad_fn.name() in ("UnbindBackward0", "SplitBackward0"):
        with pytest.raises(RuntimeError, match="returns multiple views"):
            v.mul_(2)
        return
    repeated = np.unique(w.numpy()).size != w.numel()
    if repeated:
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            v.mul_(2)
        return
    v.mul_(2)
    w.mul_(2)
    assert x.detach().equal(plain)
    x.sum().backward()
    assert leaf.grad.equal(T.where(plain == leaf.detach(), 1.0, 2.0))


def test_view_never_copies():
    x = T.arange(6).reshape(2, 3)
    with pytest.raises(RuntimeError, match="view size is not compatible with input tensor's size and stride"):
        x.t().view(6)
    copied = x.t().reshape(6)
    assert copied.tolist() == [0, 3, 1, 4, 2, 5] and not shares(copied, x)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize(
    "shape", [(24,), (2, 12), (6, 4), (3, 8), (4, 2, 3), (2, 2, 2, 3), (1, 24, 1), (4, 3, 2)]
)
def test_a_view_exists_exactly_where_numpy_can_reshape_without_a_copy(order, shape):
    x = T.arange(24).reshape(2, 3, 4)[:, :, :4].permute(order)
    expected = x.numpy().reshape(shape)
    if np.shares_memory(expected, x.numpy()):
        assert x.view(shape).tolist() == expected.tolist() and shares(x.view(shape), x)
    else:
        with pytest.raises(RuntimeError, match="view size is not compatible"):
            x.view(shape)
        assert x.reshape(shape).tolist() == expected.tolist()


def test_views_of_steps_and_of_nothing():
    x = T.arange(12).reshape(3, 4)[:, ::2]
    assert x.view(3, 1, 2).tolist() == [[[0, 2]], [[4, 6]], [[8, 10]]]
    assert x.view(6).tolist() == [0, 2, 4, 6, 8, 10]
    assert tuple(T.zeros(0, 3).view(3, 0, 5).shape) == (3, 0, 5)
    assert tuple(T.zeros(0, 3).reshape(-1, 3).shape) == (0, 3)


def shape_errors(x):
    return [
        (lambda: x.view(5, 2), RuntimeError, r"shape '\[5, 2\]' is invalid for input of size 6"),
        (lambda: x.reshape(-1, -1), RuntimeError, "only one dimension can be inferred"),
        (lambda: x.reshape(-2, 3), RuntimeError, r"invalid shape dimension -2 at index 0 of shape \[-2, 3\]"),
        (lambda: x[:0].reshape(-1, 0), RuntimeError, "unspecified dimension size -1 can be any value"),
        (lambda: x.reshape("6"), TypeError, "must be tuple of ints"),
        (
            lambda: x.expand(2, 4),
            RuntimeError,
            "must match the existing size \\(3\\) at non-singleton dimension 1",
        ),
        (lambda: x.expand(3), RuntimeError, "the number of sizes provided \\(1\\) must be greater or equal"),
        (lambda: x.expand(-1, 2, 3), RuntimeError, "isn't allowed in a leading, non-existing dimension 0"),
        (lambda: x.transpose(0, 2), IndexError, r"expected to be in range of \[-2, 1\], but got 2"),
        (lambda: x.permute(0, 0), RuntimeError, "duplicate dims are not allowed"),
        (lambda: x.permute(0), RuntimeError, "number of dimensions in the tensor input does not match"),
        (lambda: x.unsqueeze(3), IndexError, r"expected to be in range of \[-3, 2\], but got 3"),
        (lambda: x.flatten(1, 0), RuntimeError, "start_dim cannot come after end_dim"),
        (lambda: x.unflatten(1, (2, 2)), RuntimeError, "don't multiply up to the size of dim 1"),
        (lambda: x.movedim((0, 1), 0), RuntimeError, "Invalid source or destination dims"),
        (lambda: x.movedim((0, 0), (0, 1)), RuntimeError, "repeated dim in `source`"),
        (
            lambda: x.expand(2, 2, 3).t(),
            RuntimeError,
            "expects a tensor with <= 2 dimensions, but self is 3D",
        ),
        (lambda: x[0].mT, RuntimeError, "only supported on matrices or batches of matrices"),
        (lambda: x.expand(2, 2, 3).H, RuntimeError, "consider using tensor.mH"),
        (lambda: x.view(T.float64), RuntimeError, "must be divisible by 2"),
        (lambda: x.t().view(T.int16), RuntimeError, "stride\\(-1\\) must be 1"),
        (lambda: T.tensor(1.0).view(T.int16), RuntimeError, "dim\\(\\) cannot be 0"),
        (
            lambda: x.unfold(0, 3, 1),
            RuntimeError,
            "maximum size for tensor at dimension 0 is 2 but size is 3",
        ),
        (lambda: x.unfold(0, 1, 0), RuntimeError, "step is 0 but must be > 0"),
        (lambda: x.as_strided((2, 2), (1,)), RuntimeError, "mismatch in length of strides and shape"),
        (lambda: x.as_strided((2,), (-1,)), RuntimeError, "Negative strides are not supported"),
        (lambda: x.as_strided((4, 4), (4, 1)), RuntimeError, "are out of bounds for storage of size"),
        (lambda: x.diagonal(0, 1, 1), RuntimeError, "diagonal dimensions cannot be identical"),
        (lambda: x.flip(0, 0), RuntimeError, "dim 0 appears multiple times"),
        (lambda: x.roll((1, 2), 0), RuntimeError, "shifts and dimensions must align"),
        (lambda: x.rot90(1, (0, 0)), RuntimeError, "expected rotation dims to be different"),
        (lambda: x.repeat(2), RuntimeError, "Number of dimensions of repeat dims can not be smaller"),
        (lambda: x.requires_grad_().resize_(2), RuntimeError, "cannot resize variables that require grad"),
    ]


@pytest.mark.parametrize("k", range(len(shape_errors(T.zeros(2, 3)))))
def test_errors(k):
    call, kind, words = shape_errors(T.zeros(2, 3))[k]
    with pytest.raises(kind, match=words):
        call()


def test_reading_memory_as_another_dtype():
    x = T.tensor([1.0, -2.0])
    assert x.view(T.int32).tolist() == [0x3F800000, -0x40000000]
    assert tuple(x.view(T.uint8).shape) == (8,) and x.view(T.uint8).view(T.float32).equal(x)


def test_as_strided_counts_from_the_start_of_the_storage():
    x = T.arange(6.0)
    assert x[2:].as_strided((2,), (1,)).tolist() == [2.0, 3.0]
    assert x[2:].as_strided((2,), (1,), 0).tolist() == [0.0, 1.0]
    assert x[2:].storage_offset() == 2


def test_overlapping_views_sum_their_gradients():
    x = T.zeros(4, requires_grad=True)
    x.as_strided((3, 2), (1, 1)).sum().backward()
    assert x.grad.tolist() == [1.0, 2.0, 2.0, 1.0]


def test_a_view_of_a_base_laid_out_in_columns_keeps_its_gradient_in_place():
    leaf = T.zeros(2, 3, requires_grad=True)
    base = leaf.t() * 2
    row = base[0]
    row.mul_(3)
    (row * T.tensor([1.0, 10.0])).sum().backward()
    assert leaf.grad.tolist() == [[6.0, 0.0, 0.0], [60.0, 0.0, 0.0]]


def test_shapes_change_in_place():
    x = T.arange(6.0).reshape(2, 3).clone()
    assert x.t_() is x and x.tolist() == [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
    assert tuple(x.unsqueeze_(0).shape) == (1, 3, 2) and tuple(x.squeeze_().shape) == (3, 2)
    assert tuple(x.swapaxes_(0, 1).shape) == (2, 3) and x._version == 4
    leaf = T.zeros(2, 3, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        leaf.t_()
    y = (leaf * 2).t_()
    (y * T.arange(6.0).reshape(3, 2)).sum().backward()
    assert leaf.grad.tolist() == [[0.0, 4.0, 8.0], [2.0, 6.0, 10.0]]


def test_resize_keeps_the_elements_and_a_storage_large_enough():
    x = T.arange(6.0)
    small = x.detach().resize_(2, 2)
    assert small.tolist() == [[0.0, 1.0], [2.0, 3.0]] and shares(small, x)
    assert small.resize_(6).tolist() == x.tolist() and shares(small, x)
    grown = T.arange(2.0).resize_(2, 2)
    assert grown.tolist()[0] == [0.0, 1.0] and tuple(grown.shape) == (2, 2)


def test_set_takes_over_anothers_memory():
    x, y = T.zeros(2), T.arange(6.0)
    x.set_(y)
    assert x.equal(y) and shares(x, y)
    with pytest.raises(RuntimeError, match="Could not set tensor of type"):
        x.set_(T.zeros(1, dtype=T.int64))


def test_expand_and_broadcast_agree():
    a, b = T.broadcast_tensors(T.arange(3), T.arange(2).reshape(2, 1))
    assert a.stride() == (0, 1) and b.stride() == (1, 0)
    assert T.broadcast_shapes((2, 1), 3, (4, 1, 1)) == T.Size([4, 2, 3])
    with pytest.raises(RuntimeError, match="cannot be broadcast"):
        T.broadcast_shapes((2,), (3,))
    with pytest.raises(
        RuntimeError, match="must match the size of tensor b \\(3\\) at non-singleton dimension 1"
    ):
        T.broadcast_tensors(T.zeros(2, 2), T.zeros(3))
