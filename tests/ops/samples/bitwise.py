"""Sample calls of bitwise ops."""

from casebook import bools, case, ints

for _name in ("and", "or", "xor"):
    case(f"bitwise_{_name}", lambda T, x, y, f=f"bitwise_{_name}": getattr(T, f)(x, y), ints(3, 4), ints(4),
         smooth=False)  # fmt: skip
    case(f"bitwise_{_name} booleans", lambda T, x, y, f=f"bitwise_{_name}": getattr(T, f)(x, y), bools(3, 4),
         bools(4), smooth=False)  # fmt: skip
case("bitwise_not", lambda T, x: ~x, ints(3, 4), smooth=False)
case("bitwise_not booleans", lambda T, x: ~x, bools(5), smooth=False)
case("bitwise_left_shift", lambda T, x: (x << 3, x << 70, 3 << (x % 5)), ints(5), smooth=False)
case("bitwise_right_shift", lambda T, x: (x >> 1, x >> 70), ints(5), smooth=False)
