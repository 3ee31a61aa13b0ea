"""Complex numbers: parts, conjugates, polar form."""
