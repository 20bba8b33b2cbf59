"""Games as data, and what is computed from them."""
