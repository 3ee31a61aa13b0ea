"""Joining and splitting: cat, stack, split, chunk."""
