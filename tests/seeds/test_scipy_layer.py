"""The layer whose forward and backward are SciPy code: it runs as printed, its backward is found wrong."""

import re

import numpy as np
import pytest

import chainrule as torch
from chainrule.autograd import Function, gradcheck

signal = pytest.importorskip("scipy.signal")

CHECK = """
import runpy, sys
import torch
names = runpy.run_path(sys.argv[1])
torch.manual_seed(0)
inputs = [torch.randn(6, 6, dtype=torch.float64, requires_grad=True),
          torch.randn(3, 3, dtype=torch.float64, requires_grad=True)]
for chosen in (0, 1):
    fixed = [x if i == chosen else x.detach() for i, x in enumerate(inputs)]
    try:
        torch.autograd.gradcheck(names["ScipyConv2dFunction"].apply, fixed)
    except RuntimeError as error:
        print("wrong:", type(error).__name__, "Jacobian mismatch" in str(error))
"""


class ScipyConv2d(Function):
    """The same layer with the right derivatives.

    out[i, j] = Σ input[i+a, j+b] · filter[a, b], so input's gradient is the full convolution of g with
    filter, and filter's is the correlation of input with g.
    """

    @staticmethod
    def forward(ctx, input, filter):
        ctx.save_for_backward(input, filter)
        return input.new(signal.correlate2d(input.detach().numpy(), filter.detach().numpy(), mode="valid"))

    @staticmethod
    def backward(ctx, g):
        input, filter = (saved.detach().numpy() for saved in ctx.saved_tensors)
        grad_input = signal.convolve2d(g.numpy(), filter, mode="full")
        grad_filter = signal.correlate2d(input, g.numpy(), mode="valid")
        return g.new(grad_input), g.new(grad_filter)


def inputs(dtype=torch.float64):
    torch.manual_seed(0)
    shapes = (6, 5), (3, 2)
    return [torch.randn(*shape, dtype=dtype, requires_grad=True) for shape in shapes]


def test_the_program_runs_unmodified(run, data):
    done = run(data / "scipy_conv2d.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[Parameter containing:\ntensor([[")
    assert "grad_fn=<ScipyConv2dFunctionBackward>)" in done.stdout
    numbers = re.findall(r"-?\d+\.\d+(?:e[+-]\d+)?", done.stdout)
    assert len(numbers) == 3 * 3 + 8 * 8 + 10 * 10
    assert np.isfinite(np.array(numbers, dtype=float)).all()


def test_gradcheck_finds_its_backward_wrong_for_input_and_filter(run, data):
    done = run("-c", CHECK, data / "scipy_conv2d.py")
    assert done.returncode == 0, done.stderr
    found = [line for line in done.stdout.splitlines() if line.startswith("wrong:")]
    assert found == ["wrong: GradcheckError True"] * 2


def test_the_corrected_layer_passes_gradcheck():
    assert gradcheck(ScipyConv2d.apply, inputs())


def test_the_corrected_layer_agrees_with_conv2d():
    input, filter = inputs(torch.float32)
    g = torch.randn(4, 4)
    out = ScipyConv2d.apply(input, filter)
    reference = torch.nn.functional.conv2d(input[None, None], filter[None, None])[0, 0]
    torch.testing.assert_close(out, reference)
    theirs = torch.autograd.grad(reference, [input, filter], g)
    for ours, other in zip(torch.autograd.grad(out, [input, filter], g), theirs, strict=True):
        torch.testing.assert_close(ours, other)
