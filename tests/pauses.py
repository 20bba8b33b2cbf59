"""A pause between the attempts of a call."""

from __future__ import annotations


def no_pause(seconds, why=""):
    """A pause that takes no time."""
