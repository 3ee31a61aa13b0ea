"""Rounding, signs, remainders and other piecewise ops."""
