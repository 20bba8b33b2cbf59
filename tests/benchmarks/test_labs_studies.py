"""Studies of Synthetic Labs: ratios of bid to value beside the published ones, by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
from aucenv.benchmarks.studies.labs import one_shot, ratios
from aucenv.benchmarks.studies.labs.published import beside_models
from aucenv.benchmarks.studies.registry import STUDIES
from aucenv.benchmarks.studies.study_run import run
from matplotlib.figure import Figure
from run_command import command

import aucenv
from aucenv.registration import find_family

KINDS = {ratios.PRICINGS: 7, ratios.INTERVENTIONS: 6, ratios.FIRST: 8, ratios.SECOND: 8}


@pytest.fixture(scope="module")
def table():
    return run(STUDIES["labs/ratios"], ["truthful", "shade,factor=0.5"], 5)


def by_hand(record):
    """The ratios of a game: bid over value, on a clock with its last price for the winner's."""
    return [
        (prize["price"] if bid is None else bid) / dealt["values"][j]
        for j, prize in enumerate(record.outcome["prizes"])
        for dealt, bid in zip(record.deal["seats"], prize["bids"], strict=True)
        if dealt["values"][j] > 0
    ]


def test_there_is_a_row_for_each_setting_and_bidder(table):
    assert len(table) == 2 * sum(KINDS.values())
    for kind, number in KINDS.items():
        assert sum(row["kind"] == kind for row in table) == 2 * number
    for setting in ratios.SETTINGS:
        assert find_family(setting.game).game.load_scenario(setting.scenario).name == setting.scenario


@pytest.mark.parametrize(
    ("setting", "game", "scenario"),
    [
        ("second, affiliated", "sealed_bid", "second-apv"),
        ("open clock, affiliated", "clock", "ascending-apv"),
        ("first", "sealed_bid", "first-ipv"),
    ],
)
def test_ratios_are_those_calculated_from_the_games(table, setting, game, scenario):
    row = next(row for row in table if row["setting"] == setting and row["bidder"] == "shade,factor=0.5")
    played = [aucenv.play(game, scenario, ["shade,factor=0.5"] * 3, seed=(0, number)) for number in range(5)]
    values = [ratio for record in played for ratio in by_hand(record)]
    assert row["ratio"] == pytest.approx(np.mean(values), abs=1e-6)
    assert row["ratio_low"] <= row["ratio"] <= row["ratio_high"]
    published = ratios.BY_SCENARIO[game, scenario].published
    for model, value in zip(("gpt_4", "gpt_4o"), published, strict=True):
        assert row[model] == value
        assert row[f"{model}_difference"] == pytest.approx(row["ratio"] - value, abs=1e-6)
        assert row[f"{model}_difference_low"] == pytest.approx(row["ratio_low"] - value, abs=1e-6)


def test_truthful_bidders_on_clocks_are_below_one_as_published_and_at_one_if_censored(table):
    for row in table:
        if row["bidder"] == "truthful" and "clock," in row["setting"]:
            assert 0.85 < row["ratio"] < 0.97
            assert row["censored"] == pytest.approx(1)
        elif row["bidder"] == "truthful":
            assert row["ratio"] == row["censored"] == 1


def test_rule_bidders_ignore_interventions_currencies_and_languages(table):
    plain = {row["setting"]: row["ratio"] for row in table if row["bidder"] == "shade,factor=0.5"}
    assert {plain[row["setting"]] for row in table if row["kind"] == ratios.INTERVENTIONS} == {plain["second"]}
    assert all(row["gpt_4o"] is None for row in table if row["kind"] in (ratios.FIRST, ratios.SECOND))


def test_a_missing_published_value_has_no_difference():
    row = beside_models({"x": 1.5, "x_low": 1.0, "x_high": 2.0}, "x", (1.0, None))
    assert (row["gpt_4"], row["gpt_4_difference"], row["gpt_4_difference_high"]) == (1.0, 0.5, 1.0)
    assert row["gpt_4o"] is row["gpt_4o_difference"] is row["gpt_4o_difference_low"] is None
    assert beside_models({"x": None}, "x", (1.0, None))["gpt_4_difference"] is None


def test_one_round_has_the_ratios_of_its_bids():
    table = run(STUDIES["labs/one-shot"], ["shade,factor=0.5"], 20)
    assert [(row["pricing"], row["gpt_4"]) for row in table] == [
        ("first", 0.49), ("second", 0.74), ("third", 0.67), ("all-pay", 0.61)
    ]  # fmt: skip
    played = [aucenv.play("sealed_bid", "first-ipv-once", ["shade,factor=0.5"] * 3, seed=(0, n)) for n in range(20)]
    assert {len(record.outcome["prizes"]) for record in played} == {1}
    expected = np.mean([ratio for record in played for ratio in by_hand(record)])
    assert [row["ratio"] for row in table] == [pytest.approx(expected, abs=1e-6)] * 4
    assert table[0]["gpt_4_difference"] == pytest.approx(expected - 0.49, abs=1e-6)


def test_other_studies_have_differences_from_both_models():
    revenue = {row["format"]: row for row in run(STUDIES["labs/revenue"], ["truthful"], 5)}
    assert revenue["first"]["gpt_4_difference"] == pytest.approx(1 - 0.722)
    assert revenue["ascending"]["gpt_4_difference"] is None
    curse = run(STUDIES["labs/winners-curse"], ["naive"], 5)
    assert curse[0]["gpt_4o_difference"] == pytest.approx(curse[0]["profit"] - 9.2, abs=1e-6)
    assert curse[-1]["gpt_4_difference_low"] == pytest.approx(curse[-1]["profit_low"] + 1.6, abs=1e-6)


def test_with_too_few_games_there_is_no_interval():
    [row, *_] = run(STUDIES["labs/one-shot"], ["truthful"], 4)
    assert row["ratio"] is not None
    assert row["ratio_low"] is row["gpt_4_difference_low"] is None


@pytest.mark.parametrize("name", ["labs/ratios", "labs/one-shot"])
def test_scripts_play_offline_and_the_study_reads_its_records(name, tmp_path, capsys):
    planner = STUDIES[name].offline_bidders[1]
    out = tmp_path / "out"
    assert command("study", "labs/one-shot", "--games", "2", "--bidder", planner, "--out", out, "--json", "-") == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["bidder"] for row in rows} == {"planner (script)"}
    assert all(0.7 < row["ratio"] <= 0.8 for row in rows)  # the script bids 0.8 of its value, rounded down
    assert run(STUDIES["labs/one-shot"], from_records=out) == rows
    with pytest.raises(ValueError, match="expected records of its games"):
        run(STUDIES["labs/winners-curse"], from_records=out)


def test_pictures_show_the_published_values(table):
    figure = Figure(figsize=ratios.STUDY.size)
    ratios.draw(table, figure)
    assert [axes.get_title() for axes in figure.axes] == list(KINDS)
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    assert list(lines["GPT-4, published"].get_ydata()) == [s.published[0] for s in ratios.SETTINGS[:7]]
    assert "GPT-4o, published" not in {line.get_label() for line in figure.axes[2].lines}
    single = Figure()
    one_shot.draw(one_shot.rows(played_once()), single)
    assert single.axes[0].get_ylim()[0] == 0


def played_once():
    return [aucenv.play("sealed_bid", "first-ipv-once", ["truthful"] * 3, seed) for seed in range(5)]
