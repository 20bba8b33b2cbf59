"""Houses, the personas that they suit, their descriptions, and houses that are generated from a seed."""
