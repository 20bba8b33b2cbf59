"""Decision states: their collection, features, messages and files."""
