"""Samples of the losses with a margin."""

import numpy as np
from casebook import case, const, distinct, positive, real

_SIGNS = const(lambda rng: np.sign(rng.standard_normal((3, 4))))
_LISTS = np.array([[0, 3, -1, 1], [1, -1, 0, 0], [-1, 1, 1, 1]])


def _add(name, *inputs, label="", **options):
    for reduction in ("mean", "sum", "none"):
        case(f"{name} {label}{reduction}", lambda T, *tensors, r=reduction: getattr(T.nn.functional, name)(
            *tensors, reduction=r, **options), *inputs)  # fmt: skip


_add("hinge_embedding_loss", distinct(3, 4), _SIGNS)
_add("margin_ranking_loss", distinct(3, 4), real(3, 4), _SIGNS, margin=0.3)
_add("cosine_embedding_loss", real(3, 4), real(3, 4), np.array([1, -1, 1]), margin=-0.4)
_add("cosine_embedding_loss", real(4), real(4), np.array(1), label="single ")
_add("triplet_margin_loss", real(3, 4), real(3, 4), positive(3, 4))
_add("triplet_margin_loss", real(3, 4), real(3, 4), positive(3, 4), label="swapped ", swap=True, p=3)
_add("triplet_margin_with_distance_loss", real(3, 4), real(3, 4), positive(3, 4))
_add("triplet_margin_with_distance_loss", real(3, 4), real(3, 4), positive(3, 4), label="squares ",
     distance_function=lambda x, y: ((x - y) ** 2).sum(-1), swap=True)  # fmt: skip
_add("multi_margin_loss", distinct(3, 4), np.array([0, 3, 1]))
_add("multi_margin_loss", distinct(3, 4), np.array([0, 3, 1]), label="squared ", p=2, margin=0.8)
_add("multi_margin_loss", distinct(4), np.array(2), label="single ")
_add("multilabel_margin_loss", distinct(3, 4), _LISTS)
_add("multilabel_margin_loss", distinct(4), _LISTS[0], label="single ")
case("multi_margin_loss weighted", lambda T, x, t, w: T.nn.functional.multi_margin_loss(x, t, weight=w),
     distinct(3, 4), np.array([0, 3, 1]), const(positive(4)))  # fmt: skip
