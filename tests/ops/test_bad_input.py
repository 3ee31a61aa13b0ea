"""What calls say that cannot be answered, and that they leave their arguments as they were."""

import numpy as np
import pytest

import chainrule as torch
from chainrule._engine.op import registry
from chainrule._engine.refusal import faces
from chainrule._engine.tensor import wrap
from chainrule._ops.kinds import Elementwise
from chainrule.nn import functional as F

MATRIX = torch.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
ODD = (None, "abc", [1, 2], (), {}, object(), 1 + 2j, slice(None), ..., b"x", float("nan"))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: torch.index_select([1, 2], 0, MATRIX), r"index_select\(\): argument 'input' must be Tensor, not list"),
        (lambda: torch.std([1.0]), r"std\(\): argument 'input' \(position 1\) must be Tensor, not list"),
        (lambda: torch.take(MATRIX, 1), r"take\(\): argument 'index' \(position 2\) must be Tensor, not int"),
        (lambda: torch.kron(MATRIX, slice(None)), r"kron\(\): argument 'other' \(position 2\) must be Tensor"),
        (lambda: torch.unbind_copy(1), r"argument 'input' \(position 1\) must be Tensor, not int"),
        (lambda: torch.block_diag(object()), r"element 0 in argument 'tensors', but got object"),
        (lambda: torch.cosine_similarity(MATRIX, [MATRIX]), r"'x2' \(position 2\) must be Tensor, not list"),
        (lambda: torch.kron(MATRIX, MATRIX, out=()), r"argument 'out' .*must be Tensor, not tuple"),
        (lambda: torch.sin(MATRIX, out="x"), r"argument 'out' must be Tensor, not str"),
        (lambda: F.layer_norm(MATRIX, (3,), 2), r"'weight' .*must be Tensor, not int"),
    ],
)
def test_what_is_no_tensor_is_named(call, words):
    with pytest.raises(TypeError, match=words):
        call()


def test_a_wrong_type_is_told_before_a_wrong_value():
    with pytest.raises(TypeError, match=r"amax\(\): argument 'keepdim' \(position 3\) must be bool, not int"):
        torch.amax(MATRIX, 7, 1)
    with pytest.raises(TypeError, match="argument 'dim' .*must be int, not bool"):
        torch.cat([torch.ones(())], True)


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.igamma(torch.ones(2), torch.ones(3)),
        lambda: torch.threshold(torch.ones(0, 3), 1.0, torch.ones(2, 3)),
        lambda: torch.zeros(2, 3) @ torch.zeros(2, 3),
        lambda: torch.histogram(MATRIX, torch.tensor([1.0])),
    ],
)
def test_shapes_that_do_not_fit_are_runtime_errors(call):
    with pytest.raises((RuntimeError, TypeError)):
        call()


def test_dimensions_out_of_range_are_index_errors():
    for call in (torch.sum, torch.softmax, torch.cumsum, torch.std, torch.sort, torch.unsqueeze, torch.roll):
        with pytest.raises(IndexError):
            call(MATRIX, 1, 7) if call is torch.roll else call(MATRIX, 7)


def functions_of_one_tensor():
    public = [e for e in registry.values() if e.signature.names == ("input",) and e.namespace != "_engine"]
    return sorted({(e.namespace, e.public_name): e for e in public}.items())


@pytest.mark.parametrize("entry", [e for _, e in functions_of_one_tensor()], ids=lambda e: e.signature.name)
def test_odd_arguments_of_functions_of_one_tensor(entry):
    for value in ODD:
        with pytest.raises(TypeError):
            faces.get(entry.function, entry.function)(value)


@pytest.mark.parametrize("entry", [e for _, e in functions_of_one_tensor()], ids=lambda e: e.signature.name)
def test_results_are_arrays_for_every_shape(entry):
    if not isinstance(entry.kind, Elementwise):
        return
    for shape in ((), (0,), (2, 0), (3,)):
        for kind in (np.float32, np.int64, np.bool_, np.complex64):
            try:
                out = entry.function(wrap(np.ones(shape, kind)))
            except (RuntimeError, NotImplementedError, TypeError):
                continue
            assert type(out.array) is np.ndarray
            assert out.array.shape == shape


def test_other_names_of_dim_and_keepdim():
    for call in (torch.sum, torch.mean, torch.amax, torch.std, torch.prod, torch.all, torch.logsumexp, torch.argmax):
        given = call(MATRIX, axis=1, keepdims=True)
        assert torch.equal(given, call(MATRIX, dim=1, keepdim=True))
        method = getattr(MATRIX, call.__name__)
        assert torch.equal(method(axis=1), call(MATRIX, dim=1))
    for call in (torch.max, torch.min, torch.median, torch.mode, torch.sort, torch.cummax):
        assert torch.equal(call(MATRIX, axis=0)[0], call(MATRIX, dim=0)[0])
    for call in (torch.softmax, torch.cumsum, torch.cumprod, torch.unsqueeze, torch.squeeze):
        assert torch.equal(call(MATRIX, axis=1), call(MATRIX, dim=1))
    assert torch.equal(torch.cat((MATRIX, MATRIX), axis=1), torch.cat((MATRIX, MATRIX), 1))
    assert torch.equal(torch.std(x=MATRIX, axis=1), torch.std(MATRIX, 1))


def test_a_name_given_twice_or_unknown():
    for call in (torch.sum, torch.mean, torch.max, torch.argmax, torch.cumsum, torch.std):
        with pytest.raises(TypeError):
            call(MATRIX, dim=1, axis=0)
        with pytest.raises(TypeError, match="bogus"):
            call(MATRIX, 1, bogus=2)
    with pytest.raises(TypeError, match=r"cumsum\(\) missing 1 required positional argument: 'dim'"):
        torch.cumsum(MATRIX)


def test_calls_with_too_few_or_too_many_arguments_name_the_op():
    for call in (lambda: torch.sin(), lambda: torch.sin(MATRIX, MATRIX), lambda: MATRIX.sin(1)):
        with pytest.raises(TypeError, match=r"^sin\(\)"):
            call()
    for call in (lambda: torch.maximum(), lambda: torch.maximum(MATRIX), lambda: torch.maximum(MATRIX, MATRIX, 1)):
        with pytest.raises(TypeError, match=r"^maximum\(\)"):
            call()


@pytest.mark.parametrize(
    ("call", "out"),
    [
        (lambda out: torch.sin(torch.ones(4), out=out), torch.arange(6).reshape(2, 3)),
        (lambda out: torch.add(torch.ones(4, dtype=torch.complex64), 1, out=out), torch.arange(6.0)),
        (lambda out: torch.sum(torch.ones(4, 2), 1, out=out), torch.arange(3)),
        (lambda out: torch.std(torch.ones(4, 2), 1, out=out), torch.arange(3)),
    ],
)
def test_an_output_that_cannot_hold_the_result_stays_as_it_was(call, out):
    shape, values, version = out.shape, out.tolist(), out._version
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type"):
        call(out)
    assert (out.shape, out.tolist(), out._version) == (shape, values, version)


def test_an_output_that_shows_a_cell_twice_is_refused():
    out = torch.zeros(1, 3).expand(2, 3)
    for call in (torch.sin, torch.std, torch.prod):
        with pytest.raises(RuntimeError, match="single memory location"):
            call(MATRIX, out=out) if call is torch.sin else call(MATRIX, 0, out=out)
    assert out.tolist() == [[0, 0, 0], [0, 0, 0]]


def test_a_refused_change_in_place_leaves_the_tensor():
    t = torch.arange(6).reshape(2, 3)
    before, version = t.tolist(), t._version
    for change in (
        lambda: t.add_(1.5),
        lambda: t.mul_(torch.ones(4, 2, 3)),
        lambda: t.mul_(torch.ones(4, 2, 3, dtype=torch.int64)),
        lambda: t[0].add_(torch.zeros(0, 3, dtype=torch.int64)),
        lambda: t.copy_(torch.ones(4)),
        lambda: t.index_fill_(0, torch.tensor([0, 9]), 1),
        lambda: t.scatter_(0, torch.tensor([[0, 9]]), 1),
        lambda: t.clamp_("x"),
    ):
        with pytest.raises((RuntimeError, IndexError, TypeError)):
            change()
        assert t.tolist() == before
        assert t._version == version


def test_a_device_that_is_not_there():
    for call in (lambda: torch.zeros(2, device="cuda"), lambda: torch.tensor([1.0], device="cuda:0")):
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            call()


def test_a_complex_number_keeps_the_precision_of_what_has_dimensions():
    z = torch.tensor(1 + 1j, dtype=torch.complex128)
    assert torch.result_type(torch.ones(1), z) is torch.complex64
    assert (torch.ones(1) + z).dtype is torch.complex64
    assert torch.add(torch.ones(1), z, alpha=2.5).dtype is torch.complex64
    assert (torch.ones(1, dtype=torch.float64) * z.to(torch.complex64)).dtype is torch.complex128


def test_corners():
    nan = torch.tensor([float("nan"), -2.0], requires_grad=True)
    assert torch.sgn(nan).tolist() == [0, -1]
    assert torch.sign(nan).tolist() == [0, -1]
    nan.abs().sum().backward()
    assert nan.grad.tolist() == [0, -1]
    assert torch.floor_divide(torch.zeros(0, 3, dtype=torch.int32), torch.zeros(3, dtype=torch.int64)).shape == (0, 3)
    assert torch.unbind(torch.ones(0, requires_grad=True)) == ()
    assert torch.cosine_similarity(torch.ones(2, 3, 4), torch.ones(1)).shape == (2, 4)
    assert torch.trapezoid(torch.tensor([1, 2], dtype=torch.uint8), dx=-1).item() == -1.5
    assert torch.ldexp(torch.ones(2, dtype=torch.bfloat16), torch.ones(2, dtype=torch.uint8)).dtype is torch.bfloat16
    assert torch.prod(torch.ones(2), dtype=torch.bool).dtype is torch.bool
    assert torch.linalg.vander(torch.tensor([1, 2, 3], dtype=torch.int8)).dtype is torch.int64
    assert torch.tril_indices(2, 2, dtype=None).dtype is torch.int64


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8])
def test_a_number_beside_integers_wraps_only_where_the_result_is_of_their_dtype(dtype):
    t = torch.tensor([1, 2], dtype=dtype)
    assert (t / -5).tolist() == pytest.approx([-0.2, -0.4])
    assert (300 / t).tolist() == [300, 150]
    assert torch.div(t, 1000).tolist() == pytest.approx([0.001, 0.002])
    assert torch.allclose(torch.atan2(t, torch.tensor(-5.0)), torch.atan2(t.float(), torch.tensor(-5.0)))
    assert (t + 256).tolist() == [1, 2]


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8])
def test_a_number_that_is_copied_must_fit(dtype):
    t = torch.tensor([1, 2], dtype=dtype)
    for call in (
        lambda: torch.where(t > 1, t, 300),
        lambda: t.clamp(300),
        lambda: t.masked_fill(t > 1, -300),
        lambda: t.fill_(2**40),
    ):
        with pytest.raises(RuntimeError, match="without overflow"):
            call()
    assert t.tolist() == [1, 2]
    assert torch.fill(torch.tensor([1], dtype=torch.uint8), -5).tolist() == [251]
