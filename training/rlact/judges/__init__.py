"""Judges: the value of actions and replies."""
