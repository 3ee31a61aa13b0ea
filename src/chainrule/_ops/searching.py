"""Searching, counting and unique values."""
