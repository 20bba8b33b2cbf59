"""Snapshots of games in progress, to resume exactly, with new randomness, or with hidden values resampled."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from aucenv.core.checks import one_of
from aucenv.core.game import Game
from aucenv.core.records.decisions import Accepted, ClosedRound
from aucenv.core.state import NOBODY


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """The state of a game in progress, between any two actions.

    Attributes:
        game, scenario: The game and its scenario.
        state: (1,) array of the state's dtype.
        closed: The closed rounds.
        answered: The amounts and accepted actions of the open round, by seat.
        attempts: The refused attempts of the open round, by seat.
        refused: The reasons for the refusals of seats that must act again, by seat.
    """

    game: Game
    scenario: Any
    state: np.ndarray
    closed: tuple[ClosedRound, ...] = ()
    answered: dict[int, tuple[int, Accepted]] = dataclasses.field(default_factory=dict)
    attempts: dict[int, list] = dataclasses.field(default_factory=dict)
    refused: dict[int, str] = dataclasses.field(default_factory=dict)

    def check(self, game: Game, scenario: Any) -> None:
        """Raise unless this is a snapshot of this game and scenario.

        Raises:
            ValueError: It has another game, version or scenario.
        """
        expected, actual = (f"{g.name}_v{g.version}" for g in (game, self.game))
        if expected != actual:
            raise ValueError(f"snapshot: expected a snapshot of {expected}, got one of {actual}")
        if self.scenario != scenario:
            differing = [
                part.name
                for part in dataclasses.fields(scenario)
                if getattr(scenario, part.name) != getattr(self.scenario, part.name, None)
            ]
            raise ValueError(f"snapshot: expected a snapshot of this scenario, got other {', '.join(differing)}")


def resample_hidden(snapshot: Snapshot, seat: str, rng: np.random.Generator) -> Snapshot:
    """Return the same game, in which everything that is hidden from `seat` is resampled.

    The game's `belief.resample` documents the distribution. Actions of other seats in the open round are discarded.

    Args:
        snapshot: The game.
        seat: The name of the seat: "bidder_0", ...
        rng: The source of randomness.

    Raises:
        ValueError: The seat is unknown.

    Example:
        >>> import aucenv
        >>> import numpy as np
        >>> env = aucenv.sealed_bid_v0("first-ipv")
        >>> env.reset(seed=0)
        >>> snapshot = env.unwrapped.table.snapshot()
        >>> other = aucenv.resample_hidden(snapshot, "bidder_0", np.random.default_rng(0))
        >>> [each.state["value"][0, 0, :3].tolist() for each in (snapshot, other)]  # cents, first round
        [[9400, 100, 6300], [9400, 4200, 7300]]
    """
    names = snapshot.game.view.ScenarioText.of(snapshot.scenario).seats
    number = names.index(one_of("seat", seat, names))
    state = snapshot.state.copy()
    state["forced_tie"] = NOBODY
    snapshot.game.belief.resample(state, 0, number, int(rng.integers(2**63)))
    return dataclasses.replace(
        snapshot,
        state=state,
        answered=_select_seat(number, snapshot.answered),
        attempts=_select_seat(number, snapshot.attempts),
        refused=_select_seat(number, snapshot.refused),
    )


def _select_seat(seat: int, by_seat: dict[int, Any]) -> dict[int, Any]:
    return {seat: by_seat[seat]} if seat in by_seat else {}
