"""torch.special: special functions under the names they have there. The ops themselves are in `_ops`."""

from chainrule._engine.refusal import faces as _faces
from chainrule._ops.exponential import exp2, expm1, log1p, xlogy
from chainrule._ops.reduction import logsumexp
from chainrule._ops.rounding import round
from chainrule._ops.softmax import log_soft as log_softmax
from chainrule._ops.softmax import soft as softmax
from chainrule._ops.special import (
    bessel_j0,
    bessel_j1,
    bessel_y0,
    bessel_y1,
    digamma,
    entr,
    erf,
    erfc,
    erfcx,
    erfinv,
    i0,
    i0e,
    i1,
    i1e,
    igamma,
    igammac,
    lgamma,
    log_ndtr,
    logit,
    modified_bessel_k0,
    modified_bessel_k1,
    mvlgamma,
    ndtr,
    ndtri,
    polygamma,
    sigmoid,
    xlog1py,
    zeta,
)  # fmt: skip
from chainrule._ops.trigonometric import sinc

expit = sigmoid
gammainc, gammaincc, gammaln, multigammaln, psi = igamma, igammac, lgamma, mvlgamma, digamma
modified_bessel_i0, modified_bessel_i1 = i0, i1

# composites stand here in their public form
globals().update({_name: _faces[_f] for _name, _f in list(globals().items()) if callable(_f) and _f in _faces})
