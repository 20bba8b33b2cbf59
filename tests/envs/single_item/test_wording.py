"""The text of sealed-bid and clock auctions in five languages."""

from __future__ import annotations

import dataclasses
import json
import re
import string
from pathlib import Path
from types import SimpleNamespace

import pytest
from aucenv.baselines.llm import prompts

from aucenv.core.reader.wording import acts_in_words
from aucenv.core.words.money import CURRENCIES, money
from aucenv.envs.sealed_bid.game import ADVICE, SCENARIOS, SealedBidScenario
from aucenv.envs.sealed_bid.rules import PRICINGS
from aucenv.envs.single_item import wording
from aucenv.envs.single_item.values import LANGUAGES, MODELS, REVEALS
from aucenv.envs.single_item.wording import Words, clock_rules, rules, words

FILE = Path(wording.__file__).parent / "data" / "wording.json"
DATA = json.loads(FILE.read_text(encoding="utf-8"))
TRANSLATIONS = LANGUAGES[1:]
SCRIPTS = {"chinese": "\u4e00\u9fff", "hindi": "\u0900\u097f", "russian": "\u0400\u04ff"}
DIRECTIONS = ("ascending", "descending")


def fields(phrase: str) -> list[str]:
    """Return the distinct names of a phrase's format fields."""
    return sorted({name for _, name, _, _ in string.Formatter().parse(phrase) if name is not None})


def phrases(language: str) -> dict[str, str]:
    return {f"{part}.{key}": text for part, texts in DATA[language].items() for key, text in texts.items()}


def changed(scenario: str = "second-ipv", **changes) -> SealedBidScenario:
    return SCENARIOS[scenario].changed(**changes)


def clock(language: str = "english", values: str = "apv", **changes) -> SimpleNamespace:
    """Return the attributes of a scenario that clock_rules reads."""
    sealed = changed("second-ipv", values=values, language=language)
    shared = {part.name: getattr(sealed, part.name) for part in dataclasses.fields(sealed)}
    added = {"direction": "ascending", "feedback": "open", "tick": 2, "start": 3, "end": 41, "reveal": "all"}
    return SimpleNamespace(**{**shared, "bidders": sealed.bidders, **added, **changes})


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_every_language_has_the_phrases_and_fields_of_english(language):
    assert list(DATA) == list(LANGUAGES)
    english, other = phrases("english"), phrases(language)
    assert list(other) == list(english)
    for key, phrase in other.items():
        assert fields(phrase) == fields(english[key]), key
        if key != "words.comma":
            assert phrase != english[key], key
            ends = phrase.rstrip()[-1] in ".。।"
            assert ends == english[key].endswith("."), key


@pytest.mark.parametrize("language", SCRIPTS)
def test_sentences_are_in_the_script_of_their_language(language):
    first, last = SCRIPTS[language]
    for key, phrase in phrases(language).items():
        if key != "words.comma":
            assert any(first <= letter <= last for letter in phrase), key


def test_chinese_text_has_full_width_punctuation():
    texts = [*phrases("chinese").values()]
    folder = Path(prompts.__file__).parent / "prompts"
    for file in (*folder.glob("*/chinese/*.md"), *folder.glob("*/chinese/*/*.md")):
        texts += re.sub(r"\{[{%].*?[%}]\}", "0", file.read_text(encoding="utf-8")).splitlines()
    assert len(texts) > 90
    for text in texts:
        text = re.sub(r"\{\"reasoning.*?\}", "0", re.sub(r"\{\w+\}", "0", text))  # fields, and the form of JSON
        assert not re.search(r"[:,;?!()]", text), text


@pytest.mark.parametrize(
    ("language", "word", "misleading"),
    [
        ("hindi", "प्रबल रणनीति", "प्रभावी"),  # a dominant strategy, not an effective one
        ("hindi", "जिसे कोई भी बदलाव और बेहतर न बना सके", "किसी भी बदलाव से बेहतर न हो"),  # no change makes it better
        ("russian", "Ценность лота", "стои"),  # its value, not what it costs
        ("spanish", "en sobre cerrado", "sellad"),
    ],
)
def test_terms_are_those_of_the_language(language, word, misleading):
    text = "\n".join(phrases(language).values())
    assert word in text
    assert misleading not in text.lower()


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_are_loaded_from_the_file(language):
    loaded = dataclasses.asdict(words(language))
    assert loaded == DATA[language]["words"]
    assert all(loaded.values())


def test_the_comments_of_words_list_their_fields():
    lines = Path(wording.__file__).read_text(encoding="utf-8").splitlines()
    for part in dataclasses.fields(Words):
        line = next(line for line in lines if line.startswith(f"    {part.name}: str"))
        assert fields(line) == fields(getattr(words("english"), part.name)), part.name


def test_an_unknown_language_is_refused():
    with pytest.raises(ValueError, match=r"language.*english"):
        words("englsh")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_replies_that_a_seat_can_give_are_quoted(language):
    texts, acts = words(language), acts_in_words(language, "36")
    advance = {
        act: text.format(**acts) for act, text in (("leave", texts.leave_in_advance), ("take", texts.take_in_advance))
    }
    expected = {
        texts.ask.format(example=36, **acts): ("abstain",),
        texts.ask_ascending.format(in_advance=advance["leave"], **acts): ("stay", "leave", "leave_at"),
        texts.ask_ascending.format(in_advance="", **acts): ("stay", "leave"),
        texts.ask_descending.format(in_advance=advance["take"], **acts): ("wait", "take", "take_at"),
        texts.ask_descending.format(in_advance="", **acts): ("wait", "take"),
    }
    for phrase, replies in expected.items():
        for act in replies:
            quotes = [f"{a}{acts[act]}{b}" for a, b in ("''", "«»", "“”")]
            assert any(quote in phrase for quote in quotes), (phrase, act)


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_rules_of_every_published_scenario(name):
    scenario = SCENARIOS[name]
    text = rules(scenario, "Betty")
    lines = text.split("\n")
    assert "{" not in text
    assert "}" not in text
    assert all(lines)
    sign = CURRENCIES[scenario.currency]
    amounts = [*scenario.value_range, scenario.value_step, scenario.bid_cap, scenario.bid_step, 0]
    if scenario.values == "cv":
        amounts.append(scenario.signal_error)
    for amount in amounts:
        assert money(amount, sign) in text, amount
    assert not any(other in text for other in CURRENCIES.values() if other != sign)
    assert all(bidder in lines[0] for bidder in scenario.bidders)
    assert str(scenario.num_bidders) in lines[0]
    assert str(scenario.num_rounds) in lines[1]
    assert text.count("Betty") == 2  # as the reader, and in the list of bidders


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("field", "options"), [("pricing", PRICINGS), ("values", MODELS), ("reveal", REVEALS), ("advice", ADVICE), ("bid_cap", (99, None)), ("reserve", (0, 7))])  # fmt: skip
def test_different_scenarios_have_different_rules(field, options, language):
    texts = [rules(changed(language=language, **{field: option}), "Andy") for option in options]
    assert len(set(texts)) == len(options)


def test_the_languages_differ():
    assert len({rules(changed(language=language), "Andy") for language in LANGUAGES}) == len(LANGUAGES)
    assert len({clock_rules(clock(language), "Andy") for language in LANGUAGES}) == len(LANGUAGES)


def test_the_english_rules_in_full():
    scenario = SealedBidScenario(
        "s", "cv", 2, 10, (20, 80), 9, 3, pricing="second", bid_cap=None, bid_step=0.5, reserve=7, advice="wrong"
    )
    assert rules(scenario, "Andy").split("\n") == [
        "You are Andy, one of 2 bidders: Andy, Betty. They are the same in every round.",
        "Number of rounds: 10. In each round one prize is for sale.",
        "A prize is worth the same to all bidders: from $20 to $80 in steps of $3, all equally likely, drawn again in every round. Nobody sees this value before bidding; you see an estimate, which is off by at most $9 up or down, in the same steps, all errors equally likely and drawn for each bidder separately.",
        "Bids are sealed: all bid at once, without seeing the others' bids.",
        "You may also abstain: then you neither win nor pay.",
        "A bid is $0 or more, in steps of $0.50, without an upper limit.",
        "The highest bid wins. The winner pays the second-highest bid, or $7 if there is none; nobody else pays.",
        "Equal bids count separately; if several are the highest, a draw decides which of them wins. If nobody bids, the prize is not sold.",
        "A bid below $7 does not win, and the winner pays at least $7.",
        "After each round you are told: your own result, the price, all bids (without names), the winner's profit, what the prize was worth.",
        "Your profit is what the prizes that you win are worth to you, less all that you pay; it may be negative. Your goal is as much profit as possible over all rounds together.",
        "To bid exactly half of what the prize is worth to you is a dominant strategy: whatever the others bid, no other bid brings you more profit.",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("values", MODELS)
def test_every_number_in_the_rules_is_from_the_scenario(values, language):
    """The rules depend on the scenario only, so they cannot reveal the deal."""
    scenario = changed("all-pay-ipv", values=values, language=language, num_bidders=6, reserve=7)
    expected = {*scenario.value_range, scenario.value_step, scenario.bid_cap, scenario.bid_step, scenario.reserve, 0}
    expected |= {scenario.num_bidders, scenario.num_rounds, *((scenario.signal_error,) if values == "cv" else ())}
    assert {float(number) for number in re.findall(r"\d+(?:\.\d+)?", rules(scenario, "Andy"))} == expected


def test_the_rules_state_what_a_round_reveals():
    def revealed(**changes):
        return next(line for line in rules(changed(**changes), "Andy").split("\n") if line.startswith("After"))

    everything = (
        "After each round you are told: your own result, the price, all bids (without names), the winner's profit"
    )
    assert revealed() == f"{everything}."
    assert revealed(values="cv") == f"{everything}, what the prize was worth."
    assert revealed(values="cv", reveal="price") == "After each round you are told: your own result, the price."
    assert revealed(values="cv", reveal="none") == "After each round you are told: your own result."


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("values", MODELS)
def test_clock_rules_have_all_amounts(values, direction, language):
    scenario = clock(language, values, direction=direction)
    text = clock_rules(scenario, "Andy")
    assert "{" not in text
    assert "}" not in text
    for amount in (scenario.start, scenario.end, scenario.tick, *scenario.value_range, scenario.value_step):
        assert money(amount) in text, amount
    assert text.split("\n")[:3] == rules(changed(values=values, language=language), "Andy").split("\n")[:3]


@pytest.mark.parametrize("language", LANGUAGES)
def test_different_clocks_have_different_rules(language):
    texts = [
        clock_rules(clock(language, direction=direction, reveal=reveal), "Andy")
        for direction in DIRECTIONS
        for reveal in REVEALS
    ]
    texts.append(clock_rules(clock(language, feedback="blind"), "Andy"))
    assert len(set(texts)) == len(texts)


def test_the_rules_of_a_falling_clock_do_not_depend_on_feedback():
    falling = [clock_rules(clock(direction="descending", feedback=feedback), "Andy") for feedback in ("open", "blind")]
    assert falling[0] == falling[1]


def test_the_file_is_loaded_once_at_first_use():
    """The file is not loaded at import."""
    wording._data.cache_clear()
    assert wording._data.cache_info().currsize == 0
    words.cache_clear()
    assert words("hindi") is words("hindi")
    assert wording._data.cache_info().misses == 1
