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

from collections.abc import Callable
from typing import Any

import numpy as np

from aucenv.core.checks import number, whole_number
from aucenv.core.policy import why_unplayable
from aucenv.core.state import WITHDRAW, rekey
from aucenv.core.words.money import HALF_STEP, to_cents
from aucenv.envs.sealed_bid.expectations import (
    BidRule,
    Bids,
    RoundGrid,
    check_sealed_bid,
    mean_results,
    outcomes_by_signal,
    win_probabilities,
)
from aucenv.envs.sealed_bid.game import SealedBidScenario
from aucenv.envs.sealed_bid.rules import clip
from aucenv.envs.sealed_bid.view import ScenarioText, make_view

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
