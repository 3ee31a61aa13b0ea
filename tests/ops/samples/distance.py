"""Samples of distances and similarities."""

from casebook import case, cplx, real

for _p in (1, 1.5, 2, 3, float("inf")):
    case(f"cdist {_p}", lambda T, x, y, p=_p: T.cdist(x, y, p), real(2, 3, 4), real(2, 2, 4))
    case(f"pdist {_p}", lambda T, x, p=_p: T.pdist(x, p), real(4, 3))
    case(f"pairwise_distance {_p}", lambda T, x, y, p=_p: T.pairwise_distance(x, y, p), real(3, 4), real(4))
    case(f"normalize {_p}", lambda T, x, p=_p: T.nn.functional.normalize(x, p), real(3, 4))
case("cdist count", lambda T, x, y: T.cdist(x, y, 0), real(3, 2), real(4, 2), smooth=False)
case("cdist product", lambda T, x, y: T.cdist(x, y, compute_mode="use_mm_for_euclid_dist"), real(3, 2), real(4, 2))
case("cdist broadcast", lambda T, x, y: T.cdist(x, y), real(2, 3, 2), real(4, 2))
case("normalize complex", lambda T, x: T.nn.functional.normalize(x, dim=0), cplx(3, 2))
case("cosine_similarity", lambda T, x, y: T.cosine_similarity(x, y), real(3, 4), real(3, 4))
case("cosine_similarity broadcast", lambda T, x, y: T.cosine_similarity(x, y, -1), real(3, 1, 2), real(4, 2))
