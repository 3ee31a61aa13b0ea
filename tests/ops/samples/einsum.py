"""Samples of contractions over labelled dimensions."""

from casebook import case, cplx, real

EQUATIONS = {
    "ij,jk->ik": ((2, 3), (3, 4)),
    "ij,jk->ki": ((2, 3), (3, 4)),
    "ij->ji": ((2, 3),),
    "ii->i": ((3, 3),),
    "ii": ((3, 3),),
    "iij->j": ((3, 3, 2),),
    "ij,ij->": ((2, 3), (2, 3)),
    "...j,j": ((2, 3), (3,)),
    "bij,bjk->bik": ((2, 2, 3), (2, 3, 2)),
    "bhid,bhjd->bhij": ((2, 2, 3, 2), (2, 2, 2, 2)),
    "...ij,...jk->...ik": ((3, 1, 2, 3), (2, 3, 2)),
    "i,j->ij": ((2,), (3,)),
    "ij,k->ik": ((2, 3), (2,)),
    "ij,ij->j": ((1, 2), (3, 1)),
    "iji,j->i": ((2, 3, 2), (3,)),
    "ij,jk,kl->il": ((2, 3), (3, 2), (2, 4)),
    "ij,ik,il->jkl": ((3, 2), (3, 2), (3, 2)),
    "aB": ((2, 3),),
    "i->...": ((3,),),
}

for _equation, _shapes in EQUATIONS.items():
    case(f"einsum {_equation}", lambda T, *x, e=_equation: T.einsum(e, *x), *[real(*s) for s in _shapes])
    case(f"einsum {_equation} complex", lambda T, *x, e=_equation: T.einsum(e, *x), *[cplx(*s) for s in _shapes])
case("einsum sublists", lambda T, x, y: T.einsum(x, [0, ...], y, [..., 2], [..., 2, 0]), real(2, 3), real(3, 4))
case("einsum list", lambda T, x, y: T.einsum("ij,jk", [x, y]), real(2, 3), real(3, 4))

case("tensordot number", lambda T, x, y: T.tensordot(x, y, 2), real(2, 3, 2), real(3, 2, 2))
case("tensordot lists", lambda T, x, y: T.tensordot(x, y, ([0, -1], [1, 0])), cplx(2, 3, 4), cplx(4, 2, 2))
case("tensordot zero", lambda T, x, y: T.tensordot(x, y, 0), real(2, 3), real(2))
case("inner", lambda T, x, y: T.inner(x, y), cplx(2, 3), cplx(4, 3))
case("kron", lambda T, x, y: T.kron(x, y), real(2, 3), real(2))
case("kron complex", lambda T, x, y: x.kron(y), cplx(2), cplx(2, 2))
case("vecdot", lambda T, x, y: T.linalg.vecdot(x, y, dim=0), cplx(3, 2), cplx(3, 2))
case("multi_dot", lambda T, *x: T.linalg.multi_dot(x), real(3), real(3, 4), real(4, 2), real(2))
case("multi_dot matrices", lambda T, *x: T.linalg.multi_dot(x), cplx(2, 3), cplx(3, 1), cplx(1, 4))
case("chain_matmul", lambda T, *x: T.chain_matmul(*x), real(2, 3), real(3, 4), real(4, 1))
