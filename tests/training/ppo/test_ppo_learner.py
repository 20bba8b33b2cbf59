"""PPO: advantages, learning, exact resuming, and runs that fail."""

from __future__ import annotations

import errno
import math

import numpy as np
import pytest
import torch
from aucenv.training.ppo import ppo
from aucenv.training.ppo.checkpoint import read_checkpoint
from aucenv.training.ppo.config import PPOConfig
from aucenv.training.ppo.evaluation import MAX_LINEUPS, SeatGames, compare
from aucenv.training.ppo.ppo import Agent, Diverged, Learner, Steps, estimate_advantages
from aucenv.training.ppo.run import Run
from aucenv.training.ppo.table_batch import TableBatch, is_compiled
from ppo_networks import save_network

import aucenv
from aucenv import theory
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family

ONE_ROUND = {"num_bidders": 2, "num_rounds": 1}
SMALL = {"num_envs": 64, "num_steps": 4, "updates": 4, "save_every": 2, "minibatches": 2}


def config_of(out, arguments=ONE_ROUND, **settings):
    return PPOConfig.read(str(out), "sealed_bid", {}, arguments=arguments, **{"eval_games": 0, **SMALL, **settings})


def train(config):
    figures = []
    learner = Learner(config, lambda path: [])
    learner.train(figures.append)
    return learner, figures


def random_steps(rounds=12, streams=40):
    """Return steps in which streams sometimes have no decision, and games end now and then."""
    generator = torch.Generator().manual_seed(0)
    acting = torch.rand(rounds, streams, generator=generator) < 0.6
    ended = torch.rand(rounds, streams, generator=generator) < 0.2
    reward, value = torch.randn(2, rounds, streams, generator=generator)
    none = torch.zeros(rounds, streams)
    return Steps(none, none, acting, none, none, value * acting, reward, ended, none, none.clone())


@pytest.mark.parametrize("gamma", [1.0, 0.9, 0.0])
def test_advantages_are_those_of_the_decisions_of_each_stream(gamma):
    lam, steps, last = 0.8, random_steps(), torch.randn(40, generator=torch.Generator().manual_seed(1))
    estimate_advantages(steps, last, gamma, lam)
    for stream in range(40):
        column = [getattr(steps, name)[:, stream].tolist() for name in ("acting", "ended", "reward", "value")]
        acting, ended, reward, value = column
        decisions = [t for t in range(len(acting)) if acting[t]]
        for start in decisions:
            expected, weight, t = 0.0, 1.0, start
            while t is not None:  # the sum of temporal differences over the stream's decisions in this game
                later = [u for u in decisions if u > t]
                end = later[0] if later else len(acting)
                stops = [u for u in range(t, end) if ended[u]]
                rewards = sum(reward[t : stops[0] + 1] if stops else reward[t:end])
                following = 0.0 if stops else value[later[0]] if later else float(last[stream])
                expected += weight * (rewards + gamma * following - value[t])
                weight *= gamma * lam
                t = later[0] if later and not stops else None
            assert float(steps.advantage[start, stream]) == pytest.approx(expected, abs=1e-4)
        assert all(steps.advantage[t, stream] == 0 for t in range(len(acting)) if not acting[t])


def test_self_play_approaches_the_equilibrium(tmp_path):
    config = config_of(tmp_path, num_envs=1024, updates=60, save_every=60, learning_rate=5e-3)
    _, figures = train(config)
    assert [each["update"] for each in figures] == list(range(1, 61))
    policy = make_policy("sealed_bid", f"ppo:{tmp_path / 'model.safetensors'}")
    scenario = config.loaded_scenario
    assert theory.utility_loss(scenario, policy) < 0.02 * 99
    assert theory.utility_loss(scenario, theory.signals(scenario)) > 0.05 * 99


@pytest.mark.parametrize("settings", [{}, {"lstm": 8}, {"earlier_selves": 2}, {"rivals": ("truthful|self",)}])
def test_a_resumed_run_has_the_same_bytes(tmp_path, settings, monkeypatch):
    config = config_of(tmp_path / "whole", **settings)
    train(config)
    part = config_of(tmp_path / "part", **settings)
    learner = Learner(part, lambda path: [])

    def interrupt(figures):
        if figures["update"] == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learner.train(interrupt)
    torch.manual_seed(99)
    _, figures = train(part)
    assert [each["update"] for each in figures] == [3, 4]
    for name in (
        "model.safetensors",
        *(f"selves/{n:08}.safetensors" for n in (0, 2, 4) if "earlier_selves" in settings),
    ):
        one, other = (read_checkpoint(tmp_path / folder / name) for folder in ("whole", "part"))
        for a, b in zip([*one.weights, *one.lstm], [*other.weights, *other.lstm], strict=True):
            np.testing.assert_array_equal(a, b)
    whole, part_bytes = ((tmp_path / folder / "model.safetensors").read_bytes() for folder in ("whole", "part"))
    assert whole == part_bytes


def test_a_loss_that_is_not_a_number_stops_the_run_and_keeps_the_last_network(tmp_path, monkeypatch):
    config = config_of(tmp_path)
    learner = Learner(config, lambda path: [])

    def spoil(figures):
        if figures["update"] == 3:
            with torch.no_grad():
                learner.agent.value[0].weight.fill_(math.nan)

    with pytest.raises(Diverged, match=r"update 4: the loss is nan; .*model.safetensors has the last network"):
        learner.train(spoil)
    assert read_checkpoint(tmp_path / "model.safetensors").about["updates"] == 2


def test_a_weight_that_is_not_a_number_is_not_saved(tmp_path):
    learner = Learner(config_of(tmp_path, updates=2), lambda path: [])

    def spoil(figures):
        if figures["update"] == 2:
            with torch.no_grad():
                learner.agent.policy[0].weight[0, 0] = math.inf

    with pytest.raises(Diverged, match="a weight is not a number"):
        learner.train(spoil)
    assert read_checkpoint(tmp_path / "model.safetensors").about["updates"] == 0


def test_a_full_disk_keeps_the_last_files_and_the_run_continues_from_them(tmp_path, monkeypatch):
    config = config_of(tmp_path / "run")
    expected, _ = train(config_of(tmp_path / "expected"))
    write, files = ppo.write_bytes_atomically, []

    def fail(path, data):
        files.append(path.name)
        if files.count("state.pt") == 2:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        write(path, data)

    monkeypatch.setattr(ppo, "write_bytes_atomically", fail)
    with pytest.raises(OSError, match="No space left"):
        train(config)
    monkeypatch.setattr(ppo, "write_bytes_atomically", write)
    learner, figures = train(config)
    assert figures[0]["update"] == 1  # the state after no update is the last one that was written whole
    for one, other in zip(learner.agent.parameters(), expected.agent.parameters(), strict=True):
        assert torch.equal(one, other)


def test_a_damaged_state_is_refused(tmp_path):
    config = config_of(tmp_path)
    train(config)
    state = tmp_path / "state.pt"
    whole = state.read_bytes()
    for damaged in (b"", whole[:100], whole[: len(whole) // 2], b"pickle"):
        state.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"state.pt: the file is damaged"):
            Learner(config, lambda path: [])


def test_the_state_of_a_recurrent_layer_changes_only_with_decisions():
    agent = Agent(config_of("unused", lstm=4), 3, 5)
    state = torch.randn(2, 6, 4)
    acting = torch.tensor([True, False] * 3)
    _, after = agent.remember(torch.randn(6, 3), state, acting)
    assert torch.equal(after[:, 1::2], state[:, 1::2])
    assert not torch.equal(after[:, ::2], state[:, ::2])


@pytest.mark.parametrize("interface", ["vector", "amount"])
def test_games_in_python_equal_those_in_compiled_code(interface):
    family, options = (
        find_family("sealed_bid"),
        {"interface": interface, "rivals": ["shade|truthful"], "seat": "random"},
    )
    if interface == "amount":
        options["amount_scale"] = "share"
    scenario = family.game.load_scenario(family.game.default_scenario).changed(num_bidders=2, num_rounds=3)
    batch = family.batch_env(4, scenario=scenario, **options)
    tables = TableBatch(family, 4, scenario=scenario, **options)
    rng = np.random.default_rng(0)
    for each in (batch, tables):
        each.reset(5)
    for _ in range(12):
        for name in ("observations", "acting", "rewards", "terminated", "truncated"):
            np.testing.assert_allclose(getattr(tables, name), getattr(batch, name), atol=1e-12, err_msg=name)
        actions = rng.integers(50, size=(4, 1)) if interface == "vector" else rng.random((4, 1))
        for each in (batch, tables):
            each.step(actions)
    tables.close()


def test_bidders_that_are_not_compiled_play_in_python(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "class Half:\n    interface = 'amount'\n    def reset(self, seat, seed): ...\n"
        "    def act(self, view, observation): return float(view.value // 2)\n    def close_game(self, view): ...\n"
    )
    name = f"py:{file}:Half"
    assert not is_compiled("sealed_bid", name)
    config = config_of(tmp_path / "run", rivals=(name,), updates=2, num_envs=8)
    learner, _ = train(config)
    assert isinstance(learner.streams[0].batch, TableBatch)
    scenario = config.loaded_scenario
    in_python = SeatGames("sealed_bid", scenario, (name,), 30, 0).scores("truthful")
    assert in_python.shape == (30,)
    assert set(in_python) == {0.0}  # a truthful bidder of first-price auctions earns nothing


def test_bidders_are_compared_in_the_same_seats_of_the_same_games():
    scenario = find_family("english").game.load_scenario("standard-20k-random")
    seating = SeatGames("english", scenario, ("rule|value", "pace"), 60, 3)
    lineups = seating.lineups()
    assert sorted(lineups) == sorted({(seat, (name, "pace")) for seat in range(3) for name in ("rule", "value")})
    scores = seating.scores("drain")
    for i in (0, 5, 31):
        seat, others = lineups[i % 6]
        lineup = ["", "", ""]
        lineup[seat], lineup[(seat + 1) % 3], lineup[(seat + 2) % 3] = "drain", *others
        record = aucenv.play("english", scenario, lineup, [3, i])
        assert record.outcome["seats"][seat]["profit"] == pytest.approx(scores[i])
    first, other, same = compare(seating, "drain", ["pace", "drain"])
    assert first == {"bidder": "drain", "score": pytest.approx(scores.mean())}
    assert other["gain"] == pytest.approx(scores.mean() - seating.scores("pace").mean())
    assert other["low"] < other["gain"] < other["high"]
    assert same["gain"] == same["low"] == same["high"] == 0
    many = SeatGames("english", scenario, ("rule|value|pace|drain|random|items",) * 2, 60, 3)
    assert len(many.lineups()) == MAX_LINEUPS
    assert {seat for seat, _ in many.lineups()} == {0, 1, 2}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"updates": 0}, "updates: expected a whole number from 1"),
        ({"clip": math.nan}, "clip: expected a number"),
        ({"head": "gauss"}, "head: expected one of auto, vector, share, got 'gauss'"),
        ({"hidden": (8, 8, 8, 8)}, "hidden: expected 1 to 3 layers, got 4"),
        ({"rivals": ("rule", "rule")}, "rivals: expected one text for all, or 1, one for each, got 2"),
        ({"arguments": {"budget": 3}}, "--env budget: expected a field of sealed_bid"),
    ],
)
def test_bad_settings_are_refused(tmp_path, settings, message):
    with pytest.raises(ValueError, match=message):
        config_of(tmp_path, **settings)


def test_settings_are_read_as_a_user_types_them(tmp_path):
    texts = {"updates": "7", "hidden": "8,16", "anneals": "false", "head": "vector", "gamma": "0.5"}
    config = PPOConfig.read(str(tmp_path), "english", texts)
    assert (config.updates, config.hidden, config.anneals, config.head, config.gamma) == (
        7,
        (8, 16),
        False,
        "vector",
        0.5,
    )
    for name, text, message in (
        ("updates", "many", "--set updates: expected a whole number, got 'many'"),
        ("anneals", "no", "--set anneals: expected true or false, got 'no'"),
        ("hidden", "8;8", "--set hidden: expected whole numbers, got '8;8'"),
        ("rate", "1", "--set, setting: expected one of"),
    ):
        with pytest.raises(ValueError, match=message):
            PPOConfig.read(str(tmp_path), "english", {name: text})


def test_a_folder_holds_one_run(tmp_path):
    config = config_of(tmp_path)
    with pytest.raises(ValueError, match="expected a run to resume"):
        Run(config, resume=True)
    Run(config, resume=False).train(lambda figures: None)
    with pytest.raises(ValueError, match="holds a run; resume it with --resume"):
        Run(config, resume=False)
    with pytest.raises(ValueError, match=r"updates is 4 in the folder and 5 in this command.*another --out"):
        Run(config_of(tmp_path, updates=5), resume=True)
    unknown = config_of(tmp_path / "other", rivals=("nobody",))
    with pytest.raises(ValueError, match="bidder 'nobody'"):
        Run(unknown, resume=False)
    other_layout = save_network(tmp_path / "n.safetensors", "sealed_bid", config.loaded_scenario, True)
    three = config_of(tmp_path / "third", arguments={"num_bidders": 3}, rivals=(f"ppo:{other_layout}",))
    with pytest.raises(ValueError, match="trained for"):
        Run(three, resume=False)
    assert not (tmp_path / "other").exists()
