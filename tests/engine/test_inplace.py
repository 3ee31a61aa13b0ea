"""In-place changes: what history they write, which saved values they spoil, and what is refused."""

import pytest

import chainrule as torch


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def gradient(change, *values):
    """d sum(y * [1, 2, 3, …]) / dx after y = x * 1 was changed in place."""
    x = leaf(*values)
    y = x * 1
    change(y)
    (y * torch.arange(1.0, 1 + y.numel(), dtype=torch.float64)).sum().backward()
    return x.grad.tolist()


@pytest.mark.parametrize("change, expected", [
    (lambda y: y.mul_(5), [5, 10]),
    (lambda y: y.add_(y), [2, 4]),
    (lambda y: y.mul_(y), [4, 12]),
    (lambda y: y.pow_(2), [4, 12]),
    (lambda y: y.zero_(), [0, 0]),
    (lambda y: y.copy_(torch.ones(2, dtype=torch.float64)), [0, 0]),
    (lambda y: y[:1].mul_(5), [5, 2]),
    (lambda y: y[:1].mul_(y[1:]), [3, 4]),
    (lambda y: y.__setitem__(0, 7.0), [0, 2]),
    (lambda y: y.__setitem__(0, y[1]), [0, 3]),
    (lambda y: y.view(2, 1).t().mul_(3), [3, 6]),
    (lambda y: y[0].add_(y[1]), [1, 3]),
])  # fmt: skip
def test_gradients_after_a_change(change, expected):
    assert gradient(change, 2.0, 3.0) == expected


def test_exp_saves_its_result_after_the_change():
    x = leaf(0.5)
    y = x * 1
    y.exp_()
    y.backward()
    assert x.grad.item() == y.item()


def test_views_taken_before_a_change_follow_it():
    x = leaf(1.0, 2.0, 3.0)
    base = x * 2
    view, other = base[:2], base[1:]
    base.mul_(3)
    assert view.tolist() == [6, 12]
    view.sum().backward(retain_graph=True)
    assert x.grad.tolist() == [6, 6, 0]
    x.grad = None
    view.mul_(10)
    (other * torch.tensor([1.0, 7.0], dtype=torch.float64)).sum().backward()
    assert x.grad.tolist() == [0, 60, 42]


def test_views_of_views_and_transposes():
    x = torch.arange(12.0, dtype=torch.float64).requires_grad_()
    y = (x * 1).view(3, 4)
    row = y[1]
    row[2:].mul_(10)
    row.add_(1)
    y.t()[0].mul_(2)
    (y * torch.arange(12.0, dtype=torch.float64).view(3, 4)).sum().backward()
    assert x.grad.tolist() == [0, 1, 2, 3, 8, 5, 60, 70, 16, 9, 10, 11]


def test_a_buffer_is_filled_piece_by_piece():
    x, buffer = leaf(1.0, 2.0), torch.zeros(4, dtype=torch.float64)
    buffer[1:3] = x * 2
    buffer[0] = x[0]
    assert buffer.requires_grad and buffer.grad_fn.name() == "CopySlices"
    (buffer * torch.arange(4.0, dtype=torch.float64)).sum().backward()
    assert x.grad.tolist() == [2, 4]


def test_second_derivatives_through_changed_buffers():
    x, buffer = leaf(2.0, 3.0), torch.zeros(2, dtype=torch.float64)
    buffer[0] = x[0] ** 3
    buffer[1] = x[1] ** 2 * x[0]
    (g,) = torch.autograd.grad(buffer.sum(), x, create_graph=True)
    assert g.tolist() == [21, 12]
    assert torch.autograd.grad(g.sum(), x)[0].tolist() == [18, 10]


def test_second_derivatives_through_a_change_that_overwrites():
    x = leaf(2.0, 3.0)
    y = x * 1
    y[:1].mul_(y[1:])
    (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
    assert g.tolist() == [36, 30]
    assert torch.autograd.grad(g.sum(), x)[0].tolist() == [42, 34]


def test_the_real_part_as_a_view():
    z = torch.tensor([1 + 2j, 3 - 1j], dtype=torch.complex128, requires_grad=True)
    w = z * 1
    w.real.mul_(3)
    (w * w.conj()).real.sum().backward()
    assert z.grad.tolist() == [18 + 4j, 54 - 2j]


@pytest.mark.parametrize("save", [lambda y: y * y, lambda y: y.exp(), lambda y: y.sin()])
def test_a_spoilt_value_is_found(save):
    x = leaf(1.0)
    y = x * 1
    z = save(y)
    (z if "Exp" in z.grad_fn.name() else y).add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as caught:
        (z * 1).backward()
    text = str(caught.value)
    assert "is at version 1; expected version 0" in text and "torch.DoubleTensor [1]" in text
    assert f"{__file__}:" in text and "output 0 of" in text


def test_the_error_names_the_line_that_saved():
    x = leaf(1.0)
    y = x * 1
    z = y * y; line = test_the_error_names_the_line_that_saved.__code__.co_firstlineno + 3  # noqa: E702
    y.add_(1)
    with pytest.raises(RuntimeError, match=f"{__file__}:{line}"):
        z.backward()


def test_versions():
    t = torch.ones(3)
    view, detached, data = t[1:], t.detach(), t.data
    assert t._version == 0
    t.add_(1)
    view.add_(1)
    detached.add_(1)
    t[0] = 5
    assert t._version == view._version == detached._version == 4
    data.add_(1)
    assert t._version == 4 and t.clone()._version == 0
    torch.autograd.graph.increment_version(t)
    assert t._version == 5


def test_data_is_changed_behind_the_graphs_back():
    x = leaf(2.0)
    y = x * x
    x.data.mul_(2)
    y.backward()
    assert x.grad.item() == 8


def test_detach_shares_the_version():
    x = leaf(2.0)
    y = x * x
    x.detach().mul_(2)
    with pytest.raises(RuntimeError, match="inplace operation"):
        y.backward()


def test_leaves_and_their_views_are_protected():
    x = leaf(1.0, 2.0)
    for change in (lambda: x.mul_(2), lambda: x.zero_()):
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
            change()
    for change in (lambda: x[:1].mul_(2), lambda: x.view(2, 1).zero_(), lambda: x.__setitem__(0, 1.0)):
        with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
            change()
    assert x.tolist() == [1, 2]
    with torch.no_grad():
        x += 1
        x[0] = 9
    assert x.tolist() == [9, 3] and x.is_leaf and x.requires_grad


def test_a_view_that_was_made_to_require_a_gradient_is_protected():
    view = torch.ones(2)[:1].requires_grad_()
    with pytest.raises(RuntimeError, match="a view of a leaf"):
        view.mul_(2)


def test_outputs_of_several_views():
    y = leaf(1.0, 2.0) * 1
    first, _ = y.unbind()
    with pytest.raises(RuntimeError, match="Output 0 of Unbind is a view and is being modified.*multiple views"):
        first.mul_(2)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modified"):
        first * 2


def test_views_made_without_recording():
    y = leaf(1.0, 2.0) * 1
    with torch.no_grad():
        view = y.view(2, 1)
    assert view.requires_grad and view.is_leaf and view.grad_fn is None
    with pytest.raises(RuntimeError, match="created in no_grad mode and is being modified inplace with grad mode"):
        view.mul_(2)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="created in no_grad mode and its base"):
        view * 2


def test_a_view_of_what_required_no_gradient_then():
    x = torch.ones(2)
    view = x[:1]
    x.requires_grad_()
    assert view.requires_grad and view.is_leaf
    (view * 3).sum().backward()
    assert x.grad is None and view.grad.tolist() == [3]


def test_overlapping_writes_are_refused():
    x = torch.arange(4.0)
    with pytest.raises(RuntimeError, match="single memory location"):
        x[1:].add_(x[:-1])
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.ones(1).expand(3).add_(1)
    assert x.tolist() == [0, 1, 2, 3]


def test_detach_in_place():
    y = leaf(1.0) * 2
    assert y.detach_() is y and y.is_leaf and not y.requires_grad
    with pytest.raises(RuntimeError, match="detach"):
        (leaf(1.0, 2.0) * 1)[:1].detach_()


@pytest.mark.parametrize("change", [torch.Tensor.sqrt_, torch.Tensor.exp_, torch.Tensor.tanh_])
@pytest.mark.parametrize("view", [torch.Tensor.t, lambda y: y[1], lambda y: y.view(-1)[1:3]])
def test_second_derivatives_through_a_saved_output_of_a_view(change, view):
    def written(x):
        y = x * x
        change(view(y))
        return y

    x = torch.tensor([[0.5, 0.7], [0.9, 1.1]], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(written, (x,))


@pytest.mark.parametrize("change", [
    lambda t: t.add_(1), lambda t: t.mul_(torch.ones(2)), lambda t: t.sub_(torch.ones(2)),
])  # fmt: skip
def test_an_expanded_gradient_is_not_written(change):
    """A short way for tensors outside any graph refuses what the long one does."""
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(change)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        y.sum().backward()


def test_changes_of_shape_in_place_obey_the_rules_of_views():
    x = torch.ones(2, 3, requires_grad=True)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable"):
        x.view(3, 2).t_()
    with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
        (x * 1).unbind()[0].unsqueeze_(0)
    view = x.view(3, 2)
    with torch.no_grad():
        view.t_()
    (view * torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])).sum().backward()
    assert x.grad.tolist() == [[1, 4, 2], [5, 3, 6]]
