"""Schedules along a cosine (Loshchilov and Hutter 2017, "SGDR", arXiv:1608.03983)."""

from __future__ import annotations

import math
from typing import Any

from chainrule.optim.lr_scheduler.schedule import LRScheduler
from chainrule.optim.optimizer import Optimizer


class CosineAnnealingLR(LRScheduler):
    """lr = eta_min + (initial lr − eta_min) · (1 + cos(π · epoch / T_max)) / 2.

    It is computed from the rate before, so that other schedules may act on it as well; after T_max it rises
    again.
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        if self._is_initial:
            return self._current()
        if self._step_count == 1 and self.last_epoch > 0:
            return self._get_closed_form_lr()
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            # At the bottom the ratio below is 0/0: the first step of the rise is added instead.
            rise = 1 - math.cos(math.pi / self.T_max)
            return [
                group["lr"] + (base - self.eta_min) * rise / 2
                for base, group in zip(self.base_lrs, self.optimizer.param_groups, strict=True)
            ]
        ratio = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / (
            1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        )
        return [ratio * (group["lr"] - self.eta_min) + self.eta_min for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self) -> list[Any]:
        height = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return [self.eta_min + (base - self.eta_min) * height / 2 for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """The falling half of the cosine again and again, each period `T_mult` times as long as the last.

        lr = eta_min + (initial lr − eta_min) · (1 + cos(π · T_cur / T_i)) / 2,   T_cur epochs into a period
        of T_i

    `step(epoch)` takes fractions of an epoch.
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if not isinstance(T_0, int) or T_0 <= 0:
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if not isinstance(T_mult, int) or T_mult < 1:
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        height = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (base - self.eta_min) * height / 2 for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go to the next epoch, or to the one given, which need not be whole."""
        if epoch is None and self.last_epoch >= 0:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            epoch = epoch or 0
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._enter_period_of(epoch)
        self.last_epoch = math.floor(epoch)
        with self._computing():
            self._set_rates(self.get_lr())

    def _enter_period_of(self, epoch: float) -> None:
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            period = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**period - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**period
