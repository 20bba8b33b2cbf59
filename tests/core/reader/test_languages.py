"""Decisions and refusals in the languages of auctions."""

from __future__ import annotations

import dataclasses
import json
import re

import pytest

import aucenv
from aucenv.core.reader.wording import acts_in_words, sentence, translated
from aucenv.core.state import WITHDRAW
from aucenv.core.words.money import CURRENCIES
from aucenv.core.words.reply import Unreadable, read
from aucenv.envs.clock.game import SCENARIOS as CLOCKS
from aucenv.envs.clock.reply import STAY, TAKE, WAIT, read_ascending, read_descending
from aucenv.envs.sealed_bid.game import SCENARIOS as SEALED_BIDS
from aucenv.envs.single_item.values import LANGUAGES
from aucenv.runs.model_calls.calls import FAILED

ENGLISH_WORDS = re.compile(r"[a-z]{3,}")
"""Found in every English sentence, and in no sentence of a language with another script."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("mark", ["", ".", "!", "\u3002", "\uff01", "\u0964"])
def test_the_words_that_prompts_offer_are_read(language, mark):
    words = {act: f"{text}{mark}" for act, text in acts_in_words(language, "$36").items()}
    assert read(words["out"]) == read(words["abstain"]) == WITHDRAW
    assert read_ascending(words["stay"]) == STAY
    assert read_ascending(words["leave"]) == WITHDRAW
    assert read_ascending(words["leave_at"]) == 3600
    assert read_descending(words["wait"]) == WAIT
    assert read_descending(words["take"]) == TAKE
    assert read_descending(words["take_at"]) == 3600


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("currency", CURRENCIES)
def test_refusals_are_in_the_language_and_their_hints_are_read(language, currency):
    sign = CURRENCIES[currency]
    cases = {"": "empty", "...?": "none", f"I bid about {sign}36": "unclear", "I bid the minimum!": "minimum"}
    cases |= {f"I bid {sign}36. I bid {sign}40.": "ambiguous", '{"bid": 5, "bid": 6}': "twice"}
    for reply in cases:
        with pytest.raises(Unreadable) as refusal:
            read(reply, (), currency, language)
        text = str(refusal.value).replace(sign, "").replace("JSON", "")
        assert "{" not in text
        assert language in ("english", "spanish") or not ENGLISH_WORDS.search(text)
    with pytest.raises(Unreadable) as refusal:
        read("?", (), currency, language)
    offered = re.findall(
        r"[\u00ab\u201c'](?!m\b)([^\u00ab\u00bb\u201c\u201d]*?)[\u00bb\u201d'](?!m\b)", str(refusal.value)
    )
    readings = [read(words.replace("X", "1500"), (), currency) for words in offered]
    assert readings == [150_000, WITHDRAW]


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_the_reason_of_a_failed_reply_is_translated(language):
    for finish in FAILED:
        assert (
            translated(sentence("english", finish), language)
            == sentence(language, finish)
            != sentence("english", finish)
        )
    assert translated("another reason", language) == "another reason"


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_an_auction_in_a_language_has_no_english_in_what_it_shows(language):
    sealed, *clocks = SEALED_BIDS["first-ipv"], *(CLOCKS[f"{kind}-apv"] for kind in ("ascending", "descending"))
    changes = {"language": language, "num_rounds": 1}
    envs = [aucenv.sealed_bid_v0(dataclasses.replace(sealed, **changes), interface="text")]
    for env in [*envs, *(aucenv.clock_v0(dataclasses.replace(clock, **changes), interface="text") for clock in clocks)]:
        env.reset(seed=1)
        for reply in ("?", "I bid about 36"):
            env.step(reply)
            text = env.observe(env.agent_selection)["text"]
            names = re.compile("|".join(map(re.escape, env.unwrapped.table.scenario_text.names)))
            words = ENGLISH_WORDS.findall(names.sub("", text.replace("JSON", "")))
            assert language == "spanish" or not words


def test_every_language_has_the_same_sentences():
    from importlib import resources

    data = json.loads((resources.files("aucenv.core.reader") / "data" / "refusals.json").read_text(encoding="utf-8"))
    assert set(data) == set(LANGUAGES)
    assert len({tuple(sorted(words)) for words in data.values()}) == 1
    for words in data.values():
        for key, text in words.items():
            if isinstance(text, str):
                assert set(re.findall(r"\{(\w+)\}", text)) == set(re.findall(r"\{(\w+)\}", data["english"][key]))
