"""Normalisation over batches, layers and groups."""
