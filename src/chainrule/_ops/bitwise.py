"""Bits of integers and booleans, logical operations."""
