"""Samples of tensors repeated, broadcast together and combined."""

import numpy as np
from casebook import case, const, cplx, real

case("repeat", lambda T, x: x.repeat(2, 1, 3), real(2, 2))
case("repeat complex", lambda T, x: x.repeat(2), cplx(2))
case("tile", lambda T, x: T.tile(x, (2,)), real(2, 3))
case("tile more", lambda T, x: x.tile(2, 1, 2), real(2))
case("repeat_interleave", lambda T, x: T.repeat_interleave(x, 2), real(2, 2))
case("repeat_interleave along", lambda T, x: x.repeat_interleave(2, dim=1), real(2, 2))
case(
    "repeat_interleave counts",
    lambda T, x, n: x.repeat_interleave(n, 0),
    real(3, 2),
    const(np.array([1, 0, 2])),
)
case("repeat_interleave alone", lambda T, n: T.repeat_interleave(n), const(np.array([1, 0, 2])), smooth=False)
case("broadcast_tensors", lambda T, x, y: T.broadcast_tensors(x, y), real(3), real(2, 1))
case("broadcast_shapes", lambda T, x: x.expand(T.broadcast_shapes((2, 1), (3,))), real(3))
case("meshgrid", lambda T, x, y: T.meshgrid(x, y, indexing="ij"), real(2), real(3))
case("meshgrid xy", lambda T, x, y, z: T.meshgrid([x, y, z], indexing="xy"), real(2), real(3), real())
case("block_diag", lambda T, x, y, z: T.block_diag(x, y, z), real(2, 3), real(2), real())
case("cartesian_prod", lambda T, x, y: T.cartesian_prod(x, y), real(2), real(3))
case("combinations", lambda T, x: T.combinations(x), real(4))
case("combinations with replacement", lambda T, x: T.combinations(x, 3, True), real(3))
