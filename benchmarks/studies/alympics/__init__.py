"""Studies of Alympics (arXiv 2311.03220)."""
