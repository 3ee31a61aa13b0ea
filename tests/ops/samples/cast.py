"""Samples of changes of dtype and memory format."""

from casebook import case, cplx, ints, real

case("to", lambda T, x: x.to(T.complex128), real(2, 3))
case("to other", lambda T, x, y: x.to(y), real(2, 3), cplx(1))
case("to copy", lambda T, x: x.to("cpu", T.float64, copy=True), real(2, 3))
case("double", lambda T, x: x.double(), real(2, 3))
case("cdouble", lambda T, x: x.cdouble(), real(2, 3))
case("type", lambda T, x: x.type(T.complex128), real(2, 3))
case("type_as", lambda T, x, y: x.type_as(y), real(2, 3), cplx(1))
case("cpu", lambda T, x: x.cpu(), real(2))
case("contiguous", lambda T, x: x.t().contiguous(), real(2, 3))
case("contiguous channels last", lambda T, x: x.contiguous(memory_format=T.channels_last), real(2, 3, 2, 2))
for name in ("float", "half", "bfloat16", "int", "long", "short", "char", "byte", "bool", "cfloat"):
    case(f"{name}", lambda T, x, name=name: getattr(x.abs(), name)().double(), ints(2, 3), smooth=False)
case("is_contiguous", lambda T, x: T.tensor(x.contiguous().t().is_contiguous()), real(2, 3), smooth=False)
case("is_non_overlapping_and_dense", lambda T, x: T.tensor(x.t().is_non_overlapping_and_dense()), real(2, 3),
     reference=False, smooth=False)  # fmt: skip
