"""Games end: in each game, a setting with which an item could take more than 100,000 rounds is refused before play."""

from __future__ import annotations

import dataclasses
import re

import pytest
from first_hour.commands import COMMANDS, option_for_fields
from first_hour.lines import exit_status
from hypothesis import given
from hypothesis import strategies as st
from tables import amount_table

import aucenv
from aucenv.core.words.names import names_of_records
from aucenv.envs.english import game as english
from aucenv.envs.english.game import SCENARIOS, Bidder, EnglishScenario, Item
from aucenv.envs.english.rules import MAX_DISCOUNTS, halved
from aucenv.registration import FAMILIES
from aucenv.testing.contract import Case
from aucenv.testing.games import check_length

NUMBERS = (0, 1e-6, 0.01, 1, 3, 10**4, 10**8)
"""Values of the fields of scenarios that are numbers, at the ends of their ranges and beyond."""


def changes_of(scenario):
    """Yield changes of a scenario: each number and each switch among its fields, and the budgets, far up and down."""
    for field in dataclasses.fields(scenario):
        value = getattr(scenario, field.name)
        values = (not value,) if isinstance(value, bool) else NUMBERS if isinstance(value, int | float) else ()
        yield from ({field.name: each} for each in values)
    yield from ({"budget": each} for each in NUMBERS)


@pytest.mark.filterwarnings("ignore:scenario .* bid_cap:UserWarning")
@pytest.mark.parametrize("name", FAMILIES)
def test_every_setting_ends_or_is_refused(name):
    family, legal = FAMILIES[name], 0
    scenario = family.game.load_scenario(family.game.default_scenario)
    for change in changes_of(scenario):
        try:
            changed = scenario.changed(**change) if "budget" in change else dataclasses.replace(scenario, **change)
        except (ValueError, TypeError):
            continue
        legal += 1
        check_length(Case(family, changed, None, 0))
    assert legal > 2


@given(
    st.integers(1, 500), st.lists(st.integers(1, 3_000), min_size=2, max_size=4), st.sampled_from([0, 0.1, 0.5]),
    st.booleans(), st.booleans(),
)  # fmt: skip
def test_the_bound_is_that_of_the_longest_sale(price, budgets, increment, discount, ask_broke):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(english, "MOST_ROUNDS", 0)
        with pytest.raises(ValueError, match="rounds an item") as error:
            english.check_length("x", [price / 100], [budget / 100 for budget in budgets], increment, discount)
    bound = int(re.search(r"there may be ([0-9,]+)", str(error.value))[1].replace(",", ""))
    bidders = tuple(Bidder(f"b{seat}", cents / 100) for seat, cents in enumerate(budgets))
    item = Item(1, "vase", price / 100, 1)
    table = amount_table(EnglishScenario("x", (item,), bidders, "given", increment, discount, ask_broke))
    rounds = 0
    while not table.over:
        state = table.state[0]
        bids = not (discount and state["discounts"] < MAX_DISCOUNTS and halved(int(state["price"])) > 0)
        rounds += 1
        for seat in table.pending:
            least = table.view(seat).least_bid
            table.submit(seat, least if bids and least <= budgets[seat] / 100 else -1)
    assert bound - 3 <= rounds <= bound


LONGEST = (("num_items=1", "budget=2000", "increment=0"), ("increment=0.000001",), ("budget=1000000000",))
CHANGING = {words: option for words, command in COMMANDS.items() if (option := option_for_fields(command))}
NEEDED = {"exploit": "exploit rule", "host": "host --bidder human:Ann --bidder rule --bidder value"}
"""The commands that need more arguments, with them."""


@pytest.mark.parametrize("changes", LONGEST, ids=",".join)
@pytest.mark.parametrize("words", CHANGING)
def test_every_command_refuses_games_of_years(words, changes, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    settings = [f"{CHANGING[words]} {change}" for change in changes]
    assert exit_status(" ".join([NEEDED.get(words, words), "--game english", *settings])) == 2
    assert "at most 100,000 rounds an item, got " in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("game", ["english", "harbor"])
def test_a_named_scenario_with_such_a_field_is_refused_where_it_is_typed(game, folder, capsys):
    scenario = FAMILIES[game].game.default_scenario
    assert exit_status(f"leaderboard --game {game} --scenario {scenario},increment=0") == 2
    assert "at most 100,000 rounds an item, got 0, with which there may be" in capsys.readouterr().err


def test_python_refuses_what_commands_refuse():
    standard = SCENARIOS["standard-20k-random"]
    for create in (
        lambda: standard.changed(num_items=1, budget=2000, increment=0),
        lambda: aucenv.english_v0(scenario=standard.to_dict() | {"increment": 0}),
        lambda: aucenv.english_v0.batch_env(2, budget=1_000_000_000),
        lambda: aucenv.harbor_v0(scenario=aucenv.harbor_v0().unwrapped.scenario.to_dict() | {"increment": 1e-6}),
        lambda: aucenv.play("english", standard.to_dict() | {"increment": 0}, ["rule", "value", "drain"], 0),
    ):
        with pytest.raises(ValueError, match="increment: expected at most 100,000 rounds an item, got "):
            create()


def test_the_longest_legal_sale_is_legal():
    standard = SCENARIOS["standard-20k-random"]
    assert standard.changed(num_items=1, increment=0, budget=1999.97).increment == 0
    with pytest.raises(ValueError, match="there may be 100,001: bids from"):
        standard.changed(num_items=1, increment=0, budget=1999.98)


def test_only_the_whole_of_the_options_counts(folder):
    assert (
        exit_status(
            "leaderboard --games 3 --quick --set budget=100000000 --set increment=10 --bidder rule --bidder value"
        )
        == 0
    )


def test_a_recorded_game_is_read_although_it_could_have_been_longer():
    record = aucenv.play("english", "standard-20k-random", ["rule", "value", "drain"], 0)
    data = record.scenario | {"items": [item | {"starting_price": 1} for item in record.scenario["items"]]}
    with pytest.raises(ValueError, match="at most 100,000 rounds an item"):
        EnglishScenario.from_dict(data)
    with names_of_records():
        assert EnglishScenario.from_dict(data).increment == 0.1
