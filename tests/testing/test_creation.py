"""make_tensor: ranges, forms and refusals. The seeded values are PyTorch's."""

import pytest

import chainrule
from chainrule.testing import make_tensor

inf, nan = float("inf"), float("nan")
FLOATS = [chainrule.float16, chainrule.bfloat16, chainrule.float32, chainrule.float64]
INTEGERS = [chainrule.uint8, chainrule.int8, chainrule.int16, chainrule.int32, chainrule.int64]


def make(*shape, dtype=chainrule.float32, device="cpu", **options):
    chainrule.manual_seed(0)
    return make_tensor(*shape, dtype=dtype, device=device, **options)


def test_seeded_values():
    assert make(2, 2).tolist() == [[-0.06738138198852539, 4.8279924392700195], [-7.407406330108643, -6.623451232910156]]
    assert make(3, dtype=chainrule.int64).tolist() == [6, -5, -9]
    assert make(3, dtype=chainrule.uint8).tolist() == [4, 9, 3]
    assert make(3, dtype=chainrule.bool).tolist() == [False, True, True]
    wide = make(3, dtype=chainrule.float64, low=-inf, high=inf)
    assert [f"{x:.4e}" for x in wide.tolist()] == ["1.6900e+308", "7.4719e+307", "-1.4603e+307"]


@pytest.mark.parametrize("dtype", FLOATS)
def test_floating_ranges(dtype):
    default = make(200, dtype=dtype)
    assert default.dtype is dtype and default.min() < -6 and default.max() > 6 and default.abs().max() <= 9
    narrow = make(200, dtype=dtype, low=0.5, high=2)
    assert narrow.min() >= 0.5 and narrow.max() <= 2
    everything = make(200, dtype=dtype, low=-inf, high=inf)
    assert everything.isfinite().all() and everything.max() > chainrule.finfo(dtype).max / 2


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_ranges(dtype):
    default = make(200, dtype=dtype)
    assert default.dtype is dtype and default.max() == 9
    assert default.min() == (0 if dtype is chainrule.uint8 else -9)
    assert set(make(100, dtype=dtype, low=1.5, high=4.7).tolist()) == {2, 3, 4}
    assert make(200, dtype=dtype, low=-inf, high=inf).max() > 100


def test_complex_parts():
    z = make(200, dtype=chainrule.complex64)
    for part in (z.real, z.imag):
        assert part.min() < -6 and part.max() > 6 and part.abs().max() <= 9


def test_shapes():
    assert make().shape == ()
    assert make((2, 3)).shape == make([2, 3]).shape == make(chainrule.Size([2, 3])).shape == make(2, 3).shape == (2, 3)
    assert make(2, 2, device="meta").is_meta


def test_noncontiguous():
    t = make(2, 3, noncontiguous=True)
    assert t.shape == (2, 3) and t.stride() == (6, 2) and not t.is_contiguous()
    assert make(1, noncontiguous=True).is_contiguous() and make(0, 3, noncontiguous=True).shape == (0, 3)


def test_memory_format():
    t = make(2, 3, 4, 5, memory_format=chainrule.channels_last)
    assert t.is_contiguous(memory_format=chainrule.channels_last) and not t.is_contiguous()
    assert t.equal(make(2, 3, 4, 5))


def test_requires_grad():
    t = make(3, requires_grad=True, noncontiguous=True)
    assert t.requires_grad and t.is_leaf
    with pytest.raises(ValueError, match="not supported for boolean and integral dtypes, but got dtype=torch.int64"):
        make(3, dtype=chainrule.int64, requires_grad=True)


def test_zeros_are_excluded():
    assert set(make(50, dtype=chainrule.int64, low=-1, high=2, exclude_zero=True).tolist()) == {-1, 1}
    assert make(50, dtype=chainrule.bool, exclude_zero=True).all()
    tiny = chainrule.finfo(chainrule.float32).tiny
    assert make(3, low=0, high=1e-45, exclude_zero=True).tolist() == [tiny] * 3


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"low": 2, "high": 1}, "`low` must be less than `high`, but got 2 >= 1"),
        ({"low": 20}, "`low` must be less than `high`, but got 20 >= 9"),
        ({"low": 1, "high": 1, "dtype": chainrule.int8}, "`low` must be less than `high`, but got 1 >= 1"),
        ({"low": nan, "high": 1}, "`low` and `high` cannot be NaN, but got low=nan and high=1"),
        ({"low": 200, "high": 300, "dtype": chainrule.int8}, r"torch.int8 only supports \[-128, 128\)"),
        ({"noncontiguous": True, "memory_format": chainrule.channels_last}, "mutually exclusive"),
    ],
)
def test_refusals(options, text):
    with pytest.raises(ValueError, match=text):
        make(2, 2, 2, 2, **options)


def test_a_constant_is_deprecated():
    with pytest.warns(FutureWarning, match="torch.full"):
        assert make(3, low=1, high=1).tolist() == [1.0] * 3


def test_other_dtypes():
    with pytest.raises(TypeError, match="The requested dtype 'float' is not supported"):
        make(3, dtype="float")
