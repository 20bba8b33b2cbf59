"""The result of a replay."""

from __future__ import annotations

import dataclasses
from typing import Any

from aucenv.core.files import JsonObject


@dataclasses.dataclass(frozen=True)
class ReplayResult:
    """The result of replaying a recorded game with our rules.

    Attributes:
        id: The identifier of the recorded game.
        output: The results of our rules, as `aucenv replay --out` writes them; None if the replay failed.
        difference: The first difference between our rules and the record; None if they agree.
        compared: Whether the record includes results to compare with.
        table: The table at which the game was replayed, up to the first difference that stopped it.
    """

    id: int | str
    output: JsonObject | None
    difference: str | None
    compared: bool
    table: Any


class ReplayDifference(Exception):
    """A difference between our rules and a record."""
