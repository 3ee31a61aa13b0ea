"""Embedding lookups, one-hot."""
