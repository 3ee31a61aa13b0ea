"""Resizing and rearranging: arguments that exclude one another, element types, errors."""

import pytest

import chainrule as torch
from chainrule.nn import functional as F


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (ValueError, "either size or scale_factor", lambda x: F.interpolate(x)),
        (ValueError, "only one of size or scale_factor", lambda x: F.interpolate(x, 2, 2.0)),
        (ValueError, "same number of spatial dimensions", lambda x: F.interpolate(x, (1, 2, 3))),
        (ValueError, "not meaningful with an explicit", lambda x: F.interpolate(x, 2, recompute_scale_factor=True)),
        (ValueError, "align_corners option", lambda x: F.interpolate(x, 2, align_corners=True)),
        (ValueError, "Anti-alias option", lambda x: F.interpolate(x, 2, antialias=True)),
        (NotImplementedError, "Got 4D input, but linear mode needs 3D", lambda x: F.interpolate(x, 2, mode="linear")),
        (NotImplementedError, "got nearby", lambda x: F.interpolate(x, 2, mode="nearby")),
        (NotImplementedError, "got 2D", lambda x: F.interpolate(x[0, 0], 2)),
        (NotImplementedError, "'Long'", lambda x: F.interpolate(x.long(), 2)),
        (RuntimeError, "should be greater than 0", lambda x: F.interpolate(x, 0)),
        (RuntimeError, "should be greater than 0", lambda x: F.interpolate(x, scale_factor=0.1)),
        (TypeError, "argument 'size' must be ints", lambda x: F.interpolate(x, 2.5)),
        (TypeError, "argument 'scale_factor' must be numbers", lambda x: F.interpolate(x, scale_factor="a")),
        (RuntimeError, "=4 is not divisible by 9", lambda x: F.pixel_shuffle(x, 3)),
        (RuntimeError, "positive upscale_factor", lambda x: F.pixel_shuffle(x, 0)),
        (RuntimeError, "height to be divisible", lambda x: F.pixel_unshuffle(x, 4)),
        (RuntimeError, "at least 3 dimensions", lambda x: F.pixel_shuffle(x[0, 0], 2)),
        (RuntimeError, "divisible by groups", lambda x: F.channel_shuffle(x, 3)),
    ],
)
def test_errors_say_what_is_wrong(error, words, call):
    with pytest.raises(error, match=words):
        call(torch.ones((2, 4, 6, 6)))


def test_a_scale_factor_sets_positions_unless_recomputed():
    x = torch.arange(4.0).reshape(1, 1, 4)
    given = F.interpolate(x, scale_factor=1.4, mode="linear")
    recomputed = F.interpolate(x, scale_factor=1.4, mode="linear", recompute_scale_factor=True)
    assert given.shape == recomputed.shape and given.tolist() != recomputed.tolist()
    assert recomputed.tolist() == F.interpolate(x, 5, mode="linear").tolist()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.uint8])
def test_the_dtype_is_kept(dtype):
    x = torch.arange(4).reshape(1, 1, 2, 2).to(dtype)
    assert F.interpolate(x, scale_factor=2).dtype is dtype
    assert F.interpolate(x, scale_factor=2).tolist()[0][0][0] == [0, 0, 1, 1]


@pytest.mark.parametrize("name", ["upsample", "upsample_nearest", "upsample_bilinear"])
def test_the_older_names_warn(name):
    with pytest.warns(UserWarning, match=name):
        out = getattr(F, name)(torch.ones((1, 1, 2, 2)), scale_factor=2)
    assert tuple(out.shape) == (1, 1, 4, 4)


def test_unshuffling_undoes_shuffling():
    x = torch.arange(48).reshape(1, 12, 2, 2)
    assert F.pixel_unshuffle(F.pixel_shuffle(x, 2), 2).tolist() == x.tolist()
    assert F.channel_shuffle(F.channel_shuffle(x, 3), 4).tolist() == x.tolist()
