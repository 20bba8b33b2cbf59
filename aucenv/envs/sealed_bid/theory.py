"""What theory says of one round of a sealed-bid auction: equilibria, and how far any bidder is from its best response.

All is exact on the grids of values and bids, by enumeration; amounts on grids are cents, results are dollars. Sources:
Krishna, Auction Theory, chapters 2 to 4 and 6; Kagel and Levin, American Economic Review 76, 1986.

Every value model is a number of states, equally likely, in each of which seats' signals are independent: state `k`
shows signals `k` to `k + width - 1` of the grid, equally likely. ipv has one state; apv's is the common part; cv's the
prize's value. All rivals use one rule, so no table of their joint bids is needed.

A rule (`Bids`) is (signals,) integers, the bid in cents at every signal of `signals`; or (signals, draws) integers,
equally likely bids; or (signals, bids) floats, the probability of every bid of `bid_grid`. Nobody abstains. An
ascending clock is the second price, a descending one the first, its tick the bid step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from aucenv.core.checks import number, whole_number
from aucenv.core.money import to_cents
from aucenv.envs.sealed_bid.rules import clip
from aucenv.envs.sealed_bid.scenario import Scenario

Bids = Any  # array-like
DrawBids = Callable[[np.ndarray, np.random.Generator], np.ndarray]  # (signals,) cents to (signals,) legal bids, cents
FOLDS = 10  # parts of a random bidder's draws, on each of which a response to the others is judged
_CELLS = 1 << 18  # of a table handled at once: it stays in the processor's cache


def signals(scenario: Scenario) -> np.ndarray:
    """What a seat may see, in order: (signals,) int64, cents."""
    return _Round(scenario).signals


def probabilities(scenario: Scenario) -> np.ndarray:
    """How likely each of `signals` is: (signals,) float64."""
    return _Round(scenario).likely


def bid_grid(scenario: Scenario) -> np.ndarray:
    """All bids up to the scenario's highest: (bids,) int64, cents."""
    return _Round(scenario).bids


def as_bids(scenario: Scenario, dollars: Any) -> np.ndarray:
    """Dollars as the nearest legal bids, half a step up, at most the highest: (any,) int64, cents."""
    step = to_cents(scenario.bid_step)
    steps = np.floor(np.asarray(dollars, float) * 100 / step + 0.5 + 1e-9)  # as 0.145 * 100 is 14.4999...
    return step * np.clip(steps, 0, scenario.num_bids - 1).astype(np.int64)


def bids_of(decide: Callable[[np.ndarray, int, int], int], scenario: Scenario) -> np.ndarray:
    """A rule bidder's bids in the first round of a game: (signals,) int64, cents; `decide`: from (state, row, seat).

    Where it abstains, that is a bid of 0 if there is a reserve, and else a ValueError.
    """
    state, seen = scenario.template(), signals(scenario)
    state["acting"][0, : scenario.num_bidders] = 1
    bids = np.zeros_like(seen)
    for i, signal in enumerate(seen):
        state["value"][0, 0, 0] = signal
        bids[i] = clip(state, 0, 0, decide(state, 0, 0))
    if bids.min() < 0 and scenario.reserve == 0:
        raise ValueError(f"bidder: expected a bid at the signal {seen[bids < 0][0] / 100:g}, it abstains")
    return np.maximum(bids, 0)


def equilibrium_bids(scenario: Scenario, risk_aversion: float = 0.0) -> np.ndarray:
    """The symmetric equilibrium at every signal: (signals,) float64, dollars, neither rounded nor capped.

    For n seats with values uniform on [0, V]: second price v; first (n-1)/(n-r) v; third (n-1)/(n-2) v; all-pay
    (n-1)/n v^n / V^(n-1); `risk_aversion` is r of the utility x^(1-r), from 0 to below 1. cv, second price:
    E[V | X1 = Y1 = x], Y1 the rivals' highest signal (Krishna, 6). A ValueError where no closed form is known.
    """
    n, pricing, x = scenario.num_bidders, scenario.pricing, signals(scenario) / 100
    r = number("risk_aversion", risk_aversion, 0, np.nextafter(1, 0))
    if pricing == "second" and scenario.values != "cv":
        return x  # dominant, whatever the range, the reserve and the risk aversion
    if scenario.reserve > 0 or (r > 0 and pricing != "first"):
        raise _unknown(scenario, r)
    if pricing == "second":
        return _value_at_tie(_Round(scenario))
    if scenario.values != "ipv" or scenario.value_range[0] > 0:
        raise _unknown(scenario, r)
    if pricing == "all_pay":
        return (n - 1) / n * x * (x / x[-1]) ** (n - 1)
    return x * ((n - 1) / (n - r) if pricing == "first" else (n - 1) / (n - 2))


def common_value_bid_interior(scenario: Scenario, x: Any) -> np.ndarray:
    """cv, second price: the equilibrium x - e (n-2)/n, dollars; a ValueError within e of an end of the value range."""
    return _interior(scenario, x) - scenario.signal_error * (scenario.num_bidders - 2) / scenario.num_bidders


def common_value_if_highest(scenario: Scenario, x: Any) -> np.ndarray:
    """cv: E[V | x is the highest signal] = x - e (n-1)/(n+1), dollars; errors as `common_value_bid_interior`."""
    return _interior(scenario, x) - scenario.signal_error * (scenario.num_bidders - 1) / (scenario.num_bidders + 1)


def revenue_of_theory(scenario: Scenario) -> float:
    """Every pricing's revenue where values are uniform on [0, V]: V (n-1)/(n+1), dollars; else a ValueError."""
    if scenario.values != "ipv" or scenario.value_range[0] > 0 or scenario.reserve > 0:
        raise _unknown(scenario, 0)
    return scenario.value_range[1] * (scenario.num_bidders - 1) / (scenario.num_bidders + 1)


def expected_profits(scenario: Scenario, rival_bids: Bids) -> np.ndarray:
    """What every bid earns at every signal: (signals, bids) float64, dollars; 8 bytes each."""
    outcomes = _outcomes(_Round(scenario), _Rule(scenario, rival_bids))
    return np.concatenate([worth - paid for _, worth, _, paid in outcomes]) / 100


def best_response(scenario: Scenario, rival_bids: Bids) -> tuple[np.ndarray, np.ndarray]:
    """The best bid at every signal, the lowest of equals, and what it earns: (signals,) cents; (signals,) dollars."""
    places, most = [], []
    for _, worth, _, paid in _outcomes(_Round(scenario), _Rule(scenario, rival_bids)):
        profits = worth - paid
        most.append(profits.max(axis=1))
        places.append(np.argmax(profits >= most[-1][:, None] - 1e-9, axis=1))  # nearer is rounding
    return bid_grid(scenario)[np.concatenate(places)], np.concatenate(most) / 100


def utility_loss(scenario: Scenario, bids: Bids, rival_bids: Bids | None = None) -> float:
    """What `bids` lose to the best response against `rival_bids`, None = `bids`, expected over signals; dollars."""
    means = _means(scenario, bids if rival_bids is None else rival_bids, bids)
    return float(means[0, 3] - means[0, 0])


def sampled_utility_loss(
    scenario: Scenario, draw_bids: DrawBids, rng: np.random.Generator, samples: int = 100
) -> tuple[float, float]:
    """`utility_loss` of a random bidder among its like, and the standard error; dollars.

    From `samples` draws at every signal, at least 20. The response is chosen against some and judged against
    others, or luck would count as merit: its gain is at most the best one's, and nearer with more samples.
    """
    seen, samples = signals(scenario), whole_number("samples", samples, 2 * FOLDS)
    draws = np.stack([draw_bids(seen, rng) for _ in range(samples)], axis=1)
    parts, gains = np.array_split(np.arange(samples), FOLDS), []
    for part in parts:
        response = best_response(scenario, np.delete(draws, part, axis=1))[0]
        own, rivals = draws[:, part[::2]], draws[:, part[1::2]]  # or a seat would tie with itself
        (best, *_), (earned, *_) = _means(scenario, rivals, response, own)
        gains.append(best - earned)
    return float(np.mean(gains)), float(np.std(gains, ddof=1) / FOLDS**0.5)


def expected_revenue(scenario: Scenario, bids: Bids) -> float:
    """What all seats together pay a round, if all use `bids`; dollars."""
    return scenario.num_bidders * float(_means(scenario, bids, bids)[0, 1])


def expected_winner_profit(scenario: Scenario, bids: Bids) -> float:
    """The prize's worth less its price, a round, if all use `bids`; dollars. Below 0 in cv is the winner's curse."""
    return scenario.num_bidders * float(_means(scenario, bids, bids)[0, 2])


def expected_efficiency(scenario: Scenario, bids: Bids) -> float:
    """How likely a seat with the highest signal (ipv, apv: value) wins, if all use `bids`."""
    grid, rule, total = _Round(scenario), _Rule(scenario, bids), 0.0
    for x in range(grid.signals.size):
        rows = slice(max(0, x - grid.width + 1), x + 1)
        own, places, likely = rule.places[x], rule.places[rows, :, None], rule.likely[rows, :, None]
        reached = np.stack([(likely * lower).sum(axis=1) for lower in (places <= own, places < own)])
        # a rival's chance of no higher a signal with such a bid, in every state that may show x
        at, below = np.cumsum(reached[:, ::-1], axis=1)[:, x - min(x, grid.states - 1) :] / grid.width
        total += _chances(grid.seats, at, below)[0].sum(axis=0) @ (rule.likely[x] * (grid.bids[own] >= grid.reserve))
    return grid.seats * float(total) / (grid.states * grid.width)


class _Round:
    """A round on its grids: cents, probabilities, and the states that the module's docstring explains."""

    def __init__(self, scenario: Scenario) -> None:
        self.seats, self.pricing, self.common = scenario.num_bidders, scenario.pricing, scenario.values == "cv"
        self.reserve, error = to_cents(scenario.reserve), to_cents(scenario.signal_error)
        step, low, high = (to_cents(dollars) for dollars in (scenario.value_step, *scenario.value_range))
        count = (high - low) // step + 1
        self.states, self.width, lowest = {
            "ipv": (1, count, low), "apv": (count, count, 2 * low), "cv": (count, 2 * (error // step) + 1, low - error)
        }[scenario.values]  # fmt: skip
        places = np.arange(self.states + self.width - 1)
        self.signals = lowest + step * places
        self.worth = low + step * np.arange(count)  # cv: of the prize, by state
        self.behind = np.minimum(places, self.states - 1) - np.maximum(places - self.width, -1)  # states, by signal
        self.likely = self.behind / (self.states * self.width)
        self.bids = to_cents(scenario.bid_step) * np.arange(scenario.num_bids)


class _Rule:
    """A rule as `places` on the bid grid and how `likely` each is, both (signals, bids or draws)."""

    def __init__(self, scenario: Scenario, bids: Bids) -> None:
        given, grid = np.asarray(bids), _Round(scenario)
        rows, self.num_bids, self.width = grid.signals.size, grid.bids.size, grid.width
        if given.dtype.kind in "iu" and given.ndim in (1, 2) and given.size and len(given) == rows:
            cents = given.reshape(rows, -1)
            self.places = np.searchsorted(grid.bids[:-1], cents)
            self.likely = np.full(cents.shape, 1 / cents.shape[1])
            wrong = cents[grid.bids[self.places] != cents]
            if wrong.size:
                raise ValueError(f"bids: expected cents, whole steps of {scenario.bid_step:g} dollars up to "
                                 f"{scenario.highest_bid:g}, got {wrong[0]}")  # fmt: skip
        elif given.dtype.kind == "f" and given.shape == (rows, self.num_bids):
            self.places, self.likely = np.broadcast_to(np.arange(self.num_bids), given.shape), given
            if not ((given >= 0).all() and np.allclose(given.sum(axis=1), 1, rtol=0, atol=1e-9)):
                raise ValueError("bids: expected probabilities from 0, at every signal adding up to 1")
        else:
            raise ValueError(f"bids: expected cents, integers ({rows},) or ({rows}, draws), or probabilities "
                             f"({rows}, {self.num_bids}), got {given.dtype} {given.shape}")  # fmt: skip

    def mean(self, rows: slice, table: np.ndarray) -> np.ndarray:
        """The mean entry at these signals, (rows,), of a table (rows or 1, bids)."""
        table = np.broadcast_to(table, (rows.stop - rows.start, self.num_bids))
        return (np.take_along_axis(table, self.places[rows], axis=1) * self.likely[rows]).sum(axis=1)

    def by_state(self, first: int, last: int) -> np.ndarray:
        """How likely each bid is in states `first` to `last` - 1: (states, bids)."""
        places, likely = (sliding_window_view(part, self.width, 0)[first:last] for part in (self.places, self.likely))
        places = places + self.num_bids * np.arange(last - first)[:, None, None]
        counts = np.bincount(places.ravel(), likely.ravel(), (last - first) * self.num_bids)
        return counts.reshape(last - first, self.num_bids) / self.width


def _chances(seats: int, at: np.ndarray, below: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The chance to win, and that all rivals bid less, if each is at most as high with probability `at`, lower `below`.

    Ties are fair: the mean of 1 / (tied seats), (at^n - below^n) / (n (at - below)), without the division.
    """
    win, alone = np.ones_like(at), np.ones_like(at)
    for _ in range(seats - 1):
        alone *= below
        win = win * at + alone
    return win / seats, alone


def _win_and_price(grid: _Round, likely: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """With every bid that reaches the reserve: the chance to win, and the mean price, 0 if it loses; (states, bids)."""
    at, m = np.cumsum(likely, axis=1), grid.seats - 1
    below = np.pad(at[:, :-1], ((0, 0), (1, 0)))
    win, alone = _chances(grid.seats, at, below)
    price = grid.bids * win

    def highest(rivals: int) -> np.ndarray:
        # mean of the highest of so many rivals' bids or the reserve, 0 if not below the own bid
        mass = np.diff(at[:, :-1] ** rivals, axis=1, prepend=0) * np.maximum(grid.bids, grid.reserve)[:-1]
        return np.pad(np.cumsum(mass, axis=1), ((0, 0), (1, 0)))

    if grid.pricing == "second":
        price = highest(m) + grid.bids * (win - alone)
    elif grid.pricing == "third":  # the rivals' second: if none ties; if one does; if more do
        others, one_ties = highest(m - 1), m / 2 * (at - below)
        price = m * below * others - (m - 1) * highest(m) + one_ties * others
        price += grid.bids * (win - alone - one_ties * below ** (m - 1))
    return win, price


def _outcomes(grid: _Round, rivals: _Rule) -> Iterator[tuple[slice, np.ndarray, np.ndarray, np.ndarray]]:
    """Some signals at a time: means of the prize's worth and price, 0 if a seat loses, and of what it pays, cents."""
    states, width, behind = grid.states, grid.width, grid.behind[:, None]
    factor = (1 if grid.common else grid.signals[:, None]) / behind

    def of_states(first: int, last: int) -> np.ndarray:
        win, price = _win_and_price(grid, rivals.by_state(first, last))
        win = win * grid.worth[first:last, None] if grid.common else win
        return np.stack([win, price]) * (grid.bids >= grid.reserve)

    at_once = max(1, _CELLS // max(grid.bids.size, width * rivals.places.shape[1]))
    sums = np.zeros((2, 1, grid.bids.size))  # over the states behind a signal
    for first in range(0, grid.signals.size, at_once):
        last, sums = min(first + at_once, grid.signals.size), sums[:, -1:]
        if first < states or last > width:
            change = np.zeros((2, last - first, grid.bids.size))
            if first < states:
                change[:, : states - first] += of_states(first, min(last, states))
            if last > width:
                change[:, max(width - first, 0) :] -= of_states(max(first - width, 0), last - width)
            sums = sums + np.cumsum(change, axis=1)
        price = sums[1] if states == 1 else sums[1] / behind[first:last]  # in ipv the same for all: one row will do
        paid = grid.bids[None] if grid.pricing == "all_pay" else price
        yield slice(first, last), sums[0] * factor[first:last], price, paid


def _means(scenario: Scenario, rival_bids: Bids, *rules: Bids) -> np.ndarray:
    """Each rule's mean profit, payment, and profit as a winner, and the best response's profit: (rules, 4) dollars."""
    grid, total, own = _Round(scenario), np.zeros((len(rules), 4)), [_Rule(scenario, bids) for bids in rules]
    for rows, worth, price, paid in _outcomes(grid, _Rule(scenario, rival_bids)):
        best = (worth - paid).max(axis=1)
        for i, rule in enumerate(own):
            gets, wins_at, pays = (rule.mean(rows, table) for table in (worth, price, paid))
            total[i] += np.stack([gets - pays, pays, gets - wins_at, best]) @ grid.likely[rows]
    return total / 100


def _value_at_tie(grid: _Round) -> np.ndarray:
    """cv: E[V | own signal = the rivals' highest], by Bayes' rule over the states: (signals,) dollars."""
    lower = np.arange(grid.width) / grid.width  # a rival's chance of a lower signal, by the signal's place in a state
    likely = (lower + 1 / grid.width) ** (grid.seats - 1) - lower ** (grid.seats - 1)
    return np.convolve(grid.worth / 100, likely) / np.convolve(np.ones(grid.states), likely)


def _interior(scenario: Scenario, x: Any) -> np.ndarray:
    if scenario.values != "cv":
        raise _unknown(scenario, 0)
    least, most = scenario.value_range[0] + scenario.signal_error, scenario.value_range[1] - scenario.signal_error
    wrong = [signal for signal in np.ravel(x) if not least <= signal <= most]
    if wrong:
        raise ValueError(f"x: expected signals from {least:g} to {most:g}, where the formula holds, got {wrong[0]:g}")
    return np.asarray(x, float)


def _unknown(scenario: Scenario, risk_aversion: float) -> ValueError:
    what = f"{scenario.pricing} price, {scenario.values} values from {scenario.value_range[0]:g}"
    return ValueError(
        f"no closed form is known for {what}, reserve {scenario.reserve:g}, risk aversion {risk_aversion:g}"
    )
