"""Samples of dropout: the noise is drawn from one seed, so that it is a constant and the same everywhere."""

from casebook import case, real


def _seeded(call):
    def seeded(T, x):
        T.manual_seed(11)
        return call(T, x)

    return seeded


for _name in ("dropout", "alpha_dropout", "feature_alpha_dropout"):
    _call = lambda T, x, f=_name, **options: getattr(T.nn.functional, f)(x, 0.3, True, **options)
    case(f"{_name} training", _seeded(lambda T, x, c=_call: c(T, x.contiguous())), real(3, 4, 2))
    case(f"{_name} in place", _seeded(lambda T, x, c=_call: c(T, x.contiguous() * 2, inplace=True)), real(3, 4, 2))
    case(f"{_name} evaluation", lambda T, x, f=_name: getattr(T.nn.functional, f)(x, 0.3, False) * 1, real(3, 4))
    case(f"{_name} all", lambda T, x, f=_name: getattr(T.nn.functional, f)(x, 1.0, True), real(3, 4))
    case(f"{_name} torch", _seeded(lambda T, x, f=_name: getattr(T, f)(x.contiguous(), 0.4, True)), real(3, 4))

case("feature_dropout torch", _seeded(lambda T, x: T.feature_dropout(x, 0.4, True)), real(3, 4, 2))
case("dropout1d batch", _seeded(lambda T, x: T.nn.functional.dropout1d(x, 0.4)), real(3, 4, 2))
case("dropout1d lone", _seeded(lambda T, x: T.nn.functional.dropout1d(x, 0.4)), real(4, 2))
case("dropout2d batch", _seeded(lambda T, x: T.nn.functional.dropout2d(x, 0.4)), real(3, 4, 2, 2))
case("dropout3d batch", _seeded(lambda T, x: T.nn.functional.dropout3d(x, 0.4)), real(3, 4, 2, 1, 2))
case("dropout3d lone", _seeded(lambda T, x: T.nn.functional.dropout3d(x, 0.4)), real(4, 2, 1, 2))
