"""A game as it stands, to go on from: as it was, with other chance, or with what a seat cannot know drawn anew."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from aucenv.core.checks import one_of
from aucenv.core.decisions import Accepted, ClosedRound
from aucenv.core.game import Game
from aucenv.core.state import NOBODY


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """A game between two answers.

    Attributes:
        state: (1,) array of the state's dtype.
        closed: the rounds before.
        answered: what was answered in the open round, by seat: its amount, and it.
        attempts, refused: what was refused in it, by seat.
    """

    game: Game
    scenario: Any
    state: np.ndarray
    closed: tuple[ClosedRound, ...] = ()
    answered: dict[int, tuple[int, Accepted]] = dataclasses.field(default_factory=dict)
    attempts: dict[int, list] = dataclasses.field(default_factory=dict)
    refused: dict[int, str] = dataclasses.field(default_factory=dict)

    def check(self, game: Game, scenario: Any) -> None:
        """Check that this is a snapshot of that game.

        Raises:
            ValueError: it is of another game, version or scenario.
        """
        here, there = (f"{each.name}_v{each.version}" for each in (game, self.game))
        if here != there:
            raise ValueError(f"snapshot: expected one of {here}, got one of {there}")
        if self.scenario != scenario:
            differing = [
                part.name
                for part in dataclasses.fields(scenario)
                if getattr(scenario, part.name) != getattr(self.scenario, part.name, None)
            ]
            raise ValueError(f"snapshot: expected one of this scenario, got one with other {', '.join(differing)}")


def resample_hidden(snapshot: Snapshot, seat: str, rng: np.random.Generator) -> Snapshot:
    """The same game to all that `seat` may know, with everything hidden from it drawn anew.

    What others answered in the open round is taken back. How hidden values are drawn: the game's `belief.resample`.

    Args:
        seat: "bidder_0", ...
        rng: from which they are drawn.

    Raises:
        ValueError: there is no such seat.
    """
    names = snapshot.game.view.ScenarioText.of(snapshot.scenario).seats
    number = names.index(one_of("seat", seat, names))
    state = snapshot.state.copy()
    state["forced_tie"] = NOBODY
    snapshot.game.belief.resample(state, 0, number, int(rng.integers(2**63)))
    return dataclasses.replace(
        snapshot,
        state=state,
        answered=_only(number, snapshot.answered),
        attempts=_only(number, snapshot.attempts),
        refused=_only(number, snapshot.refused),
    )


def _only(seat: int, by_seat: dict[int, Any]) -> dict[int, Any]:
    return {seat: by_seat[seat]} if seat in by_seat else {}
