"""Changing dtype, device and memory layout."""
