"""Means, variances, norms, quantiles."""
