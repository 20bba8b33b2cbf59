"""Boards: what one looks at of a game, and how it is drawn."""
