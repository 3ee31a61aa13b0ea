"""Reading and writing by index tensors: dtypes, repeated places, in-place forms, errors."""

import pytest

import chainrule as T


def base():
    return T.arange(6.0).reshape(2, 3).clone()


HALVES = [T.float16, T.bfloat16]


@pytest.mark.parametrize("dtype", HALVES)
def test_sums_into_repeated_places_in_16_bits(dtype):
    x = T.zeros(3, dtype=dtype)
    i = T.tensor([1, 1, 0])
    ones = T.ones(3, dtype=dtype)
    for found in (
        x.scatter_add(0, i, ones), x.index_add(0, i, ones), x.index_put((i,), ones, accumulate=True),
        x.put(i, ones, accumulate=True), x.scatter_reduce(0, i, ones, "sum"), x.clone().scatter_add_(0, i, ones),
    ):  # fmt: skip
        assert found.dtype is dtype and found.tolist() == [1.0, 2.0, 0.0]


@pytest.mark.parametrize("dtype", [*HALVES, T.float32, T.complex64])
def test_gradients_of_repeated_reads_add_up(dtype):
    i = T.tensor([1, 1, 0])
    for read in (
        lambda x: x[i], lambda x: x.index_select(0, i), lambda x: x.gather(0, i), lambda x: x.take(i),
        lambda x: x.take_along_dim(i, 0),
    ):  # fmt: skip
        x = T.ones(3, dtype=dtype, requires_grad=True)
        read(x).backward(T.ones(3, dtype=dtype))
        assert x.grad.dtype is dtype and x.grad.tolist() == [1.0, 2.0, 0.0]


def test_in_place_forms_write_into_the_tensor_itself():
    i = T.tensor([[0, 2]])
    x = base()
    y = x[:, :]
    assert x.scatter_(1, i, 9.0) is x and y.tolist() == [[9.0, 1.0, 9.0], [3.0, 4.0, 5.0]]
    y.t()[2].index_fill_(0, T.tensor([1]), -1.0)
    assert x.tolist()[1] == [3.0, 4.0, -1.0] and x._version == 2
    x.t().put_(T.tensor([1]), T.tensor([7.0]))
    assert x[1, 0].item() == 7.0
    x.masked_scatter_(x < 0, T.tensor([8.0]))
    assert x[1, 2].item() == 8.0


def test_a_source_that_shares_memory_is_read_before_it_is_written():
    x = T.arange(4.0)
    x.index_copy_(0, T.tensor([0, 1, 2]), x[1:])
    assert x.tolist() == [1.0, 2.0, 3.0, 3.0]


def test_scatter_reduces_what_it_writes():
    x = T.ones(3)
    i = T.tensor([0, 0, 2])
    assert x.scatter(0, i, 2.0, reduce="add").tolist() == [5.0, 1.0, 3.0]
    assert x.scatter(0, i, T.full((3,), 3.0), reduce="multiply").tolist() == [9.0, 1.0, 3.0]


@pytest.mark.parametrize("reduce, own, alone", [
    ("sum", [7.0, 1.0], [6.0, 1.0]), ("prod", [8.0, 1.0], [8.0, 1.0]), ("mean", [7 / 3, 1.0], [3.0, 1.0]),
    ("amax", [4.0, 1.0], [4.0, 1.0]), ("amin", [1.0, 1.0], [2.0, 1.0]),
])  # fmt: skip
def test_scatter_reduce_with_and_without_the_own_value(reduce, own, alone):
    i, source = T.tensor([0, 0]), T.tensor([2.0, 4.0])
    assert T.allclose(T.ones(2).scatter_reduce(0, i, source, reduce), T.tensor(own))
    assert T.ones(2).scatter_reduce(0, i, source, reduce, include_self=False).equal(T.tensor(alone))


def test_ties_share_the_gradient_of_an_extreme():
    x = T.tensor([5.0, 0.0], requires_grad=True)
    source = T.tensor([5.0, 5.0, 1.0], requires_grad=True)
    x.scatter_reduce(0, T.tensor([0, 0, 0]), source, "amax")[0].backward()
    assert T.allclose(x.grad, T.tensor([1 / 3, 0.0])) and T.allclose(
        source.grad, T.tensor([1 / 3, 1 / 3, 0.0])
    )


@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_a_products_derivative_is_the_product_of_the_other_factors(zeros):
    values = [2.0, 3.0, 5.0]
    values[:zeros] = [0.0] * zeros
    x = T.tensor([7.0], requires_grad=True)
    source = T.tensor(values, requires_grad=True)
    x.scatter_reduce(0, T.tensor([0, 0, 0]), source, "prod").backward()
    a, b, c = values
    assert x.grad.tolist() == [a * b * c]
    assert T.allclose(source.grad, T.tensor([7 * b * c, 7 * a * c, 7 * a * b]))


def test_a_source_longer_than_the_index_has_zeros_for_the_rest():
    source = T.ones(2, 4, requires_grad=True)
    T.zeros(2, 3).scatter_add(1, T.tensor([[0, 0]]), source).sum().backward()
    assert source.grad.tolist() == [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]


def test_int32_indices_work_where_pytorch_takes_them():
    i = T.tensor([1], dtype=T.int32)
    assert base().index_select(0, i).tolist() == base()[i].tolist() == [[3.0, 4.0, 5.0]]


def test_masks_in_index_put():
    x = base()
    assert x.index_put((x > 3,), T.tensor(0.0)).tolist() == [[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]]


ERRORS = [
    (lambda x: x.index_select(0, T.tensor([[0]])), IndexError, "Index is supposed to be a vector"),
    (lambda x: x.index_select(0, T.tensor([0.0])), RuntimeError, "Expected dtype int32 or int64 for index"),
    (
        lambda x: x.index_select(0, T.tensor([2])),
        IndexError,
        "index 2 is out of bounds for dimension 0 with size 2",
    ),
    (
        lambda x: x.gather(0, T.tensor([0])),
        RuntimeError,
        "must have the same number of dimensions as input tensor",
    ),
    (lambda x: x.gather(0, T.tensor([[0.0]])), RuntimeError, "Expected dtype int32/int64 for index"),
    (
        lambda x: x.gather(0, T.tensor([[2]])),
        RuntimeError,
        "index 2 is out of bounds for dimension 0 with size 2",
    ),
    (lambda x: x.gather(0, T.tensor([[0] * 4])), RuntimeError, "to be no larger than self"),
    (lambda x: x.take(T.tensor([6])), IndexError, "index 6 is out of bounds"),
    (lambda x: x.take(T.tensor([1.0])), RuntimeError, "Expected a long tensor for index, but got Float"),
    (lambda x: x.masked_select(T.tensor([1, 0, 1])), RuntimeError, "expected BoolTensor for mask"),
    (lambda x: x.scatter_(0, T.tensor([[0, 5]]), 1.0), RuntimeError, "index 5 is out of bounds"),
    (lambda x: x.scatter_(0, T.tensor([[0, 0]]), T.ones(1, 1)), RuntimeError, "no larger size than src"),
    (
        lambda x: x.scatter_(0, T.tensor([[0]]), T.ones(1, 1).double()),
        RuntimeError,
        "self.dtype to be equal to src",
    ),
    (
        lambda x: x.scatter_(0, T.tensor([[0]]), 1.0, reduce="mean"),
        RuntimeError,
        "must be either add or multiply",
    ),
    (
        lambda x: x.scatter_reduce_(0, T.tensor([[0]]), x, "median"),
        RuntimeError,
        "must be either sum, prod, mean",
    ),
    (
        lambda x: x.index_add_(0, T.tensor([0]), x),
        RuntimeError,
        "Number of indices \\(1\\) should be equal to",
    ),
    (lambda x: x.index_add_(0, T.tensor([0, 9]), x), IndexError, "index 9 is out of bounds"),
    (
        lambda x: x.index_copy_(0, T.tensor([0]), x[:1].double()),
        RuntimeError,
        "expected to have the same dtype",
    ),
    (lambda x: x.index_fill_(0, T.tensor([9]), 1.0), IndexError, "index 9 is out of bounds"),
    (
        lambda x: x.index_fill_(0, T.tensor([0]), x),
        RuntimeError,
        "only supports a 0-dimensional value tensor",
    ),
    (
        lambda x: x.put_(T.tensor([0]), x),
        IndexError,
        "Expected source and index to have the same number of elements",
    ),
    (lambda x: x.masked_scatter_(x > 0, T.ones(1)), RuntimeError, "source of at least 5 elements, got 1"),
    (
        lambda x: x.select_scatter(T.ones(2), 0, 0),
        RuntimeError,
        "expected src to have a size equal to the slice",
    ),
    (
        lambda x: x.index_put_((T.tensor([0]),), T.ones(2)),
        RuntimeError,
        "cannot be broadcast to indexing result",
    ),
    (lambda x: x.fill_(T.ones(2)), RuntimeError, "0-dimension value tensor"),
]


@pytest.mark.parametrize("call, kind, words", ERRORS)
def test_errors_change_nothing(call, kind, words):
    x = base()
    with pytest.raises(kind, match=words):
        call(x)
    assert x.equal(base()) and x._version == 0


def test_leaves_refuse_in_place_writes():
    x = base().requires_grad_()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        x.index_add_(0, T.tensor([0]), T.ones(1, 3))
