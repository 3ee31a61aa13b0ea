"""New tensors from sizes, ranges and values."""
