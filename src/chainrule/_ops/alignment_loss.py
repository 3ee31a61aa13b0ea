"""The loss of sequences whose alignment is unknown: connectionist temporal classification."""

import numpy as np

from chainrule._engine.op import composite
from chainrule._engine.tensor import Tensor, wrap
from chainrule._ops.foundation import to_dtype
from chainrule._ops.joining import cat
from chainrule._ops.loss import reduced
from chainrule._ops.margin_loss import constant
from chainrule._ops.normalization import wide
from chainrule._ops.selection import where

FAR = -1e30


def lengths_of(lengths, name, batch):
    """Lengths, given as a tensor or numbers, as an array of `batch` ints."""
    array = np.asarray(lengths.array if isinstance(lengths, Tensor) else lengths).astype(np.int64).reshape(-1)
    if len(array) != batch:
        raise RuntimeError(f"{name} must be of size batch_size: expected {batch}, got {len(array)}")
    return array


def target_rows(targets, lengths, batch, longest):
    """The targets as (batch, longest) classes, from rows or from all of them in a row."""
    if targets.ndim == 2:
        if targets.shape[0] != batch or targets.shape[1] < longest:
            raise RuntimeError(
                f"Expected tensor to have size at least {longest} at dimension 1, but got size {list(targets.shape)} "
                "for argument #2 'targets' (while checking arguments for ctc_loss)"
            )
        return targets[:, :longest].astype(np.int64)
    if len(targets) != lengths.sum():
        raise RuntimeError(f"Expected {lengths.sum()} targets in all, the sum of target_lengths, got {len(targets)}")
    rows = np.zeros((batch, longest), np.int64)
    rows[np.arange(longest) < lengths[:, None]] = targets
    return rows


def alignments(log_probs, labels, skips, steps):
    """The log-probability (batch, labels) of each state after each sample's last step: all ways to reach it added up.

    The forward recursion of Graves et al. 2006, section 4.1; FAR stands for log 0, so that slopes stay finite."""
    n, states = labels.shape
    length = log_probs.meta.shape[0]
    emitted = log_probs.gather(2, wrap(np.broadcast_to(labels, (length, n, states)).copy()))
    first = constant(np.where(np.arange(states) < 2, 0.0, FAR) * np.ones((n, 1)), log_probs)
    edge = constant(np.full((n, 2), FAR), log_probs)
    skips = wrap(skips)
    reached = first + emitted.select(0, 0)
    for t in range(1, length):
        padded = cat([edge, reached], 1)
        ways = reached.logaddexp(padded.narrow(1, 1, states))
        ways = ways.logaddexp(where(skips, padded.narrow(1, 0, states), FAR))
        reached = where(wrap(t < steps[:, None]), ways + emitted.select(0, t), reached)
    return reached


@composite("nn.functional")
def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """−log of the probability of all alignments of each target with its input (connectionist temporal classification).

    `log_probs` (T, N, C) or (T, C), logarithms of probabilities; `targets` (N, S), or all of them in a row. "mean"
    divides each loss by its target's length first. Targets that cannot be aligned cost inf, or 0 with `zero_infinity`,
    and get no gradient. The gradient is that of the formula; PyTorch's differs from it by exp(log_probs) for each
    output, which log_softmax takes back.
    """
    single = len(log_probs.meta.shape) == 2
    scores = log_probs.unsqueeze(1) if single else log_probs
    if len(scores.meta.shape) != 3:
        raise RuntimeError(f"ctc_loss: expected log_probs (T, N, C) or (T, C), got {list(log_probs.meta.shape)}")
    if scores.meta.dtype.category != 2:
        raise RuntimeError(f"ctc_loss: expected floating log_probs, got {scores.meta.dtype}")
    length, n, classes = scores.meta.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    steps, counts = lengths_of(input_lengths, "input_lengths", n), lengths_of(target_lengths, "target_lengths", n)
    if n and (steps.max() > length or steps.min() < 0):
        raise RuntimeError(f"Expected input_lengths to have value at most {length}, but got value {steps.max()}")
    longest = int(counts.max()) if n else 0
    given = targets.array
    rows = target_rows(given[None] if single and given.ndim == 1 else given, counts, n, longest)
    labels = np.full((n, 2 * longest + 1), blank, np.int64)
    labels[:, 1::2] = rows
    skips = np.zeros(labels.shape, bool)
    skips[:, 3::2] = rows[:, 1:] != rows[:, :-1]
    reached = alignments(wide(scores), labels, skips, steps)
    last = reached.gather(1, wrap(2 * counts[:, None]))
    before = reached.gather(1, wrap(np.maximum(2 * counts - 1, 0)[:, None]))
    total = where(wrap(counts[:, None] > 0), last.logaddexp(before), last).squeeze(1)
    losses = where(total.detach() < FAR / 2, 0.0 if zero_infinity else float("inf"), -total)
    if reduction == "mean":
        losses = losses / constant(np.maximum(counts, 1), losses)
    losses = to_dtype(losses, log_probs.meta.dtype) if log_probs.meta.dtype.is_half else losses
    return reduced(losses.squeeze(0) if single and reduction == "none" else losses, reduction)
