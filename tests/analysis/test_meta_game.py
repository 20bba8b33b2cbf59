"""The meta-game: alpha-rank beside OpenSpiel's, Nash averages with known values, and the command."""

from __future__ import annotations

import json

import numpy as np
import pytest
from run_command import command

from aucenv.analysis.ranking import meta_game
from aucenv.analysis.ranking.meta_game import advantages, alpha_rank, fixation, lineups_of, nash_average, payoffs_of
from aucenv.runs.records import read_records


def symmetric_game(matrix, names):
    """Return the payoffs of a game of two seats in which the row's bidder earns the entry."""
    return {
        (names[i], names[j]): {names[i]: matrix[i, j], names[j]: matrix[j, i]}
        for i in range(len(names))
        for j in range(i, len(names))
    }


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_alpha_rank_equals_that_of_open_spiel(size, monkeypatch):
    from open_spiel.python.egt import alpharank

    monkeypatch.setattr(meta_game, "SELECTION", 1.0)
    matrix = np.random.default_rng(size).normal(size=(size, size))
    names = [f"bidder{i}" for i in range(size)]
    alpha = 1.0 / (matrix.max() - matrix.min())
    stationary = alpharank.compute([matrix, matrix.T], m=meta_game.POPULATION, alpha=alpha)[2].reshape(size, size)
    expected = (stationary.sum(0) + stationary.sum(1)) / 2
    assert list(alpha_rank(symmetric_game(matrix, names), names).values()) == pytest.approx(expected, abs=1e-6)


def test_alpha_rank_with_three_seats_prefers_a_dominant_bidder():
    names = ["bad", "good"]
    payoffs = {lineup: {name: float(name == "good") for name in lineup} for lineup in lineups_of(names, 3)}
    assert alpha_rank(payoffs, names) == pytest.approx({"bad": 0, "good": 1}, abs=1e-9)
    equal = {lineup: dict.fromkeys(lineup, 1.0) for lineup in payoffs}
    assert alpha_rank(equal, names) == pytest.approx({"bad": 0.5, "good": 0.5})


@pytest.mark.parametrize("advantage", [-5.0, -0.5, 0.0, 1e-15, 0.5, 20.0])
def test_probabilities_of_fixation(advantage):
    expected = 1 / 50 if abs(advantage) < 1e-9 else np.expm1(-advantage) / np.expm1(-50 * advantage)
    assert fixation(advantage) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], [1 / 3, 1 / 3, 1 / 3]),
        ([[0, -1, 1, 2], [1, 0, -1, 2], [-1, 1, 0, 2], [-2, -2, -2, 0]], [1 / 3, 1 / 3, 1 / 3, 0]),
        ([[0, 1], [-1, 0]], [1, 0]),
        (np.zeros((4, 4)), [0.25] * 4),
        # copies of a bidder share its probability
        ([[0, 0, -1, 1], [0, 0, -1, 1], [1, 1, 0, -1], [-1, -1, 1, 0]], [1 / 6, 1 / 6, 1 / 3, 1 / 3]),
    ],
)
def test_nash_averages(matrix, expected):
    assert nash_average(1000.0 * np.array(matrix, float)) == pytest.approx(expected, abs=1e-4)


def test_the_command_plays_all_lineups_and_shows_the_results_of_exploit(tmp_path, capsys):
    out, exploited = tmp_path / "out", tmp_path / "rule.json"
    gain = {"gain": 12.5, "low": 10.0, "high": 15.0, "range": 100.0}
    exploited.write_text(json.dumps({"bidder": "rule", "game": "english", **gain}))
    arguments = [
        "leaderboard",
        "--meta",
        "--bidder",
        "rule",
        "--bidder",
        "value",
        "--set",
        "num_items=2",
        "--out",
        str(out),
    ]
    command(*arguments, "--exploit", exploited)
    printed = capsys.readouterr().out
    assert "alpha-rank" in printed
    assert "12.50 (10.00 to 15.00)" in printed
    assert "12.50%" in printed
    records = list(read_records(out))
    payoffs = payoffs_of(records)
    assert sorted(payoffs) == sorted(lineups_of(["rule", "value"], 3))
    assert len(records) == 5 * (1 + 3 + 3 + 1)
    rows = json.loads((out / "table.json").read_text())
    assert sum(row["meta"]["alpha_rank"] for row in rows) == pytest.approx(1, abs=1e-5)
    assert sum(row["meta"]["nash_average"] for row in rows) == pytest.approx(1, abs=1e-5)
    assert rows[0]["meta"]["payoffs"].keys() >= {"rule, rule, value", "rule, value, value"}
    assert not any("exploit" in row for row in rows)  # the folder has only what its games show
    matrix = advantages(payoffs, ["rule", "value"])
    assert matrix == pytest.approx(-matrix.T)
    mixed = [payoffs[lineup] for lineup in payoffs if len(set(lineup)) == 2]
    assert matrix[0, 1] == pytest.approx(np.mean([each["rule"] - each["value"] for each in mixed]))
    assert "alpha-rank" in (out / "table.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--meta", "--games", "3"], "games: expected at least 8, one of each of 4 lineups, got 3"),
        (["--meta", "--format", "standard"], "--meta: expected --format round-robin, got standard"),
        (["--exploit", "FILE"], "--exploit: expected --meta, whose table has its results"),
        (["--meta", "--exploit", "FILE"], "--exploit, bidder: expected one of rule, value, got 'drain'"),
    ],
)
def test_bad_options_are_refused(tmp_path, capsys, arguments, message):
    file = tmp_path / "drain.json"
    file.write_text(json.dumps({"bidder": "drain", "game": "english", "gain": 1, "low": 0, "high": 2, "range": 9}))
    given = [str(file) if argument == "FILE" else argument for argument in arguments]
    assert command("leaderboard", "--bidder", "rule", "--bidder", "value", "--set", "num_items=1", *given) != 0
    assert message in " ".join(capsys.readouterr().err.split())


def test_missing_lineups_and_too_many_are_refused():
    payoffs = {("a", "a"): {"a": 1.0}, ("a", "b"): {"a": 1.0, "b": 0.0}}
    with pytest.raises(ValueError, match="expected games of all 3 lineups, got none of b, b"):
        alpha_rank(payoffs, ["a", "b"])
    with pytest.raises(ValueError, match="--meta: expected at most 5,000 lineups, got 11,480"):
        lineups_of([str(i) for i in range(40)], 3)
