"""Sums, products, extrema and truth over dimensions."""
