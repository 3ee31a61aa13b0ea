"""Padding: fill values by dtype, cropping, errors."""

import pytest

import chainrule as torch
from chainrule.nn import functional as F


def test_the_value_is_rounded_to_the_dtype():
    assert F.pad(torch.tensor([1]), (1, 1), value=1.5).tolist() == [1, 1, 1]
    assert F.pad(torch.tensor([False]), (1, 0), value=1.5).tolist() == [True, False]
    half = F.pad(torch.tensor([2.0]).to(torch.bfloat16), (1, 0), value=1.5)
    assert half.dtype is torch.bfloat16 and half.tolist() == [1.5, 2.0]


def test_padding_by_nothing_is_a_copy():
    x = torch.ones((2, 3))
    y = F.pad(x, ())
    y[0, 0] = 5
    assert x[0, 0].item() == 1


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (RuntimeError, "divisible by 2", lambda x: F.pad(x, (1,))),
        (RuntimeError, "two times the input dimension", lambda x: F.pad(x, (1,) * 10)),
        (RuntimeError, "negative output size", lambda x: F.pad(x, (-4, -4))),
        (RuntimeError, "less than the corresponding input dimension", lambda x: F.pad(x, (6, 1, 1, 1), "reflect")),
        (RuntimeError, "wrapping around more than once", lambda x: F.pad(x, (7, 1, 1, 1), "circular")),
        (RuntimeError, "doesn't take in value argument", lambda x: F.pad(x, (1, 1, 1, 1), "reflect", 2.0)),
        (NotImplementedError, "Padding size 2 is not supported for 4D", lambda x: F.pad(x, (1, 1), "reflect")),
        (NotImplementedError, "Unrecognised padding mode mirror", lambda x: F.pad(x, (1, 1), "mirror")),
        (NotImplementedError, "'Bool'", lambda x: F.pad(x.bool(), (1, 1, 1, 1), "replicate")),
        (TypeError, "float at pos 0", lambda x: F.pad(x, (1.5, 1))),
        (TypeError, "must be tuple of ints, not int", lambda x: F.pad(x, 1)),
        (RuntimeError, "non-zero dimensions", lambda x: F.pad(x[:, :, :0], (1, 1, 1, 1), "replicate")),
    ],
)
def test_errors_say_what_is_wrong(error, words, call):
    with pytest.raises(error, match=words):
        call(torch.ones((2, 4, 6, 6)))
