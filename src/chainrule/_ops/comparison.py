"""Comparisons and truth values of elements."""
