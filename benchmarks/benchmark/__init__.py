"""The benchmark: fixed tables of held-out rivals, and scores between `random` and a reference."""
