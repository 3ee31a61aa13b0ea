"""chainrule beside PyTorch: `python -m benchmarks` measures, prints the table and writes results.md."""
