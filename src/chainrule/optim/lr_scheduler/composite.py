"""Schedules made of schedules: one after the other, or all at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from chainrule.optim.lr_scheduler.plateau import ReduceLROnPlateau
from chainrule.optim.lr_scheduler.schedule import LRScheduler, group_values, set_option
from chainrule.optim.optimizer import Optimizer


class _CompositeLR(LRScheduler):
    """What the two share: parts on one optimizer, and a state dict that holds theirs."""

    _schedulers: Sequence[LRScheduler]

    def _check_parts(self, optimizer: Optimizer, schedulers: Sequence[LRScheduler]) -> None:
        name = type(self).__name__
        for i, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional "
                    f"kwargs to be specified when calling `step`, but got one at index {i} in the given "
                    "schedulers sequence."
                )
            if scheduler.optimizer is not optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(scheduler).__name__} at index {i} has {scheduler.optimizer}, which is "
                    f"different from {type(optimizer).__name__}."
                )

    def _restart_rates(self) -> None:
        for group in self.optimizer.param_groups:
            set_option(group, "lr", group["initial_lr"])

    def state_dict(self) -> dict[str, Any]:
        """The schedule as a dict, with the state dicts of its parts under "_schedulers"."""
        state = super().state_dict()
        state.pop("_schedulers")
        state["_schedulers"] = [scheduler.state_dict() for scheduler in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict()` gave, and hand each part its own."""
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "_schedulers"})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)


class SequentialLR(_CompositeLR):
    """Each schedule in turn; the next one starts at its milestone, at its own epoch 0.

    A part may itself be made of schedules (PyTorch 2.13 refuses that at the milestone).
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: list[LRScheduler],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self._check_parts(optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the "
                f"number of milestone points, but got number of schedulers {len(schedulers)} and the "
                f"number of milestones to be equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer

        # Making the parts has set the rates, once each: start over, with the first step of the first part
        # alone.
        parts = list(schedulers)
        while parts:
            part = parts.pop()
            if isinstance(part, _CompositeLR):
                parts.extend(part._schedulers)
            else:
                part.last_epoch -= 1
        self._restart_rates()
        self._start_first()

    def _start_first(self) -> None:
        first = self._schedulers[bisect_right(self._milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def _restart(self) -> None:
        self.last_epoch = 0
        for part in self._schedulers:
            part.last_epoch = -1
        self._restart_rates()
        self._start_first()

    def step(self) -> None:  # type: ignore[override]
        """Go to the next epoch, which may be the next schedule's first."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            scheduler._restart()
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_CompositeLR):
    """All schedules at every step, each working on what the one before it left."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler."
            )
        optimizer = optimizer or schedulers[0].optimizer
        self._check_parts(optimizer, schedulers)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = group_values(optimizer, "lr")

    def step(self) -> None:  # type: ignore[override]
        """Step every schedule."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = group_values(self.optimizer, "lr")

    def _restart(self) -> None:
        self._restart_rates()
        for scheduler in self._schedulers:
            if isinstance(scheduler, _CompositeLR):
                scheduler._restart()
            else:
                scheduler.last_epoch = -1
                scheduler._initial_step()
        self._last_lr = group_values(self.optimizer, "lr")
