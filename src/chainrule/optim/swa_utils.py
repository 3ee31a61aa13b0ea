"""Averages of a model's weights along training, and the schedule that goes with them.

Izmailov et al. 2018, "Averaging Weights Leads to Wider Optima and Better Generalization", arXiv:1803.05407.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

import chainrule
from chainrule import nn
from chainrule.optim.lr_scheduler.schedule import LRScheduler, per_group
from chainrule.optim.optimizer import Optimizer

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]


def _check_decay(decay: float) -> None:
    if not 0.0 <= decay <= 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_avg_fn(decay: float = 0.999) -> Callable[[Any, Any, Any], Any]:
    """`avg_fn` of an exponential moving average: decay · average + (1 − decay) · current."""
    _check_decay(decay)

    @chainrule.no_grad()
    def ema_update(ema_param: Any, current_param: Any, num_averaged: Any) -> Any:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable[[Any, Any, Any], Any]:
    """`avg_fn` of the equal average: average + (current − average) / (num_averaged + 1)."""

    @chainrule.no_grad()
    def swa_update(averaged_param: Any, current_param: Any, num_averaged: Any) -> Any:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[[Any, Any, Any], None]:
    """`multi_avg_fn` of an exponential moving average: changes the list of averages in place."""
    _check_decay(decay)

    @chainrule.no_grad()
    def ema_update(ema_params: Any, current_params: Any, num_averaged: Any) -> None:
        for average, current in zip(ema_params, current_params, strict=True):
            _approach(average, current, 1 - decay)

    return ema_update


def get_swa_multi_avg_fn() -> Callable[[Any, Any, Any], None]:
    """`multi_avg_fn` of the equal average: changes the list of averages in place."""

    @chainrule.no_grad()
    def swa_update(averaged_params: Any, current_params: Any, num_averaged: Any) -> None:
        for average, current in zip(averaged_params, current_params, strict=True):
            _approach(average, current, 1 / (float(num_averaged) + 1))

    return swa_update


def _approach(average: Any, current: Any, weight: float) -> None:
    if average.is_floating_point() or average.is_complex():
        average.lerp_(current, weight)
    else:
        average.copy_(average * (1 - weight) + current * weight)


class AveragedModel(nn.Module):
    """A copy of a model that holds the average of the weights it is shown; call `update_parameters(model)`.

    The average is the equal one, or what `avg_fn(average, current, number averaged)` returns, or what
    `multi_avg_fn(averages, currents, number averaged)` does in place. Buffers are copied, or averaged too
    with `use_buffers`; for batch norm see `update_bn`.
    """

    n_averaged: Any

    def __init__(
        self,
        model: nn.Module,
        device: Any = None,
        avg_fn: Callable[[Any, Any, Any], Any] | None = None,
        multi_avg_fn: Callable[[Any, Any, Any], None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", chainrule.tensor(0, dtype=chainrule.int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The averaged model's result."""
        return self.module(*args, **kwargs)

    def _tensors(self, model: nn.Module) -> list[Any]:
        buffers = model.buffers() if self.use_buffers else ()
        return [tensor.detach() for tensor in chain(model.parameters(), buffers)]

    def update_parameters(self, model: nn.Module) -> None:
        """Take the present weights of `model` into the average; the first ones are copied."""
        averages, currents = self._tensors(self.module), self._tensors(model)
        if self.n_averaged == 0:
            for average, current in zip(averages, currents, strict=True):
                average.copy_(current)
        elif self.multi_avg_fn is not None:
            for same in _by_dtype(averages, currents):
                self.multi_avg_fn(*same, self.n_averaged)
        else:
            avg_fn = self.avg_fn or get_swa_avg_fn()
            for average, current in zip(averages, currents, strict=True):
                average.copy_(avg_fn(average, current, self.n_averaged))
        if not self.use_buffers:
            for buffer, current in zip(self.module.buffers(), model.buffers(), strict=True):
                buffer.detach().copy_(current.detach())
        self.n_averaged += 1


def _by_dtype(averages: list[Any], currents: list[Any]) -> list[tuple[list[Any], list[Any]]]:
    """The two lists cut into pairs of lists of one dtype each."""
    parts: dict[Any, tuple[list[Any], list[Any]]] = {}
    for average, current in zip(averages, currents, strict=True):
        part = parts.setdefault(average.dtype, ([], []))
        part[0].append(average)
        part[1].append(current)
    return list(parts.values())


def update_bn(loader: Iterable[Any], model: nn.Module, device: Any = None) -> None:
    """Compute the batch-norm statistics of `model` anew, as the equal average over the batches of `loader`.

    A batch that is a list or tuple counts by its first element.
    """
    layers = [m for m in model.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]
    if not layers:
        return
    momenta = [layer.momentum for layer in layers]
    was_training = model.training
    model.train()
    try:
        for layer in layers:
            layer.reset_running_stats()
            layer.momentum = None
        with chainrule.no_grad():
            for batch in loader:
                data = batch[0] if isinstance(batch, (list, tuple)) else batch
                model(data if device is None else data.to(device))
    finally:
        for layer, momentum in zip(layers, momenta, strict=True):
            layer.momentum = momentum
        model.train(was_training)


def _cosine(t: float) -> float:
    return (1 - math.cos(math.pi * t)) / 2


def _linear(t: float) -> float:
    return t


class SWALR(LRScheduler):
    """Goes from the present rate of each group to `swa_lr` in `anneal_epochs` epochs, then stays there.

    The way is a cosine or, `anneal_strategy="linear"`, straight.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        rates = per_group("swa_lr", optimizer, swa_lr)
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["swa_lr"] = rate
        self._anneal_strategy = anneal_strategy
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _progress(self, step: int) -> float:
        anneal = _cosine if self._anneal_strategy == "cos" else _linear
        return anneal(max(0, min(1, step / max(1, self.anneal_epochs))))

    def get_lr(self) -> list[Any]:
        """The rates for `last_epoch`: the one that the present rate started from, taken one epoch further."""
        self._warn_outside_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._progress(step - 1), self._progress(step)
        rates = []
        for group in self.optimizer.param_groups:
            target = group["swa_lr"]
            origin = target if before == 1 else (group["lr"] - before * target) / (1 - before)
            rates.append(target * now + origin * (1 - now))
        return rates
