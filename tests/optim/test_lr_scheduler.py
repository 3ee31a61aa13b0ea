"""Schedules against PyTorch's stored rates, and their state, warnings and errors."""

import copy
import json
import math
import warnings
from pathlib import Path

import pytest

import chainrule
from chainrule import nn, optim
from chainrule.optim import lr_scheduler
from chainrule.optim.swa_utils import SWALR

STORED = json.loads((Path(__file__).parents[1] / "reference" / "optim.json").read_text())


def optimizer_of(groups=2, cls=optim.SGD, **options):
    params = [nn.Parameter(chainrule.ones(2)) for _ in range(groups)]
    options = options or {"momentum": 0.9}
    return cls([{"params": [p], "lr": 0.1 * (i + 1)} for i, p in enumerate(params)], **options)


def make(expression, optimizer):
    return eval(expression, {**vars(lr_scheduler), "o": optimizer, "SWALR": SWALR})


@pytest.mark.parametrize("case", STORED["schedules"], ids=lambda case: case["expression"])
def test_rates_and_momenta_are_pytorchs(case):
    optimizer = optimizer_of()
    scheduler = make(case["expression"], optimizer)
    for row in case["rates"]:
        assert [[group["lr"], group["momentum"]] for group in optimizer.param_groups] == row
        assert scheduler.get_last_lr() == [lr for lr, _ in row]
        optimizer.step()
        scheduler.step()


@pytest.mark.parametrize("case", STORED["closed"], ids=lambda case: case["expression"])
def test_jumping_to_an_epoch(case):
    scheduler = make(case["expression"], optimizer_of())
    for epoch, row in zip(STORED["jumps"], case["rates"], strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scheduler.step(epoch)
        assert scheduler.get_last_lr() == row


@pytest.mark.parametrize("case", STORED["schedules"], ids=lambda case: case["expression"])
def test_a_state_dict_resumes(case):
    optimizer = optimizer_of()
    scheduler = make(case["expression"], optimizer)
    for _ in range(8):
        optimizer.step()
        scheduler.step()
    state, optimizer_state = copy.deepcopy(scheduler.state_dict()), optimizer.state_dict()
    assert "optimizer" not in state

    fresh = optimizer_of()
    resumed = make(case["expression"], fresh)
    resumed.load_state_dict(state)
    fresh.load_state_dict(optimizer_state)
    for row in case["rates"][8:20]:
        assert [group["lr"] for group in fresh.param_groups] == [lr for lr, _ in row]
        fresh.step()
        resumed.step()


def test_plateau():
    optimizer = optimizer_of(1)
    scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1, cooldown=1, min_lr=0.02)
    rates = []
    for metric in [1.0, 0.9, 0.95, 0.95, 0.95, 0.95, 0.95, 0.95, 0.95, 0.95, 0.1]:
        scheduler.step(chainrule.tensor(metric))
        rates.append(scheduler.get_last_lr()[0])
    assert rates == [0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.025, 0.025, 0.025, 0.02, 0.02]
    assert scheduler.best == pytest.approx(0.1)
    other = lr_scheduler.ReduceLROnPlateau(optimizer_of(1), mode="max")
    other.load_state_dict(scheduler.state_dict())
    assert other.mode == "min" and other.best == scheduler.best


@pytest.mark.parametrize(
    ("mode", "threshold_mode", "best", "better", "not_better"),
    [
        ("min", "rel", 10.0, 8.9, 9.1),
        ("min", "abs", 10.0, 9.8, 9.95),
        ("max", "rel", 10.0, 11.1, 10.9),
        ("max", "abs", 10.0, 10.2, 10.05),
    ],
)
def test_what_plateau_calls_better(mode, threshold_mode, best, better, not_better):
    scheduler = lr_scheduler.ReduceLROnPlateau(
        optimizer_of(1), mode=mode, threshold=0.1, threshold_mode=threshold_mode
    )
    for value, bad_epochs in ((best, 0), (not_better, 1), (better, 0)):
        scheduler.step(value)
        assert scheduler.num_bad_epochs == bad_epochs


def test_sequential_of_composites_restarts_them():
    optimizer = optimizer_of(1)
    parts = [
        lr_scheduler.ConstantLR(optimizer, 0.5, 100),
        lr_scheduler.ChainedScheduler(
            [lr_scheduler.ExponentialLR(optimizer, 0.5), lr_scheduler.StepLR(optimizer, 2, 0.1)]
        ),
    ]
    scheduler = lr_scheduler.SequentialLR(optimizer, parts, [2])
    rates = []
    for _ in range(5):
        rates.append(scheduler.get_last_lr()[0])
        optimizer.step()
        scheduler.step()
    assert rates == pytest.approx([0.05, 0.05, 0.1, 0.05, 0.0025])


def test_a_rate_that_is_a_tensor_is_filled_in_place():
    rate = chainrule.tensor(0.5)
    optimizer = optim.SGD([nn.Parameter(chainrule.ones(1))], lr=rate)
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5)
    optimizer.step()
    scheduler.step()
    assert optimizer.param_groups[0]["lr"] is rate and rate.item() == 0.25
    assert scheduler.base_lrs[0].item() == 0.5


def test_cycles_move_beta1_where_there_are_betas():
    optimizer = optimizer_of(1, optim.Adam, betas=(0.9, 0.99))
    scheduler = lr_scheduler.CyclicLR(optimizer, 0.01, 0.1, 4)
    assert optimizer.param_groups[0]["betas"] == (0.9, 0.99)
    optimizer.step()
    scheduler.step()
    assert optimizer.param_groups[0]["betas"] == (pytest.approx(0.875), 0.99)


def test_callable_objects_are_stored_by_their_attributes():
    class Decay:
        def __init__(self, rate):
            self.rate = rate

        def __call__(self, epoch):
            return self.rate**epoch

    scheduler = lr_scheduler.LambdaLR(optimizer_of(1), Decay(0.5))
    state = scheduler.state_dict()
    assert state["lr_lambdas"] == [{"rate": 0.5}]
    other = lr_scheduler.LambdaLR(optimizer_of(1), Decay(0.1))
    other.load_state_dict(state)
    assert other.lr_lambdas[0].rate == 0.5
    assert lr_scheduler.LambdaLR(optimizer_of(1), lambda e: 1.0).state_dict()["lr_lambdas"] == [None]


def messages(action):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        action()
    return [str(warning.message) for warning in caught]


def test_wrong_call_order_warns_once():
    optimizer = optimizer_of()
    scheduler = lr_scheduler.StepLR(optimizer, 2)
    (message,) = messages(scheduler.step)
    assert message.startswith("Detected call of `lr_scheduler.step()` before `optimizer.step()`")
    assert messages(scheduler.step) == []


def test_steps_before_the_schedule_was_made_do_not_count():
    optimizer = optimizer_of()
    optimizer.step()
    scheduler = lr_scheduler.StepLR(optimizer, 2)
    assert len(messages(scheduler.step)) == 1


def test_right_call_order_is_silent():
    optimizer = optimizer_of()
    scheduler = lr_scheduler.StepLR(optimizer, 2)
    second = lr_scheduler.ExponentialLR(optimizer, 0.9)
    optimizer.step()
    assert messages(scheduler.step) == [] and messages(second.step) == []


def test_a_replaced_step_warns():
    optimizer = optimizer_of()
    scheduler = lr_scheduler.StepLR(optimizer, 2)
    optimizer.step = lambda: None
    (message,) = messages(scheduler.step)
    assert "has been overridden after learning rate scheduler initialization" in message


def test_get_lr_outside_a_step_warns():
    scheduler = lr_scheduler.StepLR(optimizer_of(), 2)
    (message,) = messages(scheduler.get_lr)
    assert message.startswith("To get the last learning rate")


def test_an_epoch_given_to_step_warns():
    scheduler = lr_scheduler.StepLR(optimizer_of(), 2)
    assert any("epoch parameter" in message for message in messages(lambda: scheduler.step(3)))


@pytest.mark.parametrize(
    ("expression", "kind", "message"),
    [
        ("StepLR(3, 2)", TypeError, "int is not an Optimizer"),
        ("StepLR(o, 2, last_epoch=3)", KeyError, "'initial_lr' is not specified in param_groups"),
        ("LambdaLR(o, [abs])", ValueError, "Expected 2 lr_lambdas, but got 1"),
        ("MultiplicativeLR(o, 3)", TypeError, "lr_lambda should be a function, but got int"),
        ("ConstantLR(o, 2.0)", ValueError, "between 0 and 1"),
        ("LinearLR(o, 0.0)", ValueError, "greater than 0 and less or equal to 1"),
        ("CosineAnnealingWarmRestarts(o, 0)", ValueError, "Expected positive integer T_0, but got 0"),
        ("CosineAnnealingWarmRestarts(o, 3, 0)", ValueError, "Expected integer T_mult >= 1, but got 0"),
        ("CyclicLR(o, [0.1], 0.2)", ValueError, "base_lr must have the same length"),
        ("CyclicLR(o, 0.1, 0.2, mode='square')", ValueError, "mode is invalid and scale_fn is None"),
        ("OneCycleLR(o, 0.1)", ValueError, "You must define either total_steps OR"),
        ("OneCycleLR(o, 0.1, -3)", ValueError, "Expected positive integer total_steps, but got -3"),
        ("OneCycleLR(o, 0.1, 3, pct_start=2.0)", ValueError, "Expected float between 0 and 1 pct_start"),
        ("OneCycleLR(o, 0.1, 3, anneal_strategy='x')", ValueError, "must be one of 'cos' or 'linear'"),
        ("ReduceLROnPlateau(o, factor=1.0)", ValueError, "Factor should be < 1.0"),
        ("ReduceLROnPlateau(o, mode='up')", ValueError, "mode up is unknown"),
        ("SequentialLR(o, [], [])", ValueError, "expects at least one scheduler"),
        ("SequentialLR(o, [StepLR(o, 2)], [1])", ValueError, "one more than the number of milestone points"),
        ("SequentialLR(o, [ReduceLROnPlateau(o)], [])", ValueError, "does not support `ReduceLROnPlateau`"),
        ("ChainedScheduler([StepLR(o, 2), StepLR(other, 2)])", ValueError, "belong to the same optimizer"),
        ("SWALR(o, 0.1, anneal_epochs=-1)", ValueError, "anneal_epochs must be equal or greater than 0"),
    ],
)
def test_bad_options(expression, kind, message):
    scope = {**vars(lr_scheduler), "SWALR": SWALR, "o": optimizer_of(), "other": optimizer_of()}
    with pytest.raises(kind, match=message):
        eval(expression, scope)


def test_one_cycle_ends():
    optimizer = optimizer_of()
    scheduler = lr_scheduler.OneCycleLR(optimizer, 0.1, 3)
    for _ in range(3):
        optimizer.step()
        scheduler.step()
    with pytest.raises(ValueError, match="Tried to step 4 times. The specified number of total steps is 3"):
        scheduler.step()


def test_a_users_schedule_and_the_old_name_of_the_base():
    class Root(lr_scheduler._LRScheduler):
        def get_lr(self):
            return [base / math.sqrt(1 + self.last_epoch) for base in self.base_lrs]

    optimizer = optimizer_of(1)
    scheduler = Root(optimizer)
    for _ in range(3):
        optimizer.step()
        scheduler.step()
    assert scheduler.get_last_lr() == [0.05]
