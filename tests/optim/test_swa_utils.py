"""Averaged models and their batch-norm statistics."""

import pytest

import chainrule
from chainrule import nn
from chainrule.optim.swa_utils import (
    AveragedModel,
    get_ema_avg_fn,
    get_ema_multi_avg_fn,
    get_swa_multi_avg_fn,
    update_bn,
)


def set_weights(model, value):
    with chainrule.no_grad():
        for param in model.parameters():
            param.fill_(value)


def averaged(values, **options):
    model = nn.Linear(2, 1)
    average = AveragedModel(model, **options)
    for value in values:
        set_weights(model, value)
        average.update_parameters(model)
    assert average.n_averaged.item() == len(values)
    return average.module.weight.tolist()[0][0]


def test_equal_average():
    assert averaged([1.0, 2.0, 6.0]) == pytest.approx(3.0)
    assert averaged([1.0, 2.0, 6.0], multi_avg_fn=get_swa_multi_avg_fn()) == pytest.approx(3.0)


def test_exponential_average():
    want = 0.9 * (0.9 * 1.0 + 0.1 * 2.0) + 0.1 * 6.0
    assert averaged([1.0, 2.0, 6.0], avg_fn=get_ema_avg_fn(0.9)) == pytest.approx(want)
    assert averaged([1.0, 2.0, 6.0], multi_avg_fn=get_ema_multi_avg_fn(0.9)) == pytest.approx(want)


def test_the_average_is_a_copy_and_computes():
    model = nn.Linear(2, 1)
    average = AveragedModel(model)
    set_weights(model, 2.0)
    average.update_parameters(model)
    set_weights(model, 0.0)
    assert average(chainrule.ones(1, 2)).tolist() == [[6.0]]
    assert "n_averaged" in average.state_dict()


def test_buffers_are_copied_or_averaged():
    model = nn.BatchNorm1d(1)
    copied, mean = AveragedModel(model), AveragedModel(model, use_buffers=True)
    for value in (1.0, 4.0):
        model.running_mean.fill_(value)
        copied.update_parameters(model)
        mean.update_parameters(model)
    assert copied.module.running_mean.item() == 4.0
    assert mean.module.running_mean.item() == pytest.approx(2.5)


def test_update_bn_is_the_equal_average_over_batches():
    model = nn.Sequential(nn.BatchNorm1d(1), nn.Identity())
    model.eval()
    batches = [(chainrule.tensor([[0.0], [2.0]]), "label"), (chainrule.tensor([[4.0], [6.0]]), "label")]
    update_bn(batches, model)
    assert model[0].running_mean.tolist() == pytest.approx([3.0])
    assert model[0].running_var.tolist() == pytest.approx([2.0])
    assert model[0].momentum == 0.1 and not model.training


def test_bad_options():
    with pytest.raises(ValueError, match="Invalid decay value 1.5"):
        get_ema_avg_fn(1.5)
    with pytest.raises(AssertionError, match="Only one of avg_fn and multi_avg_fn"):
        AveragedModel(nn.Identity(), avg_fn=get_ema_avg_fn(), multi_avg_fn=get_ema_multi_avg_fn())
