"""Records and calls in the formats of other tools."""
