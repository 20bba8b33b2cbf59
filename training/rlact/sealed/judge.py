"""The bidder `judge-greedy,rivals=inferred` in sealed-bid auctions: the bid with the highest expected profit.

Its profits are exact, given the rivals that it infers: see `sealed.belief`. It does not try to influence what rivals
learn for later rounds.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import numpy as np
from aucenv.training.rlact.sealed.belief import Belief
from aucenv.training.rlact.sealed.members import GAME, MOST_CELLS

from aucenv.core.checks import one_of
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.views.seat_view import SeatView
from aucenv.core.words.bidder_name import BidderSpec
from aucenv.core.words.money import to_dollars
from aucenv.envs.sealed_bid.game import SealedBidScenario
from aucenv.theory import bid_grid, signals

ABOUT = (
    "Infers the rivals from the revealed bids, as families of the population or as bidders of random shares of their "
    "values, and makes the bid with the highest expected profit in the round, which is exact for these rivals"
)
SHOWN = 8
"""The number of bids in notes, besides the best one."""


class SealedJudge:
    """A bidder that infers its rivals from the revealed bids, and bids what earns most against them."""

    interface: Literal["amount"] = "amount"
    observes = False

    def __init__(self) -> None:
        self.notes: JsonObject = {}

    def why_unplayable(self, scenario: SealedBidScenario) -> str | None:
        """Return why the bidder cannot play a scenario, or None: its tables would be too large."""
        cells = len(signals(scenario)) * scenario.num_bids
        if cells <= MOST_CELLS:
            return None
        return (
            f"judge-greedy expects at most {MOST_CELLS:,} pairs of a signal and a bid, got {len(signals(scenario)):,} "
            f"signals and {scenario.num_bids:,} bids; larger steps of values or bids make fewer"
        )

    def reset(self, seat: str, seed: int) -> None:
        self._belief: Belief | None = None

    def act(self, view: SeatView, observation: JsonMapping) -> float:
        scenario, row = view.scenario_text.scenario, view.row[0]
        belief = self._belief = self._belief or Belief(scenario)
        belief.observe(row, view.seat_number)
        signal = int(row["value"][view.seat_number, view.item_number])
        profits, grid = belief.profits(signal), bid_grid(scenario)
        best = int(np.argmax(profits >= profits.max() - 1e-9))  # smaller differences are rounding
        shown = sorted({best, *np.linspace(0, np.searchsorted(grid[:-1], signal), SHOWN).astype(int).tolist()})
        worth = {f"{to_dollars(int(grid[i])):g}": round(float(profits[i]) / 100, 3) for i in shown}
        self.notes = {"worth": worth, **belief.notes()}
        return to_dollars(int(grid[best]))

    def close_game(self, view: SeatView) -> None:
        """Delete what the bidder knows about its rivals in this game."""
        self._belief = None


def make(where: str, spec: BidderSpec, options: Collection[str]) -> SealedJudge:
    """Create the bidder `judge-greedy,rivals=inferred`.

    Args:
        where: The place of the name, for error messages.
        options: The names of the parameters of `judge-greedy` in other games.

    Raises:
        ValueError: Rivals are not inferred, or there is another parameter.
    """
    for key in spec.params:
        if one_of(f"{where}, parameter", key, options) != "rivals":
            raise ValueError(
                f"{where}, {key}: expected no {key} in {GAME}, where judge-greedy computes profits without rollouts; "
                "use judge-greedy,rivals=inferred"
            )
    if spec.params.get("rivals") != "inferred":
        got = repr(spec.params["rivals"]) if "rivals" in spec.params else "none"
        raise ValueError(
            f"{where}, rivals: expected inferred in {GAME}, got {got}: there are no rollouts between bidders; "
            "use judge-greedy,rivals=inferred"
        )
    return SealedJudge()
