"""Random draws."""
