"""Compute figures from the records of sealed-bid auctions, with the expected revenue of the equilibrium."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from aucenv.core.records.record import GameRecord
from aucenv.core.words.names import names_of_records
from aucenv.envs.sealed_bid import field_loss, theory
from aucenv.envs.sealed_bid.game import GAME, SealedBidScenario
from aucenv.envs.single_item import figures as single_item
from aucenv.envs.single_item.figures import FIGURES, SCORE, SHOWN, agent_tables, figures_with_revenue

__all__ = ["ALSO_SHOWN", "FIGURES", "POOLED", "SCORE", "SHOWN", "SeatFigures", "agent_tables", "seat_figures"]

LARGEST_GRIDS = {"ipv": 300_000_000, "apv": 4_000_000, "cv": 4_000_000}
"""The maximum number of signals times bids by value model; on larger grids, `theory` takes seconds."""


def expected_revenue(scenario: SealedBidScenario) -> float | None:
    """Return the expected revenue of one round in equilibrium without a bid cap, in dollars.

    The result is None if no equilibrium is known, or if the grid is larger than LARGEST_GRIDS.
    """
    try:
        uncapped = scenario.changed(bid_cap=None)
        if len(theory.signals(uncapped)) * uncapped.num_bids > LARGEST_GRIDS[uncapped.values]:
            return None
        return theory.expected_revenue(uncapped, theory.as_bids(uncapped, theory.equilibrium_bids(uncapped)))
    except ValueError:
        return None


@dataclasses.dataclass(frozen=True)
class SeatFigures(single_item.SeatFigures):
    """The figures of one seat in one game.

    Attributes:
        met: the rounds of the seat with the bids of its rivals; see `field_loss.COLUMNS`.
    """

    met: tuple[tuple[float, ...], ...]


_shared_figures = figures_with_revenue(
    names_of_records()(lambda data: expected_revenue(GAME.load_scenario(json.loads(data))))
)


def seat_figures(record: GameRecord) -> list[SeatFigures]:
    """Return the figures of every seat of a record. With common values, bids are compared with signals."""
    both = zip(_shared_figures(record), field_loss.rounds_met(record), strict=True)
    return [SeatFigures(**fields_of(shared), met=met) for shared, met in both]


def fields_of(shared: single_item.SeatFigures) -> dict[str, Any]:
    """Return the fields of a seat's figures by name."""
    return {part.name: getattr(shared, part.name) for part in dataclasses.fields(shared)}


POOLED = field_loss.POOLED
_TITLE, _COLUMNS = single_item.ALSO_SHOWN
ALSO_SHOWN = (_TITLE, _COLUMNS | field_loss.SHOWN)
