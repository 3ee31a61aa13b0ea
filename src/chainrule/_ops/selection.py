"""Choosing between values: where, clamp, maximum, masks."""
