"""Einstein summation and tensordot."""
