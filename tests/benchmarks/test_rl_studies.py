"""The studies of learners, with few updates."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from aucenv.benchmarks.studies.registry import STUDIES
from aucenv.benchmarks.studies.rl import closed_forms, small_games
from aucenv.benchmarks.studies.study_run import train
from aucenv.training.ppo.config import DEFAULTS
from aucenv.training.ppo.ppo import Learner
from run_command import command

from aucenv import theory


def test_small_games_are_measured_exactly(tmp_path, monkeypatch):
    monkeypatch.setattr(
        small_games, "SETTINGS", {**small_games.SETTINGS, "num_envs": 32, "updates": 4, "save_every": 2}
    )
    monkeypatch.setattr(small_games, "GAMES", {"small-clock": small_games.GAMES["small-clock"]})
    monkeypatch.setattr(small_games, "CFR_ITERATIONS", 50)
    monkeypatch.setattr(small_games, "SEEDS", 1)
    study = STUDIES["rl/small-games"]
    rows = train(study, (), None, 0, 1, out=tmp_path)
    values = {(row["game"], row["bidder"]): row["nash_conv"] for row in rows}
    assert values["small-clock", "equilibrium"] == pytest.approx(0, abs=1e-9)
    assert values["small-clock", "CFR+, 50 iterations"] < 0.01
    assert values["small-clock", "PPO, last policy"] > 0
    assert ("small-clock", "random") not in values
    study.plot(rows, tmp_path / "figure.png")
    assert (tmp_path / "table.md").read_text().count("|") > 20
    monkeypatch.setattr(Learner, "learn", None)  # finished runs are not trained again
    assert train(study, (), None, 0, 1, out=tmp_path) == rows


def test_learners_approach_closed_forms(tmp_path, monkeypatch):
    kept = ("first price, n = 2", "third price, n = 3")
    monkeypatch.setattr(closed_forms, "FORMATS", {title: closed_forms.FORMATS[title] for title in kept})
    monkeypatch.setattr(closed_forms, "STEPS", 20)
    monkeypatch.setitem(DEFAULTS["sealed_bid"], "num_envs", 256)
    monkeypatch.setattr(closed_forms, "SEEDS", 1)
    study = STUDIES["rl/closed-forms"]
    rows = train(study, (), None, 0, 1, out=tmp_path)
    assert [(row["format"], row["learner"]) for row in rows] == list(itertools.product(kept, closed_forms.LEARNERS))
    for row in rows:
        [curve] = row["curves"]
        assert [point["step"] for point in curve] == list(range(0, 21, 2))
        assert curve[-1]["loss"] == row["loss"]
        assert curve[-1]["loss"] < curve[0]["loss"]
    study.plot(rows, tmp_path / "figure.png")
    files = {path: path.read_bytes() for path in tmp_path.glob("*.json") if path.name != "table.json"}
    assert len(files) == 6
    monkeypatch.setattr(closed_forms, "measures", None)
    assert train(study, (), None, 0, 1, out=tmp_path) == json.loads((tmp_path / "table.json").read_text())


@pytest.mark.parametrize("title", closed_forms.FORMATS)
def test_the_equilibrium_of_each_format_has_no_loss_and_no_distance(title):
    scenario = closed_forms.scenario_of(title)
    bids = theory.as_bids(scenario, theory.equilibrium_bids(scenario))
    measured = closed_forms.measures(scenario, bids)
    low, high = scenario.value_range
    assert measured["loss"] < 0.002 * (high - low)
    assert measured["loss"] <= measured["worst"] < 0.02 * (high - low)
    assert measured["distance"] < 0.51
    assert measured["loss"] == pytest.approx(theory.utility_loss(scenario, bids))


@pytest.mark.parametrize("steps", [closed_forms.regret_matching, closed_forms.fictitious_play])
def test_rules_of_other_learners_are_distributions_and_improve(steps):
    scenario = closed_forms.scenario_of("first price, n = 3")
    rules = list(itertools.islice(steps(scenario), 60))
    for rule in rules[::20]:
        np.testing.assert_allclose(rule.sum(axis=1), 1)
        assert rule.min() >= 0
    losses = [theory.utility_loss(scenario, rule) for rule in (rules[0], rules[-1])]
    assert losses[-1] < 0.2 * losses[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rl/small-games", "--games", "3"], "expected neither --bidder nor --games"),
        (["rl/closed-forms", "--games", "3"], "expected no --games, because its figures are exact"),
        (["rl/closed-forms", "--bidder", "rule"], "bidder: expected one of ppo, regret-matching, fictitious-play"),
    ],
)
def test_bad_arguments_are_refused(tmp_path, capsys, arguments, message):
    assert command("study", *arguments, "--out", tmp_path / "out") != 0
    assert message in " ".join(capsys.readouterr().err.split())
