"""Utility loss of a bidder against the bids that its rivals made, and the risk aversion that its bids imply.

Both are estimated from records. A round is one row of numbers, the COLUMNS; amounts are in dollars.

The utility loss is the mean over rounds of the expected profit of a best response less that of the bidder's bid, both
against the bids that the rivals made in the round; ties are split evenly, so that the profit of a tie is its expected
value. Rivals' bids are taken as given: a response that changes how rivals bid in later rounds may earn more or less.

- Second price with private values: the best response is to bid the value, which is dominant (Krishna, Auction Theory,
  section 2.2). Nothing is estimated but the mean.
- Other pricings with independent private values: the rivals' bids do not depend on the bidder's value, so the best
  response to each value is the bid with the highest mean profit against the bids of all rounds of the same auction.
- Otherwise the rivals' bids depend on the bidder's signal, and a value has too few rounds. The best response bids the
  signal plus an amount, one for each of up to MAX_BANDS ranges of signals: the loss to a more flexible response may be
  higher.

A response that is chosen on few rounds is better on these than on others. The deals are therefore divided into FOLDS
parts, by the sum of their seeds, and the responses in one part are chosen on all others. On average, the estimate is
then at most the loss to the exact best response; it may be negative. It is undefined with one part only. The interval
covers the draw of the deals on which the responses are evaluated, not their choice.

The implied relative risk aversion r is that of the utility x^(1-r) in whose equilibrium bids have the slope of the
bidder's bids, in first-price auctions with n bidders and independent private values, uniform from 0 on, without a
reserve. Equilibrium bids are (n-1)/(n-r) times the value (Krishna, section 4.1), so r = n - (n-1) / slope. The slope is
that of the least-squares line through the origin; rounds in which the bidder abstains do not count. The risk-neutral
equilibrium has r = 0, and a bidder that bids its value r = 1; r is negative if bids are below the risk-neutral ones,
and above 1 if they exceed the value, which no risk aversion explains. With several numbers of bidders it is the mean,
weighted by rounds. It is undefined in other auctions, and if all bids are 0. Bids that do not
depend on the value also have a slope, which says nothing about risk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from aucenv.core.records.figures import PooledFigure
from aucenv.core.records.record import GameRecord
from aucenv.envs.sealed_bid.rules import ALL_PAY, FIRST, PRICINGS, SECOND
from aucenv.envs.single_item.values import CV, IPV, MODELS

COLUMNS = (
    "part", "pricing", "values", "seats", "low", "high", "error", "reserve", "cap", "step",
    "signal", "worth", "bid", "highest", "second", "ties",
)  # fmt: skip
"""The numbers of a round.

The part of the deals; the auction, with `pricing` and `values` as numbers; the bidder's signal and the value of the
prize to it; its bid, the highest and the second-highest rival bid, each -1 if there is none; and the number of rivals
that made the highest.
"""
AUCTION = slice(1, 10)
"""The columns that describe the auction."""
NO_BID = -1.0
FOLDS = 10
"""The number of parts of the deals."""
MAX_BANDS, BAND_ROUNDS = 8, 100
"""The maximum number of ranges of signals, and the number of rounds from which on there is one more."""
OFFSETS = 101
"""The number of amounts added to a signal among which the best is chosen."""
MAX_CANDIDATES = 1000
"""The maximum number of bids among which a best response is chosen."""
Rounds = dict[str, np.ndarray]
"""The columns of rounds by name, each (rounds,)."""


def part_of(record: GameRecord) -> int:
    """Return the part of the deals that a game belongs to: games of one deal share their seed."""
    return sum(record.seed) % FOLDS


def rounds_met(record: GameRecord) -> list[tuple[tuple[float, ...], ...]]:
    """Return for each seat the COLUMNS of every round of a sealed-bid game."""
    scenario = record.scenario
    cap = scenario["bid_cap"]
    auction = (
        part_of(record),
        PRICINGS.index(scenario["pricing"]),
        MODELS.index(scenario["values"]),
        scenario["num_bidders"],
        *scenario["value_range"],
        scenario["signal_error"] if scenario["values"] == "cv" else 0,
        scenario["reserve"],
        float("inf") if cap is None else cap,
        scenario["bid_step"],
    )
    common = record.deal["common"] if scenario["values"] == "cv" else None
    seats = record.deal["seats"]
    rounds: list[list[tuple[float, ...]]] = [[] for _ in seats]
    for j, prize in enumerate(record.outcome["prizes"]):
        bids = [NO_BID if bid is None else bid for bid in prize["bids"]]
        for s, dealt in enumerate(seats):
            signal = dealt["values"][j]
            rivals = sorted(bids[:s] + bids[s + 1 :])
            second = rivals[-2] if len(rivals) > 1 else NO_BID
            worth = signal if common is None else common[j]
            rounds[s].append((*auction, signal, worth, bids[s], rivals[-1], second, rivals.count(rivals[-1])))
    return [tuple(played) for played in rounds]


def profits(rounds: Rounds, bids: np.ndarray) -> np.ndarray:
    """Return the expected profit of bids against the rivals' bids in rounds of one auction.

    Args:
        bids: dollars, an array that can be broadcast with (rounds,); NO_BID abstains.
    """
    wins = np.where(bids > rounds["highest"], 1.0, (bids == rounds["highest"]) / (rounds["ties"] + 1))
    wins = wins * ((bids >= rounds["reserve"]) & (bids >= 0))
    pricing = int(rounds["pricing"][0])
    if pricing == ALL_PAY:
        return wins * rounds["worth"] - np.maximum(bids, 0)
    price = bids if pricing == FIRST else price_if_won(rounds)
    return wins * (rounds["worth"] - price)


def price_if_won(rounds: Rounds) -> np.ndarray:
    """Return the price of the second or third pricing to a seat that wins, also in a tie: (rounds,) dollars."""
    second = int(rounds["pricing"][0]) == SECOND
    return np.maximum(rounds["highest"] if second else rounds["second"], rounds["reserve"])


def losses(table: np.ndarray) -> np.ndarray:
    """Return the utility loss in each round, in dollars; NaN where it is undefined.

    Args:
        table: (rounds, columns), the COLUMNS of one bidder's rounds.
    """
    result = np.full(len(table), np.nan)
    for where in by_auction(table):
        rounds = as_rounds(table[where])
        if rounds["pricing"][0] == SECOND and rounds["values"][0] != CV:
            responses = np.minimum(rounds["signal"], rounds["cap"])
        else:
            responses = cross_fitted(rounds)
        gained = profits(rounds, responses) - profits(rounds, rounds["bid"])
        result[where] = np.where(np.isnan(responses), np.nan, gained)
    return result


def by_auction(table: np.ndarray) -> Iterator[np.ndarray]:
    """Yield for each auction whether each row belongs to it, (rounds,)."""
    _, numbers = np.unique(table[:, AUCTION], axis=0, return_inverse=True)
    for number in range(int(numbers.max(initial=-1)) + 1):
        yield numbers.ravel() == number


def as_rounds(table: np.ndarray) -> Rounds:
    return dict(zip(COLUMNS, table.T, strict=True))


def folds(rounds: Rounds) -> Iterator[tuple[np.ndarray, Rounds]]:
    """Yield whether each round is in a part of the deals, (rounds,), and the rounds of all other parts, if any."""
    for part in np.unique(rounds["part"]):
        evaluated = rounds["part"] == part
        if not evaluated.all():
            yield evaluated, {name: column[~evaluated] for name, column in rounds.items()}


def cross_fitted(rounds: Rounds) -> np.ndarray:
    """Return in each round of one auction the response that is best on the other parts of the deals: (rounds,) dollars.

    Responses are NaN if there are none.
    """
    responses = np.full(len(rounds["part"]), np.nan)
    choose = best_bids if rounds["values"][0] == IPV else best_offsets
    for evaluated, others in folds(rounds):
        responses[evaluated] = choose(others, rounds["signal"][evaluated])
    return responses


def best_bids(rounds: Rounds, values: np.ndarray) -> np.ndarray:
    """Return the lowest bid with the highest mean profit against the rivals' bids in these rounds, for each value."""
    step, cap = rounds["step"][0], rounds["cap"][0]
    highest = np.unique(rounds["highest"])
    bids = np.unique(
        [0.0, np.ceil(rounds["reserve"][0] / step) * step, *highest[highest >= 0], *np.round(highest + step, 2)]
    )
    bids = bids[(bids >= 0) & (bids <= cap)]
    if len(bids) > MAX_CANDIDATES:
        bids = bids[np.linspace(0, len(bids) - 1, MAX_CANDIDATES).astype(int)]
    wins, paid = mean_outcomes(rounds, bids)
    different, places = np.unique(values, return_inverse=True)
    best = np.empty(len(different))
    for part in np.array_split(np.arange(len(different)), len(different) // 1000 + 1):
        expected = different[part, None] * wins - paid
        best[part] = bids[np.argmax(expected >= expected.max(axis=1, keepdims=True) - 1e-9, axis=1)]
    return best[places.ravel()]


def mean_outcomes(rounds: Rounds, bids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of rounds that each bid would have won, and its mean payment: (bids,) and (bids,) dollars."""
    order = np.argsort(rounds["highest"], kind="stable")
    highest, share = rounds["highest"][order], 1 / (rounds["ties"][order] + 1)
    below, up_to = np.searchsorted(highest, bids, "left"), np.searchsorted(highest, bids, "right")

    def mean(amounts: np.ndarray) -> np.ndarray:
        won, tied = (np.concatenate([[0.0], np.cumsum(part)]) for part in (amounts, amounts * share))
        return (won[below] + tied[up_to] - tied[below]) * (bids >= rounds["reserve"][0]) / len(highest)

    wins, pricing = mean(np.ones(len(highest))), int(rounds["pricing"][0])
    if pricing == ALL_PAY:
        return wins, bids
    return wins, bids * wins if pricing == FIRST else mean(price_if_won(rounds)[order])


def best_offsets(rounds: Rounds, signals: np.ndarray) -> np.ndarray:
    """Return each signal plus the amount with the highest mean profit in these rounds, in the signal's range."""
    ranges = int(np.clip(len(rounds["signal"]) // BAND_ROUNDS, 1, MAX_BANDS))
    ends = np.quantile(rounds["signal"], np.arange(1, ranges) / ranges)
    width = max(rounds["signal"].max(), rounds["error"][0]) / 2
    offsets = np.linspace(-width, width, OFFSETS)
    band, chosen = np.searchsorted(ends, rounds["signal"], "right"), np.zeros(ranges)
    for number in range(ranges):
        part = {name: column[band == number] for name, column in rounds.items()}
        if len(part["signal"]):
            means = profits(part, as_legal(part, part["signal"] + offsets[:, None])).mean(axis=1)
            chosen[number] = offsets[np.argmax(means)]
    return as_legal(rounds, signals + chosen[np.searchsorted(ends, signals, "right")])


def as_legal(rounds: Rounds, bids: np.ndarray) -> np.ndarray:
    """Return the legal bids nearest to amounts."""
    step, cap = rounds["step"][0], rounds["cap"][0]
    return np.clip(np.round(np.floor(bids / step + 0.5) * step, 2), 0, cap)


def mean_loss(table: np.ndarray) -> Callable[[np.ndarray], float]:
    """Return a function from the weights of rounds to the mean utility loss, which is NaN if it is undefined."""
    return weighted_mean(losses(table))


def weighted_mean(amounts: np.ndarray) -> Callable[[np.ndarray], float]:
    """Return a function from weights, (amounts,), to the mean of the amounts that are not NaN, or NaN if all are."""
    defined = np.flatnonzero(~np.isnan(amounts))
    known = amounts[defined]

    def mean(weights: np.ndarray) -> float:
        counted = weights[defined]
        total = counted.sum()
        return float(counted @ known / total) if total else float("nan")

    return mean


def risk_aversion(table: np.ndarray) -> Callable[[np.ndarray], float]:
    """Return a function from the weights of rounds to the implied relative risk aversion, or NaN."""
    rounds = as_rounds(table)
    fits = (rounds["pricing"] == FIRST) & (rounds["values"] == IPV) & (rounds["low"] == 0) & (rounds["reserve"] == 0)
    fits &= (rounds["bid"] >= 0) & (rounds["signal"] > 0)
    products, squares = rounds["bid"] * rounds["signal"], rounds["signal"] ** 2
    groups = []
    for n in np.unique(rounds["seats"][fits]):
        where = np.flatnonzero(fits & (rounds["seats"] == n))
        groups.append((float(n), where, np.stack([products[where], squares[where], np.ones(len(where))])))

    def implied(weights: np.ndarray) -> float:
        total = size = 0.0
        for n, where, terms in groups:
            product, square, count = (terms @ weights[where]).tolist()
            if product:
                total += count * (n - (n - 1) * square / product)
                size += count
        return total / size if size else float("nan")

    return implied


POOLED = {
    "utility_loss": PooledFigure(lambda seat: seat.met, mean_loss),
    "risk_aversion": PooledFigure(lambda seat: seat.met, risk_aversion),
}
SHOWN = {"utility_loss": ("utility loss, $", "{:.2f}"), "risk_aversion": ("implied r", "{:.2f}")}
"""The heading and format of the figures in printed tables."""
