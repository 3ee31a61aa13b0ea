"""LRScheduler: the base of the learning-rate schedules.

A schedule computes the rate of each group in `get_lr`, most of them from the rate before, so that several
can act on one optimizer; the closed form, where there is one, serves `step(epoch)`.
"""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import chainrule
from chainrule.optim.optimizer import Optimizer

CALL_ORDER_URL = "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
    "Please use `scheduler.step()` to step the scheduler. During the deprecation, if epoch is different "
    "from None, the closed form is used instead of the new chainable form, where available."
)


class LRScheduler:
    """Base class of learning-rate schedules: a subclass defines `get_lr`, one rate per parameter group.

    `last_epoch` counts the steps made; −1 starts anew, anything else resumes and needs "initial_lr" in each
    group. Call `step()` after `optimizer.step()`; a rate given as a tensor is filled in place.
    """

    _get_lr_called_within_step = False
    _is_initial = False

    optimizer: Optimizer
    last_epoch: int
    base_lrs: list[Any]
    _last_lr: list[Any]
    _step_count: int

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", own(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                    "last_epoch >= 0; load the state of the optimizer first, or start with last_epoch=-1"
                )
        self.base_lrs = group_values(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        watch_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """The schedule as a dict: every attribute but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict()` gave. Load the optimizer's state afterwards: it holds the rates."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The rates that the last step set, one per group."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The rates for `last_epoch`, one per group; called by `step`."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch, or to the one given, and set the rates."""
        if self._step_count == 1:
            self._warn_of_wrong_order()
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _warn_of_wrong_order(self) -> None:
        if not hasattr(self.optimizer.step, "hooked"):
            warnings.warn(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
                "initialization. Please, make sure to call `optimizer.step()` before "
                "`lr_scheduler.step()`. See more "
                "details at " + CALL_ORDER_URL,
                UserWarning,
                stacklevel=3,
            )
        elif not self.optimizer._opt_called:
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and "
                "later, you should call them in the opposite order: `optimizer.step()` before "
                "`lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the first "
                "value of the learning rate schedule. See more "
                "details at " + CALL_ORDER_URL,
                UserWarning,
                stacklevel=3,
            )

    def _update_lr(self, epoch: int | None = None) -> None:
        closed_form = getattr(self, "_get_closed_form_lr", None)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        with self._computing():
            rates = self.get_lr() if epoch is None or closed_form is None else closed_form()
        self._set_rates(rates)

    def _restart(self) -> None:
        """Go to epoch 0, as a schedule that takes over from another does."""
        self._update_lr(0)

    def _set_rates(self, rates: list[Any]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_option(group, "lr", rate)
        self._last_lr = group_values(self.optimizer, "lr")

    @contextmanager
    def _computing(self) -> Iterator[None]:
        self._get_lr_called_within_step = True
        try:
            yield
        finally:
            self._get_lr_called_within_step = False

    def _warn_outside_step(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )

    def _current(self) -> list[Any]:
        return group_values(self.optimizer, "lr")

    def _scaled(self, factor: Any) -> list[Any]:
        return [group["lr"] * factor for group in self.optimizer.param_groups]


def watch_steps(optimizer: Optimizer) -> None:
    """Start noting whether `optimizer.step()` is called; a second schedule leaves the note."""
    if not getattr(optimizer, "_watched", False):
        optimizer._watched = True
        optimizer._opt_called = False


def check_optimizer(optimizer: Any) -> None:
    """Raise TypeError unless it is an Optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def own(value: Any) -> Any:
    """The value; of a tensor a copy, which later in-place changes do not reach."""
    return value.clone() if isinstance(value, chainrule.Tensor) else value


def group_values(optimizer: Optimizer, key: str) -> list[Any]:
    """One option of all groups."""
    return [own(group[key]) for group in optimizer.param_groups]


def set_option(group: dict[str, Any], key: str, value: Any) -> None:
    """Set an option of a group; one that is a tensor keeps its identity and is filled."""
    if isinstance(group[key], chainrule.Tensor):
        group[key].fill_(value.item() if isinstance(value, chainrule.Tensor) else value)
    else:
        group[key] = value


def per_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """One value per group: the list given (ValueError if it does not fit), or the single value repeated."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        value = [value] * count
    elif len(value) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. "
            f"{name} has {len(value)} values, param_groups has {count}."
        )
    return [own(v) for v in value]


def callable_state(fn: Callable[..., Any]) -> dict[str, Any] | None:
    """The attributes of a callable object, for a state dict; None for functions, which are not stored."""
    return None if isinstance(fn, types.FunctionType) else dict(fn.__dict__)
