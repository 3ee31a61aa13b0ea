"""Samples of the activation functions."""

from casebook import case, distinct, real


def _nn(name, *args, **options):
    return lambda T, *tensors: getattr(T.nn.functional, name)(*tensors, *args, **options)


for _name in (
    "relu", "relu6", "leaky_relu", "hardtanh", "hardsigmoid", "hardswish", "hardshrink", "softshrink", "elu", "celu",
    "selu", "silu", "mish", "gelu", "softplus", "logsigmoid", "softsign", "tanhshrink", "rrelu",
):  # fmt: skip
    case(f"{_name} plain", _nn(_name), distinct(3, 5))
    case(f"{_name} scalar", _nn(_name), 0.73)

for _name in (
    "relu", "relu6", "leaky_relu", "hardtanh", "hardsigmoid", "hardswish", "elu", "celu", "selu", "silu", "mish",
    "rrelu",
):  # fmt: skip
    case(f"{_name} in place", lambda T, x, f=_name: getattr(T.nn.functional, f)(x * 1.5, inplace=True), distinct(4, 3))

case("relu method", lambda T, x: x.relu() + T.relu(x * 2), distinct(3, 4))
case("relu underscore", lambda T, x: T.relu_(x * 1.5), distinct(3, 4))
case("leaky_relu slope", _nn("leaky_relu", 0.3), distinct(2, 4))
case("threshold plain", _nn("threshold", 0.11, 20.0), distinct(2, 4))
case("threshold torch", lambda T, x: T.threshold(x, 0.11, -3.0), distinct(2, 4))
case("hardtanh bounds", _nn("hardtanh", -0.5, 0.8), distinct(3, 4))
case("hardshrink method", lambda T, x: x.hardshrink(0.4) + T.hardshrink(x, 0.2), distinct(3, 4))
case("softshrink lambda", _nn("softshrink", 0.3), distinct(3, 4))
case("elu alpha", _nn("elu", 0.7), distinct(3, 4))
case("celu alpha", lambda T, x: T.celu(x, 0.5), distinct(3, 4))
case("selu torch", lambda T, x: T.selu(x), distinct(3, 4))
case("gelu tanh", _nn("gelu", approximate="tanh"), real(3, 4))
case("softplus sharp", _nn("softplus", 3, 2.0), distinct(3, 4))
case("glu plain", _nn("glu"), real(3, 4))
case("glu first", _nn("glu", 0), real(2, 3, 2))
case("prelu one", _nn("prelu"), distinct(2, 3, 2), real(1))
case("prelu channels", lambda T, x, w: T.prelu(x, w) + x.prelu(w), distinct(2, 3, 2), real(3))
case("prelu vector", _nn("prelu"), distinct(5), real(1))


def _drawn(T, x):
    T.manual_seed(7)
    return T.nn.functional.rrelu(x, 0.1, 0.4, training=True)


case("rrelu training", _drawn, distinct(4, 5))
