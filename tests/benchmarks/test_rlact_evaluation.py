"""The evaluation of RLAct: its plan, its statistics and its command."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from aucenv.baselines.population.families import HELD_OUT, VALIDATION, load_population
from aucenv.benchmarks import rlact_evaluation
from aucenv.benchmarks.rlact_evaluation import PLAN, compare, differences, holm, profit_ratios, table_set

import aucenv
from aucenv.core.words.bidder_name import parse_bidder
from aucenv.policy.registry import rule_bidders
from aucenv.registration import find_family

SETS = list(json.loads(PLAN.read_text())["sets"])


@pytest.mark.parametrize("name", SETS)
def test_the_rivals_of_a_set_are_of_its_families_and_comparators_do_not_cheat(name):
    tables = table_set(name)
    known = rule_bidders(tables.game)
    assert not any(known[parse_bidder(bidder).kind].cheats for bidder in tables.comparators)
    split = {"held-out families": HELD_OUT, "validation families": VALIDATION}.get(name.partition(", ")[2])
    if split is not None:
        kinds = {family.bidder for family in load_population().families(tables.game, split)}
        for table in tables.tables:
            assert any(parse_bidder(rival).kind in kinds for rival in table.rivals)
    assert len({table.seed for table in tables.tables}) == len(tables.tables)


def test_all_honest_rule_bidders_of_both_games_are_comparators():
    for game in ("harbor", "english"):
        names = {parse_bidder(name).kind for name in table_set(f"{game}, held-out families").comparators}
        assert names == {name for name, rule in rule_bidders(game).items() if not rule.cheats}


def test_profits_are_those_of_play_in_percent_of_the_surplus():
    tables = table_set("english, validation families")
    profits = profit_ratios(tables, "pace", 2)
    assert profits.shape == (2, 2)
    table = tables.tables[1]
    figures = find_family("english").game.figures
    ratios = []
    for seat in range(3):
        deal = table.deal(1)
        record = aucenv.play("english", deal.loaded, table.lineup("pace", seat), deal.seed)
        ratios.append(100 * figures.seat_figures(record)[seat].profit_ratio)
    assert profits[1, 1] == pytest.approx(np.mean(ratios), abs=1e-6)


def test_holm_multiplies_by_the_number_of_hypotheses_left():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.6]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []


def test_intervals_resample_seeds_and_deals():
    rng = np.random.default_rng(0)
    other = rng.normal(10, 3, (2, 200))
    lead, low, high, p = differences(other + np.array([1.0, 1.0, 1.0])[:, None, None], other, 500)
    assert (lead, low, high) == pytest.approx((1, 1, 1))  # the deals are paired
    assert p < 0.01
    unequal = other + np.array([-2.0, 0.0, 5.0])[:, None, None]
    lead, low, high, p = differences(unequal, other, 500)
    assert lead == pytest.approx(1)
    assert low < 0 < high  # because seeds differ
    assert p > 0.05
    noise = other + rng.normal(0, 1, (3, 2, 200))
    _, low, high, _ = differences(noise, other, 500)
    assert low < 0 < high


def test_rows_are_sorted_by_profit():
    models = np.full((2, 1, 10), 5.0)
    rows = compare(models, {"a": np.full((1, 10), 4.0), "b": np.full((1, 10), 6.0)}, 100)
    assert [row["bidder"] for row in rows] == ["the models", "b", "a"]
    assert (rows[1]["lead"], rows[2]["lead"]) == (-1, 1)


def test_the_command_writes_its_results_and_keeps_finished_bidders(tmp_path, monkeypatch, capsys):
    model = str(rlact_evaluation.__file__).replace("benchmarks/rlact_evaluation.py", "training/rlact/models/tiny")
    arguments = ["--set", "english, validation families", "--model", model, "--deals", "1", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["rlact_evaluation", *arguments])
    rlact_evaluation.main()
    first = capsys.readouterr().out
    saved = json.loads((tmp_path / "english-validation-families.json").read_text())
    assert saved["rows"][0]["bidder"] == "the models"
    assert (tmp_path / "english-validation-families.md").read_text() in first
    monkeypatch.setattr(rlact_evaluation, "profit_ratios", None)
    rlact_evaluation.main()
    assert capsys.readouterr().out == first


def test_unknown_sets_are_refused():
    with pytest.raises(ValueError, match="set: expected one of harbor, held-out families"):
        table_set("harbor")
