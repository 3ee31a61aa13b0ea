"""Samples of matrix products and the linear layer's function."""

from casebook import case, cplx, real

SHAPES = {
    "vectors": ((3,), (3,)),
    "matrix vector": ((2, 3), (3,)),
    "vector matrix": ((3,), (3, 2)),
    "matrices": ((2, 3), (3, 4)),
    "batch vector": ((2, 3, 4), (4,)),
    "batch matrix": ((2, 3, 4), (4, 2)),
    "vector batch": ((4,), (2, 4, 3)),
    "matrix batch": ((3, 4), (2, 4, 2)),
    "batches": ((2, 3, 4), (2, 4, 2)),
    "broadcast batches": ((3, 1, 2, 4), (2, 4, 2)),
    "four dims": ((2, 2, 3, 4), (2, 2, 4, 1)),
}

for _name, (_a, _b) in SHAPES.items():
    case(f"matmul {_name}", lambda T, x, y: T.matmul(x, y), real(*_a), real(*_b))
    case(f"matmul {_name} complex", lambda T, x, y: x @ y, cplx(*_a), cplx(*_b))
case("matmul empty", lambda T, x, y: x @ y, real(2, 0), real(0, 3))

for _kind, _make in (("", real), (" complex", cplx)):
    case(f"mm{_kind}", lambda T, x, y: x.mm(y), _make(2, 3), _make(3, 4))
    case(f"mv{_kind}", lambda T, x, y: x.mv(y), _make(2, 3), _make(3))
    case(f"dot{_kind}", lambda T, x, y: x.dot(y), _make(4), _make(4))
    case(f"vdot{_kind}", lambda T, x, y: T.vdot(x, y), _make(4), _make(4))
    case(f"bmm{_kind}", lambda T, x, y: x.bmm(y), _make(2, 2, 3), _make(2, 3, 2))
    case(f"outer{_kind}", lambda T, x, y: T.outer(x, y), _make(3), _make(2))
    case(f"addmm{_kind}", lambda T, i, x, y: T.addmm(i, x, y, alpha=2, beta=0.5), _make(2, 4), _make(2, 3), _make(3, 4))
    case(f"addmv{_kind}", lambda T, i, x, y: T.addmv(i, x, y, alpha=-1, beta=2), _make(2), _make(2, 3), _make(3))
    case(f"addr{_kind}", lambda T, i, x, y: T.addr(i, x, y, alpha=3), _make(2, 3), _make(2), _make(3))
    case(f"baddbmm{_kind}", lambda T, i, x, y: i.baddbmm(x, y, beta=0.5),
        _make(2, 2, 2), _make(2, 2, 3), _make(2, 3, 2))  # fmt: skip
    case(f"addbmm{_kind}", lambda T, i, x, y: i.addbmm(x, y, alpha=2), _make(2, 2), _make(3, 2, 3), _make(3, 3, 2))
    case(f"linear{_kind}", lambda T, x, w, b: T.nn.functional.linear(x, w, b), _make(4, 3), _make(2, 3), _make(2))
    case(f"bilinear{_kind}", lambda T, x, y, w, b: T.nn.functional.bilinear(x, y, w, b),
        _make(4, 2), _make(4, 3), _make(2, 2, 3), _make(2))  # fmt: skip

case("ger", lambda T, x, y: x.ger(y), real(2), real(3))
case("outer mixed", lambda T, x, y: T.outer(x, y), real(2), cplx(3))
case("addmm broadcast", lambda T, i, x, y: T.addmm(i, x, y), real(4), real(2, 3), real(3, 4))
case("linear no bias", lambda T, x, w: T.nn.functional.linear(x, w), real(4, 3), real(2, 3))
case("linear vector", lambda T, x, w, b: T.nn.functional.linear(x, w, b), real(3), real(2, 3), real(2))
case("linear batch", lambda T, x, w, b: T.nn.functional.linear(x, w, b), real(2, 2, 3), real(4, 3), real(4))
case("linear vector weight", lambda T, x, w: T.nn.functional.linear(x, w), real(4, 3), real(3))
case("bilinear no bias", lambda T, x, y, w: T.nn.functional.bilinear(x, y, w), real(2), real(3), real(2, 2, 3))
