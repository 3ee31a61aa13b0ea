"""The engine: tensors' fields, ops, what is recorded, and the walk backward. It knows no op by name."""
