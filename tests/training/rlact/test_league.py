"""A league: members, their twins, resuming in the middle of a round, and bad input."""

from __future__ import annotations

import json
import shutil

import pytest
from aucenv.training.rlact.judges.row_games import RuleRows
from aucenv.training.rlact.league import FILE, TWIN, League, fit_twin
from aucenv.training.rlact.policy import BUNDLED_MODEL
from aucenv.training.rlact.states.collect import Collection, collect
from aucenv.training.rlact.states.states import read_states
from tiny_training import SMALL

from aucenv.cli import main
from aucenv.envs.harbor import learning
from aucenv.policy.registry import make_policy

CHANGES = {
    **SMALL,
    "model_name_or_path": str(BUNDLED_MODEL),
    "detail": json.loads((BUNDLED_MODEL / "rlact.json").read_text())["detail"],
    "num_states": "200",
    "warm_up_steps": "0",
    "recommendation_steps": "1",
    "bid_steps": "1",
    "learning_rate": "1e-7",
}


def league(out, **changes):
    return League(out, "tiny-dpo", None, CHANGES, **{"rounds": 2, "updates": 1, "deals": 5, **changes})


@pytest.fixture(scope="module", autouse=True)
def three_bidders():
    """Collect states of auctions with three bidders alone, for which there are fewest kernels to compile."""
    draw = learning.scenario
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning, "scenario", lambda split, rng: draw(split, rng).changed(num_bidders=3))
        yield


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    out = tmp_path_factory.mktemp("league") / "out"
    return out, league(out).run()


@pytest.mark.slow
def test_a_round_ends_the_league_if_its_model_earns_no_more(finished):
    out, results = finished
    assert [each["round"] for each in results] == [1, 2]
    assert results[0]["joined"]
    assert results[0]["gain"] is None
    low, gain, high = (results[1][name] for name in ("low", "gain", "high"))
    assert low <= gain <= high
    assert results[1]["joined"] == (low > 0)
    assert json.loads((out / "results.json").read_text()) == results


@pytest.mark.slow
def test_states_of_a_later_round_are_the_last_members_decisions_among_all_members(finished):
    out, _ = finished
    states = read_states(out / "round-2" / "states" / "train-judged.jsonl")
    twin = f"probe:{out / 'round-1' / TWIN.format('harbor')}"
    assert all(state.bidders[state.seat] == twin for state in states)
    rivals = [name for state in states for seat, name in enumerate(state.bidders) if seat != state.seat]
    assert 0.1 < sum(name == twin for name in rivals) / len(rivals) < 0.4
    assert all(f"expact+{twin}" in state.action_values.judge for state in states)


@pytest.mark.slow
def test_a_league_that_was_cut_off_in_a_round_resumes_to_the_same_results(finished):
    out, results = finished
    trained = ("gain.json", "model", "best", "checkpoint-1", "evaluations.jsonl", "start.json")
    for lost in (trained[:1], (*trained, "states/validation-judged.jsonl")):
        for name in lost:
            path = out / "round-2" / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        assert league(out).run(resume=True) == results


@pytest.mark.slow
def test_bad_leagues_are_refused(finished, tmp_path):
    out, _ = finished
    with pytest.raises(ValueError, match="holds a league; resume it with --resume, or choose another folder"):
        league(out).run()
    with pytest.raises(ValueError, match=r"expected a league to resume, with its league\.json"):
        league(tmp_path / "none").run(resume=True)
    with pytest.raises(ValueError, match=r"league.json: updates: expected 1, got 2"):
        league(out, updates=2).run(resume=True)
    copied = tmp_path / "copied"
    shutil.copytree(out, copied)
    (copied / FILE).write_text('{"format": ')
    with pytest.raises(ValueError, match=r"league.json.*JSON"):
        league(copied).run(resume=True)
    for changes in ({"rounds": 0}, {"updates": 0}, {"deals": 4}):
        with pytest.raises(ValueError, match=next(iter(changes))):
            league(tmp_path / "new", **changes)
    with pytest.raises(ValueError, match="games"):
        League(tmp_path / "new", "tiny-dpo", None, {**CHANGES, "games": "clock"}).run()
    with pytest.raises(ValueError, match="games: expected harbor or english in a league, got sealed_bid"):
        League(tmp_path / "new", "tiny-dpo", None, {**CHANGES, "games": "harbor sealed_bid"}).run()
    assert not (tmp_path / "new").exists()


def test_a_twin_decides_as_its_bidder(tmp_path):
    collection = Collection(200, detail="terse-3")
    train, held_out = (list(collect(collection, split)) for split in ("train", "validation"))
    assert fit_twin(RuleRows("harbor", "pace"), train, held_out, tmp_path / "twin.json", 0) > 0.6
    twin, pace = (make_policy("harbor", name) for name in (f"probe:{tmp_path / 'twin.json'}", "pace"))
    views = [state.view() for state in train]
    decisions = [(twin.act(view, {}) > 0, pace.act(view, {}) > 0) for view in views]
    assert sum(first == second for first, second in decisions) > 0.95 * len(views)
    with pytest.raises(ValueError, match="expected a model with both decisions"):
        fit_twin(make_policy("harbor", "rule,k=0"), train, held_out, tmp_path / "constant.json", 0)


@pytest.mark.slow
def test_the_command_prints_the_rounds(finished, capsys):
    out, _ = finished
    settings = [f"--set={name}={value}" for name, value in CHANGES.items()]
    with pytest.raises(SystemExit) as ended:
        main(
            [
                *("train", "league", "--preset", "tiny-dpo", "--out", str(out), "--resume"),
                *("--set", "rounds=2", "--set", "updates=1", "--set", "deals=5"),
                *settings,
            ]
        )
    assert not ended.value.code
    printed = capsys.readouterr().out
    assert "round-1" in printed
    assert "play it: aucenv leaderboard --game harbor --bidder rlact:" in printed
