"""cat, stack and their kin, splits and repeats: dtypes, views, errors."""

import pytest

import chainrule as T

x = T.arange(6.0).reshape(2, 3)


def test_dtypes_are_promoted():
    assert T.cat([x, T.zeros(1, 3, dtype=T.float64)]).dtype is T.float64
    assert T.cat([T.zeros(1, dtype=T.int32), T.ones(1, dtype=T.bool)]).dtype is T.int32
    assert T.stack([T.zeros(1, dtype=T.bfloat16), T.ones(1)]).tolist() == [[0.0], [1.0]]
    assert T.cat([T.ones(1, dtype=T.bfloat16)] * 2).dtype is T.bfloat16


def test_gradients_have_the_dtype_of_their_input():
    a, b = T.ones(2, requires_grad=True), T.ones(2, dtype=T.float64, requires_grad=True)
    T.cat([a, b]).sum().backward()
    assert a.grad.dtype is T.float32 and b.grad.dtype is T.float64


def test_out():
    out = T.zeros(4, 3)
    assert T.cat([x, x], out=out) is out and out[2:].equal(x)


ERRORS = [
    (lambda: T.cat([]), ValueError, "expected a non-empty list of Tensors"),
    (lambda: T.cat(x), TypeError, "must be tuple of Tensors, not Tensor"),
    (lambda: T.cat([x, 1]), TypeError, "expected Tensor as element 1 in argument 0, but got int"),
    (
        lambda: T.cat([x, T.zeros(3)]),
        RuntimeError,
        "Tensors must have same number of dimensions: got 2 and 1",
    ),
    (lambda: T.cat([x, T.zeros(2, 2)]), RuntimeError, "Expected size 3 but got size 2 for tensor number 1"),
    (
        lambda: T.cat([T.tensor(1.0), x]),
        RuntimeError,
        "zero-dimensional tensor \\(at position 0\\) cannot be conc",
    ),
    (lambda: T.cat([x, x], 2), IndexError, "Dimension out of range"),
    (lambda: T.stack([]), RuntimeError, "stack expects a non-empty TensorList"),
    (lambda: T.stack([x, x[0]]), RuntimeError, "stack expects each tensor to be equal size"),
    (lambda: T.hstack(x), TypeError, "must be tuple of Tensors"),
    (lambda: x.split(0), RuntimeError, "split_size can only be 0 if dimension size is 0"),
    (lambda: x.split(-1), RuntimeError, "split expects split_size be non-negative"),
    (lambda: x.split([1, 2]), RuntimeError, "split_sizes to sum exactly to 2"),
    (lambda: x.split([3, -1]), RuntimeError, "non-negative entries"),
    (lambda: x.chunk(0), RuntimeError, "expects `chunks` to be greater than 0, got: 0"),
    (lambda: T.tensor(1.0).chunk(1), RuntimeError, "chunk expects at least a 1-dimensional tensor"),
    (lambda: T.tensor(1.0).unbind(), IndexError, "tensor has no dimensions"),
    (lambda: x.tensor_split(0), RuntimeError, "number of sections must be larger than 0, got 0"),
    (lambda: x.hsplit(2), RuntimeError, "not divisible by the split_size 2"),
    (lambda: x[0].vsplit(3), RuntimeError, "torch.vsplit requires a tensor with at least 2 dimension"),
    (lambda: T.meshgrid(x[0], x[0], indexing="zz"), RuntimeError, 'indexing must be one of "xy" or "ij"'),
    (lambda: T.meshgrid(x, indexing="ij"), RuntimeError, "Expected 0D or 1D tensor"),
    (lambda: T.cartesian_prod(x), RuntimeError, "Expect a 1D vector"),
    (lambda: T.combinations(x), RuntimeError, "Expect a 1D vector"),
    (lambda: T.block_diag(T.zeros(1, 1, 1)), RuntimeError, "must have 2 or fewer dimensions"),
    (
        lambda: x.repeat_interleave(T.tensor([1, 2, 3]), 0),
        RuntimeError,
        "repeats must have the same size as input",
    ),
    (lambda: x.repeat_interleave(-1), RuntimeError, "repeats can not be negative"),
]


@pytest.mark.parametrize("call, kind, words", ERRORS)
def test_errors(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_pieces_are_views_without_gaps():
    assert [tuple(p.shape) for p in T.arange(7).split(3)] == [(3,), (3,), (1,)]
    assert [tuple(p.shape) for p in T.arange(7).chunk(4)] == [(2,), (2,), (2,), (1,)]
    assert [p.tolist() for p in T.arange(7).tensor_split(3)] == [[0, 1, 2], [3, 4], [5, 6]]
    assert [tuple(p.shape) for p in T.zeros(0, 2).chunk(3)] == [(0, 2)] * 3
    y = T.arange(4)
    y.split(2)[1].zero_()
    assert y.tolist() == [0, 1, 0, 0]


def test_pieces_not_used_have_zero_gradient():
    leaf = T.ones(5, requires_grad=True)
    (leaf.split([1, 2, 2])[1] * 3).sum().backward()
    assert leaf.grad.tolist() == [0.0, 3.0, 3.0, 0.0, 0.0]


def test_meshgrid_warns_without_indexing():
    with pytest.warns(UserWarning, match="required to pass the indexing argument"):
        rows, columns = T.meshgrid(T.arange(2), T.arange(3))
    assert rows.tolist() == [[0, 0, 0], [1, 1, 1]] and columns.tolist() == [[0, 1, 2]] * 2


def test_elementary_combinations():
    assert T.cartesian_prod(T.arange(2), T.arange(2)).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert T.combinations(T.arange(3)).tolist() == [[0, 1], [0, 2], [1, 2]]
    assert T.combinations(T.arange(2), 2, with_replacement=True).tolist() == [[0, 0], [0, 1], [1, 1]]
    assert T.repeat_interleave(T.tensor([2, 0, 1])).tolist() == [0, 0, 2]
