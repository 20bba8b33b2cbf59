"""The commands that train bidders."""
