"""Rule bidders, a module a game."""
