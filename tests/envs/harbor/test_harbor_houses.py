"""Houses and personas: descriptions agree with features, seeds determine generated houses, and no texts repeat."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from itertools import pairwise

import numpy as np
import pytest
from house_descriptions import parse_description

from aucenv.envs.harbor.game import liking_table
from aucenv.envs.harbor.houses.generate import MARGIN, NAMES, fresh_houses, generate
from aucenv.envs.harbor.houses.house import PRICES, VALUE_RATIOS, House, fixed_houses, likings
from aucenv.envs.harbor.houses.personas import PERSONAS, SPLITS, personas

FIXED = [listing for split in SPLITS for listing in fixed_houses(split)]
GENERATED = generate([kind for kind in PERSONAS for _ in range(9)], 5)


def sentences(text: str) -> list[str]:
    return [sentence.strip(" .") for sentence in re.split(r"[.?!]\s", text + " ") if sentence.strip(" .")]


@pytest.mark.parametrize("listings", [FIXED, GENERATED], ids=["fixed", "generated"])
def test_descriptions_state_the_features_and_nothing_else(listings):
    for listing in listings:
        assert parse_description(listing.description) == dataclasses.asdict(listing.house), listing.description
        assert 80 <= len(listing.description.split()) <= 120


@pytest.mark.parametrize("listings", [FIXED, GENERATED], ids=["fixed", "generated"])
def test_no_two_houses_share_a_sentence_or_a_name(listings):
    all_sentences = sorted(sentence for listing in listings for sentence in sentences(listing.description))
    assert all(one != other for one, other in pairwise(all_sentences))
    for names in ([listing.name for listing in part] for part in (listings[:40], listings[40:])):
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("listings", [FIXED, GENERATED], ids=["fixed", "generated"])
def test_every_house_suits_its_persona_best(listings):
    for listing in listings:
        others = likings(listing.house, listing.starting_price)
        assert all(0 <= value <= 1 for value in others.values())
        liking = others.pop(listing.persona)
        assert liking >= max(others.values()) + MARGIN
        assert PRICES[0] <= listing.starting_price <= PRICES[1]
        ratio = listing.true_value / listing.starting_price
        assert VALUE_RATIOS[0] - 0.001 <= ratio <= VALUE_RATIOS[1] + 0.001


def test_there_are_four_houses_for_each_persona_in_each_split():
    for split in SPLITS:
        assert [listing.persona for listing in fixed_houses(split)] == [kind for kind in PERSONAS for _ in range(4)]
    with pytest.raises(ValueError, match="split: expected one of train, evaluation, got 'test'"):
        fixed_houses("test")


def test_the_same_seed_gives_the_same_houses():
    kinds = ["rural", "eco", "rural"]
    assert generate(kinds, 3) == generate(kinds, 3)
    assert generate(kinds, 3) != generate(kinds, 4)
    assert [listing.persona for listing in generate(kinds, [1, 2])] == kinds


def test_houses_suit_personas_equally_well_in_every_version_of_python():
    tables = [liking_table(fresh_houses(number), personas()) for number in range(60)]
    digest = hashlib.sha256(np.array(tables).astype("<i8").tobytes()).hexdigest()
    assert digest.startswith("6ed14c249be177f2")


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        (["rurl"], r"persona: expected one of first_time, .*got 'rurl' \(did you mean 'rural'"),
        ([], "number of houses: expected a whole number from 1"),
        (["eco"] * (len(NAMES) + 1), f"number of houses: expected a whole number from 1 to {len(NAMES)}"),
    ],
)
def test_bad_personas_of_generated_houses_are_refused(kinds, message):
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
def test_bad_houses_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        House(**{**dataclasses.asdict(FIXED[0].house), **change})


def test_the_descriptions_of_the_ten_personas_share_no_sentence():
    assert len(personas()) == len(PERSONAS) == 10
    all_sentences = []
    for persona in personas():
        for split in SPLITS:
            assert len(persona.descriptions[split]) >= 2
            all_sentences += [sentence for text in persona.descriptions[split] for sentence in sentences(text)]
    assert len(set(all_sentences)) == len(all_sentences)
