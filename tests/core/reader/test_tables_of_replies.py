"""Tables of replies: each is read as a person would read it."""

from __future__ import annotations

import random

import pytest
from replies import CHANGES, READERS, reading, table


@pytest.mark.parametrize("name", READERS)
def test_every_reply_has_its_right_reading(name):
    readings = {
        row["reply"]: (reading(name, row["reply"], row.get("currency", "dollar")), row["reading"])
        for row in table(name)
    }
    assert not {reply: pair for reply, pair in readings.items() if pair[0] != pair[1]}


def test_the_tables_are_large_and_of_many_kinds():
    rows = table("auctions")
    assert len({row["reply"] for row in rows}) == len(rows) >= 500
    assert len({row["family"] for row in rows}) >= 14
    assert len(table("other_authors")) >= 500
    assert all(row["rule"] for row in rows)


def check_changes(number: int, seed: int) -> None:
    rng = random.Random(seed)
    rows = [row for row in table("auctions") if len(row["reply"]) < 3000]
    for _ in range(number):
        row, change = rng.choice(rows), rng.choice(CHANGES)
        changed = change(row["reply"], rng)
        assert (changed, reading("auctions", changed, row.get("currency", "dollar"))) == (changed, row["reading"])


def test_reasons_thoughts_and_markdown_change_no_reading():
    check_changes(4_000, 1)


@pytest.mark.slow
def test_reasons_thoughts_and_markdown_change_no_reading_in_50_000_replies():
    check_changes(50_000, 2)
