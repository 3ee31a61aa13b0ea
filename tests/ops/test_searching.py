"""Extremes with places, bins and membership: signatures, ties, borders of bins, refused arguments."""

import numpy as np
import pytest

import chainrule as T

NAN = float("nan")


def gradient(f, values):
    x = T.tensor(values, dtype=T.float64, requires_grad=True)
    f(x).sum().backward()
    return x.grad.tolist()


def test_the_three_signatures_of_max():
    x = T.tensor([[1.0, 5.0], [7.0, 2.0]])
    assert x.max().item() == 7
    values, indices = T.max(x, 1)
    assert values.tolist() == [5, 7] and indices.tolist() == [1, 0] and indices.dtype is T.int64
    assert x.max(dim=0, keepdim=True).values.tolist() == [[7, 5]]
    assert T.max(x, T.tensor(3.0)).tolist() == [[3, 5], [7, 3]]
    assert T.max(x, other=x.t()).tolist() == [[1, 7], [7, 2]]
    assert x.min(x.t()).tolist() == [[1, 5], [5, 2]]


def test_all_of_it_shares_among_equals_and_along_a_dim_the_first_wins():
    assert gradient(lambda x: x.max(), [1.0, 3.0, 3.0]) == [0, 0.5, 0.5]
    assert gradient(lambda x: x.max(0)[0], [1.0, 3.0, 3.0]) == [0, 1, 0]
    assert gradient(lambda x: x.min(), [1.0, NAN, NAN]) == [0, 0.5, 0.5]
    assert gradient(lambda x: x.max() + x, [2.0, 3.0]) == [1, 3]


def test_places():
    x = T.tensor([[1, 5, 5], [7, 2, 7]])
    assert x.argmax().item() == 3 and x.argmax(1).tolist() == [1, 0]
    assert x.argmin(dim=0, keepdim=True).tolist() == [[0, 1, 0]]
    assert x.argmax(keepdim=True).shape == (1, 1)
    assert T.tensor([1.0, NAN]).argmin().item() == 1
    assert not T.ones(2, requires_grad=True).argmax().requires_grad


def test_nonzero_in_both_forms():
    x = T.tensor([[0.0, 2.0], [NAN, 0.0]])
    assert x.nonzero().tolist() == [[0, 1], [1, 0]]
    rows, columns = x.nonzero(as_tuple=True)
    assert rows.tolist() == [0, 1] and columns.tolist() == [1, 0]
    assert T.tensor(3).nonzero().shape == (1, 0) and T.tensor(0).nonzero().shape == (0, 0)
    # minus zero is zero, also where its bits are not
    assert T.tensor([-0.0, 1.0]).to(T.bfloat16).nonzero().tolist() == [[1]]
    assert T.nonzero_static(T.tensor([0, 1, 1]), size=3, fill_value=9).tolist() == [[1], [2], [9]]


def test_where_values_could_stand():
    line = T.tensor([1.0, 2.0, 2.0, 4.0])
    v = T.tensor([[0.0, 2.0], [4.0, NAN]])
    assert T.searchsorted(line, v).tolist() == [[0, 1], [3, 4]]
    assert T.searchsorted(line, v, right=True).tolist() == [[0, 3], [4, 4]]
    assert T.bucketize(v, line, right=True).tolist() == [[0, 3], [4, 4]]
    found = T.searchsorted(line, 2.0, side="right", out_int32=True)
    assert found.item() == 3 and found.dtype is T.int32


def test_bins_are_closed_below_and_the_last_one_above():
    x = T.tensor([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, NAN])
    assert x.histc(2, 1, 4).tolist() == [2, 2]
    hist, edges = T.histogram(x[:-1], 3, range=(1.0, 4.0))
    assert hist.tolist() == [1, 1, 2] and edges.tolist() == [1, 2, 3, 4]
    density = T.histogram(T.rand(100), 7, density=True)
    assert (density.hist * density.bin_edges.diff()).sum().item() == pytest.approx(1)


def test_bins_of_points():
    points = T.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [0.5, 1.0]])
    hist, edges = T.histogramdd(points, [2, 2], weight=T.tensor([1.0, 2.0, 3.0, 4.0]))
    assert hist.tolist() == [[0, 5], [2, 3]] and edges[1].tolist() == [0, 1, 2]
    assert T.histogramdd(points, 2, range=[0.0, 1.0, 0.0, 1.0]).hist.tolist() == [[0, 1], [1, 1]]


def test_counts_and_weights():
    x = T.tensor([1, 3, 1])
    assert x.bincount(minlength=5).tolist() == [0, 2, 0, 1, 0]
    w = T.tensor([0.5, 1.0, 0.25])
    assert x.bincount(w).tolist() == [0, 0.75, 0, 1] and x.bincount(w).dtype is T.float32
    assert x.bincount(x).dtype is T.float64


def test_membership():
    x = T.tensor([[1, 2], [3, 4]])
    assert T.isin(x, T.tensor([2, 4])).tolist() == [[False, True], [False, True]]
    assert T.isin(2, x).item() is True and T.isin(x, 3, invert=True).sum().item() == 3
    assert T.isin(T.tensor([NAN]), T.tensor([NAN])).tolist() == [False]


def test_halves_keep_their_type_and_places():
    a = np.random.default_rng(0).normal(size=(4, 9)).astype(np.float32)
    for dtype in (T.float16, T.bfloat16):
        x = T.from_numpy(a).to(dtype)
        values, indices = x.max(1)
        assert values.dtype is dtype and indices.tolist() == x.float().argmax(1).tolist()
        assert values.float().tolist() == x.float().amax(1).tolist()


@pytest.mark.parametrize("call, error, words", [
    (lambda x: x.max(2), IndexError, "Dimension out of range"),
    (lambda x: x.max((0, 1)), TypeError, "must be int, not tuple"),
    (lambda x: T.zeros(0, 3).max(), RuntimeError, "max.*Expected reduction dim to be specified"),
    (lambda x: T.zeros(0, 3).max(0), IndexError, "max.*dim 0 to have non-zero size"),
    (lambda x: T.zeros(0).argmin(), IndexError, "argmin.*Expected reduction dim"),
    (lambda x: (x > 0).argmax(), RuntimeError, "argmax.*does not support bool"),
    (lambda x: x.to(T.complex64).max(0), RuntimeError, "max.*does not support complex"),
    (lambda x: T.isin(x > 0, 1), RuntimeError, "isin.*Bool"),
    (lambda x: T.isin(1, 2), TypeError, "isin.*must be a Tensor, got int and int"),
    (lambda x: T.searchsorted(x[0], 1, side="left", right=True), RuntimeError, "opposites"),
    (lambda x: T.searchsorted(x[0], 1, side="up"), RuntimeError, "'left' or 'right' but got up"),
    (lambda x: T.searchsorted(x[0], "a"), TypeError, "'input' must be Tensor or Number, not str"),
    (lambda x: T.bucketize(x, x), RuntimeError, "must be 1 dimension, but got dim\\(2\\)"),
    (lambda x: x.bincount(), NotImplementedError, "bincount.*Float"),
    (lambda x: x.long().bincount(), RuntimeError, "1-d non-negative"),
    (lambda x: x.histc(0), RuntimeError, "bins must be > 0"),
    (lambda x: x.long().histc(3), NotImplementedError, "histogram.*Long"),
    (lambda x: T.histogram(x, 3, range=(2.0, 1.0)), RuntimeError, "min should not exceed max"),
    (lambda x: T.histogramdd(x, [2]), RuntimeError, "innermost dimension of the input \\(3\\), got 1"),
    (lambda x: T.histogramdd(x, 2, range=[0.0, 1.0]), RuntimeError, "should have 6 elements, but got 2"),
    (lambda x: T.histogramdd(x, 2, weight=T.ones(3)), RuntimeError, "excluding its innermost"),
    (lambda x: T.histogramdd(x.long(), 2), NotImplementedError, "histogramdd.*Long"),
    (lambda x: T.histogram(x, 3, weight=T.ones(2)), RuntimeError, "same shape as the input"),
])  # fmt: skip
def test_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(T.ones(2, 3))
