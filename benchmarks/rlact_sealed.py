"""The exact utility loss of a bidder in sealed-bid auctions against rivals whose bid functions are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from aucenv.benchmarks.benchmark.best_response import BestResponse, known_ties
from aucenv.training.rlact.sealed.profits import round_profits

from aucenv.core.files import JsonObject
from aucenv.core.play.table import Table
from aucenv.core.words.money import to_cents
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family
from aucenv.theory import bid_grid

GAME = "sealed_bid"


def utility_losses(bidder: str, scenario_name: str, rivals: Sequence[str], deals: int, seed: int) -> np.ndarray:
    """Return the mean utility loss per round in each deal, in dollars; (deals,).

    The loss of a round is the expected profit of the best response less that of the bidder's bid, both against what the
    rivals would bid at each value. The seat of the bidder changes with the deal.

    Args:
        bidder: the name of the bidder.
        scenario_name: the name of the scenario, without a reserve.
        rivals: the names of rule bidders.
        deals: the number of deals.
        seed: the first number of the seeds of the deals.
    """
    policy = make_policy(GAME, bidder)
    losses = [_losses(policy, scenario_name, rivals, deal % (len(rivals) + 1), (seed, deal)) for deal in range(deals)]
    return np.array([np.mean(each) for each in losses])


def _losses(policy: Any, name: str, rivals: Sequence[str], seat: int, seed: tuple[int, int]) -> list[float]:
    """Play a game, and return the loss of each round in dollars."""
    game = find_family(GAME).game
    scenario: Any = game.load_scenario(name).changed(num_bidders=len(rivals) + 1)
    bidders = [*rivals[:seat], "truthful", *rivals[seat:]]
    policies: list[Any] = [make_policy(GAME, each) for each in bidders]
    policies[seat] = policy
    table = Table(game, scenario, [each.interface for each in policies])
    table.reset(seed)
    for number, each in enumerate(policies):
        each.reset(table.scenario_text.seats[number], seed[1])
    best, grid, losses = BestResponse(scenario, bidders, seat), bid_grid(scenario), []
    while not table.over:
        profits = _profits(best, table.view(seat, reveal=True), seat)
        for number in table.pending:
            while number in table.pending:  # a refused bidder decides again
                table.submit(number, policies[number].act(table.view(number), {}))
        bid = table.view(seat).history[-1].bid
        earned = 0.0 if bid is None else profits[np.searchsorted(grid, to_cents(bid))]
        losses.append(float(max(profits.max(), 0.0) - earned) / 100)
    return losses


def _profits(best: BestResponse, view: Any, seat: int) -> np.ndarray:
    """Return the expected profit of each bid of the grid in this round, in cents."""
    signal = int(view.row["value"][0, seat, view.item_number])
    bids = [best.bids(view.row, other, rival) for other, rival in best.rivals.items()]
    return round_profits(best.scenario, signal, known_ties(best.scenario, signal, np.array(bids)))


def losses_at(bidder: str, plan: Mapping[str, Any]) -> JsonObject:
    """Return `utility_losses` at each table of the plan's part on sealed bids, by the table's name."""
    return {
        table["name"]: utility_losses(bidder, plan["scenario"], table["rivals"], plan["deals"], table["seed"])
        .round(6)
        .tolist()
        for table in plan["tables"]
    }
