"""The knowledge of a seat: its copy of the state, and values computed from it."""
