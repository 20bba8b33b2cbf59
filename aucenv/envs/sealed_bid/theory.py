"""Theory of one round of a sealed-bid auction: equilibria, best responses and utility losses.

Results are exact on the grids of values and bids. Amounts on grids are cents, results are dollars. Sources: Krishna,
Auction Theory, chapters 2 to 4 and 6; Kagel and Levin, American Economic Review 76, 1986.

Every value model has a number of equally likely states, in each of which the seats' signals are independent: in state
`k`, signals `k` to `k + width - 1` of the grid are equally likely. With ipv there is one state; with apv the state is
the common part, with cv the prize's value. All rivals use the same rule, so no table of joint bids is needed.

A rule (`Bids`) is (signals,) integers, the bid in cents at every signal of `signals`; or (signals, draws) integers,
equally likely bids; or (signals, bids) floats, the probability of every bid of `bid_grid`. No seat abstains. Descending
clocks are like first-price auctions, ascending ones like second-price auctions, with the tick as the bid step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from aucenv.core.checks import excerpt, number, whole_number
from aucenv.core.policy import why_unplayable
from aucenv.core.state import WITHDRAW, rekey
from aucenv.core.words.money import HALF_STEP, to_cents
from aucenv.envs.sealed_bid.game import SealedBidScenario
from aucenv.envs.sealed_bid.rules import clip
from aucenv.envs.sealed_bid.view import ScenarioText, make_view

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


DrawBids = Callable[[np.ndarray, np.random.Generator], np.ndarray]  # (signals,) cents to (signals,) legal bids, cents
FOLDS = 10  # number of parts of a random bidder's draws for cross-validation of the best response
ASKED = 3  # how often a policy is asked for a bid, with other random numbers each time


def signals(scenario: SealedBidScenario) -> np.ndarray:
    """Return all possible signals in ascending order: (signals,) int64, cents.

    Example:
        >>> from aucenv import SealedBidScenario, theory
        >>> scenario = SealedBidScenario("example", pricing="first", num_bidders=3)
        >>> theory.signals(scenario)[:4]
        array([  0, 100, 200, 300])
    """
    return RoundGrid(scenario).signals


def probabilities(scenario: SealedBidScenario) -> np.ndarray:
    """Return the probability of each of `signals`: (signals,) float64.

    Example:
        >>> from aucenv import SealedBidScenario, theory
        >>> scenario = SealedBidScenario("example", pricing="first", num_bidders=3)
        >>> theory.probabilities(scenario)[:4]
        array([0.01, 0.01, 0.01, 0.01])
    """
    return RoundGrid(scenario).probs


def bid_grid(scenario: SealedBidScenario) -> np.ndarray:
    """Return all legal bids up to the scenario's highest bid: (bids,) int64, cents.

    Example:
        >>> from aucenv import SealedBidScenario, theory
        >>> scenario = SealedBidScenario("example", pricing="first", num_bidders=3)
        >>> theory.bid_grid(scenario)[-3:]
        array([9700, 9800, 9900])
    """
    return RoundGrid(scenario).bids


def as_bids(scenario: SealedBidScenario, dollars: Any) -> np.ndarray:
    """Return the legal bids nearest to amounts in dollars, as int64 cents; half a step is rounded up.

    Example:
        >>> from aucenv import SealedBidScenario, theory
        >>> scenario = SealedBidScenario("example", pricing="first", num_bidders=3)
        >>> theory.as_bids(scenario, [0.4, 12.5, 30])
        array([   0, 1300, 3000])
    """
    check_sealed_bid(scenario)
    step = to_cents(scenario.bid_step)
    steps = np.floor(np.asarray(dollars, float) * 100 / step + HALF_STEP)  # like `round_to_step`, for arrays
    return step * np.clip(steps, 0, scenario.num_bids - 1).astype(np.int64)


def bids_of(decide: Callable[[np.ndarray, int, int], int], scenario: SealedBidScenario) -> np.ndarray:
    """Return a rule bidder's bid in a game's first round at every signal: (signals,) int64, cents.

    `decide` maps (state, row, seat) to cents. Abstaining counts as a bid of 0; without a reserve it raises ValueError.

    Example:
        >>> from aucenv import SealedBidScenario, theory
        >>> scenario = SealedBidScenario("example", pricing="first", num_bidders=3)
        >>> def half(state, row, seat):
        ...     return int(state["value"][row, 0, seat]) // 2
        >>> theory.bids_of(half, scenario)[[10, 50, 90]]
        array([ 500, 2500, 4500])
    """
    state, signal_grid = scenario.template(), signals(scenario)
    state["acting"][0, : scenario.num_bidders] = 1
    bids = np.zeros_like(signal_grid)
    for i, signal in enumerate(signal_grid):
        state["value"][0, 0, 0] = signal
        bids[i] = clip(state, 0, 0, decide(state, 0, 0))
    if bids.min() < 0 and scenario.reserve == 0:
        raise ValueError(f"bidder: expected a bid at the signal {signal_grid[bids < 0][0] / 100:g}, but it abstains")
    return np.maximum(bids, 0)


def policy_bids(scenario: SealedBidScenario, policy: Any) -> np.ndarray:
    """Return a policy's bid in the first round of a game at every signal: (signals,) int64, cents.

    The policy is an `aucenv.policy.Policy` that returns amounts. Abstaining counts as a bid of 0; without a reserve it
    raises ValueError, as do a policy whose bids are random or illegal, one with another interface, and one that cannot
    play the scenario.

    Example:
        >>> import aucenv
        >>> from aucenv import theory
        >>> scenario = aucenv.SealedBidScenario("example", pricing="first", num_bidders=3)
        >>> theory.policy_bids(scenario, aucenv.make_policy("sealed_bid", "equilibrium"))[[10, 50, 90]]
        array([ 700, 3300, 6000])
    """
    check_sealed_bid(scenario)
    if (reason := why_unplayable(policy, scenario)) is not None:
        raise ValueError(f"policy, scenario {scenario.name!r}: {reason}")
    if policy.interface != "amount":
        raise ValueError(f"policy: expected the interface 'amount', got {policy.interface!r:.80}")
    texts = ScenarioText.of(scenario)

    def ask(state: np.ndarray, row: int, seat: int) -> int:
        cents = set()
        for key in range(1, ASKED + 1):
            rekey(state[row], key)
            policy.reset(texts.seats[seat], key)
            dollars = policy.act(make_view(state, seat, texts, ()), {})
            cents.add(WITHDRAW if dollars < 0 else to_cents(dollars))
        if len(cents) > 1:
            raise ValueError(f"policy: its bids are random ({sorted(cents)[0] / 100:g} or {sorted(cents)[1] / 100:g}); "
                             "see sampled_utility_loss")  # fmt: skip
        return cents.pop()

    return bids_of(ask, scenario)


def equilibrium_bids(scenario: SealedBidScenario, risk_aversion: float = 0.0) -> np.ndarray:
    """Return the symmetric equilibrium bid at every signal: (signals,) float64, dollars, neither rounded nor capped.

    For n seats with values uniform on [0, V]: second price v; first (n-1)/(n-r) v; third (n-1)/(n-2) v; all-pay
    (n-1)/n v^n / V^(n-1), with r = `risk_aversion` of the utility x^(1-r), 0 <= r < 1. With cv, second price:
    E[V | X1 = Y1 = x], Y1 the rivals' highest signal (Krishna, 6). Raises ValueError in other cases.

    Example:
        >>> from aucenv import SealedBidScenario, theory
        >>> scenario = SealedBidScenario("example", pricing="first", num_bidders=3)
        >>> theory.equilibrium_bids(scenario)[[0, 30, 60]]
        array([ 0., 20., 40.])
    """
    x, n, pricing = signals(scenario) / 100, scenario.num_bidders, scenario.pricing
    r = number("risk_aversion", risk_aversion, 0, np.nextafter(1, 0))
    if pricing == "second" and scenario.values != "cv":
        return x  # dominant for any range, reserve and risk aversion
    if scenario.reserve > 0 or (r > 0 and pricing != "first"):
        raise _no_closed_form(scenario, r)
    if pricing == "second":
        return _value_at_tie(RoundGrid(scenario))
    if scenario.values != "ipv" or scenario.value_range[0] > 0:
        raise _no_closed_form(scenario, r)
    if pricing == "all_pay":
        return (n - 1) / n * x * (x / x[-1]) ** (n - 1)
    return x * ((n - 1) / (n - r) if pricing == "first" else (n - 1) / (n - 2))


def common_value_bid_interior(scenario: SealedBidScenario, x: Any) -> np.ndarray:
    """Return cv's second-price equilibrium x - e (n-2)/n, e = `signal_error`; ValueError for x within e of an end.

    Example:
        >>> from aucenv import SealedBidScenario, theory
        >>> scenario = SealedBidScenario("oil", values="cv", pricing="second", value_range=(20, 80))
        >>> float(theory.common_value_bid_interior(scenario, 50).round(2))
        43.33
    """
    return _interior(scenario, x) - scenario.signal_error * (scenario.num_bidders - 2) / scenario.num_bidders


def common_value_if_highest(scenario: SealedBidScenario, x: Any) -> np.ndarray:
    """Return cv's E[V | x is the highest signal] = x - e (n-1)/(n+1), with e and errors as in the function above.

    Example:
        >>> from aucenv import SealedBidScenario, theory
        >>> scenario = SealedBidScenario("oil", values="cv", pricing="second", value_range=(20, 80))
        >>> float(theory.common_value_if_highest(scenario, 50))
        40.0
    """
    return _interior(scenario, x) - scenario.signal_error * (scenario.num_bidders - 1) / (scenario.num_bidders + 1)


def revenue_of_theory(scenario: SealedBidScenario) -> float:
    """Return every pricing's revenue for values uniform on [0, V]: V (n-1)/(n+1), in dollars; else ValueError.

    Example:
        >>> from aucenv import SealedBidScenario, theory
        >>> scenario = SealedBidScenario("example", pricing="first", num_bidders=3)
        >>> theory.revenue_of_theory(scenario)
        49.5
    """
    check_sealed_bid(scenario)
    if scenario.values != "ipv" or scenario.value_range[0] > 0 or scenario.reserve > 0:
        raise _no_closed_form(scenario, 0)
    return scenario.value_range[1] * (scenario.num_bidders - 1) / (scenario.num_bidders + 1)


def expected_profits(scenario: SealedBidScenario, rival_bids: Bids) -> np.ndarray:
    """Return the expected profit of every bid at every signal: (signals, bids) float64, dollars.

    Example:
        >>> from aucenv import SealedBidScenario, theory
        >>> scenario = SealedBidScenario("example", pricing="first", num_bidders=3)
        >>> bids = theory.as_bids(scenario, theory.equilibrium_bids(scenario))
        >>> theory.expected_profits(scenario, bids).shape
        (100, 100)
    """
    outcomes = outcomes_by_signal(RoundGrid(scenario), BidRule(scenario, rival_bids))
    return np.concatenate([value - paid for _, value, _, paid in outcomes]) / 100


def best_response(scenario: SealedBidScenario, rival_bids: Bids) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest best bid at every signal and its profit: (signals,) cents and (signals,) dollars.

    Example:
        >>> from aucenv import SealedBidScenario, theory
        >>> scenario = SealedBidScenario("example", pricing="first", num_bidders=3)
        >>> bids = theory.as_bids(scenario, theory.equilibrium_bids(scenario))
        >>> response, profits = theory.best_response(scenario, bids)
        >>> response[[30, 60, 90]], profits[[30, 60, 90]].round(2)
        (array([2000, 4000, 6000]), array([ 0.93,  7.32, 24.57]))
    """
    places, best = [], []
    for _, value, _, paid in outcomes_by_signal(RoundGrid(scenario), BidRule(scenario, rival_bids)):
        profits = value - paid
        best.append(profits.max(axis=1))
        places.append(np.argmax(profits >= best[-1][:, None] - 1e-9, axis=1))  # smaller differences are rounding
    return bid_grid(scenario)[np.concatenate(places)], np.concatenate(best) / 100


def utility_loss(scenario: SealedBidScenario, bids: Bids, rival_bids: Bids | None = None) -> float:
    """Return the expected loss of `bids` to the best response against `rival_bids` (None = `bids`), in dollars.

    Each of the two is a rule, or a policy, whose bids are `policy_bids`.

    Example:
        >>> from aucenv import SealedBidScenario, theory
        >>> scenario = SealedBidScenario("example", pricing="first", num_bidders=3)
        >>> bids = theory.as_bids(scenario, theory.equilibrium_bids(scenario))
        >>> round(theory.utility_loss(scenario, bids), 4)
        0.0
        >>> round(theory.utility_loss(scenario, theory.signals(scenario)), 4)  # bids of the value
        3.7032
    """
    bids = policy_bids(scenario, bids) if hasattr(bids, "act") else bids
    rival_bids = policy_bids(scenario, rival_bids) if hasattr(rival_bids, "act") else rival_bids
    means = mean_results(scenario, bids if rival_bids is None else rival_bids, bids)
    return float(means[0, 3] - means[0, 0])


def sampled_utility_loss(
    scenario: SealedBidScenario, draw_bids: DrawBids, rng: np.random.Generator, samples: int = 100
) -> tuple[float, float]:
    """Return the `utility_loss` of a random bidder against rivals of its kind, and its standard error; dollars.

    It uses `samples` draws at every signal, at least 20. The response is chosen on some draws and evaluated on others,
    to avoid overfitting. The expected estimate is at most the exact loss, and approaches it with more draws.

    Example:
        >>> import numpy as np
        >>> from aucenv import SealedBidScenario, theory
        >>> scenario = SealedBidScenario("example", pricing="first", num_bidders=3)
        >>> def draw(signals, rng):
        ...     return theory.as_bids(scenario, rng.uniform(0.5, 0.8, signals.size) * signals / 100)
        >>> loss, error = theory.sampled_utility_loss(scenario, draw, np.random.default_rng(0))
        >>> round(loss, 2), round(error, 2)
        (0.65, 0.02)
    """
    signal_grid, samples = signals(scenario), whole_number("samples", samples, 2 * FOLDS)
    draws = np.stack([draw_bids(signal_grid, rng) for _ in range(samples)], axis=1)
    parts, losses = np.array_split(np.arange(samples), FOLDS), []
    for part in parts:
        response = best_response(scenario, np.delete(draws, part, axis=1))[0]
        drawn, rivals = draws[:, part[::2]], draws[:, part[1::2]]  # disjoint, or a seat would tie with itself
        (best, *_), (earned, *_) = mean_results(scenario, rivals, response, drawn)
        losses.append(best - earned)
    return float(np.mean(losses)), float(np.std(losses, ddof=1) / FOLDS**0.5)


def expected_revenue(scenario: SealedBidScenario, bids: Bids) -> float:
    """Return the expected payments of all seats in a round if all use `bids`, in dollars.

    Example:
        >>> from aucenv import SealedBidScenario, theory
        >>> scenario = SealedBidScenario("example", pricing="first", num_bidders=3)
        >>> bids = theory.as_bids(scenario, theory.equilibrium_bids(scenario))
        >>> round(theory.expected_revenue(scenario, bids), 2)
        49.66
    """
    return scenario.num_bidders * float(mean_results(scenario, bids, bids)[0, 1])


def expected_winner_profit(scenario: SealedBidScenario, bids: Bids) -> float:
    """Return the expected value less the price in a round, if all use `bids`, in dollars; < 0: the winner's curse.

    Example:
        >>> from aucenv import SealedBidScenario, theory
        >>> scenario = SealedBidScenario("example", pricing="first", num_bidders=3)
        >>> bids = theory.as_bids(scenario, theory.equilibrium_bids(scenario))
        >>> round(theory.expected_winner_profit(scenario, bids), 2)
        24.83
    """
    return scenario.num_bidders * float(mean_results(scenario, bids, bids)[0, 2])


def expected_efficiency(scenario: SealedBidScenario, bids: Bids) -> float:
    """Return the probability that a seat with the highest signal (ipv, apv: value) wins, if all use `bids`.

    Example:
        >>> from aucenv import SealedBidScenario, theory
        >>> scenario = SealedBidScenario("example", pricing="first", num_bidders=3)
        >>> bids = theory.as_bids(scenario, theory.equilibrium_bids(scenario))
        >>> round(theory.expected_efficiency(scenario, bids), 3)
        0.995
    """
    grid, rule, total = RoundGrid(scenario), BidRule(scenario, bids), 0.0
    for x in range(grid.signals.size):
        rows = slice(max(0, x - grid.width + 1), x + 1)
        bid, places, probs = rule.places[x], rule.places[rows, :, None], rule.probs[rows, :, None]
        reached = np.stack([(probs * lower).sum(axis=1) for lower in (places <= bid, places < bid)])
        # probability that a rival's signal is at most x and its bid at most (below) these, in every state possible at x
        at, below = np.cumsum(reached[:, ::-1], axis=1)[:, x - min(x, grid.states - 1) :] / grid.width
        wins = win_probabilities(grid.seats, at, below)[0].sum(axis=0)
        total += wins @ (rule.probs[x] * (grid.bids[bid] >= grid.reserve))
    return grid.seats * float(total) / (grid.states * grid.width)


def _value_at_tie(grid: RoundGrid) -> np.ndarray:
    """Return cv's E[V | signal = the rivals' highest signal], by Bayes' rule over the states: (signals,) dollars."""
    lower = np.arange(grid.width) / grid.width  # probability of a lower signal, by the signal's place in a state
    probs = (lower + 1 / grid.width) ** (grid.seats - 1) - lower ** (grid.seats - 1)
    return np.convolve(grid.value / 100, probs) / np.convolve(np.ones(grid.states), probs)


def _interior(scenario: SealedBidScenario, x: Any) -> np.ndarray:
    check_sealed_bid(scenario)
    if scenario.values != "cv":
        raise _no_closed_form(scenario, 0)
    least, most = scenario.value_range[0] + scenario.signal_error, scenario.value_range[1] - scenario.signal_error
    wrong = [signal for signal in np.ravel(x) if not least <= signal <= most]
    if wrong:
        raise ValueError(f"x: expected signals from {least:g} to {most:g}, where the formula holds, got {wrong[0]:g}")
    return np.asarray(x, float)


def _no_closed_form(scenario: SealedBidScenario, risk_aversion: float) -> ValueError:
    case = f"{scenario.pricing} price, {scenario.values} values from {scenario.value_range[0]:g}"
    return ValueError(
        f"no closed form is implemented for {case}, reserve {scenario.reserve:g}, risk aversion {risk_aversion:g}"
    )
