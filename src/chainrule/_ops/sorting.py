"""Sorting and order statistics."""
