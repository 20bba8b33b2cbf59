"""The benchmarks run; their results are in benchmarks/SPEED.md."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from aucenv.benchmarks.speed import app
from aucenv.benchmarks.timings import llm_play, rlact_play
from aucenv.benchmarks.timings.batch_play import BatchPlay
from aucenv.benchmarks.timings.first_step import time_first_steps
from aucenv.benchmarks.timings.llm_play import makespan, package_overhead, sequential_calls
from aucenv.training.rlact.policy import BUNDLED_MODEL, load_generator
from tables import Wild, scenario_of
from typer.testing import CliRunner

import aucenv
from aucenv.core.play.engine import draw_actions

SMALL = {
    "aec": ["--seconds", "0.02", "--rounds", "1"],
    "batch": ["--num-envs", "16", "--seconds", "0.02", "--rounds", "1"],
    "play": ["--games", "2", "--rounds", "1"],
    "guests": ["--games", "2", "--rounds", "1"],
    "rollout": ["--games", "50", "--rounds", "1"],
    "judge": ["--states", "2", "--rounds", "1"],
    "learner": ["--updates", "1", "--rounds", "1"],
    "people": ["--tables", "2", "--rounds", "1"],
    "llm": [
        "--games",
        "4",
        "--concurrency",
        "2",
        "--latency",
        "0.001",
        "--alone",
        "1",
        "--decisions",
        "2",
        "--rounds",
        "1",
    ],
}
SLOW = ("batch", "judge", "learner", "people")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in SMALL],
)
def test_benchmarks_print_figures_as_json(name, monkeypatch):
    for peer in ("pgx", "jax", "pettingzoo.classic"):
        monkeypatch.setitem(sys.modules, peer, None)  # missing libraries are named
    monkeypatch.setattr(rlact_play, "load_generator", lambda folder, *style: load_generator(str(BUNDLED_MODEL), *style))
    monkeypatch.setattr(llm_play, "package_overhead", lambda games: package_overhead(1))  # the command plays 20 games
    result = CliRunner().invoke(app, [name, *SMALL[name], "--json"], catch_exceptions=False)
    data = json.loads(result.stdout)
    assert data["figures"]
    for figure in data["figures"].values():
        assert 0 < figure["min"] <= figure["median"] <= figure["max"]
    if name in ("aec", "batch", "learner"):
        assert any(note.startswith("Absent: ") for note in data["notes"])


def test_actions_are_drawn_uniformly_among_the_legal():
    masks = np.array([[[1, 0, 1, 1]]] * 6000, np.int8)
    actions, rng_states = np.zeros((6000, 1), np.int64), np.random.default_rng(0).integers(1, 2**31 - 1, 6000)
    decisions = [draw_actions(row, masks, np.ones((6000, 1), bool), actions, rng_states) for row in range(6000)]
    counts = np.bincount(actions[:, 0], minlength=4)
    assert sum(decisions) == 6000
    assert counts[1] == 0
    assert counts[[0, 2, 3]].min() > 1850


def test_the_compiled_loop_plays_the_same_games_as_calls_from_python():
    looped, called = BatchPlay(40, 2, 0), BatchPlay(40, 1, 0)
    for _ in range(3):
        assert looped.loop(25) == sum(called.call() for _ in range(25))
        for name in ("observations", "masks", "acting", "rewards", "terminated", "results", "illegal_bids"):
            np.testing.assert_array_equal(getattr(looped.env, name), getattr(called.env, name), name)
        assert looped.decision_counts.sum() == called.decision_counts.sum() > 25 * 40


@pytest.mark.slow
def test_the_finetuned_model_is_timed():
    figures = rlact_play.time_rlact(2, 1).to_dict()["figures"]
    assert figures.keys() == {"scored", "scored without the cache", "written"}
    assert all(figure["median"] > 0 for figure in figures.values())


@pytest.mark.slow
def test_first_steps_are_timed():
    assert time_first_steps().count("\n") == 7


def test_the_ideal_rate_counts_the_tail_and_the_slowest_seats():
    assert makespan([3, 1, 1, 2], 2) == 4
    assert makespan([1] * 5, 2) == 3
    assert makespan([2, 2], 64) == 2
    record = aucenv.play("english", scenario_of([1000.0]), [Wild(), Wild(), Wild()], 1, max_retries=1)
    by_round = {}
    for decision in record.decisions:
        replies = len(decision["attempts"]) + (decision["action"] is not None)
        by_round.setdefault(decision["round"], []).append(replies)
    assert sequential_calls(record) == sum(max(replies) for replies in by_round.values()) > len(by_round)
