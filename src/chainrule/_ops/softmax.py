"""Softmax and its kin."""
