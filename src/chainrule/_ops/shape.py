"""Views and shapes: reshape, permute, expand, slice."""
