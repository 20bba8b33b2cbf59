"""Small phrases of boards and transcripts, and notes in words."""

from __future__ import annotations

from aucenv.core.words.money import format_dollars
from aucenv.core.words.phrases import best_seats, count, ended, listed, singular
from aucenv.core.words.transcript import describe_notes


def test_phrases():
    assert [count(number, "prize") for number in (0, 1, 2, 1200)] == ["0 prizes", "1 prize", "2 prizes", "1,200 prizes"]
    assert [listed(["a", "b", "c"][:number]) for number in range(4)] == ["", "a", "a and b", "a, b and c"]
    nouns = ("prices", "winners", "entries", "losses of status", "status", "price")
    assert [singular(noun) for noun in nouns] == ["price", "winner", "entry", "losses of status", "status", "price"]
    assert [ended(status) for status in ("terminated", "truncated")] == ["terminated", "was truncated"]


def test_amounts_have_two_decimals_or_none():
    texts = [format_dollars(cents) for cents in (0, 5, 1000, 150_000, -2050)]
    assert texts == ["$0", "$0.05", "$10", "$1,500", "-$20.50"]


def test_the_best_seats_of_a_game_that_is_over():
    scores = {"a": 3, "b": 5, "c": 5}
    assert best_seats("running", scores) == []
    assert best_seats("terminated", scores) == best_seats("truncated", scores) == ["b", "c"]
    assert best_seats("terminated", {"a": 1, "b": 1}) == []


def test_notes_are_words():
    notes = {
        "rule": "C",
        "priorities": [1, 3, None],
        "plan": "Wait for\nthe first house.",
        "reads Blair as first_time": "0.24",
        "second_order": "",
        "ranking": [2, 1],
        "shares": {"a": 0.5, "b": True},
        "beliefs": [{"item": 1}],
        "mistakes": [{"phase": "plan", "kind": "malformed", "what": "there is no JSON object in it"}],
    }
    assert describe_notes(notes, 1) == [
        "rule C",
        'plan "Wait for the first house."',
        "reads Blair as first_time 0.24",
        "ranking: 2, 1",
        "shares: a 0.5, b yes",
        "priority 3",
        "mistake in plan: there is no JSON object in it",
    ]
    assert describe_notes({"plan": "x " * 200}, 0)[0] == f'plan "{"x " * 48}x..."'
