"""Writing by index: scatter, index_add, index_put, masks."""
