"""Money, names and phrases, and replies as amounts."""
