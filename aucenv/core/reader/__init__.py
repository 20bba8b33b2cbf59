"""Reading of replies in words as decisions, for all games."""
