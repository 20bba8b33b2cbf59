"""Studies of Synthetic Labs (arXiv 2507.09083)."""
