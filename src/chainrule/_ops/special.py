"""Special functions: error function, gamma function and their kin."""
