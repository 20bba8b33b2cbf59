"""Who sees each word of a game's state: a table by hand, and copies of states of real games as seats see them."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from games import CASES

from aucenv.testing.leaks import play_turns

HEADER = {
    "all": "num_seats num_items item round rounds max_rounds status",
    "owner": "seat_key",
    "none": "key forced_tie",
    "condition": "",
}
ENGLISH = {
    "all": "discount ask_broke increment shuffled opening price discounts standing leader least raise_by total active "
    "acting bids last_bid budget profit won objective target endowment lot start winner hammer",
    "owner": "estimate",
    "none": "bias noise",
    "condition": "value",
}
PRIZES = {
    "all": "model low high grid error top reveal",
    "owner": "gain profit won bid",
    "none": "",
    "condition": "common winner price surplus value ranked",
}
SEEN_BY = {
    "english": (HEADER, ENGLISH),
    "harbor": (
        HEADER,
        ENGLISH,
        {
            "all": "num_houses matches item_order drawn house_start house_kind offered raises top left_at liking",
            "owner": "persona second wording",
            "none": "house_value",
        },
    ),
    "sealed_bid": (HEADER, PRIZES, {"all": "acting pricing reserve cap step"}),
    "clock": (
        HEADER,
        PRIZES,
        {"all": "falling open start end tick price_now", "owner": "acting active limit", "condition": "still_in"},
    ),
    "ebay": (
        HEADER,
        PRIZES,
        {
            "all": "price soft days lift start increment step cap day days_now late turn price_now leader placed led days_run "
            "moved raised price_after leader_after",
            "owner": "acting maximum",
            "none": "reserve",
            "condition": "order",
        },
    ),
    "water_allocation": (
        HEADER,
        {
            "all": "supply low high refuses health_cap acting gone health thirst balance need salary lived won spent void "
            "bid place balance_after health_after thirst_after",
            "none": "scheduled",
            "condition": "supplies",
        },
    ),
}
"""Of each game the words that all seats see, those that a seat sees of itself alone, those that no seat sees, and those
whose visibility depends on the state. An owner is the seat of the first index."""


def table_of(game: str) -> dict[str, str]:
    """Return who sees each word of a game."""
    return {word: who for part in SEEN_BY[game] for who, words in part.items() for word in words.split()}


def tables(case, setup):
    """Yield the tables of games at random moments."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        env = case.family.raw_env(**setup)
        env.reset(seed=seed)
        for _ in range(12):
            yield env.table
            play_turns(env, rng, int(rng.integers(1, 8)))
            if any(env.terminations.values()):
                yield env.table
                break


def setups(case):
    kept = (
        "scenario",
        "values",
        "reveal",
        "days",
        "num_rounds",
        "reserve",
        "closing",
        "pricing",
        "num_bidders",
        "bid_cap",
    )
    silent = [{"reveal": "none", "num_rounds": 3}] if case.name in ("sealed_bid", "clock") else []
    for setup in [{}, case.small, *silent, *case.setups.values()]:
        if "rivals" not in setup and "hindi" not in setup.get("scenario", ""):
            yield {name: value for name, value in setup.items() if name in kept or name in case.small}


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_copies_hide_what_the_table_says(case):
    table, rows = table_of(case.name), defaultdict(list)
    for setup in setups(case):
        for playing in tables(case, setup):
            for seat in range(playing.num_seats):
                seen = playing.view(seat).row
                for word in seen.dtype.names:
                    rows[word].append((seat, playing.num_seats, playing.state[word][0].copy(), seen[word][0]))
    assert set(table) == set(rows)
    assert {word: who for word, who in table.items() if not fits(who, rows[word])} == {}


def fits(who, copies):
    """Return whether copies of a word are as they are if these seats see it; "condition" fits only if no other does."""
    if who == "all":
        return all(np.array_equal(value, seen) for _, _, value, seen in copies)
    if who == "none":
        return len({int(x) for _, _, _, seen in copies for x in np.unique(seen)}) == 1
    if who == "owner":
        shown = [
            (value[seat], seen[seat], np.delete(seen[:seats], seat, axis=0)) for seat, seats, value, seen in copies
        ]
        is_owned = all(np.array_equal(own, mine) for own, mine, _ in shown)
        return is_owned and len({int(x) for *_, rest in shown for x in np.unique(rest)}) == 1
    others = ("all", "none", "owner") if np.ndim(copies[0][2]) else ("all", "none")
    return not any(fits(other, copies) for other in others)
