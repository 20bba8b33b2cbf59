"""Public names for playing games; `aucenv.runs` holds the code."""

from aucenv.runs.executors import play_many
from aucenv.runs.play import Match, play

__all__ = ["Match", "play", "play_many"]
