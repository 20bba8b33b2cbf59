"""Playing games, under the names that users import; `aucenv.runs` has the code."""

from aucenv.runs.executors import play_many
from aucenv.runs.play import Match, play

__all__ = ["Match", "play", "play_many"]
