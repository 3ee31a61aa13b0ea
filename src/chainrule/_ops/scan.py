"""Cumulative sums, products and extrema; differences."""
