"""Houses and personas: words that agree with fields, fresh ones by seed, and nothing shared."""

from __future__ import annotations

import dataclasses
import re
from itertools import pairwise

import pytest

from aucenv.envs.harbor.describe import read_back
from aucenv.envs.harbor.generate import MARGIN, NAMES, generate
from aucenv.envs.harbor.houses import PRICES, RANGES, VALUE_RATIOS, House, likings, standing_houses
from aucenv.envs.harbor.personas import PERSONAS, SPLITS, personas

STANDING = [listing for split in SPLITS for listing in standing_houses(split)]
FRESH = generate([kind for kind in PERSONAS for _ in range(9)], 5)


def sentences(text: str) -> list[str]:
    return [sentence.strip(" .") for sentence in re.split(r"[.?!]\s", text + " ") if sentence.strip(" .")]


@pytest.mark.parametrize("listings", [STANDING, FRESH], ids=["standing", "fresh"])
def test_descriptions_tell_the_fields_and_nothing_else(listings):
    for listing in listings:
        assert read_back(listing.description) == dataclasses.asdict(listing.house), listing.description
        assert 80 <= len(listing.description.split()) <= 120


@pytest.mark.parametrize("listings", [STANDING, FRESH], ids=["standing", "fresh"])
def test_no_two_houses_share_a_sentence_or_a_name(listings):
    told = sorted(sentence for listing in listings for sentence in sentences(listing.description))
    assert all(one != other for one, other in pairwise(told))
    for each in ([listing.name for listing in part] for part in (listings[:40], listings[40:])):
        assert len(set(each)) == len(each)


@pytest.mark.parametrize("listings", [STANDING, FRESH], ids=["standing", "fresh"])
def test_every_house_is_liked_best_by_its_persona(listings):
    for listing in listings:
        liked = likings(listing.house, listing.starting_price)
        assert all(0 <= value <= 1 for value in liked.values())
        own = liked.pop(listing.persona)
        assert own >= max(liked.values()) + MARGIN
        assert PRICES[0] <= listing.starting_price <= PRICES[1]
        ratio = listing.true_value / listing.starting_price
        assert VALUE_RATIOS[0] - 0.001 <= ratio <= VALUE_RATIOS[1] + 0.001


def test_there_are_four_houses_for_each_persona_in_each_split():
    for split in SPLITS:
        assert [listing.persona for listing in standing_houses(split)] == [kind for kind in PERSONAS for _ in range(4)]
    with pytest.raises(ValueError, match="split: expected one of train, evaluation, got 'test'"):
        standing_houses("test")


def test_the_same_seed_gives_the_same_houses():
    kinds = ["rural", "eco", "rural"]
    assert generate(kinds, 3) == generate(kinds, 3)
    assert generate(kinds, 3) != generate(kinds, 4)
    assert [listing.persona for listing in generate(kinds, [1, 2])] == kinds


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        (["rurl"], r"persona: expected one of first_time, .*got 'rurl' \(did you mean 'rural'"),
        ([], "number of houses: expected a whole number from 1"),
        (["eco"] * (len(NAMES) + 1), f"number of houses: expected a whole number from 1 to {len(NAMES)}"),
    ],
)
def test_bad_orders_are_told(kinds, message):
    with pytest.raises(ValueError, match=message):
        generate(kinds, 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "castle"}, "kind: expected one of apartment, .*got 'castle'"),
        ({"place": "moon"}, "place: expected one of city centre, .*got 'moon'"),
        ({"size": 1.5}, "size: expected a whole number from 300 to 6000, got 1.5"),
        ({"lot": -1}, "lot: expected a number from 0 to 40, got -1"),
        ({"suite": "yes"}, "suite: expected true or false, got 'yes'"),
    ],
)
def test_bad_houses_are_told(change, message):
    with pytest.raises(ValueError, match=message):
        House(**{**dataclasses.asdict(STANDING[0].house), **change})


def test_all_numbers_of_houses_have_a_range():
    numbers = {part.name for part in dataclasses.fields(House) if part.type in ("int", "float")}
    assert numbers == set(RANGES)


def test_ten_personas_each_with_words_of_its_own():
    assert len(personas()) == len(PERSONAS) == 10
    told = []
    for persona in personas():
        for split in SPLITS:
            assert len(persona.descriptions[split]) >= 2
            told += [sentence for text in persona.descriptions[split] for sentence in sentences(text)]
    assert len(set(told)) == len(told)
