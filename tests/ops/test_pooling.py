"""Pooling: ties, nan, divisors at the rim, places, errors."""

import math

import pytest

import chainrule as torch
from chainrule.nn import functional as F


def line(*values):
    return torch.tensor([[[float(v) for v in values]]], requires_grad=True)


def test_of_equal_elements_the_first_gets_the_gradient():
    x = line(1, 3, 3, 3, 0, 0)
    F.max_pool1d(x, 3).sum().backward()
    assert x.grad.tolist() == [[[0, 1, 0, 1, 0, 0]]]


def test_nan_is_the_largest():
    assert math.isnan(F.max_pool1d(line(1, math.nan, 3), 3).item())


def test_places_are_those_of_the_plane():
    x = torch.arange(12.0).reshape(1, 1, 3, 4)
    values, places = F.max_pool2d(x, 2, return_indices=True)
    assert places.dtype is torch.int64
    assert values.tolist() == [[[[5, 7]]]] and places.tolist() == [[[[5, 7]]]]
    assert not places.requires_grad
    assert F.max_unpool2d(values, places, 2, output_size=(3, 4)).sum().item() == 12


def test_places_beyond_the_padded_input_do_not_count():
    assert F.avg_pool1d(line(1, 2, 3, 4, 5), 2, 2, ceil_mode=True).tolist() == [[[1.5, 3.5, 5.0]]]
    assert F.avg_pool1d(line(1, 2, 3, 4, 5, 6), 3, 2, 1, ceil_mode=True).tolist() == [[[1, 3, 5, 3]]]
    rim = F.avg_pool1d(line(1, 2, 3, 4, 5, 6), 3, 2, 1, ceil_mode=True, count_include_pad=False)
    assert rim.tolist() == [[[1.5, 3, 5, 6]]]


def test_the_norm_of_a_window_of_zeros_has_gradient_zero():
    x = line(0, 0, 3, 4)
    out = F.lp_pool1d(x, 2, 2)
    out.sum().backward()
    assert out.tolist() == [[[0, 5]]]
    assert [round(v, 6) for v in x.grad.flatten().tolist()] == [0, 0, 0.6, 0.8]


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (RuntimeError, "stride must be greater than zero", lambda x: F.max_pool2d(x, 2, 0)),
        (RuntimeError, "kernel_size must be greater than zero", lambda x: F.avg_pool2d(x, 0)),
        (RuntimeError, "at most half of effective kernel size", lambda x: F.max_pool2d(x, 2, padding=2)),
        (RuntimeError, "pad must be non-negative", lambda x: F.avg_pool2d(x, 2, padding=-1)),
        (RuntimeError, "Output size is too small", lambda x: F.max_pool2d(x, 7)),
        (RuntimeError, "divisor must be not zero", lambda x: F.avg_pool2d(x, 2, divisor_override=0)),
        (RuntimeError, "a list of 2 values", lambda x: F.max_pool2d(x, (1, 2, 3))),
        (TypeError, "must be int or tuple of ints", lambda x: F.max_pool2d(x, 2.5)),
        (RuntimeError, "2D .unbatched. or 3D", lambda x: F.max_pool1d(x, 2)),
        (RuntimeError, "greater than or equal to 0", lambda x: F.adaptive_avg_pool2d(x, -1)),
        (NotImplementedError, "'Long'", lambda x: F.adaptive_avg_pool2d(x.long(), 1)),
        (NotImplementedError, "'ComplexFloat'", lambda x: F.max_pool2d(x.to(torch.complex64), 1)),
        (RuntimeError, "non-zero size", lambda x: F.adaptive_max_pool2d(x[:, :, :0], 1)),
    ],
)
def test_errors_say_what_is_wrong(error, words, call):
    with pytest.raises(error, match=words):
        call(torch.ones((2, 4, 6, 6)))


def test_unpooling_checks_sizes_and_places():
    values, places = F.max_pool2d(torch.arange(36.0).reshape(1, 1, 6, 6), 2, return_indices=True)
    with pytest.raises(ValueError, match=r"dim 0 must be between 4 and 8"):
        F.max_unpool2d(values, places, 2, output_size=(9, 9))
    with pytest.raises(RuntimeError, match="invalid max index: 99"):
        F.max_unpool2d(values, places * 0 + 99, 2)
    with pytest.raises(RuntimeError, match="should be type int64"):
        F.max_unpool2d(values, places.to(torch.int32), 2)
    with pytest.raises(RuntimeError, match="shape of indices"):
        F.max_unpool2d(values, places[:, :, :1], 2)


def test_whole_numbers_keep_their_dtype():
    x = torch.arange(8).reshape(1, 2, 2, 2)
    assert F.max_pool2d(x, 2).tolist() == [[[[3]], [[7]]]]
    assert F.avg_pool2d(x, 2).tolist() == [[[[1]], [[5]]]]


def test_sixteen_bit_floats_keep_their_dtype_and_integer_places():
    x = torch.arange(8.0).reshape(1, 2, 2, 2).to(torch.bfloat16)
    values, places = F.max_pool2d(x, 2, return_indices=True)
    assert values.dtype is torch.bfloat16 and places.dtype is torch.int64
    assert F.adaptive_avg_pool2d(x, 1).dtype is torch.bfloat16


def test_empty_batches_keep_their_shape():
    x = torch.ones((0, 4, 6, 6), requires_grad=True)
    out = F.max_pool2d(x, 2) + F.avg_pool2d(x, 2) + F.adaptive_avg_pool2d(x, 3)
    assert tuple(out.shape) == (0, 4, 3, 3)
    out.sum().backward()
    assert tuple(x.grad.shape) == (0, 4, 6, 6)
