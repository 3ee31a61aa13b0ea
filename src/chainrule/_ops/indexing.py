"""Reading by index: gather, index_select, advanced indexing."""
