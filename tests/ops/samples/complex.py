"""Sample calls on complex numbers and signs."""

from casebook import bools, case, const, cplx, ints, positive, real

case("conj", lambda T, z: z.conj(), cplx(2, 3))
case("conj function", lambda T, z: T.conj(z) * z, cplx(2, 3))
case("conj_physical", lambda T, z: T.conj_physical(z), cplx(2, 3))
case("resolve_conj", lambda T, z: T.resolve_conj(z.conj()), cplx(2, 3))
case("resolve_neg", lambda T, z: T.resolve_neg(-z), cplx(2, 3))
case("real", lambda T, z: T.real(z), cplx(2, 3))
case("real property", lambda T, z, x: z.real * x.real, cplx(2, 3), real(3))
case("imag", lambda T, z: T.imag(z), cplx(2, 3))
case("imag property", lambda T, z: z.imag * z.real, cplx(2, 3))
case("view_as_real", lambda T, z: T.view_as_real(z), cplx(2, 3))
case("view_as_complex", lambda T, x: T.view_as_complex(x.contiguous()), real(2, 3, 2))
case("complex", lambda T, x, y: T.complex(x, y), real(2, 3), real(3))
case("polar", lambda T, x, y: T.polar(x, y), real(2, 3), real(3))
case("angle", lambda T, z: T.angle(z), cplx(2, 3))
case("angle real", lambda T, x: T.angle(x), real(2, 3), smooth=False)
case("sign", lambda T, x: T.sign(x), real(2, 3))
case("sign integers", lambda T, x, b: (T.sign(x), T.sign(b)), ints(5), bools(4), smooth=False)
case("sgn", lambda T, z: T.sgn(z), cplx(2, 3))
case("sgn real", lambda T, x: T.sgn(x), const(real(4)), smooth=False)
case("abs of polar", lambda T, x, y: T.polar(x, y).abs(), positive(3), real(3))
case("is_complex", lambda T, z: T.tensor([T.is_complex(z), T.is_complex(z.real)]), cplx(2), smooth=False)
case("is_floating_point", lambda T, z: T.tensor([T.is_floating_point(z), z.real.is_floating_point()]),
     cplx(2), smooth=False)  # fmt: skip
case("is_conj", lambda T, z: T.tensor([T.is_conj(z)]), cplx(2), smooth=False)
