"""Samples of embeddings."""

import numpy as np
from casebook import case, ints, real

_PLACES = np.array([[1, 2, 1], [5, 0, 3]])
_FLAT = np.array([1, 2, 1, 5, 0, 3])
_OFFSETS = np.array([0, 2, 2, 5])

case("embedding plain", lambda T, i, w: T.nn.functional.embedding(i, w) ** 2, _PLACES, real(6, 3))
case("embedding padding", lambda T, i, w: T.nn.functional.embedding(i, w, padding_idx=-5) ** 2, ints(4, low=2, high=6),
     real(6, 3))  # fmt: skip
case("embedding torch", lambda T, i, w: T.embedding(w, i) ** 2, _PLACES, real(6, 3))
case("embedding one", lambda T, i, w: T.nn.functional.embedding(i, w), np.array(4), real(6, 3))
case("embedding normed", lambda T, i, w: T.nn.functional.embedding(i, w.clone(), max_norm=1.0, norm_type=1.0), _PLACES,
     real(6, 3), smooth=False)  # fmt: skip
for _mode in ("sum", "mean", "max"):
    case(f"embedding_bag {_mode}", lambda T, i, w, m=_mode: T.nn.functional.embedding_bag(i, w, mode=m), _PLACES,
         real(6, 3))  # fmt: skip
    case(f"embedding_bag {_mode} offsets", lambda T, i, w, o, m=_mode: T.nn.functional.embedding_bag(i, w, o, mode=m),
         _FLAT, real(6, 3), _OFFSETS)  # fmt: skip
    case(f"embedding_bag {_mode} last", lambda T, i, w, o, m=_mode: T.nn.functional.embedding_bag(
        i, w, o, mode=m, include_last_offset=True), _FLAT, real(6, 3), np.array([0, 2, 2, 6]))  # fmt: skip
case("embedding_bag weights", lambda T, i, w, s: T.nn.functional.embedding_bag(
    i, w, mode="sum", per_sample_weights=s), _PLACES, real(6, 3), real(2, 3))  # fmt: skip
case("one_hot plain", lambda T, i: T.nn.functional.one_hot(i), ints(2, 3, low=0, high=5), smooth=False)
case("one_hot classes", lambda T, i: T.nn.functional.one_hot(i, 7), ints(4, low=0, high=5), smooth=False)
