"""Samples of losses."""

import numpy as np
from casebook import case, const, distinct, positive, real

_PROBABILITY = positive(3, 4, low=0.05, high=0.95)
_SIGNS = const(lambda rng: np.sign(rng.standard_normal((3, 4))))


def _nn(name, *args, **options):
    return lambda T, *tensors: getattr(T.nn.functional, name)(*tensors, *args, **options)


for _reduction in ("mean", "sum", "none"):

    def _add(name, *inputs, label="", r=_reduction, **options):
        case(f"{name} {label}{r}", _nn(name, reduction=r, **options), *inputs)

    _add("mse_loss", real(3, 4), real(3, 4))
    _add("mse_loss", real(3, 4), real(4), label="broadcast ")
    _add("l1_loss", distinct(3, 4), real(3, 4))
    _add("smooth_l1_loss", distinct(3, 4), real(3, 4), beta=0.7)
    _add("smooth_l1_loss", distinct(3, 4), real(3, 4), label="sharp ", beta=0)
    _add("huber_loss", distinct(3, 4), real(3, 4), delta=0.7)
    _add("binary_cross_entropy", _PROBABILITY, _PROBABILITY)
    _add("binary_cross_entropy_with_logits", real(3, 4), _PROBABILITY)
    _add("soft_margin_loss", real(3, 4), _SIGNS)
    _add("kl_div", real(3, 4), positive(3, 4))
    _add("kl_div", real(3, 4), real(3, 4), label="logarithms ", log_target=True)
    _add("poisson_nll_loss", real(3, 4), positive(3, 4))
    _add("poisson_nll_loss", positive(3, 4), positive(3, 4, low=1.2), label="rates ", log_input=False, full=True)
    _add("gaussian_nll_loss", real(3, 4), real(3, 4), positive(3, 4))
    _add("gaussian_nll_loss", real(3, 4), real(3, 4), positive(3, 1), label="shared ", full=True)
    _add("multilabel_soft_margin_loss", real(3, 4), const(lambda rng: 1.0 * (rng.random((3, 4)) < 0.5)))

case("mse_loss weighted", lambda T, x, y, w: T.nn.functional.mse_loss(x, y, weight=w), real(2, 3), real(2, 3),
     positive(2, 3))  # fmt: skip
case("l1_loss weighted", lambda T, x, y, w: T.nn.functional.l1_loss(x, y, weight=w), distinct(2, 3), real(2, 3),
     positive(2, 3))  # fmt: skip
case("huber_loss weighted", lambda T, x, y, w: T.nn.functional.huber_loss(x, y, weight=w), distinct(2, 3), real(2, 3),
     positive(2, 3))  # fmt: skip
case("kl_div batch", _nn("kl_div", reduction="batchmean"), real(3, 4), positive(3, 4))
case("binary_cross_entropy weighted", _nn("binary_cross_entropy"), _PROBABILITY, _PROBABILITY, const(positive(4)))
case("binary_cross_entropy_with_logits weighted", lambda T, x, y, w, p: (
    T.nn.functional.binary_cross_entropy_with_logits(x, y, w, pos_weight=p)), real(3, 4), _PROBABILITY,
    const(positive(3, 4)), const(positive(4)))  # fmt: skip
case("binary_cross_entropy_with_logits extremes", _nn("binary_cross_entropy_with_logits", reduction="none"),
     np.array([-800.0, -30.0, 30.0, 800.0]), const(np.array([0.0, 1.0, 0.0, 1.0])), smooth=False)  # fmt: skip
case("multilabel_soft_margin_loss weighted", _nn("multilabel_soft_margin_loss"), real(3, 4),
     const(lambda rng: 1.0 * (rng.random((3, 4)) < 0.5)), const(positive(4)))  # fmt: skip
case("gaussian_nll_loss number", lambda T, x, y: T.nn.functional.gaussian_nll_loss(x, y, 0.4), real(3, 4), real(3, 4))
