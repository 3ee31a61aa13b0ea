"""Sample calls of special functions."""

from casebook import case, cplx, positive, real


def special(name):
    """The function of torch.special of this name."""
    return lambda T, *tensors: getattr(T.special, name)(*tensors)


case("sigmoid", lambda T, x: T.sigmoid(x), real(2, 3))
case("sigmoid complex", lambda T, z: T.sigmoid(z), cplx(4))
case("logit", lambda T, x: T.logit(x), real(2, 3, low=0.1, high=0.9))
case("logit eps", lambda T, x: T.logit(x, 0.25), [0.1, 0.4, 0.6, 0.9])
case("erf", lambda T, x: T.erf(x), real(2, 3))
case("erfc", lambda T, x: T.erfc(x), real(2, 3))
case("erfinv", lambda T, x: T.erfinv(x), real(2, 3, low=-0.9, high=0.9))
case("erfcx", special("erfcx"), real(6, low=-2, high=8))
case("ndtr", special("ndtr"), real(6, low=-4, high=4))
case("log_ndtr", special("log_ndtr"), real(6, low=-8, high=4))
case("ndtri", special("ndtri"), [0.03, 0.05, 0.3, 0.51, 0.7, 0.98], tolerance=1e-5)
case("lgamma", lambda T, x: T.lgamma(x), positive(2, 3))
case("lgamma negative", lambda T, x: T.lgamma(x), [-0.4, -1.6, -2.3])
case("digamma", lambda T, x: T.digamma(x), positive(2, 3))
case("digamma negative", lambda T, x: T.digamma(x), [-0.4, -1.6, -2.3], tolerance=1e-5)
case(
    "polygamma",
    lambda T, x: (T.polygamma(0, x), T.polygamma(1, x), T.polygamma(3, x)),
    positive(4, low=0.8),
    tolerance=1e-5,
)
case("polygamma method", lambda T, x: x.polygamma(2), positive(3, low=0.8), tolerance=1e-5)
case("mvlgamma", lambda T, x: T.mvlgamma(x, 3), positive(2, 3, low=1.5, high=4))
case("i0", lambda T, x: T.i0(x), real(2, 3))
case("i0 far", lambda T, x: T.i0(x), [24.0, 26.0, 40.0], tolerance=1e-5)
case("i0e", special("i0e"), real(6, low=0.5, high=30))
case("i1", special("i1"), real(2, 3))
case("i1e", special("i1e"), real(6, low=0.5, high=30))
case("entr", special("entr"), positive(5))
case("xlog1py", special("xlog1py"), real(2, 3), positive(3))
case("zeta", lambda T, x: T.special.zeta(2.5, x), positive(5))
case("igamma", lambda T, x: T.igamma(T.tensor([0.5, 1.0, 2.5]), x), positive(2, 3))
case("igammac", lambda T, x: T.igammac(T.tensor([0.5, 1.0, 2.5]), x), positive(2, 3))
for _name in ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_k0", "modified_bessel_k1"):
    case(_name, special(_name), positive(5), smooth=False)
