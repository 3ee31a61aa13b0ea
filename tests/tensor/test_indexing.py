"""What `x[...]` and `x[...] = v` mean: forms, views, gradients, errors."""

import itertools

import numpy as np
import pytest

import chainrule as torch


def grid():
    return torch.arange(24.0).reshape(2, 3, 4).clone()


BASIC = [
    0, -1, slice(None), slice(1, None), slice(None, None, 2), slice(5, 2), None, Ellipsis, (0, 1), (0, 1, 2),
    (Ellipsis, 0), (slice(None), 1), (0, Ellipsis, 1), (None, 0, None), (slice(1), slice(0, 2), -1), (),
    (slice(None), slice(None, None, 3)), np.int64(1), (np.int32(1), slice(np.int64(1))),
]  # fmt: skip


@pytest.mark.parametrize("index", BASIC, ids=str)
def test_basic_indices_show_what_numpy_shows_and_share_memory(index):
    x = grid()
    found = x[index]
    expected = x.numpy()[index]
    assert isinstance(found, torch.Tensor) and tuple(found.shape) == np.shape(expected)
    assert np.array_equal(found.numpy(), expected)
    assert found.numel() == 0 or np.shares_memory(found.numpy(), x.numpy())
    assert found._base is x


ADVANCED = [
    ([0, 1, 1],), ([0, -1], [2, 0]), (slice(None), [2, 0]), (Ellipsis, [[0, 1], [3, 2]]), ([1], slice(None), [0, 3]),
    (slice(None), [0, 2], [1, 1]), (None, [1, 0]), (slice(0, 1), [[0], [2]], slice(1, 3)),
]  # fmt: skip


@pytest.mark.parametrize("index", ADVANCED, ids=str)
@pytest.mark.parametrize("form", ["list", "array", "tensor"])
def test_index_lists_arrays_and_tensors_pick_copies(index, form):
    make = {"list": list, "array": np.array, "tensor": torch.tensor}[form]
    x = grid()
    found = x[tuple(make(i) if isinstance(i, list) else i for i in index)]
    assert np.array_equal(found.numpy(), x.numpy()[index])
    assert found.is_contiguous() and not np.shares_memory(found.numpy(), x.numpy())


def test_ints_beside_index_tensors_are_taken_first():
    x = grid()
    assert tuple(x[0, :, [1, 2, 0]].shape) == (3, 3)
    assert x[0, :, [1, 2, 0]].equal(x[0][:, [1, 2, 0]])
    assert x[[0, 1], 0, [1, 2]].tolist() == [1.0, 14.0]


def test_index_tensors_with_a_slice_between_put_their_dimension_first():
    x = torch.arange(12.0).reshape(3, 2, 2)
    i, j = torch.tensor([0, 2]), torch.tensor([1, 0])
    assert x[i, :, j].tolist() == [[1.0, 3.0], [8.0, 10.0]]


def test_masks():
    x = grid()
    rows = torch.tensor([[True, False, True], [False, False, True]])
    assert x[rows].tolist() == [x[0, 0].tolist(), x[0, 2].tolist(), x[1, 2].tolist()]
    assert x[x > 21].tolist() == [22.0, 23.0]
    assert tuple(x[:, torch.tensor([True, False, True])].shape) == (2, 2, 4)
    assert x[[True, False]].equal(x[:1])
    with pytest.warns(UserWarning, match="torch.uint8"):
        assert x[torch.tensor([0, 1], dtype=torch.uint8)].equal(x[1:])


def test_single_truth_values_add_a_dimension():
    x = torch.arange(3.0)
    for yes, no in ((True, False), (torch.tensor(True), torch.tensor(False)), (np.True_, np.False_)):
        assert tuple(x[yes].shape) == (1, 3) and tuple(x[no].shape) == (0, 3)
    assert tuple(torch.tensor(1.0)[torch.tensor(False)].shape) == (0,)


def test_zero_dimensional_int_tensors_select():
    x = grid()
    assert x[torch.tensor(1)]._base is x
    assert x[torch.tensor(0), 1:].equal(x[0, 1:])
    assert x[torch.tensor(1) :].equal(x[1:])


def test_lists_of_lists_stand_for_tuples():
    x = torch.arange(9.0).reshape(3, 3)
    with pytest.warns(UserWarning, match="non-tuple sequence"):
        assert x[[[0, 1], [1, 2]]].tolist() == [1.0, 5.0]


ERRORS = [
    (3, IndexError, "index 3 is out of bounds for dimension 0 with size 2"),
    ((0, -4), IndexError, "index -4 is out of bounds for dimension 1 with size 3"),
    ((0, 0, 0, 0), IndexError, "too many indices for tensor of dimension 3"),
    (slice(None, None, -1), ValueError, "step must be greater than zero"),
    (slice(None, None, 0), ValueError, "slice step cannot be zero"),
    (1.0, IndexError, "only integers, slices"),
    ([5], IndexError, "index 5 is out of bounds for dimension 0 with size 2"),
    (([0, 1], [0, 1, 2]), IndexError, "could not be broadcast together with shapes \\[2\\], \\[3\\]"),
    (([0], [0], [0], [0]), IndexError, "too many indices"),
    (np.array([1.5]), IndexError, "tensors used as indices must be long, int, byte or bool"),
    (np.array([True, False, True]), IndexError, "The shape of the mask \\[3\\] at index 0 does not match"),
]


@pytest.mark.parametrize("index, kind, words", ERRORS, ids=str)
def test_errors_name_the_index(index, kind, words):
    with pytest.raises(kind, match=words):
        grid()[index]
    x = grid()
    with pytest.raises(kind, match=words):
        x[index] = 1.0
    assert x.equal(grid()) and x._version == 0


def test_indexing_a_number_explains_itself():
    with pytest.raises(IndexError, match="invalid index of a 0-dim tensor"):
        torch.tensor(3.0)[0]
    with pytest.raises(TypeError, match="iteration over a 0-d tensor"):
        iter(torch.tensor(3.0))


@pytest.mark.parametrize("index, node", [
    (0, "SelectBackward0"), (slice(1, 2), "SliceBackward0"), (slice(None), "SliceBackward0"),
    (None, "UnsqueezeBackward0"),
    (Ellipsis, "AliasBackward0"), ((0, slice(1, 2)), "SliceBackward0"), ((slice(1, 2), 0), "SelectBackward0"),
    ([0, 1], "IndexBackward0"),
])  # fmt: skip
def test_nodes_have_pytorchs_names(index, node):
    x = torch.ones(2, 3, requires_grad=True)
    assert x[index].grad_fn.name() == node


@pytest.mark.parametrize("index", [*BASIC, *ADVANCED], ids=str)
def test_gradient_counts_how_often_an_element_is_shown(index):
    x = grid().requires_grad_()
    found = x[index]
    weights = torch.arange(1.0, found.numel() + 1).reshape(found.shape)
    (found * weights).sum().backward()
    expected = np.zeros((2, 3, 4), np.float32)
    np.add.at(expected, index, weights.numpy())
    assert np.array_equal(x.grad.numpy(), expected)


@pytest.mark.parametrize("index", [*BASIC, *ADVANCED], ids=str)
@pytest.mark.parametrize("recorded", [False, True])
def test_assignment_writes_where_numpy_writes(index, recorded):
    leaf = torch.zeros(2, 3, 4, requires_grad=recorded)
    x = leaf * 1
    value = torch.arange(1.0, x[index].numel() + 1).reshape(x[index].shape).requires_grad_(recorded)
    version = x._version
    x[index] = value
    expected = np.zeros((2, 3, 4), np.float32)
    expected[index] = value.detach().numpy()
    assert np.array_equal(x.detach().numpy(), expected) and x._version == version + 1
    if recorded:
        weights = torch.arange(24.0).reshape(2, 3, 4)
        (x * weights).sum().backward()
        assert np.array_equal(leaf.grad.numpy(), np.where(expected == 0, weights.numpy(), 0))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int32, torch.bool, torch.complex64])
@pytest.mark.parametrize("index", [1, slice(1, None), [0, 2], (Ellipsis,)], ids=str)
def test_numbers_are_assigned_in_the_tensors_dtype(dtype, index):
    x = torch.zeros(3, dtype=dtype)
    x[index] = 1
    y = torch.zeros(3)
    y[index] = 1
    assert x.dtype is dtype and x.equal(y.to(dtype))


def test_assigned_values_are_cast_and_broadcast():
    x = torch.zeros(3, 2, dtype=torch.int64)
    x[0] = 1.7
    x[1] = torch.tensor([2.9, -2.9])
    x[2:] = torch.ones(1, 1, 1, 2)
    assert x.tolist() == [[1, 1], [2, -2], [1, 1]]
    x[x > 1] = torch.tensor(7.5)
    assert x.tolist() == [[1, 1], [7, -2], [1, 1]]


VALUES = [
    (0, 1j, RuntimeError, "value cannot be converted to type float without overflow"),
    (0, "a", TypeError, "can't assign a str to a torch.FloatTensor"),
    (0, [1.0, 2.0], TypeError, "can't assign a list to a torch.FloatTensor"),
    (0, np.ones(2), TypeError, "can't assign a numpy.ndarray to a torch.FloatTensor"),
    (0, torch.ones(3), RuntimeError, "The expanded size of the tensor \\(2\\) must match the existing size \\(3\\)"),
    ([0], torch.ones(3), RuntimeError, "shape mismatch: value tensor of shape \\[3\\] cannot be broadcast"),
    ([0], torch.ones(2, dtype=torch.float64), RuntimeError, "got Float for the destination and Double for the source"),
]  # fmt: skip


@pytest.mark.parametrize("index, value, kind, words", VALUES)
def test_values_that_do_not_fit_change_nothing(index, value, kind, words):
    x = torch.zeros(3, 2)
    with pytest.raises(kind, match=words):
        x[index] = value
    assert x.equal(torch.zeros(3, 2)) and x._version == 0


def test_an_integer_tensor_refuses_what_it_cannot_hold():
    x = torch.zeros(2, dtype=torch.int32)
    for value in (float("nan"), 2**40):
        with pytest.raises(RuntimeError, match="value cannot be converted to type int without overflow"):
            x[0] = value


def test_writes_into_leaves_and_several_views_are_refused():
    leaf = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        leaf[0] = 1
    with torch.no_grad():
        leaf[0] = 5
    assert leaf.tolist() == [5.0, 1.0, 1.0]
    first, *_ = (leaf * 1).unbind()
    with pytest.raises(RuntimeError, match="returns multiple views"):
        first.mul_(2)


def test_a_write_through_a_view_enters_the_bases_history():
    leaf = torch.arange(4.0, requires_grad=True)
    base = leaf * 2
    view = base[1:3]
    base[1] = leaf[3]
    assert view.grad_fn.name() == "AsStridedBackward0"
    view.mul_(3)
    (base * torch.tensor([1.0, 10.0, 100.0, 1000.0])).sum().backward()
    assert leaf.grad.tolist() == [2.0, 0.0, 600.0, 2030.0]


def test_augmented_assignment_through_indices():
    leaf = torch.ones(3, requires_grad=True)
    x = leaf * 1
    x[0] += 1
    x[[1, 2]] *= 4
    x.sum().backward()
    assert x.tolist() == [2.0, 4.0, 4.0] and leaf.grad.tolist() == [1.0, 4.0, 4.0]


def test_a_tensor_may_be_assigned_to_itself_where_no_block_overlaps_in_part():
    x = torch.arange(5.0)
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
        x[1:] = x[:-1]
    x[1:3] = x[3:]
    assert x.tolist() == [0.0, 3.0, 4.0, 3.0, 4.0]
    x = torch.arange(6.0).reshape(2, 3)
    x[:, 1:] = x[:, :-1]
    assert x.tolist() == [[0.0, 0.0, 1.0], [3.0, 3.0, 4.0]]
    x[:] = x[1]
    assert x.tolist() == [[3.0, 3.0, 4.0]] * 2
    x = torch.arange(4.0)
    x[[0, 1, 2]] = x[1:]
    assert x.tolist() == [1.0, 2.0, 3.0, 3.0]


def test_writing_where_memory_repeats_is_refused():
    x = torch.ones(1).expand(3)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        x[:2] = 5
    assert x.tolist() == [1.0, 1.0, 1.0]


def test_second_derivatives_pass_through_indices():
    x = torch.arange(1.0, 5.0, dtype=torch.float64).requires_grad_()
    y = (x[1:] ** 3).sum() + (x[[0, 0]] ** 3).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    assert h.tolist() == [12.0, 12.0, 18.0, 24.0]


def test_iteration_and_membership():
    x = torch.arange(6.0).reshape(3, 2)
    assert [row.tolist() for row in x] == x.tolist()
    assert [row.tolist() for row in itertools.islice(x, 1)] == [[0.0, 1.0]]
    assert 3.0 in x and 7 not in x and torch.tensor(2.0) in x
    with pytest.raises(RuntimeError, match="only supports Tensor or scalar"):
        "a" in x  # noqa: B015


def test_new_dimensions_have_the_strides_of_pytorch():
    x = grid()
    assert x[None].stride() == (24, 12, 4, 1)
    assert x[..., None].stride() == (12, 4, 1, 1)
