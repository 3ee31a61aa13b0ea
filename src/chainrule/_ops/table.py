"""Every family of the op table."""

from chainrule._ops import (
    foundation, steady, arithmetic, comparison, bitwise, exponential, trigonometric, rounding,
    complex, selection, special, cast, shape, joining, reduction, statistics, scan, sorting,
    searching, indexing, scatter, creation, random, matmul, einsum, decomposition, fft, activation,
    softmax, normalization, embedding, dropout, loss, padding, convolution, pooling, resample, grid,
    attention, distance,
)  # fmt: skip

FAMILIES = (
    foundation, steady, arithmetic, comparison, bitwise, exponential, trigonometric, rounding,
    complex, selection, special, cast, shape, joining, reduction, statistics, scan, sorting,
    searching, indexing, scatter, creation, random, matmul, einsum, decomposition, fft, activation,
    softmax, normalization, embedding, dropout, loss, padding, convolution, pooling, resample, grid,
    attention, distance,
)  # fmt: skip
