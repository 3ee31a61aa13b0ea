"""Convolutions: what the samples do not say: errors, element types, empty batches, what is saved."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.nn import functional as F


def ones(*shape, dtype=torch.float32):
    return torch.ones(shape, dtype=dtype)


@pytest.mark.parametrize(
    ("error", "words", "arguments", "options"),
    [
        (RuntimeError, "to have 2 channels, but got 4", (ones(1, 4, 5, 5), ones(4, 2, 3, 3)), {}),
        (RuntimeError, "divisible by 3 at dimension 0", (ones(1, 6, 5, 5), ones(4, 2, 3, 3)), {"groups": 3}),
        (RuntimeError, "bias type", (ones(1, 2, 5, 5), ones(4, 2, 3, 3), ones(4, dtype=torch.float64)), {}),
        (RuntimeError, "weight type", (ones(1, 2, 5, 5), ones(4, 2, 3, 3, dtype=torch.float64)), {}),
        (RuntimeError, "1-dimensional with 4 elements", (ones(1, 2, 5, 5), ones(4, 2, 3, 3), ones(3)), {}),
        (RuntimeError, r"3D \(unbatched\) or 4D", (ones(5, 5), ones(4, 2, 3, 3)), {}),
        (RuntimeError, "expected weight to be 4-dimensional", (ones(1, 2, 5, 5), ones(2, 3, 3)), {}),
        (RuntimeError, "Kernel size can't be greater", (ones(1, 2, 2, 5), ones(4, 2, 3, 3)), {}),
        (RuntimeError, "non-positive stride", (ones(1, 2, 5, 5), ones(4, 2, 3, 3)), {"stride": 0}),
        (RuntimeError, "negative padding", (ones(1, 2, 5, 5), ones(4, 2, 3, 3)), {"padding": -1}),
        (RuntimeError, "non-positive dilation", (ones(1, 2, 5, 5), ones(4, 2, 3, 3)), {"dilation": 0}),
        (RuntimeError, "a list of 2 values", (ones(1, 2, 5, 5), ones(4, 2, 3, 3)), {"stride": (1, 2, 3)}),
        (RuntimeError, "strided convolutions", (ones(1, 2, 5, 5), ones(4, 2, 3, 3)), {"padding": "same", "stride": 2}),
        (RuntimeError, "Invalid padding string: 'all'", (ones(1, 2, 5, 5), ones(4, 2, 3, 3)), {"padding": "all"}),
        (TypeError, "argument 'stride' must be int", (ones(1, 2, 5, 5), ones(4, 2, 3, 3)), {"stride": 1.5}),
        (TypeError, "argument 'input' must be Tensor", (np.ones((1, 2, 5, 5)), ones(4, 2, 3, 3)), {}),
        (NotImplementedError, "'Bool'", (ones(1, 1, 5, 5, dtype=torch.bool), ones(1, 1, 3, 3, dtype=torch.bool)), {}),
    ],
)
def test_conv2d_says_what_is_wrong(error, words, arguments, options):
    with pytest.raises(error, match=words):
        F.conv2d(*arguments, **options)


@pytest.mark.parametrize(
    ("words", "arguments", "options"),
    [
        ("to have 4 channels, but got 3", (ones(1, 3, 5, 5), ones(4, 2, 3, 3)), {}),
        ("output padding must be smaller", (ones(1, 4, 5, 5), ones(4, 2, 3, 3)), {"output_padding": 1}),
        ("1-dimensional with 2 elements", (ones(1, 4, 5, 5), ones(4, 2, 3, 3), ones(4)), {}),
        ("Output size is too small", (ones(1, 4, 5, 5), ones(4, 2, 3, 3)), {"padding": 4}),
    ],
)
def test_conv_transpose2d_says_what_is_wrong(words, arguments, options):
    with pytest.raises(RuntimeError, match=words):
        F.conv_transpose2d(*arguments, **options)


def test_same_padding_of_an_even_kernel_pads_the_far_side_more():
    x = torch.tensor([[[1.0, 2.0, 3.0]]])
    assert F.conv1d(x, torch.tensor([[[1.0, 10.0]]]), padding="same").tolist() == [[[21.0, 32.0, 3.0]]]


def test_whole_numbers_are_convolved_exactly():
    x = torch.tensor([[[1, 2, 3]]])
    out = F.conv1d(x, torch.tensor([[[1, 1]]]))
    assert out.dtype is torch.int64 and out.tolist() == [[[3, 5]]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_sixteen_bit_floats_are_summed_in_float32(dtype):
    x, w = torch.ones((1, 1, 3000)).to(dtype), torch.ones((1, 1, 3000)).to(dtype)
    out = F.conv1d(x, w)
    assert out.dtype is dtype
    assert out.to(torch.float32).item() == torch.tensor(3000.0).to(dtype).to(torch.float32).item()


def test_an_empty_batch_keeps_its_shape_and_gives_zero_gradients():
    x = torch.ones((0, 2, 5, 5), requires_grad=True)
    w = torch.ones((3, 2, 3, 3), requires_grad=True)
    out = F.conv2d(x, w)
    assert tuple(out.shape) == (0, 3, 3, 3)
    out.sum().backward()
    assert tuple(x.grad.shape) == (0, 2, 5, 5) and not w.grad.any()


def test_a_frozen_weight_leaves_the_input_unsaved():
    x = torch.ones((1, 2, 5, 5), requires_grad=True)
    out = F.conv2d(x, torch.ones((3, 2, 3, 3)))
    with pytest.raises(AttributeError):
        _ = out.grad_fn._saved_input
    assert tuple(out.grad_fn._saved_weight.shape) == (3, 2, 3, 3)


def test_the_functions_are_in_both_namespaces():
    assert torch.conv2d is F.conv2d and torch.conv_transpose1d is F.conv_transpose1d


def test_fold_counts_positions():
    with pytest.raises(RuntimeError, match="sliding blocks 2 \\* 3 = 6, but got"):
        F.fold(ones(1, 4, 5), (3, 4), 2)
    with pytest.raises(RuntimeError, match="divisible by the product of kernel_size"):
        F.fold(ones(1, 5, 6), (3, 4), 2)
    with pytest.raises(RuntimeError, match="3D"):
        F.unfold(ones(3, 4), 2)


def test_fold_of_unfold_counts_how_often_each_element_is_seen():
    x = ones(1, 1, 3, 3)
    assert F.fold(F.unfold(x, 2), (3, 3), 2).tolist() == [[[[1, 2, 1], [2, 4, 2], [1, 2, 1]]]]
