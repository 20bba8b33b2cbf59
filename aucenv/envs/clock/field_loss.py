"""Utility loss of a bidder on clocks, against the prices at which its rivals left or took the prize.

The figure is the mean over rounds of the expected profit of a best response less that of the bidder's price, as in
`sealed_bid.field_loss`, whose remarks hold here, too. A clock stops before all prices are known; those that are not
observed follow from distributions estimated by the product-limit method (`core.records.censored_mean`):

- A rising clock with private values: the best response is to stay until the price reaches the value (Krishna, Auction
  Theory, section 1.2), so that no response is chosen. Only if the bidder left below its value, and a rival was then
  the last one, is the profit of the response unknown: it depends on the price at which this rival would have left. The
  rival is taken to leave at a share of its value, distributed as those of all rivals that the bidder met, given that
  it was still in. If no such share is known, it is taken to leave where the clock stopped, which gives the highest
  possible loss.
- A falling clock with independent private values: the rivals' highest price is known if a rival took the prize; if the
  bidder took it, it is lower than the bidder's. The response to each value is chosen on some deals and evaluated
  on others, as in a first-price auction.
- With common values, and with affiliated values on a falling clock, the figure is undefined.

A rival is assumed to name the same price if the bidder stays longer, also where it sees how many are still in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from aucenv.core.records.censored_mean import censored_distribution
from aucenv.core.records.figures import PooledFigure
from aucenv.core.records.record import GameRecord
from aucenv.envs.sealed_bid.field_loss import Rounds, folds, part_of, weighted_mean
from aucenv.envs.single_item.values import CV, IPV, MODELS

COLUMNS = (
    "part", "rising", "values", "seats", "low", "high", "first", "last", "tick",
    "value", "profit", "price", "won", "highest", "exact", "rival_value",
)  # fmt: skip
"""The numbers of a round.

The part of the deals; the auction, with `values` as a number; the value of the prize to the bidder; its expected
profit; the price at which the clock stopped; whether the bidder was among those that could win; the highest price of
its rivals, and whether it is exact (otherwise it is at least that high on a rising clock, and lower on a falling one);
and the value of the prize to the rival with this price, -1 if there is none.
"""
AUCTION = slice(1, 9)
"""The columns that describe the auction."""
NOBODY = -1.0
SHARE = -1.0
"""The part of a row that is not a round: its `highest` is the price of a rival divided by its value; see `exact`."""
Row = tuple[float, ...]


def rounds_met(record: GameRecord) -> list[tuple[Row, ...]]:
    """Return for each seat the COLUMNS of every round of a game on a clock, and those of its rivals' shares."""
    scenario = record.scenario
    rising = scenario["direction"] == "ascending"
    ends = scenario["lowest_price"], scenario["highest_price"]
    first, last = ends if rising else ends[::-1]
    head = (part_of(record), float(rising), MODELS.index(scenario["values"]), scenario["num_bidders"])
    auction = (*head, *scenario["value_range"], first, last, scenario["tick"])
    highest = _highest_rising if rising else _highest_falling
    seats = [player["seat"] for player in record.seats]
    rows: list[list[Row]] = [[] for _ in seats]
    for j, prize in enumerate(record.outcome["prizes"]):
        bids, values = prize["bids"], [dealt["values"][j] for dealt in record.deal["seats"]]
        price = first if prize["price"] is None else prize["price"]
        winner = None if prize["winner"] is None else seats.index(prize["winner"])
        tied = 0 if winner is None else bids.count(bids[winner])
        shares = _shares(bids, values, price) if rising else []
        for s, value in enumerate(values):
            won = winner is not None and bids[s] == bids[winner]
            rivals = [(bid, values[r]) for r, bid in enumerate(bids) if r != s]
            met = highest(rivals, price, winner is None)
            rows[s].append((*auction, value, (value - price) / tied if won else 0.0, price, float(won), *met))
            rows[s] += [(SHARE, *auction[1:], 0, 0, 0, 0, *share, 0) for r, share in shares if r != s]
    return [tuple(played) for played in rows]


def _shares(bids: Sequence[float | None], values: Sequence[float], price: float) -> list[tuple[int, tuple[float, ...]]]:
    """Return the seats whose values exceed 0, and their prices on a rising clock divided by these, with exactness."""
    return [
        (s, ((price if bid is None else bid) / value, float(bid is not None)))
        for s, (bid, value) in enumerate(zip(bids, values, strict=True))
        if value > 0
    ]


def _highest_rising(rivals: Sequence[tuple[float | None, float]], price: float, unsold: bool) -> Row:
    """Return the highest price of rivals on a rising clock, whether it is exact, and the value of this rival.

    Args:
        rivals: the price and the value of each rival.
        price: the price at which the clock stopped.
        unsold: whether nobody bought the prize.
    """
    staying = [value for bid, value in rivals if bid is None]
    if staying:
        return price, 0.0, max(staying)
    highest = max(bid for bid, _ in rivals if bid is not None)
    return highest, 1.0, max(value for bid, value in rivals if bid == highest)


def _highest_falling(rivals: Sequence[tuple[float | None, float]], price: float, unsold: bool) -> Row:
    """Return the same on a falling clock; if nobody takes the prize, the rivals have no price."""
    if unsold:
        return NOBODY, 1.0, NOBODY
    takers = [value for bid, value in rivals if bid is not None]
    return (price, 1.0, max(takers)) if takers else (price, 0.0, NOBODY)


def losses(table: np.ndarray) -> np.ndarray:
    """Return the utility loss in each row, in dollars; NaN where it is undefined, or the row is not a round.

    Args:
        table: (rows, columns), the COLUMNS of one bidder's rounds, and those of its rivals' shares.
    """
    result = np.full(len(table), np.nan)
    _, numbers = np.unique(table[:, AUCTION], axis=0, return_inverse=True)
    for number in range(int(numbers.max(initial=-1)) + 1):
        is_round = (numbers.ravel() == number) & (table[:, 0] != SHARE)
        rounds = dict(zip(COLUMNS, table[is_round].T, strict=True))
        rising, values = rounds["rising"][0] > 0, rounds["values"][0]
        if rising and values != CV:
            shares = table[(numbers.ravel() == number) & (table[:, 0] == SHARE)]
            result[is_round] = rising_losses(rounds, dict(zip(COLUMNS, shares.T, strict=True)))
        elif not rising and values == IPV:
            result[is_round] = falling_losses(rounds)
    return result


def rising_losses(rounds: Rounds, shares: Rounds) -> np.ndarray:
    """Return the loss to staying until the price reaches the value, in each round on a rising clock: (rounds,)."""
    value, highest = rounds["value"], rounds["highest"]
    best = np.maximum(value - highest, 0)
    best = np.where((highest == rounds["last"]) & (rounds["won"] > 0), np.maximum(rounds["profit"], 0), best)
    unknown = np.flatnonzero((rounds["exact"] == 0) & (best > 0) & (rounds["rival_value"] > 0))
    if unknown.size and len(shares["highest"]):
        places, probs = censored_distribution(shares["highest"], shares["exact"] > 0)(np.ones(len(shares["highest"])))
        for part in np.array_split(unknown, unknown.size // 1000 + 1):
            prices = places * rounds["rival_value"][part, None]
            weights = probs * (prices > highest[part, None])
            total = weights.sum(axis=1)
            mean = (weights * np.maximum(value[part, None] - prices, 0)).sum(axis=1)
            best[part] = np.where(total > 0, mean / np.where(total > 0, total, 1), best[part])
    return best - rounds["profit"]


def falling_losses(rounds: Rounds) -> np.ndarray:
    """Return the loss to the best price for each value, in each round on a falling clock: (rounds,) dollars.

    The prices are chosen on the other parts of the deals. Losses are NaN if there are none.
    """
    result = np.full(len(rounds["part"]), np.nan)
    prices = np.arange(rounds["last"][0], rounds["first"][0] + rounds["tick"][0] / 2, rounds["tick"][0])
    for evaluated, others in folds(rounds):
        values, places = np.unique(rounds["value"][evaluated], return_inverse=True)
        expected = (values[:, None] - prices) * win_curve(others)(prices)
        chosen = prices[np.argmax(expected >= expected.max(axis=1, keepdims=True) - 1e-9, axis=1)][places.ravel()]
        earned = (rounds["value"][evaluated] - chosen) * _wins(rounds, evaluated, chosen)
        result[evaluated] = earned - rounds["profit"][evaluated]
    return result


def _wins(rounds: Rounds, evaluated: np.ndarray, prices: np.ndarray) -> np.ndarray:
    """Return the probability that a price wins in each evaluated round, given what is known of the rivals' price."""
    highest, exact = rounds["highest"][evaluated], rounds["exact"][evaluated] > 0
    known = (prices > highest) + 0.5 * (prices == highest)
    wins = win_curve({name: column[evaluated] for name, column in rounds.items()})
    below = wins(highest - rounds["tick"][0] / 2)  # the probability that the rivals' price is lower than the bidder's
    given = np.minimum(1, np.divide(wins(prices), below, out=np.ones_like(below), where=below > 0))
    return np.where(exact, known, given)


def win_curve(rounds: Rounds) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function from prices to the probability that the rivals' highest price is lower; half of it in a tie."""
    lower, probs = censored_distribution(-rounds["highest"], rounds["exact"] > 0)(np.ones(len(rounds["highest"])))
    highest, mass = -lower[::-1], np.concatenate([[0.0], np.cumsum(probs[::-1])])

    def wins(prices: np.ndarray) -> np.ndarray:
        below, up_to = (mass[np.searchsorted(highest, prices, side)] for side in ("left", "right"))
        return (below + up_to) / 2

    return wins


def mean_loss(table: np.ndarray) -> Callable[[np.ndarray], float]:
    """Return a function from the weights of rows to the mean utility loss, which is NaN if it is undefined."""
    return weighted_mean(losses(table))


POOLED = {"utility_loss": PooledFigure(lambda seat: seat.met, mean_loss)}
SHOWN = {"utility_loss": ("utility loss, $", "{:.2f}")}
"""The heading and format of the figure in printed tables."""
