"""Function: what forward and backward get and give, saved tensors, dirty inputs, second derivatives, refusals."""

import pytest

import chainrule as torch
from chainrule.autograd import Function
from chainrule.autograd.function import FunctionCtx, once_differentiable


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def make(forward, backward=None, **more):
    """A Function class of these methods."""
    methods = {"forward": staticmethod(forward), **{k: staticmethod(v) for k, v in more.items()}}
    if backward is not None:
        methods["backward"] = staticmethod(backward)
    return type("Made", (Function,), methods)


class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor, offset=0.0):
        assert isinstance(ctx, FunctionCtx) and not torch.is_grad_enabled()
        ctx.factor = factor
        ctx.save_for_backward(x, None)
        return x * factor + offset

    @staticmethod
    def backward(ctx, g):
        assert ctx.saved_tensors[1] is None
        return g * ctx.factor, None, None


def test_a_call_and_its_node():
    x = leaf(1.0, 2.0)
    y = Scale.apply(x, 3.0)
    node = y.grad_fn
    assert y.tolist() == [3, 6] and node.name() == type(node).__name__ == "ScaleBackward"
    assert "ScaleBackward" in repr(y) and node.factor == 3 and node.saved_tensors[0] is x
    assert [n is not None for n, _ in node.next_functions] == [True] and node.needs_input_grad == (True, False)
    y.sum().backward()
    assert x.grad.tolist() == [3, 3]
    with pytest.raises(RuntimeError, match="a second time"):
        node.saved_tensors  # noqa: B018
    with pytest.raises(AttributeError, match="ScaleBackward.*nothing"):
        node.nothing  # noqa: B018


def test_keyword_arguments_and_defaults():
    x = leaf(1.0)
    assert Scale.apply(x, factor=2.0, offset=1.0).item() == 3
    assert Scale.apply(x, offset=1.0, factor=2.0).requires_grad


def test_without_gradients_nothing_is_recorded():
    with torch.no_grad():
        assert Scale.apply(leaf(1.0), 2.0).grad_fn is None
    assert not Scale.apply(torch.ones(1), 2.0).requires_grad


def test_setup_context():
    def setup(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], output)

    square = make(lambda x: x * x, lambda ctx, g: 2 * ctx.saved_tensors[0] * g, setup_context=setup)
    x = leaf(3.0)
    y = square.apply(x)
    assert y.grad_fn.saved_tensors[1].tolist() == y.tolist()
    y.backward()
    assert x.grad.item() == 6


def test_names_that_the_engine_uses_are_the_users_too():
    def forward(ctx, x):
        ctx.function, ctx.meta, ctx.links, ctx.code, ctx.sequence, ctx.claim = range(6)
        return x * 2

    x = leaf(1.0)
    y = make(forward, lambda ctx, g: g * (2 + ctx.function)).apply(x)
    y.backward()
    assert x.grad.item() == 2


def test_saved_outputs_and_repeated_second_derivatives():
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            y = x**2
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return g * 2 * y / x

    x = leaf(2.0)
    y = Square.apply(x)
    for _ in range(2):
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        assert g.item() == 4
    assert torch.autograd.grad(g, x)[0].item() == 2
    assert torch.autograd.gradgradcheck(Square.apply, leaf(1.0, 2.0))


def test_saved_values_are_checked_for_changes():
    keep = make(lambda ctx, x: (ctx.save_for_backward(x), x * 2)[1], lambda ctx, g: (ctx.saved_tensors, g)[1])
    q = leaf(1.0) * 1
    y = keep.apply(q)
    q.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation.*version 1; expected version 0"):
        y.backward()


def test_zeros_or_none_for_unused_outputs():
    got = []

    def forward(ctx, x, zeros):
        ctx.set_materialize_grads(zeros)
        return x * 2, x * 3, 7

    two = make(forward, lambda ctx, *g: (got.append(g), g[0])[1:] + (None,))
    x = leaf(1.0)
    for zeros in (True, False):
        first, _, seven = two.apply(x, zeros)
        assert seven == 7
        first.backward()
    assert got[0][1].tolist() == [0] and got[0][2] is None and got[1][1:] == (None, None)


def test_non_differentiable_outputs():
    def forward(ctx, x):
        a, b = x * 2, x * 3
        ctx.mark_non_differentiable(b)
        return a, b, (x > 0).to(torch.int64)

    outs = make(forward, lambda ctx, g, h, k: g * 2).apply(leaf(1.0))
    assert [t.requires_grad for t in outs] == [True, False, False]
    outs[0].backward()


def test_a_dirty_input_keeps_its_identity_and_history():
    class Add(Function):
        @staticmethod
        def forward(ctx, a, b):
            a[1:2] += b
            ctx.mark_dirty(a)
            return a

        @staticmethod
        def backward(ctx, g):
            return g, g[1:2]

    a, b = leaf(1.0, 1.0), leaf(1.0)
    u = a + 1
    c = Add.apply(u, b)
    assert c is u and c.tolist() == [2, 3] and c.grad_fn.name() == "AddBackward"
    c.sum().backward()
    assert a.grad.tolist() == [1, 1] and b.grad.tolist() == [1]
    plain = torch.ones(2, dtype=torch.float64)
    assert Add.apply(plain, b.detach()) is plain
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad has been used in an in-place"):
        Add.apply(leaf(1.0, 1.0), b)


def test_a_dirty_view_changes_its_base():
    double = make(lambda ctx, x: (ctx.mark_dirty(x), x.mul_(2))[1], lambda ctx, g: g * 2)
    x = leaf(1.0, 2.0)
    base = x * 1
    view = base[:1]
    assert double.apply(view) is view and base.grad_fn.name() == "CopySlices"
    (base * torch.tensor([1.0, 3.0], dtype=torch.float64)).sum().backward()
    assert x.grad.tolist() == [2, 3]


def test_a_dirty_input_counts_as_changed_even_if_written_through_an_array():
    def forward(ctx, x):
        x.numpy()[:] *= 2
        ctx.mark_dirty(x)
        return x

    double, x = make(forward, lambda ctx, g: g * 2), leaf(1.0) * 1
    square = x * x
    assert double.apply(x)._version == 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        square.backward()
    plain = torch.ones(1)
    assert double.apply(plain)._version == 1


def test_an_input_returned_as_it_is():
    same = make(lambda ctx, x: x, lambda ctx, g: g * 5)
    x = leaf(1.0)
    y = same.apply(x)
    assert y is not x and y.data_ptr() == x.data_ptr() and y.grad_fn.name() == "MadeBackward"
    y.backward()
    assert x.grad.item() == 5
    with pytest.raises(RuntimeError, match="inside a custom Function"):
        same.apply(x * 1).mul_(2)
    with pytest.raises(RuntimeError, match="inside a custom Function"):
        make(lambda ctx, x: x.view(1, 1), lambda ctx, g: g.view(1)).apply(x * 1).mul_(2)


def test_no_tensors_at_all():
    assert make(lambda ctx, k: k + 1).apply(3) == 4
    x = leaf(1.0)
    nested = make(lambda ctx, pair: pair[0] * 2, lambda ctx, g: g)
    assert not nested.apply([x]).requires_grad


def run(answer, *inputs):
    y = make(lambda ctx, x, y: x * y, lambda ctx, g: answer(g)).apply(*inputs)
    y.sum().backward()


@pytest.mark.parametrize("answer, text", [
    (lambda g: g, r"function MadeBackward returned an incorrect number of gradients \(expected 2, got 1\)"),
    (lambda g: (g, g, g), r"incorrect number of gradients \(expected 2, got 3\)"),
    (lambda g: (g, 3.0), r"expected Variable or None \(got float\)"),
    (lambda g: (g, torch.ones(3, dtype=torch.float64)), r"invalid gradient at index 1 - got \[3\] but expected"),
])  # fmt: skip
def test_gradients_are_checked(answer, text):
    with pytest.raises(RuntimeError, match=text):
        run(answer, leaf(1.0, 2.0), leaf(1.0, 2.0))


def test_what_gradients_may_be():
    x, y = leaf(1.0), leaf(2.0)
    run(lambda g: (g, None, None), x, y)
    assert x.grad.item() == 1 and y.grad is None
    run(lambda g: (torch.ones(4, 1), g), x, y)
    assert x.grad.tolist() == [5] and x.grad.dtype == torch.float64
    run(lambda g: (g, g), x, torch.ones(1))
    with pytest.raises(RuntimeError, match="different than None at position 2"):
        run(lambda g: (g, g), x, 3.0)


def test_what_is_refused():
    x = leaf(1.0)
    with pytest.raises(NotImplementedError, match="forward function"):
        type("Empty", (Function,), {}).apply(x)
    with pytest.raises(NotImplementedError, match="backward or vjp"):
        make(lambda ctx, x: x * 2).apply(x).backward()
    with pytest.raises(RuntimeError, match="Legacy autograd function"), pytest.warns(DeprecationWarning):
        Scale()(x)
    with pytest.raises(TypeError, match="argument 0 is of type int"):
        make(lambda ctx, x: (ctx.save_for_backward(3), x * 2)[1], lambda ctx, g: g).apply(x)
    with pytest.raises(RuntimeError, match="not returned as output"):
        make(lambda ctx, x: (ctx.mark_dirty(x), x * 2)[1], lambda ctx, g: g).apply(x * 1)
    both = make(lambda ctx, x: x * 2, lambda ctx, g: g, vjp=lambda ctx, g: g)
    with pytest.raises(RuntimeError, match="both 'backward' and 'vjp'"):
        both.apply(x).backward()
    make(lambda ctx, x: x * 2, vjp=lambda ctx, g: g * 7).apply(x).backward()
    assert x.grad.item() == 7


class Once(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        assert not torch.is_grad_enabled()
        (x,) = ctx.saved_tensors
        return 2 * x * g


@pytest.mark.parametrize("second", [lambda g, x: g.sum().backward(), lambda g, x: torch.autograd.grad(g.sum(), x)])
@pytest.mark.parametrize("build", [lambda x: Once.apply(x) * x, lambda x: Once.apply(x)])
def test_once_differentiable_refuses_the_second_derivative(second, build):
    x = leaf(2.0)
    (g,) = torch.autograd.grad(build(x).sum(), x, create_graph=True)
    assert g.item() == (12 if build(x).item() == 8 else 4)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        second(g, x)


def test_a_walk_inside_backward():
    class Cube(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            with torch.enable_grad():
                z = x.detach().requires_grad_()
                return torch.autograd.grad(z**3, z, g)[0]

    x = leaf(1.0, 2.0)
    (Cube.apply(x) * 1).sum().backward()
    assert x.grad.tolist() == [3, 12]
