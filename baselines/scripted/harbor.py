"""Rule bidders for housing auctions. Source: HARBOR, arXiv 2502.12149; the numbers are ours."""

from __future__ import annotations

import dataclasses

import numpy as np
from aucenv.baselines.scripted import english
from aucenv.baselines.scripted.english import value_per_estimate
from aucenv.baselines.scripted.harbor_memory import fresh_memory, memory_size, recall
from aucenv.baselines.scripted.harbor_planning import best_gain, foresee, keenness, read_personas
from aucenv.baselines.scripted.policy import Parameter, Scripted

from aucenv.core.files import JsonObject
from aucenv.core.kernel import kernel
from aucenv.core.rollouts import Rollouts
from aucenv.core.state import NOBODY, WITHDRAW
from aucenv.envs.harbor import belief, rules
from aucenv.envs.harbor.profile import item_odds, profile, weigh_odds
from aucenv.envs.harbor.rules import LIKING, NUM_PERSONAS, has_persona, suits
from aucenv.envs.harbor.view import View

PERSONA, EXPACT_BLIND, EXPACT, EXPACT_TRUE, SECOND_ORDER = range(10, 15)
"""English auctions' kinds come before."""

OVERESTIMATE = 0.1
"""Expected of the own estimates, before any true value is told."""
LIKED = 0.5
"""From this mean liking on a house that does not match has priority 2."""
THIN_MARGIN = 30_000
"""Cents: at or below HARBOR's $300 rule E quits."""
SUITED = 0.3
"""Expected likeness from which a rival is said to value an item."""
READ = 0.2
"""From this chance on that its bids give its own persona a second-order bidder takes itself to be read."""
DECOY_STEPS, DECOY_GAIN = 2.0, 0.01
"""A decoy is bid while rivals go so many raises further, if leaving would give the own persona so much more chance."""

RAISE_TOP, DRAIN, RAISE, SAVE, THIN, COSTLY, DECOY = range(7)
RULES = (*"ABCDEF", "decoy")
"""HARBOR's six rules, by letter, and what second-order reasoning adds."""


@kernel
def decide(kind, params, state, b, seat):
    """The amount that a bidder of this kind answers, for an acting seat.

    Args:
        params: float64, in the order of the bidder's `parameters`.
    """
    if kind <= PERSONA:
        return decide_remembering(kind, params, state, b, seat, np.empty(0))
    return decide_remembering(kind, params, state, b, seat, fresh_memory(state[b]))


@kernel
def decide_remembering(kind, params, state, b, seat, memory):
    """As `decide`, with what is remembered from decisions before; see `harbor_memory`."""
    if kind < PERSONA:
        return english.decide(kind, params, state, b, seat)
    if kind == PERSONA:
        return decide_persona(params, state, b, seat)
    rule = choose_rule(kind, params, state, b, seat, memory)
    return state[b]["least"] if rule in (RAISE_TOP, DRAIN, RAISE, DECOY) else WITHDRAW


@kernel
def priority(g, seat, j):
    """How much the seat wants item `j`: 3, it matches a persona of its own; 2, it likes it, or has no persona; or 1."""
    if g["persona"][seat] == NOBODY:
        return 2
    if suits(g, seat, j):
        return 3
    liking = 0.0
    own = 0
    for k in range(NUM_PERSONAS):
        if has_persona(g, seat, k):
            liking += g["liking"][g["lot"][j]][k] / LIKING
            own += 1
    return 2 if liking >= LIKED * own else 1


@kernel
def decide_persona(params, state, b, seat):
    g = state[b]
    left = 0.0
    here = 0.0
    counted = 1.0
    for j in range(g["num_items"] - 1, g["item"] - 1, -1):
        wanted = priority(g, seat, j)
        counted = params[1] if wanted == 3 else params[0] if wanted == 2 else 1.0
        here = g["estimate"][seat][j] * counted
        left += here
    value = g["estimate"][seat][g["item"]] * value_per_estimate(g, seat, OVERESTIMATE)
    if params[3] > 0.0:
        limit = params[3] * counted * value
    else:
        limit = here / left * g["num_seats"] * g["budget"][seat] if left > 0.0 else 0.0
    return g["least"] if g["least"] <= min(limit, (1.0 - params[2]) * value) else WITHDRAW


@kernel
def choose_rule(kind, params, state, b, seat, memory):
    """Which rule ExpAct follows; the amount is the least legal bid, or none."""
    g = state[b]
    item, num_items, num_seats, least = g["item"], g["num_items"], g["num_seats"], g["least"]
    lift, steps, bonus = params[0], params[1], params[2]
    alike, told, read, keen = recall(g, memory)
    if kind in (EXPACT_BLIND, EXPACT_TRUE):
        read, keen = read.copy(), keen.copy()
        read_personas(kind == EXPACT_TRUE, g, seat, read)
        keenness(g, read, alike, keen)
    values = np.empty(num_items)
    honesty = value_per_estimate(g, seat, OVERESTIMATE)
    for j in range(num_items):
        values[j] = g["estimate"][seat][j] * honesty
    budgets = np.empty(num_seats)
    for s in range(num_seats):
        budgets[s] = g["budget"][s]
    if values[item] - least <= THIN_MARGIN:
        return THIN
    top = priority(g, seat, item) == 3
    if kind == SECOND_ORDER and top and chance_of_own(g, seat, read[seat]) >= READ:
        bonus = 0.0  # rivals expect it to go far here, and run it up
    prices = np.empty(num_items)
    foresee(lift, g, seat, keen, values, budgets, prices)
    beyond = (prices[item] - least) / g["raise_by"]
    worth = values[item] * (1.0 + bonus) if top else values[item]
    won = worth - least + best_gain(item + 1, values, prices, budgets[seat] - least)
    if g["leader"] != NOBODY:
        budgets[g["leader"]] -= g["standing"]
        foresee(lift, g, seat, keen, values, budgets, prices)
    if won >= best_gain(item + 1, values, prices, budgets[seat]):
        return RAISE_TOP if top else RAISE
    if beyond >= steps:
        return DRAIN
    if (
        kind == SECOND_ORDER
        and not top
        and beyond >= DECOY_STEPS
        and given_away(g, seat, alike, told[seat]) >= DECOY_GAIN
    ):
        return DECOY
    return COSTLY if is_wanted(g, seat, keen) else SAVE


@kernel
def is_wanted(g, seat, keen):
    """Whether a rival that is still in is expected to value the current item."""
    wanted = False
    for s in range(g["num_seats"]):
        wanted = wanted or (s != seat and g["active"][s] != 0 and keen[s, g["item"]] >= SUITED)
    return wanted


@kernel
def chance_of_own(g, seat, told):
    """The chance that bids give the seat's own personas, added up: what rivals who profile it think."""
    total = 0.0
    for k in range(NUM_PERSONAS):
        if has_persona(g, seat, k):
            total += told[k]
    return total


@kernel
def given_away(g, seat, alike, told):
    """How much more chance its own personas are given if the seat leaves the current item than if it raises.

    Args:
        told: (num_items, 10), the logarithms of the odds of items that are through; the current one's is written.
    """
    item = g["item"]
    told = told[: item + 1]
    left = 0.0
    for j in range(item, g["num_items"]):
        left += g["start"][j]
    weighed = np.empty(NUM_PERSONAS)
    item_odds(g, item, left, g["budget"][seat], g["top"][seat][item], g["least"], alike, told[item])
    weigh_odds(told, alike, weighed)
    leaving = chance_of_own(g, seat, weighed)
    item_odds(g, item, left, g["budget"][seat], g["least"], 0, alike, told[item])
    weigh_odds(told, alike, weighed)
    return leaving - chance_of_own(g, seat, weighed)


def explain(bidder: Scripted, numbers: np.ndarray, view: View) -> JsonObject:
    """What a bidder notes: the rule it follows; before its first bid for an item and at the end priorities, profiles.

    Profiles are by rival's seat, a list of ten weights: what the items that are through tell; second_order also notes
    its own, what rivals read in its bids.
    """
    row, seat = view.row, view.seat_number
    g = row[0]
    notes: JsonObject = {}
    if view.must_decide and bidder.kind > PERSONA:
        notes["rule"] = RULES[choose_rule(bidder.kind, numbers, row, 0, seat, fresh_memory(g))]
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


@kernel
def write_notes(state, b, seat, true, priorities, profiles):
    """Write the seat's priority of each item, and each seat's profile: inferred, or `true`, 1 for each of its personas.

    Args:
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


FROM_ENGLISH = ("rule", "value", "pace", "random")
"""Those of the English auctions' bidders that sit here too: they mind no persona."""
EXPACT_PARAMETERS = (Parameter("lift", 0.75, 0, 10), Parameter("steps", 4, 0, 1000), Parameter("bonus", 0.1, 0, 1))
ABOUT_EXPACT = (
    "ExpAct (HARBOR's rules A to F): raises what its budget gains most on, a match up to a share bonus above its "
    "value; else drains rivals while they are expected to go steps raises further"
)

BIDDERS = (
    Scripted(
        "persona",
        PERSONA,
        decide,
        "spends its budget evenly, on what its persona likes 1.25 times and on what matches it 1.75 times as much, up "
        "to its estimate of the value less a margin; with a share, goes so far of the value, times the same, instead",
        (
            Parameter("like", 1.25, 0, 100),
            Parameter("love", 1.75, 0, 100),
            Parameter("margin", 0.05, -5, 1),
            Parameter("share", 0, 0, 5),
        ),
        explain=explain,
    ),
    Scripted(
        "expact",
        EXPACT,
        decide,
        f"{ABOUT_EXPACT}, as profiles of them that it infers from their bids say",
        EXPACT_PARAMETERS,
        explain=explain,
    ),
    Scripted(
        "expact_blind",
        EXPACT_BLIND,
        decide,
        f"{ABOUT_EXPACT}, without profiles",
        EXPACT_PARAMETERS,
        explain=explain,
    ),
    Scripted(
        "expact_true",
        EXPACT_TRUE,
        decide,
        f"{ABOUT_EXPACT}, knowing their personas",
        EXPACT_PARAMETERS,
        cheats=True,
        explain=explain,
    ),
    Scripted(
        "second_order",
        SECOND_ORDER,
        decide,
        "like expact; where leaving a house that does not match would give its persona away it bids a decoy, and once "
        "it is read it pays no bonus for a match",
        EXPACT_PARAMETERS,
        explain=explain,
    ),
    *(dataclasses.replace(bidder, decide=decide) for bidder in english.BIDDERS if bidder.name in FROM_ENGLISH),
)

ROLLOUTS = Rollouts("harbor", rules, belief, decide_remembering, memory_size, allocates=True)
"""Many games, and many continuations of one game, between rule bidders, wholly inside compiled code."""
