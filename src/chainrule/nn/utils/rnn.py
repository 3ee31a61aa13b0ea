"""Sequences of different lengths as one padded tensor, and back.

Recurrent layers and their packed sequences are not here.
"""

from collections.abc import Iterable

import chainrule
from chainrule.nn.functional import pad

__all__ = ["pad_sequence", "unpad_sequence"]


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """One tensor of B sequences (T_i, *): (T, B, *) or with batch_first (B, T, *), T the length of the longest.

    dtype: the first sequence's. padding_side: 'right' pads behind a sequence, 'left' before it. RuntimeError for no
    sequences at all, for ones of no dimensions and for sizes that differ elsewhere than in the length; TypeError for
    what is no tensor."""
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    sequences = tuple(sequences)
    if not sequences:
        raise RuntimeError("pad_sequence: received an empty list of sequences")
    for i, sequence in enumerate(sequences):
        if not isinstance(sequence, chainrule.Tensor):
            raise TypeError(f"pad_sequence: expected Tensor as element {i}, but got {type(sequence).__name__}")
        if sequence.dim() == 0:
            raise RuntimeError(f"pad_sequence: expected sequences of at least one dimension, element {i} has none")
        if sequence.shape[1:] != sequences[0].shape[1:]:
            raise RuntimeError(
                f"pad_sequence: expected element {i} to have the first one's sizes {list(sequences[0].shape[1:])} "
                f"behind the length, but got {list(sequence.shape[1:])}"
            )
    longest = max(len(sequence) for sequence in sequences)
    rows = []
    for sequence in sequences:
        missing = longest - len(sequence)
        ends = (missing, 0) if padding_side == "left" else (0, missing)
        # pad counts dimensions from the last one on
        padded = pad(sequence, (*(0, 0) * (sequence.dim() - 1), *ends), value=padding_value)
        rows.append(padded.to(sequences[0].dtype))
    return chainrule.stack(rows, 0 if batch_first else 1)


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """The list of sequences (lengths[i], *) that were padded behind: pad_sequence undone.

    padded_sequences: (T, B, *) or with batch_first (B, T, *). lengths: (B,), integers."""
    rows = padded_sequences.unbind(0 if batch_first else 1)
    return [row[:length] for row, length in zip(rows, lengths.tolist(), strict=True)]
