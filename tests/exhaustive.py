"""Exhaustive search of small English auctions: two bidders, three items."""

from __future__ import annotations

import dataclasses

import numpy as np
from aucenv.baselines.population.english import chance_to_bid
from aucenv.baselines.population.english import decide_family as family
from aucenv.baselines.scripted.english import decide
from aucenv.baselines.scripted.policy import FIRST_FAMILY
from aucenv.training.rlact.judges.simulator import legal_ladder
from aucenv.training.rlact.states.states import DecisionState
from tables import scenario_of

from aucenv.core.play.table import Table
from aucenv.core.state import RUNNING, WITHDRAW
from aucenv.envs.english import rules
from aucenv.envs.english.game import GAME


def small_state(rng):
    """Return a scenario with three random items and two bidders with small budgets."""
    prices, values, budgets = (
        (rng.integers(low, high, 3) * 100).tolist() for low, high in ((5, 15), (8, 40), (10, 40))
    )
    scenario = scenario_of(prices, 2, values=values)
    bidders = tuple(dataclasses.replace(b, budget=x) for b, x in zip(scenario.bidders, budgets, strict=False))
    return dataclasses.replace(scenario, bidders=bidders)


def play_to(scenario, rng):
    """Return a table where seat 0 decides on the second or third item, and the earlier decisions of seat 1.

    The table is None if the game ends before. A decision is the state, (1,), and the amount in cents.
    """
    table = Table(GAME, scenario, ["amount"] * 2)
    table.reset(int(rng.integers(10**6)))
    skipped = int(rng.integers(0, 3))
    decisions = []
    while not table.over:
        if table.item > 0 and table.is_pending(0) and table.state["winner"][0, 0] >= 0:
            if skipped == 0:
                return table, decisions
            skipped -= 1
        seat = table.pending[0]
        least = table.view(seat).least_bid
        bids = rng.random() < 0.6
        if seat == 1:
            decisions.append((table.state.copy(), round(least * 100) if bids else WITHDRAW))
        table.submit(seat, least if bids else -1)
    return None, decisions


def decision_tables(number, ladder):
    """Return tables at which seat 0 can bid, and the earlier decisions of seat 1; see `play_to`."""
    rng, tables = np.random.default_rng(0), []
    while len(tables) < number:
        table, decisions = play_to(small_state(rng), rng)
        if table is not None and legal_ladder(table.state, 0, ladder) != [WITHDRAW]:
            tables.append((table, decisions))
    return zip(*tables, strict=True)


def choices(state, kind, params, seat):
    """Return the amounts that a bidder may bid, with their probabilities."""
    if kind < FIRST_FAMILY:
        return [(1.0, int(decide(kind, params, state, 0, seat)))]
    chance = chance_to_bid(kind, params, state, 0, seat)
    if chance < 0:
        return [(1.0, int(family(kind, params, state, 0, seat)))]
    amounts = [(chance, int(state["least"][0])), (1 - chance, WITHDRAW)]
    return [(probability, amount) for probability, amount in amounts if probability > 0]


def expected_profit(state, actions, kinds, params):
    """Return the expected final profit of seat 0; see `profit_moments`."""
    return profit_moments(state, actions, kinds, params)[0]


def profit_moments(state, actions, kinds, params):
    """Return the means of the final profit of seat 0 and of its square, over random choices and random tie-breaking."""
    acting = [seat for seat in range(2) if state["acting"][0, seat]]
    options = [
        [(1.0, actions[seat])]
        if seat in actions
        else choices(state, kinds[seat], params[seat], seat)
        if seat in acting
        else [(1.0, WITHDRAW)]
        for seat in range(2)
    ]
    moments = np.zeros(2)
    for first_chance, first in options[0]:
        for second_chance, second in options[1]:
            amounts = np.array([first, second])
            bids = {seat: amounts[seat] for seat in acting if amounts[seat] >= 0}
            tied = [seat for seat in bids if bids[seat] == max(bids.values())] or [-1]
            for winner in tied:
                after = state.copy()
                after["forced_tie"] = winner
                rules.step(after, 0, amounts)
                over = after["status"][0] != RUNNING
                profit = float(after["profit"][0, 0])
                later = np.array([profit, profit**2]) if over else profit_moments(after, {}, kinds, params)
                moments += first_chance * second_chance * later / len(tied)
    return moments


def possible_rows(believed, number=21):
    """Yield rows that seat 0 considers possible: the rival's overestimate is uniform from 0 to 20%."""
    for over in 0.2 * (np.arange(number) + 0.5) / number:
        row = believed.copy()
        row["estimate"][0, 1, :3] = np.round(row["value"][0, :3] * (1 + over))
        yield row


def state_of(table, number):
    """Return the decision state of seat 0 at a table."""
    return DecisionState(
        id=f"{number:016x}", split="train", game="english", env_version=0, scenario=table.scenario.to_dict(),
        seed=(0,), bidders=("rule", "rule"), seat=0, full_row=table.state.copy(), history=table.view(0)._history,
        descriptions=(), profiles=(), legal={}, stratum="", messages={},
    )  # fmt: skip
