"""The documentation agrees with the package."""

from __future__ import annotations

import inspect
import re

import pytest
from paths import ROOT

import aucenv
from aucenv.envs.english.features import PER_GAME, PER_ITEM, PER_SEAT, feature_names
from aucenv.registration import FAMILIES

PAGE = aucenv.english_v0.__doc__


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_a_page_has_every_section(family):
    for section in ("| fact | value |", "**Observations.**", "**Actions.**", "**Rewards**", "**Infos**", "**End.**", "**Arguments**",
                    "**Differences", "**Versions.**", "```bibtex"):  # fmt: skip
        assert section in family.__doc__


def fact(name: str) -> str:
    return re.search(rf"^\| {name} \| (.*) \|$", PAGE, flags=re.MULTILINE)[1]


def test_english_facts_are_those_of_the_live_env():
    env = aucenv.english_v0()
    assert fact("Agents").startswith("`bidder_0`")
    assert env.possible_agents == ["bidder_0", "bidder_1", "bidder_2"]
    size = env.observation_space("bidder_0")["observation"].shape[0]
    assert f"12 + 7 * bidders + 5 * items features ({size} by default)" in fact("Observations")
    assert f"({env.state_space.shape[0]} by default)" in fact("State")
    assert (env.state_space.low.min(), env.state_space.high.max()) == (-10, 10)
    for bidders, items in ((2, 1), (16, 7)):
        small = aucenv.english_v0(num_bidders=bidders, num_items=items)
        assert small.observation_space("bidder_0")["observation"].shape == (12 + 7 * bidders + 5 * items,)
        assert len(feature_names(bidders, items)) == 12 + 7 * bidders + 5 * items
    assert (len(PER_GAME), len(PER_SEAT), len(PER_ITEM)) == (12, 7, 5)


def test_english_index_table_names_every_feature_in_order():
    rows = re.findall(r"^\| (\d[^|]*) \| (.*) \|$", PAGE, flags=re.MULTILINE)
    for (index, text), (_, about) in zip(rows[:9], PER_GAME[:9], strict=True):
        assert text == about, index
    assert rows[9][0] == "9, 10, 11"
    assert rows[10][0] == "12 + 7k ..."
    assert rows[10][1].count(",") == len(PER_SEAT)
    assert rows[11][0] == "12 + 7N + 5j ..."
    assert rows[11][1].count(",") + 1 == len(PER_ITEM)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=str)
def test_pages_list_every_argument_with_its_default(family):
    page = family.__doc__.split("**Arguments**")[1].split("Fields of")[0]
    rows = re.findall(r"^\| (\w+) \| (.*?) \| .* \|$", page, flags=re.MULTILINE)[1:]
    parameters = inspect.signature(family).parameters
    assert [name for name, _ in rows] == list(parameters)
    for name, default in rows:
        actual = parameters[name].default
        assert actual in (None, "scenario") if default.startswith("the scenario's") else eval(default) == actual, name


def test_the_harbor_page_is_that_of_the_live_env():
    from aucenv.envs.harbor import features

    family = FAMILIES["harbor"]
    page, env = family.__doc__, family()
    size = env.observation_space("bidder_0")["observation"].shape[0]
    assert f"22 + 7 * bidders + 15 * items + 3 * bidders * items features ({size} by default)" in page
    assert f"({env.state_space.shape[0]} by default)" in page
    for bidders, items in ((2, 5), (7, 15)):
        small = family(num_bidders=bidders, num_items=items, matches=1)
        expected = 22 + 7 * bidders + 15 * items + 3 * bidders * items
        assert small.observation_space("bidder_0")["observation"].shape == (expected,)
        names = features.feature_names(bidders, items)
        assert len(names) == expected
        first = 12 + 7 * bidders + 5 * items
        assert names[:first] == feature_names(bidders, items)
        assert (names[first], names[first + 10]) == ("persona0", "item0.liking0")
        assert names[first + 10 + 10 * items] == "item0.seat+0.raises"
    assert page.split("the bidder k seats further: ")[1].split(" |")[0].count(",") + 1 == len(features.PER_SEAT_ITEM)


def test_versions_agree():
    version = aucenv.__version__
    assert f"version: {version}" in (ROOT / "CITATION.cff").read_text()
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize(
    ("name", "size_in_words", "added"),
    [("sealed_bid", "12 + bidders", 2), ("clock", "14 + 2 * bidders", 4)],
    ids=["sealed_bid", "clock"],
)
def test_prize_pages_are_those_of_the_live_envs(name, size_in_words, added):
    from importlib import import_module

    from aucenv.envs.single_item.features import PER_RANK

    family = FAMILIES[name]
    page, env = family.__doc__, family()
    vector = import_module(f"aucenv.envs.{name}.features")
    size = env.observation_space("bidder_0")["observation"].shape[0]
    assert f"({size} by default)" in page
    assert f"({env.state_space.shape[0]} by default)" in page
    assert f"1-D: {size_in_words} features" in page
    assert eval(size_in_words, {"bidders": 3}) == size
    features = re.findall(r"^\| (\d+) \| (.*) \|$", page, flags=re.MULTILINE)
    about = vector.PER_GAME + getattr(vector, "PER_CLOCK", ())
    assert [int(index) for index, _ in features] == list(range(len(about)))
    assert [text for _, text in features] == [text for _, text in about]
    ranked = re.findall(
        r"^\| (?:\d+ \+ )+(?:N \+ )?k \.\.\. \| for k = 0 \.\.\. N-\d: (.*) \|$", page, flags=re.MULTILINE
    )
    assert ranked == [text for _, text in PER_RANK + getattr(vector, "PER_EXIT", ())]
    assert len(vector.feature_names(5)) == size + added


def test_the_water_page_is_that_of_the_live_env():
    from aucenv.envs.water_allocation import features

    family = FAMILIES["water_allocation"]
    page, env = family.__doc__, family()
    size = env.observation_space("bidder_0")["observation"].shape[0]
    assert f"5 + 10 * residents features ({size} by default)" in page
    assert f"({env.state_space.shape[0]} by default)" in page
    assert f"Discrete({env.action_space('bidder_0').n})" in page
    assert (len(features.PER_GAME), len(features.PER_SEAT)) == (5, 10)
    assert (
        len(features.feature_names(7))
        == family(residents=[aucenv.Resident(f"r{i}", 5, 9) for i in range(7)])
        .observation_space("bidder_0")["observation"]
        .shape[0]
    )
    listed = re.findall(r"^\| (\d+) \| (.*) \|$", page, flags=re.MULTILINE)
    assert [text for _, text in listed] == [text for _, text in features.PER_GAME]
    per_seat = re.search(r"the resident k seats further: (.*) \|$", page, flags=re.MULTILINE)[1]
    assert per_seat.count(",") + 1 == len(features.PER_SEAT)
