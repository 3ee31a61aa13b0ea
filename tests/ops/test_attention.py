"""Attention: masked keys have no influence, queries without keys give 0, errors."""

import math

import pytest

import chainrule as torch
from chainrule.nn import functional as F

attend = F.scaled_dot_product_attention


def draws(*shape, seed=0):
    torch.manual_seed(seed)
    return torch.randn(shape, dtype=torch.float64)


@pytest.mark.parametrize("poison", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("float_mask", [False, True])
def test_a_masked_key_has_no_influence_on_result_or_gradient(poison, float_mask):
    q, k, v = draws(2, 3, 4), draws(2, 5, 4, seed=1), draws(2, 5, 2, seed=2)
    mask = torch.ones((3, 5), dtype=torch.bool)
    mask[:, 1] = False
    results = []
    for bad in (0.0, poison):
        keys, values = k.clone(), v.clone()
        keys[:, 1, 0] = bad
        values[:, 1] = bad
        leaves = [t.requires_grad_() for t in (q.clone(), keys, values)]
        given = torch.zeros((3, 5), dtype=torch.float64).masked_fill(~mask, -math.inf) if float_mask else mask
        out = attend(*leaves, attn_mask=given)
        out.sum().backward()
        results.append([out.detach(), *(t.grad for t in leaves)])
    for plain, poisoned in zip(*results, strict=True):
        assert (plain - poisoned).abs().max().item() < 1e-12


def test_an_unmasked_nan_reaches_the_queries_that_may_meet_it_only():
    q, k, v = draws(3, 4), draws(3, 4, seed=1), draws(3, 2, seed=2)
    v[1] = math.nan
    out = attend(q, k, v, is_causal=True)
    assert out.isnan().any(-1).tolist() == [False, True, True]


def test_a_query_without_keys_gives_zero_and_zero_gradients():
    q, k, v = (draws(2, 4, seed=s).requires_grad_() for s in range(3))
    mask = torch.tensor([[True, True], [False, False]])
    out = attend(q, k, v, attn_mask=mask)
    out.sum().backward()
    assert out[1].tolist() == [0, 0, 0, 0] and q.grad[1].tolist() == [0, 0, 0, 0]
    assert q.grad.isfinite().all() and k.grad.isfinite().all()


def test_dropout_zeroes_weights_and_scales_the_rest():
    torch.manual_seed(0)
    out = attend(torch.zeros((1, 4)), torch.zeros((1001, 4)), torch.ones((1001, 1)), dropout_p=0.5)
    assert 0.8 < out.item() < 1.2 and out.item() != 1.0
    with pytest.raises(RuntimeError, match="between 0 and 1"):
        attend(torch.zeros((1, 4)), torch.zeros((2, 4)), torch.ones((2, 1)), dropout_p=2.0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_sixteen_bit_floats_take_float32_masks(dtype):
    q = draws(2, 3, 4).to(dtype)
    out = attend(q, q, q, attn_mask=torch.zeros((3, 3)))
    assert out.dtype is dtype


@pytest.mark.parametrize(
    ("words", "arguments", "options"),
    [
        ("to have the same dtype", (draws(3, 4), draws(3, 4), draws(3, 4).float()), {}),
        ("at least 2 dimensional", (draws(4), draws(3, 4), draws(3, 4)), {}),
        ("Expected attn_mask dtype", (draws(3, 4),) * 3, {"attn_mask": torch.ones((3, 3), dtype=torch.int64)}),
        ("multiple of those in key", (draws(3, 2, 4), draws(2, 2, 4), draws(2, 2, 4)), {"enable_gqa": True}),
        ("expected floating point", (torch.ones((2, 2), dtype=torch.int64),) * 3, {}),
    ],
)
def test_errors_say_what_is_wrong(words, arguments, options):
    with pytest.raises(RuntimeError, match=words):
        attend(*arguments, **options)
