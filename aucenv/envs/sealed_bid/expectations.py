"""Exact expectations of one round of a sealed-bid auction: the grids, rules for bids, and outcomes; see `theory`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from aucenv.core.checks import excerpt
from aucenv.core.words.money import to_cents
from aucenv.envs.sealed_bid.game import SealedBidScenario

Bids = Any  # array-like
CELLS = 1 << 18  # size of the table that is processed at once, which fits into the processor's cache


def check_sealed_bid(scenario: Any) -> None:
    """Raise TypeError if a scenario is not that of a sealed-bid auction."""
    if not isinstance(scenario, SealedBidScenario):
        clock = hasattr(scenario, "as_sealed")
        hint = ": give scenario.as_sealed(), where all seats name their prices at the start" if clock else ""
        raise TypeError(f"scenario: expected a SealedBidScenario, got {excerpt(scenario)}{hint}")


class RoundGrid:
    """The grids of a round in cents, probabilities, and the states that the module's docstring explains."""

    def __init__(self, scenario: SealedBidScenario) -> None:
        check_sealed_bid(scenario)
        self.seats, self.pricing, self.common = scenario.num_bidders, scenario.pricing, scenario.values == "cv"
        self.reserve, error = to_cents(scenario.reserve), to_cents(scenario.signal_error)
        step, low, high = (to_cents(dollars) for dollars in (scenario.value_step, *scenario.value_range))
        count = (high - low) // step + 1
        self.states, self.width, lowest = {
            "ipv": (1, count, low), "apv": (count, count, 2 * low), "cv": (count, 2 * (error // step) + 1, low - error)
        }[scenario.values]  # fmt: skip
        places = np.arange(self.states + self.width - 1)
        self.signals = lowest + step * places
        self.value = low + step * np.arange(count)  # cv: the prize's value, by state
        self.num_states = np.minimum(places, self.states - 1) - np.maximum(places - self.width, -1)  # by signal
        self.probs = self.num_states / (self.states * self.width)
        self.bids = to_cents(scenario.bid_step) * np.arange(scenario.num_bids)


class BidRule:
    """A rule as `places` on the bid grid and their probabilities `probs`, both (signals, bids or draws)."""

    def __init__(self, scenario: SealedBidScenario, bids: Bids) -> None:
        given, grid = np.asarray(bids), RoundGrid(scenario)
        rows, self.num_bids, self.width = grid.signals.size, grid.bids.size, grid.width
        if given.dtype.kind in "iu" and given.ndim in (1, 2) and given.size and len(given) == rows:
            cents = given.reshape(rows, -1)
            self.places = np.searchsorted(grid.bids[:-1], cents)
            self.probs = np.full(cents.shape, 1 / cents.shape[1])
            wrong = cents[grid.bids[self.places] != cents]
            if wrong.size:
                raise ValueError(f"bids: expected cents, whole steps of {scenario.bid_step:g} dollars up to "
                                 f"{scenario.highest_bid:g}, got {wrong[0]}")  # fmt: skip
        elif given.dtype.kind == "f" and given.shape == (rows, self.num_bids):
            self.places, self.probs = np.broadcast_to(np.arange(self.num_bids), given.shape), given
            if not ((given >= 0).all() and np.allclose(given.sum(axis=1), 1, rtol=0, atol=1e-9)):
                raise ValueError("bids: expected probabilities >= 0 that add up to 1 at every signal")
        else:
            raise ValueError(f"bids: expected cents, integers ({rows},) or ({rows}, draws), or probabilities "
                             f"({rows}, {self.num_bids}), got {given.dtype} {given.shape}")  # fmt: skip

    def mean(self, rows: slice, table: np.ndarray) -> np.ndarray:
        """Return the rule's mean entry at these signals, (rows,), in a table (rows or 1, bids)."""
        table = np.broadcast_to(table, (rows.stop - rows.start, self.num_bids))
        return (np.take_along_axis(table, self.places[rows], axis=1) * self.probs[rows]).sum(axis=1)

    def by_state(self, first: int, last: int) -> np.ndarray:
        """Return the probability of each bid in states `first` to `last` - 1: (states, bids)."""
        places, probs = (sliding_window_view(part, self.width, 0)[first:last] for part in (self.places, self.probs))
        places = places + self.num_bids * np.arange(last - first)[:, None, None]
        counts = np.bincount(places.ravel(), probs.ravel(), (last - first) * self.num_bids)
        return counts.reshape(last - first, self.num_bids) / self.width


def win_probabilities(seats: int, at: np.ndarray, below: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities of winning and that all rivals bid less; `at`, `below`: one bids at most as much, less.

    Ties are fair: the mean of 1 / (tied seats) is (at^n - below^n) / (n (at - below)), here without the division.
    """
    win, alone = np.ones_like(at), np.ones_like(at)
    for _ in range(seats - 1):
        alone *= below
        win = win * at + alone
    return win / seats, alone


def win_and_price(grid: RoundGrid, probs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each bid's win probability and mean price (0 if it loses), given it meets the reserve: (states, bids)."""
    at, m = np.cumsum(probs, axis=1), grid.seats - 1
    below = np.pad(at[:, :-1], ((0, 0), (1, 0)))
    win, alone = win_probabilities(grid.seats, at, below)
    price = grid.bids * win

    def highest(rivals: int) -> np.ndarray:
        # mean of the highest of this many rivals' bids, at least the reserve; 0 unless it is below the seat's bid
        mass = np.diff(at[:, :-1] ** rivals, axis=1, prepend=0) * np.maximum(grid.bids, grid.reserve)[:-1]
        return np.pad(np.cumsum(mass, axis=1), ((0, 0), (1, 0)))

    if grid.pricing == "second":
        price = highest(m) + grid.bids * (win - alone)
    elif grid.pricing == "third":  # the second-highest rival bid, if no rival ties, one ties, or more tie
        others, one_ties = highest(m - 1), m / 2 * (at - below)
        price = m * below * others - (m - 1) * highest(m) + one_ties * others
        price += grid.bids * (win - alone - one_ties * below ** (m - 1))
    return win, price


def outcomes_by_signal(grid: RoundGrid, rivals: BidRule) -> Iterator[tuple[slice, np.ndarray, np.ndarray, np.ndarray]]:
    """Yield for parts of the signals the mean value and price, 0 if a seat loses, and the mean payment, in cents."""
    states, width, num_states = grid.states, grid.width, grid.num_states[:, None]
    factor = (1 if grid.common else grid.signals[:, None]) / num_states

    def of_states(first: int, last: int) -> np.ndarray:
        win, price = win_and_price(grid, rivals.by_state(first, last))
        win = win * grid.value[first:last, None] if grid.common else win
        return np.stack([win, price]) * (grid.bids >= grid.reserve)

    at_once = max(1, CELLS // max(grid.bids.size, width * rivals.places.shape[1]))
    sums = np.zeros((2, 1, grid.bids.size))  # over the states possible at a signal
    for first in range(0, grid.signals.size, at_once):
        last, sums = min(first + at_once, grid.signals.size), sums[:, -1:]
        if first < states or last > width:
            change = np.zeros((2, last - first, grid.bids.size))
            if first < states:
                change[:, : states - first] += of_states(first, min(last, states))
            if last > width:
                change[:, max(width - first, 0) :] -= of_states(max(first - width, 0), last - width)
            sums = sums + np.cumsum(change, axis=1)
        price = sums[1] if states == 1 else sums[1] / num_states[first:last]  # with ipv one row for all signals
        paid = grid.bids[None] if grid.pricing == "all_pay" else price
        yield slice(first, last), sums[0] * factor[first:last], price, paid


def mean_results(scenario: SealedBidScenario, rival_bids: Bids, *rules: Bids) -> np.ndarray:
    """Return each rule's mean profit, payment, winner's profit and best response's profit: (rules, 4) dollars."""
    grid, total, parsed = RoundGrid(scenario), np.zeros((len(rules), 4)), [BidRule(scenario, bids) for bids in rules]
    for rows, value, price, paid in outcomes_by_signal(grid, BidRule(scenario, rival_bids)):
        best = (value - paid).max(axis=1)
        for i, rule in enumerate(parsed):
            gross, cost, payment = (rule.mean(rows, table) for table in (value, price, paid))
            total[i] += np.stack([gross - payment, payment, gross - cost, best]) @ grid.probs[rows]
    return total / 100
