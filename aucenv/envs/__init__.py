"""The games, a folder each, and what some of them share."""
