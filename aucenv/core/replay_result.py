"""What our rules made of a recorded game."""

from __future__ import annotations

import dataclasses
from typing import Any

from aucenv.core.files import JsonObject


@dataclasses.dataclass(frozen=True)
class ReplayResult:
    """A recorded game, fed to our rules.

    Attributes:
        made: what our rules made of it, as `aucenv replay --out` writes it; None where it could not be followed.
        difference: where our rules and the record first differ, and what; None where they agree.
        compared: whether the record holds what came of it.
        table: at which it was played, as far as our rules followed it.
    """

    id: int | str
    made: JsonObject | None
    difference: str | None
    compared: bool
    table: Any


class ReplayDifference(Exception):
    """Our rules and the record differ."""
