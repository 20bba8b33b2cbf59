"""Replies that are long, damaged or hostile are read or refused, in steps that grow with their length."""

from __future__ import annotations

import random
import re
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replies import CHANGES, READERS, RIVALS, reading, table

from aucenv.core.reader.speech import MAX_READ, end_of_reply
from aucenv.core.words.reply import Unreadable, read

PIECES = [
    "I bid ", "9", "a", "\n", "if ", '"I bid $5"', "<b>", "$1,", "{", "i'll ", "i will now ", "<think>", "</think>", " ", "-",
    "finally ", "I finally ", "so ", "ok, ", "1 500 ", "'a' ", '{"a":', "[", "|", "| a | b |\n", "*a b* ", "\\boxed{", "1. a\n",
    "Blair: a\n", "no, ", "i am out of ", "my bid is ", "(", "\u51fa\u4ef7 ", "\u092e\u0948\u0902 ", "\\text{", "&lt;", "`", "~~", "# ", "$", "1+", "A: ",
    "1. ", "_", "*", "<", "\\", "' ", '" ', "...", "1-", "i want to ", "bid a ", "1 or ", "```\n", "[x](", "{}", '{"a":1}', "is it ",
    "1.5k ", "i think i ", "I stay ", "until ", "I leave at $5", "at ", "now ", "I wait until ", "my ", "\x00", "\ud800", "\u200f", "\U000f0000", "- bid $5\n", "I bid $5\nor\n", "or\n",
    "no, wait\nCasey: a\n", "I bid $5, no, $6. ", "| bid | $5 |\n", "- leave\n- stay\n", '{"bid": 5}\n', "\u25c1think\u25b7", "<|end|>",
]  # fmt: skip

WORDS = [
    "I'm out", "I leave ", "I stay ", "I take it ", "I wait ", "Mine", "1,500", "1500.555", "9" * 30, "$36", "\u20ac36", "!", "?", '"', "}",
    '{"bid":', '{"action":', '"leave"', '"price":', "not ", "Blair: ", "> ", "or ", "and ", ",", "k", "%", "\U0001f642", "\u00bd", "withdraw",
    "when the price reaches ", "my limit is ", "Decision: ", "about ",
]  # fmt: skip
"""More parts of changed replies."""


def steps(reply: str) -> int:
    """Return the number of lines of the reader that run for a reply, and of the characters that its patterns are given."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        if "reader" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        reading("auctions", reply)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("piece", PIECES)
def test_a_reply_of_twice_the_length_takes_about_twice_the_steps(piece):
    one, two = (steps(piece * (length // len(piece))) for length in (2_000, 4_000))
    assert two <= 2.2 * one + 200


@pytest.mark.parametrize("piece", PIECES)
def test_a_long_reply_is_read_or_refused(piece):
    # patterns with steps that grow faster than the length would not finish
    for name in ("auctions", "rising_clock", "falling_clock"):
        reading(name, piece * (10_000 // len(piece)))


@pytest.mark.parametrize(
    ("piece", "length"),
    [
        ("So much to say. ", 300_000),
        *((piece, 100_000) for piece in ("I bid ", "9", "\n", "{", "<think>", "Blair: a\n")),
    ],
)
def test_a_decision_at_the_end_of_a_long_reply_counts_unless_it_is_thought(piece, length):
    reply = piece * (length // len(piece)) + ".\n\nI bid $1,500!"
    assert reading("auctions", reply) == ("unreadable" if piece == "<think>" else 1500)


def test_ten_thousand_numbers_and_nested_quotations():
    numbers = ", ".join(str(1000 + number) for number in range(10_000))
    assert reading("auctions", f"I counted {numbers}. I bid $1,500!") == 1500
    assert reading("auctions", numbers) == "unreadable"
    assert reading("auctions", '"' * 5_000 + "I bid $1,500!" + '"' * 5_000) == 1500
    assert reading("auctions", "(" * 5_000 + "I bid $1,500!" + ")" * 5_000) in (1500, "unreadable")
    assert reading("auctions", '{"bid": 1e64}') == reading("auctions", '{"bid": NaN}') == "unreadable"
    assert reading("auctions", '{"a":' * 5_000 + "1" + "}" * 5_000) == "unreadable"


def fuzz(number: int, seed: int) -> None:
    rng, pieces = random.Random(seed), PIECES + WORDS
    rows = {name: [row["reply"] for row in table(name) if len(row["reply"]) < 2_000] for name in READERS}
    for i in range(number):
        name = rng.choice(list(READERS))
        if i % 3 == 0:
            reply = rng.randbytes(rng.randrange(80)).decode("utf-8", "replace")
        elif i % 3 == 1:
            reply = "".join(rng.choices(pieces, k=rng.randrange(1, 14)))
        else:
            letters = list(rng.choice(CHANGES)(rng.choice(rows[name]), rng))
            for _ in range(rng.randrange(1, 4)):
                letters.insert(rng.randrange(len(letters) + 1), rng.choice(pieces))
            reply = "".join(letters)
        reading(name, reply)  # asserts that it is a legal value, or that the reason is given


def test_5_000_changed_replies_are_read_or_refused():
    fuzz(5_000, 3)


@pytest.mark.slow
def test_500_000_changed_replies_are_read_or_refused():
    fuzz(500_000, 4)


@given(st.sampled_from([*READERS]), st.text(max_size=200))
@settings(max_examples=500)
def test_any_text_is_read_or_refused(name, reply):
    reading(name, reply)


def test_the_end_of_a_long_reply_keeps_the_mark_of_the_thinking_it_begins_in():
    thought = "I wonder. " * 5_000
    for opening, closing in (
        ("<think>", "</think>"),
        ("[THINK]", "[/THINK]"),
        ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
    ):
        for end, expected in (("I bid $5!", "unreadable"), (closing + "I bid $7!", 7)):
            shortened = end_of_reply(f"{opening}{thought}{end}")
            assert len(shortened) <= MAX_READ + len(opening)
            assert reading("auctions", shortened) == expected
    assert end_of_reply(f"<think>short</think>{thought}") == thought[-MAX_READ:]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "the reply is empty"),
        ("Hello.", "no decision"),
        ("I bid about $36", "the amount is unclear"),
        ("I bid the minimum!", "'the minimum' names no amount"),
        ('{"bid": 5, "bid": 6}', "a field stands twice"),
        ("I bid $36. I'm out.", re.escape("more than one decision ($36, I'm out)")),
    ],
)
def test_the_reason_of_a_refusal(reply, reason):
    with pytest.raises(Unreadable, match=reason):
        read(reply, RIVALS)
