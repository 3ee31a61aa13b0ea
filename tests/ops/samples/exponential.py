"""Sample calls of exponentials, logarithms and hyperbolic functions."""

from casebook import case, cplx, ints, positive, real

for _name in ("exp", "exp2", "expm1", "tanh", "sinh", "cosh", "asinh"):
    case(_name, lambda T, x, f=_name: getattr(T, f)(x), real(2, 3))
    case(f"{_name} complex", lambda T, x, f=_name: getattr(T, f)(x), cplx(4))
for _name in ("log", "log2", "log10", "log1p"):
    case(_name, lambda T, x, f=_name: getattr(T, f)(x), positive(2, 3))
    case(f"{_name} complex", lambda T, x, f=_name: getattr(T, f)(x), cplx(4))
case("exp integers", lambda T, x: T.exp(x * 0), ints(4), smooth=False)
case("acosh", lambda T, x: T.acosh(x), positive(2, 3, low=1.2))
case("acosh complex", lambda T, x: T.acosh(x), cplx(4), reference=False)
case("atanh", lambda T, x: T.atanh(x), real(2, 3, low=-0.9, high=0.9))
case("atanh complex", lambda T, x: T.atanh(x), cplx(4))
case("logaddexp", lambda T, x, y: T.logaddexp(x, y), real(2, 3), real(3))
case("logaddexp complex", lambda T, x, y: T.logaddexp(x, y), cplx(3), cplx(3))
case("logaddexp2", lambda T, x, y: T.logaddexp2(x, y), real(2, 3), real(3))
case("xlogy", lambda T, x, y: T.xlogy(x, y), real(2, 3), positive(3))
case("xlogy number", lambda T, x: (T.xlogy(x, 2.5), T.xlogy(0, x)), positive(2, 3))
