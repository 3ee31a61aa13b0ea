"""Tensor's face: methods installed from the op table, properties, factories, printing, indexing, interchange."""
