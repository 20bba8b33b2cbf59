"""Leaderboards, and what follows from their results folders."""
