"""The message about a results folder that holds a run with other settings names what differs."""

from __future__ import annotations

import pytest

from aucenv.runs.results import MOST, changed_names, describe_changes

LONG = "openai:a-model,base_url=http://127.0.0.1:8000/v1,agent=bdi,temperature=0."


@pytest.mark.parametrize(
    ("recorded", "given", "message"),
    [
        ({"seed": 0, "games": 3}, {"seed": 1, "games": 3}, "got a run with seed 0, not 1"),
        ({"quick": True}, {"quick": 1}, "got a run with quick True, not 1"),
        ({"seats": None}, {"seats": 4}, "got a run with seats None, not 4"),
        ({}, {"models": ["a"]}, "got a run with no models, not ['a']"),
        ({"models": ["a"]}, {}, "got a run with models ['a'], not without it"),
        ({"bidders": ["a", "b"]}, {"bidders": ["a", "c"]}, "got a run with bidders[1] 'b', not 'c'"),
        ({"bidders": ["a", "b"]}, {"bidders": ["a"]}, "got a run with bidders ['a', 'b'], not ['a']"),
        (
            {"scenario": {"name": "mine", "items": [1, 2], "budget": 9}},
            {"scenario": {"name": "mine", "items": [1, 3], "budget": 10}},
            "got a run with scenario.items[1] 2, not 3; scenario.budget 9, not 10",
        ),
        (
            {"bidders": ["a"], "bidder_files": {"a": "0" * 64}},
            {"bidders": ["a"], "bidder_files": {"a": "1" * 64}},
            "files of 'a' have changed since that run started",
        ),
        (
            {"bidders": ["a", "b"], "bidder_files": {"a": "0" * 64, "b": "0"}},
            {"bidders": ["a", "c"], "bidder_files": {"a": "1" * 64, "c": "1"}},
            "got a run with bidders[1] 'b', not 'c'; files of 'a' have changed since that run started",
        ),
    ],
)
def test_the_message_names_only_what_differs(recorded, given, message):
    assert changed_names(recorded, given)
    assert describe_changes(recorded, given) == message


def test_long_values_are_shown_where_they_differ():
    message = describe_changes({"bidders": [LONG + "1"]}, {"bidders": [LONG + "2"]})
    assert message == "got a run with bidders[0] ...t=bdi,temperature=0.1', not ...t=bdi,temperature=0.2'"
    whole = describe_changes({"name": "a" * 500}, {"name": "b" * 500})
    assert len(whole) < 200


def test_a_limited_number_of_changes_is_named():
    recorded, given = ({str(name): name + more for name in range(50)} for more in (0, 1))
    message = describe_changes(recorded, given)
    assert message.count(", not ") == MOST
    assert message.endswith(f"; {50 - MOST} more")
