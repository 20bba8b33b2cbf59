"""Text from outside: invisible characters are escaped, and secrets masked however they are split or cut."""

from __future__ import annotations

import random
import sys
from unicodedata import bidirectional, category

import pytest

from aucenv.core.words.outside_text import MIN_SECRET_LENGTH, Secrets, escape_controls, one_line, shorten

KEY = "sk-planted-5f2a9c0e7b61d483"
INVISIBLE = ("Cc", "Cf", "Cs", "Zl", "Zp")
REORDERING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


def test_every_control_and_format_character_is_escaped_and_no_letter():
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        escaped = one_line(f"a{character}b") != f"a{character}b"
        if category(character) in INVISIBLE or bidirectional(character) in REORDERING:
            assert escaped, hex(number)
        elif category(character) in ("Lu", "Ll", "Nd", "Po", "Sc", "Sm", "Zs"):
            assert not escaped, hex(number)
    assert escape_controls("a\tb\nc\x1b[2J\u202ed\u200be") == "a\tb\nc\\x1b[2J\\u202ed\\u200be"
    assert one_line("a\tb\nc") == "a\\tb\\nc"


def test_shortened_texts_are_one_line_of_limited_length():
    assert shorten("one\n  two ", 20) == "one two"
    assert shorten("x" * 50, 20) == "x" * 17 + "..."
    assert shorten(" " * 500 + "late", 20) == "..."
    assert len(shorten("\x1b" * 50, 20)) == 20


@pytest.mark.parametrize("splitter", ["\n", "\u200b", "\ufffd", "\\n", "\\ud83d", " ", "\x1b", "\r\n\t"])
def test_a_secret_is_masked_wherever_it_is_split(splitter):
    secrets = Secrets([KEY])
    for place in range(1, len(KEY)):
        text = f"before {KEY[:place]}{splitter}{KEY[place:]} after"
        assert secrets.mask(text) == "before *** after"


def test_a_secret_is_masked_however_it_is_cut_and_in_any_case():
    secrets = Secrets([KEY, "another-secret"])
    for length in range(MIN_SECRET_LENGTH, len(KEY) + 1):
        assert secrets.mask(f"key {KEY[:length]}") == "key ***"
        assert secrets.mask(f"key {KEY[:length].upper()}!") == "key ***!"
    assert secrets.mask(f"{KEY}{KEY} another-secret") == "****** ***"
    assert secrets.mask("sk-plan is short") == "sk-plan is short"


def test_short_placeholders_are_not_masked():
    assert Secrets(["none", "1"]).mask("none, $1,100") == "none, $1,100"


def test_a_long_text_is_masked_in_linear_time():
    draw = random.Random(1)
    noise = "".join(draw.choices("sk-planted \n", k=1_000_000))
    assert Secrets([KEY]).mask(noise + KEY).endswith("***")
