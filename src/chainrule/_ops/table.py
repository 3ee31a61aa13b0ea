"""Every family of the op table."""

from chainrule._ops import (
    foundation, steady, arithmetic, power, comparison, bitwise, exponential, trigonometric, rounding,
    complex, selection, special, cast, shape, restriding, reordering, joining, repetition, reduction, norm, statistics, scan, sorting,
    searching, indexing, scatter, putting, diagonal, view_copies, cross, creation, ranges, signal_windows, random, matmul, einsum, decomposition, spectrum, inverse, matrix,
    fft, activation,
    softmax, normalization, embedding, dropout, loss, class_loss,
    margin_loss, alignment_loss, padding, convolution, pooling, resample, grid,
    attention, distance,
)  # fmt: skip

FAMILIES = (
    foundation, steady, arithmetic, power, comparison, bitwise, exponential, trigonometric, rounding,
    complex, selection, special, cast, shape, restriding, reordering, joining, repetition, reduction, norm, statistics, scan, sorting,
    searching, indexing, scatter, putting, diagonal, view_copies, cross, creation, ranges, signal_windows, random, matmul, einsum, decomposition, spectrum, inverse, matrix,
    fft, activation,
    softmax, normalization, embedding, dropout, loss, class_loss,
    margin_loss, alignment_loss, padding, convolution, pooling, resample, grid,
    attention, distance,
)  # fmt: skip
