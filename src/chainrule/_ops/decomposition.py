"""Matrix decompositions, solves, determinants, norms."""
