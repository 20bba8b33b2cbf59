"""Studies of HARBOR (arXiv 2502.12149)."""
