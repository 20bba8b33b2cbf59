"""Who sees each word of a game's state: a table by hand, and copies of states of real games as seats see them."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from games import CASES

from aucenv.core.fields import ALL, BY_HIDE, places_of
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
VISIBLE_TO = {
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
    return {word: who for part in VISIBLE_TO[game] for who, words in part.items() for word in words.split()}


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
                copied = playing.view(seat).row
                for word in copied.dtype.names:
                    rows[word].append((seat, playing.num_seats, playing.state[word][0].copy(), copied[word][0]))
    assert set(table) == set(rows)
    assert {word: who for word, who in table.items() if not fits(who, rows[word])} == {}


def fits(who, copies):
    """Return whether copies of a word are as they are if these seats see it; "condition" fits only if no other does."""
    if who == "all":
        return all(np.array_equal(value, shown) for _, _, value, shown in copies)
    if who == "none":
        return len({int(x) for _, _, _, shown in copies for x in np.unique(shown)}) == 1
    if who == "owner":
        parts = [
            (value[seat], shown[seat], np.delete(shown[:seats], seat, axis=0)) for seat, seats, value, shown in copies
        ]
        is_owned = all(np.array_equal(own, mine) for own, mine, _ in parts)
        return is_owned and len({int(x) for *_, rest in parts for x in np.unique(rest)}) == 1
    others = ("all", "none", "owner") if np.ndim(copies[0][2]) else ("all", "none")
    return not any(fits(other, copies) for other in others)


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_states_declare_what_the_table_says(case):
    fields = case.family.game.rules.State.FIELDS
    declared = {
        name: "condition" if field.visible_to is BY_HIDE else field.visible_to.name for name, field in fields.items()
    }
    assert declared == table_of(case.name)


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_a_public_field_that_should_be_private_is_detected(case, monkeypatch):
    copies = case.family.game.view.make_view.copies
    private = [name for name, field in copies.state.FIELDS.items() if field.visible_to not in (ALL, BY_HIDE)]
    detected = dict.fromkeys(private, False)
    for setup in setups(case):
        for playing in tables(case, setup):
            rng = np.random.default_rng(playing.rounds)
            hidden = copies.table(playing.state.dtype)
            for seat in range(playing.num_seats):
                other = playing.state.copy()
                case.hide(other[0], seat, rng)
                for name in [name for name, shown in detected.items() if not shown]:
                    row = [at for at in hidden.tolist() if at[0] != places_of(playing.state.dtype)[name]]
                    with monkeypatch.context() as patch:
                        patch.setitem(copies._tables, playing.state.dtype, np.array(row, np.int64).reshape(-1, 8))
                        detected[name] = copies.row(playing.state, seat).tobytes() != copies.row(other, seat).tobytes()
    assert [name for name, shown in detected.items() if not shown] == []
