"""Samples of softmax and its kin."""

from casebook import case, real

for _name in ("softmax", "log_softmax", "softmin"):
    for _dim in (-1, 0, 1):
        case(f"{_name} dim {_dim}", lambda T, x, f=_name, d=_dim: getattr(T.nn.functional, f)(x, d), real(3, 4, 2))
    case(f"{_name} scalar", lambda T, x, f=_name: getattr(T.nn.functional, f)(x, 0) * x, 0.4)
    case(f"{_name} dtype", lambda T, x, f=_name: getattr(T.nn.functional, f)(x, 1, dtype=T.float64), real(2, 3))

for _name in ("softmax", "log_softmax"):
    case(f"{_name} method", lambda T, x, f=_name: getattr(x, f)(1) + getattr(T, f)(x, 0), real(3, 4))
    case(f"{_name} special", lambda T, x, f=_name: getattr(T.special, f)(x, 1), real(3, 4))


def _sampled(T, x, hard):
    T.manual_seed(5)
    return T.nn.functional.gumbel_softmax(x.contiguous(), 0.8, hard=hard, dim=1)


# With hard=True the gradient is the soft sample's, which is not that of the values.
case("gumbel_softmax soft", lambda T, x: _sampled(T, x, False), real(3, 4))
case("gumbel_softmax hard", lambda T, x: _sampled(T, x, True), real(3, 4), smooth=False)
