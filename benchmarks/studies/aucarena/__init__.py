"""Studies of AucArena (arXiv 2310.05746)."""
