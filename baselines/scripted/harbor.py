"""Rule bidders for housing auctions.

Source: the rules are those of HARBOR, arXiv 2502.12149; the numeric constants and defaults are ours.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from aucenv.baselines.scripted import english
from aucenv.baselines.scripted.english import OVERESTIMATE, value_per_estimate
from aucenv.baselines.scripted.harbor_personas import (
    persona_leak,
    priority,
    rival_wants_item,
    true_personas_probability,
)
from aucenv.baselines.scripted.harbor_planning import (
    best_profit,
    empty_memory,
    forecast_prices,
    update_memory,
    write_interest,
    write_persona_probabilities,
)
from aucenv.baselines.scripted.policy import Parameter, RuleBidder

from aucenv.core.compiled.cold_start import KernelCall
from aucenv.core.files import JsonObject
from aucenv.core.kernel import allocating, kernel
from aucenv.core.state import NOBODY, WITHDRAW
from aucenv.envs.harbor.notes import ASKS_TO_BID
from aucenv.envs.harbor.profile import profile
from aucenv.envs.harbor.rules import NUM_PERSONAS, has_persona
from aucenv.envs.harbor.view import View

PERSONA, EXPACT_BLIND, EXPACT, EXPACT_TRUE, SECOND_ORDER = range(10, 15)
"""Kinds below 10 are those of English auctions."""

THIN_MARGIN = 30_000
"""Rule E withdraws at or below this margin, in cents: HARBOR's $300."""
RECOGNIZED = 0.2
"""A second-order bidder assumes that rivals know its personas if its bids imply at least this probability of them."""
DECOY_STEPS, DECOY_GAIN = 2.0, 0.01
"""Conditions of a decoy bid: rivals are expected to make at least DECOY_STEPS more raises, and the probability
of the bidder's true personas would be higher by at least DECOY_GAIN after withdrawing than after a raise."""

RAISE_TOP, DRAIN, RAISE, SAVE, THIN, COSTLY, DECOY = range(7)
RULES = tuple(ASKS_TO_BID)
"""HARBOR's six rules, by letter, and the decoy that second-order reasoning adds."""


@kernel
def decide(kind, params, state, b, seat):
    """Return the amount in cents that a bidder of kind `kind` bids in an acting seat, or WITHDRAW.

    Args:
        params: float64, in the order of the bidder's `parameters`.
    """
    if kind <= PERSONA:
        return decide_with_memory(kind, params, state, b, seat, np.empty(0))
    return decide_with_memory(kind, params, state, b, seat, empty_memory(state[b]))


@kernel
def decide_with_memory(kind, params, state, b, seat, memory):
    """Return the same amount as `decide`; the memory of earlier decisions saves time, see `harbor_planning`."""
    if kind < PERSONA:
        return english.decide(kind, params, state, b, seat)
    if kind == PERSONA:
        return decide_persona(params, state, b, seat)
    rule = choose_rule(kind, params, state, b, seat, memory)
    return state[b]["least"] if rule in (RAISE_TOP, DRAIN, RAISE, DECOY) else WITHDRAW


@kernel
def decide_persona(params, state, b, seat):
    """Spread the budget over the remaining houses, weighted by how the persona likes them; see `BIDDERS`."""
    g = state[b]
    total = 0.0
    weighted = 0.0  # the loop ends with the current item, so `weighted` and `factor` are then those of this item
    factor = 1.0
    for j in range(g["num_items"] - 1, g["item"] - 1, -1):
        level = priority(g, seat, j)
        factor = params[1] if level == 3 else params[0] if level == 2 else 1.0
        weighted = g["estimate"][seat][j] * factor
        total += weighted
    value = g["estimate"][seat][g["item"]] * value_per_estimate(g, seat, OVERESTIMATE)
    if params[3] > 0.0:
        limit = params[3] * factor * value
    else:
        limit = weighted / total * g["num_seats"] * g["budget"][seat] if total > 0.0 else 0.0
    return g["least"] if g["least"] <= min(limit, (1.0 - params[2]) * value) else WITHDRAW


@allocating
def choose_rule(kind, params, state, b, seat, memory):
    """Return the rule that ExpAct follows, as an index of RULES: A, B, C and the decoy bid the least legal amount.

    After D, E and F it withdraws.
    """
    g = state[b]
    item, num_items, num_seats, least = g["item"], g["num_items"], g["num_seats"], g["least"]
    lift, steps, bonus = params[0], params[1], params[2]
    affinities, log_odds, probabilities, interest = update_memory(g, memory)
    if kind in (EXPACT_BLIND, EXPACT_TRUE):
        probabilities, interest = probabilities.copy(), interest.copy()
        write_persona_probabilities(kind == EXPACT_TRUE, g, seat, probabilities)
        write_interest(g, probabilities, affinities, interest)
    values = np.empty(num_items)
    correction = value_per_estimate(g, seat, OVERESTIMATE)
    for j in range(num_items):
        values[j] = g["estimate"][seat][j] * correction
    budgets = np.empty(num_seats)
    for s in range(num_seats):
        budgets[s] = g["budget"][s]
    if values[item] - least <= THIN_MARGIN:
        return THIN
    matches = priority(g, seat, item) == 3
    if kind == SECOND_ORDER and matches and true_personas_probability(g, seat, probabilities[seat]) >= RECOGNIZED:
        bonus = 0.0  # rivals expect a high limit on this house, and raise the price
    prices = np.empty(num_items)
    forecast_prices(lift, g, seat, interest, values, budgets, prices)
    raises_left = (prices[item] - least) / g["raise_by"]
    value = values[item] * (1.0 + bonus) if matches else values[item]
    profit_if_won = value - least + best_profit(item + 1, values, prices, budgets[seat] - least)
    if g["leader"] != NOBODY:
        budgets[g["leader"]] -= g["standing"]
        forecast_prices(lift, g, seat, interest, values, budgets, prices)
    if profit_if_won >= best_profit(item + 1, values, prices, budgets[seat]):
        return RAISE_TOP if matches else RAISE
    if raises_left >= steps:
        return DRAIN
    if (
        kind == SECOND_ORDER
        and not matches
        and raises_left >= DECOY_STEPS
        and persona_leak(g, seat, affinities, log_odds[seat]) >= DECOY_GAIN
    ):
        return DECOY
    return COSTLY if rival_wants_item(g, seat, interest) else SAVE


def reasons(kind: int, params: np.ndarray, row: np.ndarray, seat: int) -> list[int]:
    """Return the rule that ExpAct follows, the priority of the current item, and whether an active rival wants it."""
    numbers = np.empty(3, np.int64)
    write_reasons(kind, params, row, 0, seat, numbers)
    return numbers.tolist()


@kernel
def write_reasons(kind, params, state, b, seat, out):
    """Write what `reasons` returns into `out`, (3,) int64. It is one kernel, so that `choose_rule` is compiled once."""
    g = state[b]
    memory = empty_memory(g)
    out[0] = choose_rule(kind, params, state, b, seat, memory)
    out[1] = priority(g, seat, g["item"])
    out[2] = rival_wants_item(g, seat, update_memory(g, memory)[3])


def explain(bidder: RuleBidder, params: np.ndarray, view: View) -> JsonObject:
    """Return a bidder's notes.

    Before each decision, ExpAct notes the rule that it follows. Before the first bid for an item, and at the end of the
    game, bidders note the priorities of the items and the rivals' profiles. A profile is a list of ten weights that is
    inferred from the closed items. `second_order` also notes the profile that rivals infer from its bids.
    """
    row, seat = view.row, view.seat_number
    g = row[0]
    notes: JsonObject = {}
    if view.must_decide and bidder.kind > PERSONA:
        notes["rule"] = RULES[reasons(bidder.kind, params, row, seat)[0]]
    if g["bids"][seat] == 0 or not view.must_decide:
        priorities, profiles = np.empty(g["num_items"], np.int64), np.empty((g["num_seats"], NUM_PERSONAS))
        write_notes(row, 0, seat, bidder.kind == EXPACT_TRUE, priorities, profiles)
        notes["priorities"] = priorities.tolist()
        if bidder.kind != EXPACT_BLIND:
            weights = profiles.round(4).tolist()
            notes["profiles"] = {name: weights[s] for s, name in enumerate(view.scenario_text.seats) if s != seat}
            if bidder.kind == SECOND_ORDER:
                notes["read_as"] = weights[seat]
    return notes


def explain_calls(params: np.ndarray, row: np.ndarray) -> tuple[KernelCall, ...]:
    """Return the kernels that `explain` calls."""
    numbers, profiles = np.empty(1, np.int64), np.empty((1, 1))
    return (
        KernelCall(f"{__name__}:write_reasons", (0, params, row, 0, 0, numbers)),
        KernelCall(f"{__name__}:write_notes", (row, 0, 0, False, numbers, profiles)),
    )


@kernel
def write_notes(state, b, seat, true, priorities, profiles):
    """Write the seat's priority of each item, and the profile of each seat.

    Args:
        true: whether profiles are the true personas (1 for each, 0 for others); otherwise they are inferred from bids.
        priorities: (num_items,) int64, written.
        profiles: (seats, 10) float64, written.
    """
    g = state[b]
    for j in range(g["num_items"]):
        priorities[j] = priority(g, seat, j)
    for s in range(g["num_seats"]):
        if true:
            for k in range(NUM_PERSONAS):
                profiles[s, k] = 1.0 if has_persona(g, s, k) else 0.0
        else:
            profile(g, s, g["item"], profiles[s])


FROM_ENGLISH = ("value", "pace", "random")
"""The bidders of English auctions that also play housing auctions; they ignore personas."""
EXPACT_PARAMETERS = (Parameter("lift", 0.75, 0, 10), Parameter("steps", 4, 0, 1000), Parameter("bonus", 0.1, 0, 1))
ABOUT_EXPACT = (
    "Follows ExpAct (HARBOR's rules A to F): it bids on the houses on which it expects its budget to earn most, and "
    "values a house that matches its persona at 1 + `bonus` times its expected value. On a house that it does not want "
    "to win, it bids only if it expects rivals to raise the price at least `steps` more times, in order to drain their "
    "budgets. It expects rivals to multiply the values of houses that match their personas by 1 + `lift`, and"
)

BIDDERS = (
    RuleBidder(
        "persona",
        PERSONA,
        decide,
        "Spreads N times its budget over the remaining houses, because with N seats it expects to win one house in N. "
        "The limits are proportional to its estimates times a factor: `like` for houses that its persona likes, `love` "
        "for houses that match it, and 1 for others. With `share` > 0, a limit is instead `share` times this factor "
        "times the expected value. No limit is above (1 - `margin`) times the expected value",
        (
            Parameter("like", 1.25, 0, 100),
            Parameter("love", 1.75, 0, 100),
            Parameter("margin", 0.05, -5, 1),
            Parameter("share", 0, 0, 5),
        ),
        explain=explain,
        explain_calls=explain_calls,
    ),
    RuleBidder(
        "expact",
        EXPACT,
        decide,
        f"{ABOUT_EXPACT} infers these personas from their bids",
        EXPACT_PARAMETERS,
        explain=explain,
        explain_calls=explain_calls,
    ),
    RuleBidder(
        "expact_blind",
        EXPACT_BLIND,
        decide,
        f"{ABOUT_EXPACT} considers all personas equally likely",
        EXPACT_PARAMETERS,
        explain=explain,
        explain_calls=explain_calls,
    ),
    RuleBidder(
        "expact_true",
        EXPACT_TRUE,
        decide,
        f"{ABOUT_EXPACT} knows their true personas",
        EXPACT_PARAMETERS,
        cheats=True,
        explain=explain,
        explain_calls=explain_calls,
    ),
    RuleBidder(
        "second_order",
        SECOND_ORDER,
        decide,
        "Bids like `expact`, but also bids on a house that does not match its persona, as a decoy, if withdrawing "
        "would help rivals to infer its persona. Once its bids have revealed its persona, it no longer applies `bonus`",
        EXPACT_PARAMETERS,
        explain=explain,
        explain_calls=explain_calls,
    ),
    RuleBidder(
        "rule",
        english.RULE,
        decide,
        "Bids the least legal amount at most k times per item and ignores values (AucArena's rule bidder)",
        (Parameter("k", 4, 0, 1000),),
    ),
    *(dataclasses.replace(bidder, decide=decide) for bidder in english.BIDDERS if bidder.name in FROM_ENGLISH),
)


PARAMETERS = np.array([*(parameter.default for parameter in EXPACT_PARAMETERS), 0.0])


def rule_followed(row: np.ndarray, seat: int, bids: bool) -> str:
    """Return the letter of the HARBOR rule that a decision follows.

    If ExpAct would make the same choice, to bid or to withdraw, it is ExpAct's rule. Otherwise a bid follows rule A if
    the house matches the seat's persona, and else rule C. A withdrawal follows rule F if the seat has already bid for
    the house or an active rival is expected to want it, and else rule D.

    Args:
        row: (1,) state as the acting seat sees it.
        bids: whether the seat bids; otherwise it withdraws.
    """
    rule, priority, rival_wants_item = reasons(EXPACT, PARAMETERS, row, seat)
    if bids != ASKS_TO_BID[RULES[rule]]:
        if bids:
            rule = RAISE_TOP if priority == 3 else RAISE
        else:
            rule = COSTLY if row["bids"][0, seat] > 0 or rival_wants_item else SAVE
    return RULES[rule]
