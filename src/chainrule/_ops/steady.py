"""Products that keep an exact zero: the helper rules with infinite derivatives use."""
