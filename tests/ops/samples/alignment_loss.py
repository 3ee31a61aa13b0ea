"""Samples of connectionist temporal classification. (PyTorch has no second derivative there.)"""

import numpy as np
from casebook import case, real

_TARGETS = np.array([[1, 1, 2], [3, 4, 1], [2, 3, 3]])


def _loss(T, x, targets, **options):
    return T.nn.functional.ctc_loss(T.nn.functional.log_softmax(x, 2), targets, (7, 6, 5), (3, 2, 1), **options)


for _reduction in ("mean", "sum", "none"):
    case(f"ctc_loss {_reduction}", lambda T, x, t, r=_reduction: _loss(T, x, t, reduction=r), real(7, 3, 5), _TARGETS)
case("ctc_loss in a row", lambda T, x, t: _loss(T, x, t, blank=0), real(7, 3, 5), np.array([1, 2, 2, 4, 3, 1]))
case(
    "ctc_loss single",
    lambda T, x, t: T.nn.functional.ctc_loss(x.log_softmax(1), t, T.tensor(6), T.tensor(3), blank=4),
    real(6, 5),
    np.array([1, 2, 2]),
)
case(
    "ctc_loss impossible",
    lambda T, x, t: T.nn.functional.ctc_loss(x.log_softmax(2), t, (2, 6, 5), (3, 2, 0), zero_infinity=True),
    real(7, 3, 5),
    _TARGETS,
)
