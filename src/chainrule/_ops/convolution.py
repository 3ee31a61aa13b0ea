"""Convolutions and their transposes, folding."""
