"""The population: families draw valid bidders, are legal, seeded and different from each other, and bad files are refused."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import re
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from aucenv.baselines import population
from aucenv.baselines.population.families import HELD_OUT, RANGES, SPLITS, STEP, TRAIN, load_population
from aucenv.baselines.scripted.rollout import rollout_record
from games import CASES
from paths import ROOT
from run_command import command

import aucenv
from aucenv.analysis.markdown import table
from aucenv.core.kernel import COMPILES
from aucenv.core.words.bidder_name import parse_bidder
from aucenv.policy.registry import make_policy, rule_bidders, rule_numbers, scripted_bidders
from aucenv.registration import find_family

FILE = Path(population.__file__).with_name("population.json")
DATA = json.loads(FILE.read_text())
POPULATION = load_population()
GAMES = tuple(POPULATION.members)
ACTIONS = {"english": (0, 1, 1, 1, 2), "harbor": (0, 1, 1, 1, 2), "clock": (0, *[1] * 20)}
"""The legal vector actions of random games, each equally likely; in other games all of them."""
AT_RANDOM = {
    "english": {"fickle"},
    "harbor": {"fickle"},
    "sealed_bid": {"regretter", "improviser"},
    "clock": {"fidgeter", "improviser"},
    "water_allocation": {"fitful"},
}
"""The families that draw random numbers."""
VARIANTS = {
    "sealed_bid": (
        {},
        {"pricing": "second", "values": "cv", "reveal": "price"},
        {"pricing": "all_pay", "reveal": "none"},
    ),
    "clock": (
        {},
        {"feedback": "blind", "reveal": "none"},
        {"direction": "descending", "values": "cv", "reveal": "price"},
    ),
}
"""The arguments of games in which families bid, of which the first are the defaults."""
every_game = pytest.mark.parametrize("game", GAMES)


@lru_cache
def decisions(game: str, variant: int = 0) -> tuple[list, object]:
    """Return states and acting seats of games of random bids, and their scenario."""
    arguments = {"num_bidders": 3} if game != "water_allocation" else {}
    env = find_family(game).raw_env(**arguments, **VARIANTS.get(game, ({},))[variant])
    rng = np.random.default_rng(4)
    states = []
    for seed in range(6):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            seat = int(env.agent_selection.removeprefix("bidder_"))
            states.append((env.table.state.copy(), seat))
            legal = np.flatnonzero(env.action_mask(env.agent_selection))
            env.step(int(legal[rng.choice(ACTIONS.get(game, len(legal))) % len(legal)]))
    return states[:: max(1, len(states) // 400)], env.scenario


def decide(game: str, name: str, states: list) -> list[int]:
    """Return the bidder's amount in each state, for its acting seat."""
    bidder = rule_bidders(game)[parse_bidder(name).kind]
    params = rule_numbers(game, name, decisions(game)[1])[1]
    return [int(bidder.decide(bidder.kind, params, state, 0, seat)) for state, seat in states]


def test_the_file_belongs_to_its_version():
    """A changed population is another one: give it the next version, and its digest here."""
    assert (POPULATION.version, POPULATION.digest[:16]) == (1, "2009dce7b1500aac")


@every_game
def test_splits_differ_in_mechanism(game):
    built_in = scripted_bidders(game)
    by_split = {split: {family.bidder for family in POPULATION.families(game, split)} for split in SPLITS}
    assert not any(a & b for a, b in itertools.combinations(by_split.values(), 2))
    assert not by_split[HELD_OUT] & set(built_in)
    assert len(by_split[HELD_OUT]) >= 4
    assert by_split[TRAIN] & set(built_in)
    unused = {bidder.name for bidder in rule_bidders(game).values()} - set().union(*by_split.values())
    assert unused <= {*built_in, "stranger"}  # the judge uses it for bidders that it does not know


@every_game
def test_families_draw_bidders_inside_their_ranges(game):
    scenario = decisions(game)[1]
    for family in POPULATION.families(game):
        assert family.about.endswith(".")
        assert family.about.count(".") == 1
        for ranges in RANGES:
            names = [family.draw(np.random.default_rng(seed), ranges) for seed in (1, 1, *range(2, 10))]
            assert names[0] == names[1]
            for name in names:
                spec = parse_bidder(name)
                drawn = {key: float(spec.params[key]) for key in family.parameters}
                assert spec.kind == family.bidder
                assert spec.params.keys() == {*family.parameters, *family.fixed}
                for key, value in drawn.items():
                    low, high = family.parameters[key][ranges]
                    assert low <= value <= high
                    assert value == (int(value) if isinstance(low, int) else round(value * STEP) / STEP)
                policy = make_policy(game, name)
                assert policy.why_unplayable(scenario) is None
                assert pickle.loads(pickle.dumps(policy)).params.tolist() == policy.params.tolist()
            bounds = [family.parameters[key][ranges] for key in family.parameters]
            assert len(set(names)) > 1 or all(low == high for low, high in bounds)


@every_game
def test_families_bid_legally_and_differ_from_each_other(game):
    states, _ = decisions(game)
    rules = find_family(game).game.rules
    bids = {}
    for family in POPULATION.families(game):
        for ranges in RANGES:
            name = family.draw(np.random.default_rng(5), ranges)
            amounts = decide(game, name, states)
            assert amounts == decide(game, name, states)
            for (state, seat), amount in zip(states, amounts, strict=True):
                assert rules.check(state, 0, seat, amount) == 0, (name, amount)
            bids[name] = tuple(amounts)
        assert len(set(bids[name])) > 1, name
    assert len(set(bids.values())) == len(bids)


@every_game
def test_families_read_nothing_that_is_hidden_from_their_seat(game):
    rng = np.random.default_rng(8)
    rules, copies = find_family(game).game.rules, find_family(game).game.view.make_view.copies
    for variant in range(len(VARIANTS.get(game, ({},)))):
        states, scenario = decisions(game, variant)
        views = [(copies.row(state, seat), seat) for state, seat in states]
        others = [(state.copy(), seat) for state, seat in states]
        for state, seat in others:
            CASES[game].hide(state[0], seat, rng)
        for name in (family.draw(rng) for family in POPULATION.families(game)):
            if make_policy(game, name).why_unplayable(scenario) is None:
                amounts = decide(game, name, states)
                assert amounts == decide(game, name, views) == decide(game, name, others), name
                for (state, seat), amount in zip(states, amounts, strict=True):
                    assert rules.check(state, 0, seat, amount) == 0, (name, amount)


@every_game
def test_only_random_families_read_the_key_of_their_seat(game):
    states, _ = decisions(game)
    others = [(state.copy(), seat) for state, seat in states]
    for state, _ in others:
        state["seat_key"] += 12345
    at_random = set()
    for family in POPULATION.families(game):
        name = family.draw(np.random.default_rng(6))
        if decide(game, name, states) != decide(game, name, others):
            at_random.add(family.name)
    assert at_random == AT_RANDOM[game]


@every_game
def test_rollouts_with_families_equal_play(game):
    scenario = decisions(game)[1]
    seats = len(scenario.bidders)
    rng = np.random.default_rng(7)
    names = [family.draw(rng) for family in POPULATION.families(game)]
    lineups = [[names[(start + seat) % len(names)] for seat in range(seats)] for start in range(0, len(names), seats)]
    results = aucenv.rollout(game, scenario, lineups, 2 * len(lineups), seed=3)
    score = next(iter(results))
    for number in range(0, 2 * len(lineups), 2 if COMPILES else 9):
        record = rollout_record(game, scenario, lineups, number, seed=3)
        assert not any(decision["attempts"] for decision in record.decisions)
        played = [seat[score] for seat in record.outcome["seats"]]
        scale = 1 if game == "water_allocation" else 100
        assert [round(value * scale) for value in played] == results[score][number].tolist()


def test_an_unknown_bidder_is_compared_with_families():
    with pytest.raises(ValueError, match=r"kind: expected one of rule, .*got 'chasr' \(did you mean 'chaser'"):
        make_policy("english", "chasr")


def changed(*path, value=None, **fields):
    """Return the data of the file with `value` at a path below its games, or with other fields of the object there."""
    data = copy.deepcopy(DATA)
    place = data["games"]
    for key in path[:-1]:
        place = place[key]
    if value is not None:
        place[path[-1]] = value
    for key, field_value in fields.items():
        place[path[-1]][key] = field_value
    return data


def without(split):
    data = copy.deepcopy(DATA)
    data["games"]["english"] = {k: v for k, v in data["games"]["english"].items() if v["split"] != split}
    return data


VALUER = ("english", "valuer")
MARGIN = (*VALUER, "parameters", "margin")
BAD = {
    "no held-out family": (without(HELD_OUT), "games.english: expected at least one family of the split held-out, got none"),
    "no training family": (without(TRAIN), "expected at least one family of the split train, got none"),
    "a mechanism in two splits": (
        changed("english", "valuer-2", value={**DATA["games"]["english"]["valuer"], "split": HELD_OUT}),
        "'valuer' in train and 'valuer-2' in held-out; give one of them the split of the other",
    ),
    "two splits": (changed(*VALUER, split=[TRAIN, HELD_OUT]), r"english.valuer.split: expected one of train, .*got \['train'"),
    "an unknown split": (changed(*VALUER, split="test"), "valuer.split: expected one of train, validation, held-out, got 'test'"),
    "an unknown bidder": (changed(*VALUER, bidder="valeu"), r"valuer.bidder: expected one of rule, .*did you mean 'value'"),
    "a cheat": (changed(*VALUER, bidder="oracle"), "valuer.bidder: expected a bidder that does not cheat, got 'oracle'"),
    "an unknown parameter": (changed(*VALUER, parameters={"k": {}}), "parameters.k: expected one of margin, got 'k'"),
    "an unknown field": (changed(*VALUER, spilt=TRAIN), r"valuer.spilt: expected one of split, .*did you mean 'split'"),
    "a value out of range": (
        changed(*MARGIN, train=[0.0, 1.5]), r"margin.train: expected a number from -5 to 1, got 1.5",
    ),
    "overlapping ranges": (changed(*MARGIN, train=[0.0, 0.3]), "margin: expected ranges that do not overlap, got "),
    "ranges that touch": (changed(*MARGIN, train=[0.0, 0.22]), "margin: expected ranges that do not overlap, got "),
    "a range in descending order": (changed(*MARGIN, train=[0.2, 0.0]), r"train: expected the least value first, got \[0.2, 0.0\]"),
    "one range": (changed(*MARGIN, value={"train": [0, 0.1]}), "margin: expected the ranges train and held-out, got "),
    "a number as a range": (changed(*MARGIN, train=0.1), r"margin.train: expected \[least, highest\], got 0.1"),
    "more decimals than names state": (changed(*MARGIN, train=[0.0, 0.1234]), "train: expected at most 3 decimals, got 0.1234"),
    "a parameter that is drawn and fixed": (
        changed(*VALUER, fixed={"margin": 0.1}), "fixed.margin: expected 'margin' under either parameters or fixed, got both",
    ),
    "a fixed value out of range": (
        changed(*VALUER, parameters={}, fixed={"margin": 7}), "fixed.margin: expected a number from -5 to 1, got 7",
    ),
    "a family that is no object": (changed(*VALUER, value=3), "games.english.valuer: expected an object, got 3"),
    "a name with a space": (changed("english", "a b", value=DATA["games"]["english"]["valuer"]), "expected names of families of a-z"),
    "an unknown game": (changed("chess", value={}), "games, game: expected one of .*got 'chess'"),
    "no sentence": (changed(*VALUER, about=" "), "valuer.about: expected some text, got ' '"),
    "no version": ({"games": {}}, "version: expected a whole number of at least 1, got None"),
    "no games": ({"version": 1}, "expected the field 'games'"),
    "another field": ({**DATA, "date": "today"}, "field: expected one of version, games, got 'date'"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "message"), BAD.values(), ids=list(BAD))
def test_bad_populations_are_refused(tmp_path, data, message):
    path = tmp_path / "people.json"
    path.write_text(json.dumps(data))
    with pytest.raises(ValueError, match=message) as error:
        load_population(path)
    assert str(path) in str(error.value)


def test_a_family_that_is_listed_twice_is_refused(tmp_path):
    path = tmp_path / "people.json"
    path.write_text(FILE.read_text().replace('"pacer"', '"valuer"', 1))
    with pytest.raises(ValueError, match="valuer"):
        load_population(path)


def test_another_population_is_read(tmp_path):
    path = tmp_path / "people.json"
    data = {"version": 7, "games": {"english": {k: v for k, v in DATA["games"]["english"].items() if k != "pacer"}}}
    path.write_text(json.dumps(data))
    read = load_population(path)
    assert (read.version, list(read.members)) == (7, ["english"])
    assert read.digest != POPULATION.digest
    assert read.family("english", "valuer").draw(np.random.default_rng(0)) == POPULATION.family(
        "english", "valuer"
    ).draw(np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"family of english: expected one of .*got 'pacer'"):
        read.family("english", "pacer")
    with pytest.raises(ValueError, match="game of the population: expected one of english, got 'harbor'"):
        read.families("harbor")
    with pytest.raises(ValueError, match="split: expected one of train, validation, held-out, got 'test'"):
        read.families("english", "test")
    with pytest.raises(ValueError, match="parameters: expected one of train, held-out, got 'validation'"):
        read.family("english", "valuer").draw(np.random.default_rng(0), "validation")


def page(text: str) -> str:
    """Return the page with the families of each game below the heading of the game."""
    for game in GAMES:
        rows = [
            [
                family.name,
                family.split,
                family.about,
                f"`{family.bidder}`",
                "; ".join(family.ranges_in_words()).replace("  ", " "),
            ]
            for family in POPULATION.families(game)
        ]
        listed = table(("family", "split", "who bids like this", "bidder", "parameters"), rows)
        text = re.sub(rf"(?<=^## {game}\n)[^#]*", lambda _, listed=listed: f"\n{listed}\n", text, flags=re.MULTILINE)
    return text.rstrip("\n") + "\n"


def test_the_page_lists_all_families(request):
    path = ROOT / "docs" / "population.md"
    if request.config.getoption("--write-golden"):
        path.write_text(page(path.read_text()))
    assert page(path.read_text()) == path.read_text(), "pytest tests/baselines/population --write-golden writes it"
    assert all(f"| {family.name} |" in path.read_text() for game in GAMES for family in POPULATION.families(game))


def test_the_population_is_listed(capsys):
    assert not command("bidders", "--population", "--game", "clock")
    shown = capsys.readouterr().out
    assert re.findall(r"^(\S+) \((\S+)\)$", shown, re.MULTILINE) == [
        (family.name, family.split) for family in POPULATION.families("clock")
    ]
    assert "    leavers=1  (held out: 2)" in shown.splitlines()
