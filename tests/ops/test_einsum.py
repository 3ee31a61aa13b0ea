"""einsum and tensordot: equations that mean nothing, and sizes that disagree."""

import pytest

import chainrule as torch

o = torch.ones


@pytest.mark.parametrize(
    ("equation", "shapes", "message"),
    [
        ("ij,jk", ((2, 3), (4, 4)), "size 4 for operand 1 which does not broadcast with previously seen size 3"),
        ("ij,jk->il", ((2, 3), (3, 4)), "output subscript l does not appear in the equation for any input operand"),
        ("ij,jk->iik", ((2, 3), (3, 4)), "output subscript i appears more than once in the output"),
        ("ijk", ((2, 3),), r"number of subscripts in the equation \(3\) does not match the number of dimensions \(2\)"),
        ("ij", ((2, 3), (3, 4)), "more operands were provided than specified in the equation"),
        ("ij,jk", ((2, 3),), "fewer operands were provided than specified in the equation"),
        ("i.j", ((2, 3),), "found '.' for operand 0 that is not part of any ellipsis"),
        ("i1", ((2, 3),), "invalid subscript given at index 1"),
        ("ij-", ((2, 3),), "invalid subscript given at index 2"),
        ("ii", ((2, 3),), "subscript i is repeated for operand 0 but the sizes don't match, 3 != 2"),
    ],
)
def test_equations_that_do_not_fit(equation, shapes, message):
    with pytest.raises(RuntimeError, match=message):
        torch.einsum(equation, *[o(s) for s in shapes])


def test_operands_are_needed():
    with pytest.raises(ValueError, match="must specify the equation string and at least one operand"):
        torch.einsum("ij")
    with pytest.raises(ValueError, match=r"not within the valid range \[0, 52\)"):
        torch.einsum(o(2, 3), [0, 52])


def test_more_than_two_operands_are_taken_in_a_cheap_order():
    x = [o(2, 500), o(500, 2), o(2, 500), o(500, 3)]
    assert torch.einsum("ab,bc,cd,de->ae", *x).tolist() == [[500000.0] * 3] * 2


def test_pairs_are_one_node():
    out = torch.einsum("bij,bjk->bik", o(2, 3, 4, requires_grad=True), o(2, 4, 5))
    assert out.grad_fn.name() == "EinsumBackward0" and out.grad_fn.next_functions[0][0].name() == "AccumulateGrad"


@pytest.mark.parametrize(
    ("dims", "message"),
    [
        (([0], [0]), "need to match, but first has size 2 in dim 0 and second has size 3 in dim 0"),
        (3, "tensordot expects dims < ndim_a or ndim_b, but got dims=3"),
        (-1, "tensordot expects dims >= 0, but got dims=-1"),
        (([0, 1], [0]), "both dimension lists should have same length"),
    ],
)
def test_tensordot_dims_that_do_not_fit(dims, message):
    with pytest.raises(RuntimeError, match=message):
        torch.tensordot(o(2, 3), o(3, 4), dims)


def test_chains_that_do_not_fit():
    with pytest.raises(RuntimeError, match=r"tensors 0 and 1 with shapes \[3, 3\] and \[4, 4\] cannot be multiplied"):
        torch.linalg.multi_dot([o(3, 3), o(4, 4)])
    with pytest.raises(RuntimeError, match="expected at least 2 tensors but got 1"):
        torch.linalg.multi_dot([o(3, 3)])
    with pytest.raises(RuntimeError, match=r"must match on both input tensors but got shapes \[2\] and \[3\]"):
        torch.inner(o(2), o(3))
