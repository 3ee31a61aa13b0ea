"""Each mechanism that the two texts describe, shown at work in this engine."""

import weakref

import pytest

import chainrule as torch
from chainrule._engine.accumulate import add_gradients
from chainrule._engine.node import make_claim
from chainrule.autograd import Function
from chainrule.profiler import profile, record_function


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def log_runs(*nodes):
    """A list that grows by each node as it runs."""
    ran = []
    for node in nodes:
        node.register_hook(lambda grads, outs, node=node: ran.append(node))
    return ran


def test_operations_register_as_they_run():
    x = leaf(1, 2)
    product = x * 3
    sine = torch.sin(product)
    total = torch.sum(sine)
    nodes = [product.grad_fn, sine.grad_fn, total.grad_fn]
    assert [node.name() for node in nodes] == ["MulBackward0", "SinBackward0", "SumBackward0"]
    assert [total.grad_fn.next_functions[0][0], sine.grad_fn.next_functions[0][0]] == [nodes[1], nodes[0]]
    numbers = [node._sequence_nr() for node in nodes]
    assert numbers == list(range(numbers[0], numbers[0] + 3))


def test_methods_register_what_functions_register():
    x = leaf(1, 2)
    assert x.dot(x).grad_fn.name() == torch.dot(x, x).grad_fn.name() == "DotBackward0"


def test_nothing_registers_without_a_flag_or_with_recording_off():
    assert (torch.ones(2) * 3).grad_fn is None
    with torch.no_grad():
        assert (leaf(1) * 3).grad_fn is None


def test_dependencies_are_counted_along_every_edge():
    x = leaf(2)
    shared = x * 3
    out = shared * shared + shared
    ran = log_runs(shared.grad_fn)
    out.backward()
    assert ran == [shared.grad_fn]
    assert x.grad.tolist() == [(2 * 6 + 1) * 3]


def test_dependencies_count_only_what_leads_to_the_output():
    x = leaf(2)
    shared = x * 3
    unused = shared.exp()
    shared.sin().backward()
    assert unused.grad_fn is not None
    torch.testing.assert_close(x.grad, 3 * torch.cos(3 * x.detach()))


def test_a_node_is_not_ready_until_every_gradient_has_arrived():
    x = leaf(0.5)
    shared = x * 3
    short = shared.sin()
    long = shared.cos().exp().tanh()
    out = short + long
    consumers = [short.grad_fn, long.grad_fn, *[node for node, _ in long.grad_fn.next_functions]]
    consumers.append(consumers[-1].next_functions[0][0])
    ran = log_runs(out.grad_fn, shared.grad_fn, *consumers)
    out.backward()
    assert ran[0] is out.grad_fn and ran[-1] is shared.grad_fn
    assert len(ran) == len(set(ran)) == 6


def test_ready_nodes_run_latest_first():
    x = leaf(0.5)
    first, second = x.sin(), x.cos()
    out = first + second
    ran = log_runs(first.grad_fn, second.grad_fn)
    out.backward()
    assert ran == [second.grad_fn, first.grad_fn]


def test_the_first_gradient_is_borrowed_and_never_written():
    given = torch.ones(2, dtype=torch.float64)
    x = leaf(1, 2)
    shared = x * 1
    (shared + shared + shared).backward(given)
    assert x.grad.tolist() == [3, 3]
    assert given.tolist() == [1, 1]


def test_gradients_from_the_second_on_are_added_in_place():
    """One buffer, made at the second gradient, takes all further ones."""
    claim = make_claim(None)
    grads = [torch.full((2,), float(k)) for k in range(1, 5)]
    claim.buffer = grads[0]
    claim.buffer = add_gradients(claim, grads[1], False)
    summed = claim.buffer
    pointer = summed.data_ptr()
    for g in grads[2:]:
        claim.buffer = add_gradients(claim, g, False)
        assert claim.buffer is summed and summed.data_ptr() == pointer
    assert summed.tolist() == [10, 10]
    assert [g.tolist() for g in grads] == [[k, k] for k in (1, 2, 3, 4)]


def test_a_leaf_adds_in_place_from_the_second_backward_on():
    x = leaf(1, 2)
    (x * 3).sum().backward()
    grad, pointer, version = x.grad, x.grad.data_ptr(), x.grad._version
    (x * 4).sum().backward()
    assert x.grad is grad and x.grad.data_ptr() == pointer and x.grad._version == version + 1
    assert x.grad.tolist() == [7, 7]


def test_gradients_that_are_recorded_are_added_by_a_recorded_operation():
    x = leaf(1, 2)
    shared = x * x
    (g,) = torch.autograd.grad((shared * shared + shared).sum(), x, create_graph=True)
    torch.testing.assert_close(g, 4 * x**3 + 2 * x)
    (second,) = torch.autograd.grad(g.sum(), x)
    torch.testing.assert_close(second, 12 * x.detach() ** 2 + 2)


class SumAndDifference(Function):
    received = []

    @staticmethod
    def forward(ctx, x, y):
        return x + y, x - y

    @staticmethod
    def backward(ctx, g_sum, g_difference):
        SumAndDifference.received.append((g_sum, g_difference))
        return g_sum + g_difference, g_sum - g_difference


def test_several_outputs_of_one_function_are_one_node():
    x, y = leaf(3), leaf(2)
    total, difference = SumAndDifference.apply(x, y)
    assert total.grad_fn is difference.grad_fn
    assert (total.output_nr, difference.output_nr) == (0, 1)
    out = total * difference
    assert out.grad_fn.next_functions == ((total.grad_fn, 0), (total.grad_fn, 1))
    SumAndDifference.received.clear()
    out.backward()
    assert [(a.item(), b.item()) for a, b in SumAndDifference.received] == [(1, 5)]
    assert (x.grad.item(), y.grad.item()) == (6, -4)


def test_an_output_that_nobody_used_gets_zeros():
    x, y = leaf(3), leaf(2)
    _, difference = SumAndDifference.apply(x, y)
    SumAndDifference.received.clear()
    difference.backward()
    ((g_sum, g_difference),) = SumAndDifference.received
    assert (g_sum.item(), g_difference.item()) == (0, 1)


class Product(Function):
    computed = []

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        wanted = ctx.needs_input_grad
        Product.computed.append(wanted)
        return g * y if wanted[0] else None, g * x if wanted[1] else None


@pytest.mark.parametrize("wanted", [(True, False), (False, True), (True, True)])
def test_useless_gradients_are_skipped(wanted):
    x, y = (leaf(value).detach().requires_grad_(flag) for value, flag in zip((3, 2), wanted, strict=True))
    Product.computed.clear()
    out = Product.apply(x, y)
    assert [node is not None for node, _ in out.grad_fn.next_functions] == list(wanted)
    out.backward()
    assert Product.computed == [wanted]
    assert [t.grad is not None for t in (x, y)] == list(wanted)


def test_a_useless_gradient_does_not_even_keep_what_its_rule_would_need():
    x, y = leaf(3), torch.full((1,), 2.0, dtype=torch.float64)
    middle = x * 1
    kept = weakref.ref(middle.array)
    out = middle * y
    del middle
    assert kept() is None
    out.backward()
    assert x.grad.item() == 2


def test_branches_that_no_input_asked_for_are_not_visited():
    x, y = leaf(3), leaf(2)
    for_x, for_y = x.exp(), y.exp()
    out = for_x * for_y
    ran = log_runs(for_x.grad_fn, for_y.grad_fn)
    torch.autograd.grad(out, x)
    assert ran == [for_x.grad_fn]


def test_hooks_run_around_each_function():
    x = leaf(2)
    out = x * 3
    order = []
    out.register_hook(lambda g: order.append(("tensor", g.item())))
    out.grad_fn.register_prehook(lambda grads: order.append(("before", grads[0].item())))
    out.grad_fn.register_hook(lambda grads, outs: order.append(("after", grads[0].item(), outs[0].item())))
    (out * 5).backward()
    assert order == [("tensor", 5), ("before", 5), ("after", 15, 5)]


def test_hooks_change_what_goes_on():
    x = leaf(2)
    out = x * 3
    out.register_hook(lambda g: g * 10)
    out.grad_fn.register_prehook(lambda grads: (grads[0] + 1,))
    out.grad_fn.register_hook(lambda grads, outs: (grads[0] * 2, *grads[1:]))
    out.backward()
    assert x.grad.item() == (1 * 10 + 1) * 3 * 2


def test_a_removed_hook_is_silent():
    x = leaf(2)
    out = x * 3
    out.grad_fn.register_hook(lambda grads, outs: (grads[0] * 0, *grads[1:])).remove()
    out.backward()
    assert x.grad.item() == 3


def test_next_functions_lead_to_the_leaves():
    x, y = leaf(2), leaf(3)
    product = x * y
    out = product + x
    (to_product, number), (to_x, _) = out.grad_fn.next_functions
    assert (to_product, number) == (product.grad_fn, 0)
    assert type(to_x).__name__ == "AccumulateGrad" and to_x.variable is x
    assert product.grad_fn.next_functions == ((to_x, 0), (product.grad_fn.next_functions[1][0], 0))
    assert to_x.next_functions == ()
    assert (x * 2).grad_fn.next_functions[1:] in ((), ((None, 0),))


def test_grad_fn_has_the_names_of_the_first_engine_too():
    x = leaf(2)
    out = x * x
    assert out.creator is out.grad_fn
    assert out.grad_fn.previous_functions == out.grad_fn.next_functions
    assert x.creator is None and x.grad_fn is None
    for owner, name in ((out, "creator"), (out, "grad_fn"), (out.grad_fn, "previous_functions")):
        with pytest.raises(AttributeError):
            setattr(owner, name, None)


def test_a_profiler_records_each_call_forward_and_backward():
    x = leaf(2)
    with profile() as recorded:
        with record_function("both ways"):
            (x * 3).sin().backward()
    names = [event.name for event in recorded.events()]
    assert {"both ways", "aten::mul", "aten::sin"} <= set(names)
    backward = [name for name in names if name.endswith("Backward0") and ":" not in name]
    assert backward == ["SinBackward0", "MulBackward0"]
    assert all(event.time_range.start <= event.time_range.end for event in recorded.events())


def test_requires_grad_flags():
    x, constant = leaf(2), torch.ones(1)
    assert x.requires_grad and x.is_leaf and not constant.requires_grad
    assert (x + constant).requires_grad and not (constant + 1).requires_grad
    assert not (x + constant).is_leaf and (constant + 1).is_leaf
    with pytest.raises(RuntimeError, match="requires_grad"):
        (x + constant).requires_grad = False
    with pytest.raises(RuntimeError, match="floating"):
        torch.ones(1, dtype=torch.int64).requires_grad_()
    with pytest.raises(RuntimeError, match="does not require grad"):
        (constant + 1).backward()


def test_a_flag_set_later_holds_from_then_on():
    x = torch.ones(1)
    before = x * 2
    x.requires_grad_()
    after = x * 2
    assert not before.requires_grad and after.requires_grad
    assert not after.detach().requires_grad
