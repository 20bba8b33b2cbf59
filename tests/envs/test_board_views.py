"""Boards of all games: seats see on them what their Views show, and nothing else."""

from __future__ import annotations

import importlib
import itertools
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from games import CASES
from prize_tables import clock, sealed
from tables import scenario_of

from aucenv.core.boards.board import Board
from aucenv.core.boards.series import pack
from aucenv.core.play.table import Table
from aucenv.core.state import NOBODY
from aucenv.core.words.money import CURRENCIES, money, to_dollars
from aucenv.envs.ebay.game import EbayScenario
from aucenv.envs.sealed_bid.game import SealedBidScenario
from aucenv.envs.water_allocation.game import Resident, WaterScenario
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family

BIDDERS = {
    "english": ("rule", "value", "random", "pace"),
    "harbor": ("persona", "rule", "random"),
    "sealed_bid": ("random", "shade", "naive"),
    "clock": ("shade", "random", "truthful"),
    "ebay": ("random", "incremental", "sniper"),
    "water_allocation": ("share", "random", "thirst", "outbid"),
}
QUICK = {
    "english": ("standard-10k-descending", "niche-20k"),
    "harbor": ("train-mixed", "evaluation-none"),
    "sealed_bid": ("first-ipv", "all-pay-ipv", "second-apv", "second-cv-4", "second-ipv-ruble", "first-ipv-once"),
    "clock": ("ascending-ipv", "ascending-cv-blind", "descending-cv"),
    "ebay": ("soft", "hard-50", "short"),
    "water_allocation": ("low-personas", "high"),
}
PRIZES = {
    "sealed_bid": {"num_rounds": 5},
    "clock": {"num_rounds": 4},
    "ebay": {"num_rounds": 3, "days": 4, "closing": "soft", "reserve": 40},
}
"""Fields of short games of auctions of one prize per round."""


def module_of(game: str) -> Any:
    return importlib.import_module(f"aucenv.envs.{game}.board")


def scenario_named(game: str, name: str, **changes: Any) -> Any:
    return find_family(game).game.load_scenario(name).changed(**changes)


def rounds(game: str, scenario: Any, seed: int = 0, most: int = 0) -> Iterator[Table]:
    """Yield the table of a game before each round and at its end; it is truncated after `most` rounds, 0: never."""
    seats, loaded = len(scenario.bidders), find_family(game).game
    policies = [make_policy(game, name) for name in itertools.islice(itertools.cycle(BIDDERS[game]), seats)]
    table = Table(loaded, scenario, [policy.interface for policy in policies])
    table.reset(seed)
    table.state["max_rounds"] = most
    for seat, policy in enumerate(policies):
        policy.reset(table.scenario_text.seats[seat], seed)
    yield table
    while not table.over:
        for seat in list(table.pending):
            table.submit(seat, policies[seat].act(table.view(seat), table.observe(seat)))
        yield table


def shown_to_others(part: Any, seat: int) -> Iterator[Any]:
    """Yield the values in a board's data that only another seat, or no seat, may see."""
    if isinstance(part, list):
        for each in part:
            yield from shown_to_others(each, seat)
    elif isinstance(part, dict):
        if part.get("only") not in (None, seat):
            yield from (part.get(name) for name in ("value", "mark", "points", "tone") if part.get(name))
        for each in part.values():
            yield from shown_to_others(each, seat)


def check_boards(game: str, scenario: Any, seed: int = 0, most: int = 0) -> list[Board]:
    """Check the boards and events of a game at all rounds, and return the boards that show everything."""
    module, boards, last = module_of(game), list[Board](), dict[int | None, Any]()
    for table in rounds(game, scenario, seed, most):
        views = {None: table.view(0, reveal=True), **{seat: table.view(seat) for seat in range(len(scenario.bidders))}}
        everything = module.board(views[None])
        for seat, view in views.items():
            if seat is not None:
                shown = module.board(view)
                assert shown == everything.for_seat(seat), (table.item, seat)
                assert not list(shown_to_others(shown.data(), seat))
            if last:
                for sentence in module.events(last[seat], view):
                    assert re.fullmatch(r"\S.*[^.]\.", sentence), sentence
        boards.append(everything)
        last = views
    assert {len(row.cells) for board in boards for row in board.rows} == {len(boards[0].columns)}
    pack(boards)
    return boards


ALL = [
    pytest.param(game, name, marks=() if name in QUICK[game] else pytest.mark.slow, id=f"{game}-{name}")
    for game in QUICK
    for name in find_family(game).game.scenarios
]
WITH_PRIZES = [
    (game, {**fields, "reveal": reveal, "values": values})
    for game, fields in PRIZES.items()
    for reveal in (("all", "price") if game == "ebay" else ("all", "price", "none"))
    for values in ("ipv", "cv")
]
HOW = {"sealed_bid": "second-ipv", "clock": "ascending-ipv", "ebay": "soft"}


@pytest.mark.parametrize(("game", "name"), ALL)
def test_the_board_of_a_seat_is_that_of_everything_without_what_it_may_not_see(game, name):
    for seed in range(2):
        check_boards(game, scenario_named(game, name), seed)


@pytest.mark.parametrize(("game", "fields"), WITH_PRIZES)
def test_what_a_round_reveals_is_on_the_boards_of_those_who_know_it(game, fields):
    scenario = scenario_named(game, HOW[game], **fields)
    check_boards(game, scenario)
    if game == "sealed_bid":
        check_boards(game, scenario.changed(pricing="all_pay", bid_cap=None, reserve=30))
    if game == "clock":
        check_boards(game, scenario.changed(feedback="blind"))
        check_boards(game, scenario.changed(direction="descending"))


@pytest.mark.parametrize(("game", "fields"), WITH_PRIZES)
def test_the_table_of_closed_rounds_states_what_a_view_does(game, fields):
    scenario = scenario_named(game, HOW[game], **fields)
    *_, table = rounds(game, scenario, 3)
    for seat in range(scenario.num_bidders):
        view, board = table.view(seat), module_of(game).board(table.view(seat))
        labels = [column.label for column in board.tables[-1].columns]
        mine = next(k for k, label in enumerate(labels) if label.startswith(f"{view.name}: "))
        assert len(board.tables[-1].entries) == len(view.history) == scenario.num_rounds
        for played, entry in zip(view.history, board.tables[-1].entries, strict=True):
            known = dict(zip(labels, (cell.value for cell in entry), strict=True))
            bid = "-" if played.bid is None else money(played.bid)
            assert entry[mine].value.startswith(f"{bid} ({money(played.value)})")
            assert entry[mine].tone == ("won" if played.won else "")
            if played.won:
                assert entry[mine].value.endswith(f"profit {money(played.profit)}")
            assert known["winner"] is None
            assert known["price"] == (None if scenario.reveal == "none" else played.price)
            assert (scenario.reveal == "none" and played.won) == (f", paid {money(played.paid)}" in entry[mine].value)
            if scenario.reveal == "all":
                assert known["all bids"] == ", ".join(map(money, played.bids))
                assert known["winner's profit"] == played.winner_profit
                assert known.get("prize's value") == played.prize_value
            elif played.prize_value is not None:
                assert f"worth {money(played.prize_value)}" in entry[mine].value
            if game == "clock" and scenario.reveal != "all":
                assert known["left at"] == (", ".join(map(money, played.exits)) or "none")
            if game == "ebay":
                assert known["leader"] == ("nobody" if played.leader is None else view.name_of(played.leader))
                assert known["days"] == played.days
            others = [entry[k].value for k, label in enumerate(labels) if ": " in label and k != mine]
            assert not any(others)


@pytest.mark.parametrize("game", QUICK)
@pytest.mark.parametrize("way", ["resample", "hide"])
def test_hidden_values_have_no_effect_on_the_board_of_a_seat_or_on_events(game, way):
    module, rng, hide = module_of(game), np.random.default_rng(1), CASES[game].hide
    for name in QUICK[game]:
        scenario, before = scenario_named(game, name), None
        for number, table in enumerate(rounds(game, scenario, 5)):
            seat, state = number // 2 % len(scenario.bidders), table.state.copy()
            view = table.view(seat)
            if way == "resample":
                find_family(game).game.belief.resample(table.state, 0, seat, int(rng.integers(2**62)))
            else:
                hide(table.state[0], seat, rng)
            other = table.view(seat)
            table.state[:] = state
            assert module.board(other) == module.board(view), (name, number, seat)
            if before is not None and before.seat_number == seat:
                assert module.events(before, other) == module.events(before, view)
            before = view


@pytest.mark.parametrize("game", QUICK)
def test_boards_of_games_without_closed_rounds_and_of_truncated_ones(game):
    scenario = scenario_named(game, QUICK[game][0])
    for most in (1, 2, 7):
        boards = check_boards(game, scenario, most=most)
        assert len(boards) <= most + 1
        assert "was truncated" in boards[-1].title or len(boards) <= most
        assert boards[-1].scale is None


RESIDENTS = tuple(Resident(f"r{seat}", 2 + seat, 50 + seat, f"You are r{seat}.") for seat in range(16))
LARGE = {
    "sealed_bid": lambda: SealedBidScenario("x", num_bidders=10, num_rounds=200),
    "english": lambda: scenario_of([100 * (1 + j % 7) for j in range(200)], 16),
    "harbor": lambda: scenario_named("harbor", "train-mixed", num_bidders=16, num_items=16),
    "clock": lambda: scenario_named("clock", "ascending-ipv", num_bidders=10, num_rounds=200),
    "ebay": lambda: EbayScenario("x", num_bidders=10, num_rounds=2, days=20, closing="soft", reserve=99),
    "water_allocation": lambda: WaterScenario("x", RESIDENTS, days=60, supply_range=(10, 60)),
}
"""Scenarios with the most seats and many items, whose kernels most other tests do not need."""


@pytest.mark.parametrize(
    "game", [pytest.param(game, marks=pytest.mark.slow if game != "sealed_bid" else ()) for game in LARGE]
)
def test_boards_with_the_most_seats_and_with_many_items(game):
    check_boards(game, LARGE[game](), most=60)


@pytest.mark.parametrize("currency", CURRENCIES)
def test_amounts_have_the_sign_of_the_currency(currency):
    for game, name in HOW.items():
        sign, module = CURRENCIES[currency], module_of(game)
        scenario = scenario_named(game, name, currency=currency, num_rounds=2)
        board = check_boards(game, scenario)[-1]
        assert board.sign == sign
        assert currency == "dollar" or "$" not in str(board.data())
        *_, table = rounds(game, scenario)
        assert sign in module.said(table.scenario_text).of(12.5)


@pytest.mark.parametrize("game", QUICK)
def test_decisions_are_said_in_words_that_the_game_reads(game):
    words, loaded = module_of(game), find_family(game).game
    for name in QUICK[game]:
        table = next(rounds(game, scenario_named(game, name)))
        said = words.said(table.scenario_text)
        for cents in (-1, 0, 2000 if game == "clock" else 9900):
            sentence = said.of(None if cents < 0 else to_dollars(cents))
            verb, *rest = sentence.replace(" its ", " my ").split()
            reply = " ".join(["I", verb.removesuffix("s"), *rest])
            if cents or "at $0" not in reply:
                assert loaded.words.read(f"{reply}.", (), table.scenario_text, table.state) == cents, reply


def test_states_on_a_clock():
    table = clock((9, 3, 6), (5, 5, 5), interface="amount", num_bidders=3)
    module = module_of("clock")

    def states(view: Any) -> list[Any]:
        return [row.state.value for row in module.board(view).rows]

    assert states(table.view(0, reveal=True)) == ["in", "in", "in"]
    for seat, amount in enumerate((0, -1, 4)):
        table.submit(seat, amount)
    assert states(table.view(0, reveal=True)) == ["in", "left at $0", "until $4"]
    assert states(table.view(1)) == [None, "left at $0", None]
    board = module.board(table.view(1))
    assert [line.value for line in board.lines] == ["The clock is at $1.", "2 of 3 bidders are in."]
    assert board.shown(board.scale.marks) == [
        ("price", board.scale.marks[0].cell),
        ("value", board.scale.marks[2].cell),
        ("left at", board.scale.marks[4].cell),
    ]
    for _ in range(3):
        table.submit(0, 0)
    assert module.board(table.view(2)).rows[2].state.value == "until $4"
    before = table.view(0)
    table.submit(0, 0)
    assert module.events(before, table.view(0)) == [
        "Round 1: Andy won at $4, with a profit of $5.",
        "All bids: $4, $0.",
        "The clock is at $0, and 3 of 3 bidders are in.",
    ]
    ended = [row.cells[1].value for row in module.board(table.view(0, reveal=True)).rows]
    assert ended == ["won", "left at $0", "left at $4"]


def test_the_rows_and_events_of_a_sealed_bid_auction():
    table, module = sealed((50, 40, 30), (10, 20, 30), num_bidders=3, reveal="price"), module_of("sealed_bid")
    before = [table.view(seat) for seat in range(3)]
    for seat, bid in enumerate((45, 40, -1)):
        table.submit(seat, bid)
    board = module.board(table.view(0, reveal=True))
    assert [column.label for column in board.columns] == ["value", "last value", "last bid", "profit", "prizes"]
    assert [[cell.value for cell in row.cells] for row in board.rows] == [
        [10, 50, 45, 5, 1],
        [20, 40, 40, 0, 0],
        [30, 30, None, 0, 0],
    ]
    assert [row.state.value for row in board.rows] == ["won", None, None]
    assert board.for_seat(NOBODY).tables[0].entries[0][2].value == 45
    assert module.events(before[0], table.view(0)) == [
        "Andy bids $45.",
        "Round 1: Andy won at $45, with a profit of $5.",
    ]
    assert module.events(before[2], table.view(2)) == ["Charles abstains.", "Round 1: sold at $45."]


def test_a_closed_auction_of_ebay_keeps_its_last_moves_as_events():
    scenario = scenario_named("ebay", "short", num_rounds=2, num_bidders=3)
    module, sentences, before = module_of("ebay"), list[str](), None
    for table in rounds("ebay", scenario, 2):
        view = table.view(1)
        sentences += module.events(before, view) if before is not None else []
        before = view
    assert sum("; the price is " in each for each in sentences) == 2 * 3 * 3
    assert sum(each.startswith("Round ") for each in sentences) == 2
    assert any(each.startswith("Betty sets its maximum to $") for each in sentences)


def test_each_resident_reads_its_persona():
    for table in rounds("water_allocation", scenario_named("water_allocation", "low-personas")):
        everything = module_of("water_allocation").board(table.view(0, reveal=True))
        for seat, row in enumerate(everything.rows):
            assert row.note.value == table.view(seat).persona != ""
            assert [each.note.value for each in everything.for_seat(seat).rows if each.note.value] == [row.note.value]
    assert {row.state.value for row in everything.rows} <= {"dead", "survived"}


def test_houses_state_the_persona_that_they_suit():
    table = next(rounds("harbor", scenario_named("harbor", "train-mixed")))
    view = table.view(1)
    board = module_of("harbor").board(view)
    assert [item.facts[-1].cell.value for item in board.items] == [house.suits for house in view.items]
    assert board.columns[-1].label == "personas"
    assert [row.cells[-1].value is not None for row in board.rows] == [False, True, False]
