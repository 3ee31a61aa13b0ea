"""The slope of a gamma variate in its shape parameter, against the inverse of the incomplete gamma function."""

import numpy as np
from scipy.special import gammainc, gammaincinv

from chainrule._kernels.variate_slopes import standard_gamma_slope


def test_slope_is_that_of_the_quantile():
    for alpha in (0.02, 0.3, 1.0, 2.5, 17.0, 400.0):
        for quantile in (0.01, 0.2, 0.5, 0.9, 0.999):
            sample = gammaincinv(alpha, quantile)
            if sample < 1e-250:
                continue
            h = 1e-5 * alpha
            level = gammainc(alpha, sample)
            ahead, back = gammaincinv(alpha + h, level), gammaincinv(alpha - h, level)
            found = standard_gamma_slope(np.array(alpha), np.array(sample))
            np.testing.assert_allclose(found, (ahead - back) / (2 * h), rtol=2e-6)


def test_dtype_and_broadcasting():
    found = standard_gamma_slope(np.ones((2, 1), np.float32), np.ones(3, np.float32))
    assert found.dtype == np.float32 and found.shape == (2, 3)
    assert standard_gamma_slope(np.array([1.0]), np.array([0.0])).tolist() == [0.0]
