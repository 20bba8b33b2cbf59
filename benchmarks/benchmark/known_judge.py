"""The judge that knows the rivals: in its rollouts, exactly the bidders of the table play their seats."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from aucenv.training.rlact.judge_policy import DEFAULTS, JudgeGreedy
from aucenv.training.rlact.simulator import Simulator


@dataclasses.dataclass(frozen=True)
class KnownRivals(Simulator):
    """The settings of rollouts with known rivals.

    Attributes:
        table: The bidders of all seats; the one of the judge's seat is not used.
    """

    table: tuple[str, ...] = ()

    def lineups(self, game: str, seat: int, bidders: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the only lineup: `own` in the seat, and the bidders of the table in the other seats."""
        own, *_ = self.bidders(game)
        return [(*self.table[:seat], own, *self.table[seat + 1 :])]


def known_judge(game: str, bidders: Sequence[str], samples: int) -> JudgeGreedy:
    """Return a bidder that takes the action with the highest mean profit in rollouts with these rivals.

    Args:
        game: "english" or "harbor".
        bidders: The bidders of all seats; the one of the judge's seat is not used.
        samples: The number of rollouts of each action.
    """
    settings = {field.name: getattr(DEFAULTS, field.name) for field in dataclasses.fields(DEFAULTS)}
    return JudgeGreedy(game, KnownRivals(**{**settings, "samples": samples}, table=tuple(bidders)))
