"""How random variates move with their parameters: derivatives for reparameterized samples."""

import numpy as np

from chainrule._kernels.special import digamma

RELATIVE = 1e-16


def standard_gamma_slope(alpha, sample):
    """d sample / d alpha of a gamma variate of scale 1 at a fixed quantile: -(∂P/∂alpha) / (∂P/∂sample).

    P, the regularized incomplete gamma function, is taken as its power series x^a e^-x Σ x^n / Γ(a + n + 1), whose
    terms divided by the density are x/a, x²/(a (a+1)), …; the derivative multiplies each by ln x - ψ(a + n + 1).
    """
    a, x = np.broadcast_arrays(np.asarray(alpha, np.float64), np.asarray(sample, np.float64))
    with np.errstate(all="ignore"):
        log_x = np.log(x)
        psi = np.asarray(digamma(np.array(a + 1)))
        place = np.array(a)
        term = x / a
        total = term * (log_x - psi)
        while True:
            place = place + 1
            psi = psi + 1 / place
            term = term * (x / place)
            step = term * (log_x - psi)
            total = total + step
            live = (np.abs(step) > RELATIVE * np.abs(total)) | (x > place)
            if not (live & np.isfinite(step)).any():
                break
    return np.asarray(np.where(x > 0, -total, 0.0), np.result_type(alpha, sample))
