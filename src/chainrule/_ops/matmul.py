"""Matrix products and contractions."""
