"""Printed text against PyTorch's (reference/printing.json), and around it: options, format, wrappers."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from chainrule._core import dtype as dtypes
from chainrule._core.device import device
from chainrule._tensor import printing

REFERENCE = json.loads((Path(__file__).parent.parent / "reference" / "printing.json").read_text())


class Named:
    """A graph node as far as printing looks at one."""

    def __init__(self, name):
        self._name = name

    def name(self):
        return self._name


class Tensor:
    """What printing reads of a tensor. The class name matters: a plain tensor prints as 'tensor(...)'."""

    def __init__(self, values, dtype=dtypes.float32, requires_grad=False, grad_fn=None, on="cpu"):
        self.array = np.asarray(values, dtype.np)
        self.shape = self.array.shape
        self.dtype = dtype
        self.requires_grad = requires_grad
        self.grad_fn = grad_fn
        self.device = device(on)

    def item(self):
        return self.array.item()

    def __repr__(self):
        return printing.tensor_repr(self)

    def __format__(self, spec):
        return printing.tensor_format(self, spec)


class Scaled(Tensor):
    pass


class Parameter(Tensor):
    _is_param = True


class SpecialParameter(Parameter):
    pass


class LostView(Tensor):
    @property
    def grad_fn(self):
        raise RuntimeError("a view whose base was changed in place")

    @grad_fn.setter
    def grad_fn(self, value):
        pass


LostView.__name__ = "Tensor"


@pytest.fixture(autouse=True)
def default_options():
    before = dtypes.get_default_dtype()
    printing.set_printoptions(profile="default")
    yield
    printing.set_printoptions(profile="default")
    dtypes.set_default_dtype(before)


@pytest.mark.parametrize("case", REFERENCE["cases"], ids=lambda c: f"{c['dtype']}-{tuple(c['shape'])}")
def test_text_is_pytorchs(case):
    dtype, shape = dtypes.named(case["dtype"]), tuple(case["shape"])
    flat = np.frombuffer(bytes.fromhex(case["data"]), dtype.np)
    array = np.resize(flat, shape) if flat.size else np.empty(shape, dtype.np)
    history = case["history"]
    t = Tensor(array, dtype, bool(history), Named(history) if history == "CloneBackward0" else None)
    dtypes.set_default_dtype(dtypes.named(case["default_dtype"]))
    printing.set_printoptions(**case["options"])
    assert repr(t) == case["text"]


def test_reference_covers_every_dtype():
    assert {case["dtype"] for case in REFERENCE["cases"]} == {d.name for d in dtypes.ALL}


@pytest.mark.parametrize(
    "t, text",
    [
        (Tensor(np.zeros((2, 3)), on="meta"), "tensor(..., device='meta', size=(2, 3))"),
        (Tensor(0, dtypes.bool, on="meta"), "tensor(..., device='meta', size=(), dtype=torch.bool)"),
        (Tensor(np.empty(0), on="meta"), "tensor(..., device='meta', size=(0,))"),
        (Tensor([2.0], grad_fn=Named("FBackward")), "tensor([2.], grad_fn=<FBackward>)"),
        (Scaled([1.0, 2.0]), "Scaled([1., 2.])"),
        (Parameter([1.0], requires_grad=True), "tensor([1.], requires_grad=True)"),
        (
            SpecialParameter([1.0], requires_grad=True),
            "Parameter(SpecialParameter([1.], requires_grad=True))",
        ),
        (LostView(2.0), "tensor(2., grad_fn=<Invalid>)"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_prefix_and_suffixes(t, text):
    assert repr(t) == text


def test_given_contents_replace_the_numbers_only():
    t = Tensor([[1]], dtypes.int32)
    assert printing.tensor_repr(t, tensor_contents="HELLO") == "tensor(HELLO, dtype=torch.int32)"


def test_tangent_is_the_last_suffix():
    inner = Tensor([0.0, 1.0], dtypes.float64)
    text = printing.tensor_repr(Tensor([1.0, 1.0], dtypes.float64), tangent=inner)
    assert text == (
        "tensor([1., 1.], dtype=torch.float64,\n       tangent=tensor([0., 1.], dtype=torch.float64))"
    )


def test_wrappers_indent_what_they_hold():
    held = Tensor(np.ones((2, 2)))
    batched = printing.wrapped_repr("BatchedTensor", held, lvl=1, bdim=0)
    assert batched == "BatchedTensor(lvl=1, bdim=0, value=\n    tensor([[1., 1.],\n            [1., 1.]])\n)"
    outer = printing.wrapped_repr("GradTrackingTensor", batched, lvl=2)
    assert outer == (
        "GradTrackingTensor(lvl=2, value=\n    BatchedTensor(lvl=1, bdim=0, value=\n"
        "        tensor([[1., 1.],\n                [1., 1.]])\n    )\n)"
    )


def test_format_of_a_single_number_takes_a_spec():
    assert f"{Tensor(1.5):.2f}" == "1.50"
    assert f"{Tensor(3, dtypes.int64):>4}" == "   3"
    assert f"{Tensor(1 + 2j, dtypes.complex64)}" == "(1+2j)"
    assert f"{Tensor(True, dtypes.bool)}" == "True"


@pytest.mark.parametrize("t", [Tensor([1.0]), Scaled(1.0), Tensor(1.0, on="meta")])
def test_format_of_others_is_their_text_and_refuses_a_spec(t):
    assert f"{t}" == repr(t)
    with pytest.raises(TypeError, match=f"unsupported format string passed to {type(t).__name__}.__format__"):
        f"{t:.2f}"


def test_profiles_then_single_options():
    printing.set_printoptions(profile="full", precision=2)
    assert printing.get_printoptions() == {
        "precision": 2, "threshold": math.inf, "edgeitems": 3, "linewidth": 80, "sci_mode": None,
    }  # fmt: skip


def test_sci_mode_is_automatic_again_after_the_next_call():
    printing.set_printoptions(sci_mode=True)
    assert repr(Tensor([0.5])) == "tensor([5.0000e-01])"
    printing.set_printoptions(linewidth=100)
    assert repr(Tensor([0.5])) == "tensor([0.5000])"


def test_printoptions_ends_with_its_block():
    before = printing.get_printoptions()
    with pytest.raises(KeyError), printing.printoptions(precision=1, sci_mode=True):
        assert repr(Tensor([0.5])) == "tensor([5.0e-01])"
        raise KeyError
    assert printing.get_printoptions() == before


@pytest.mark.parametrize(
    "bad, error, words",
    [
        ({"profile": "wide"}, ValueError, "profile must be one of default, short, full, got 'wide'"),
        ({"precision": "a"}, TypeError, "precision must be an integer, got str"),
        ({"precision": 2, "edgeitems": -1}, ValueError, "edgeitems must not be negative, got -1"),
        ({"edgeitems": 2.5}, TypeError, "edgeitems must be an integer, got float"),
        ({"threshold": "many"}, TypeError, "threshold must be a number, got str"),
    ],
)
def test_bad_options_change_nothing(bad, error, words):
    before = printing.get_printoptions()
    with pytest.raises(error, match=words):
        printing.set_printoptions(**bad)
    assert printing.get_printoptions() == before


def test_an_endless_line_never_wraps():
    printing.set_printoptions(linewidth=math.inf)
    assert "\n" not in repr(Tensor(np.ones(500)))
