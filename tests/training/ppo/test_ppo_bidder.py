"""Networks as bidders: in `play`, in rollouts and in batches, and files that are not checkpoints."""

from __future__ import annotations

import dataclasses
import json
import pickle
import subprocess
import sys

import numpy as np
import pytest
import torch
from aucenv.training.ppo.bidder import RecurrentBidder
from aucenv.training.ppo.checkpoint import layout_of, read_checkpoint, write_checkpoint
from ppo_networks import random_network, save_network
from torch import nn

import aucenv
from aucenv import theory
from aucenv.core.compiled.networks import encode, outputs_of
from aucenv.envs.sealed_bid.view import ScenarioText, make_view
from aucenv.policy.registry import make_policy, rule_numbers
from aucenv.registration import find_family

GAMES = {
    "english": (3, "rule", False),
    "sealed_bid": (2, "truthful", True),
    "clock": (3, "truthful", True),
    "harbor": (3, "expact", False),
    "water_allocation": (5, "thirst", True),
}
"""Game -> number of seats, a rule bidder, and whether its network decides on shares."""
SLOW = [pytest.param(game, marks=pytest.mark.slow) for game in GAMES if game != "sealed_bid"]


@pytest.fixture(params=["sealed_bid", *SLOW])
def game(request):
    return request.param


def scenario_of(game, **arguments):
    declared = find_family(game).game
    return declared.choose_scenario(declared.default_scenario, {"num_bidders": GAMES[game][0], **arguments})


@pytest.fixture
def network(game, tmp_path):
    return save_network(tmp_path / "network.safetensors", game, scenario_of(game), GAMES[game][2])


def test_outputs_equal_those_of_torch():
    network = random_network("english", scenario_of("english"), False)
    modules = []
    for weight, bias in zip(network.weights, network.biases, strict=True):
        linear = nn.Linear(*weight.shape)
        linear.weight.data, linear.bias.data = torch.tensor(weight.T.copy()), torch.tensor(bias)
        modules += [linear, nn.Tanh()]
    inputs = np.random.default_rng(0).normal(size=network.num_features).astype(np.float32)
    inputs[::3] = 0
    expected = nn.Sequential(*modules[:-1])(torch.tensor(inputs)).detach().numpy()
    np.testing.assert_allclose(outputs_of(network.encoded(), inputs.astype(float)), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("sample", ["false", "true"])
def test_rollouts_equal_play(game, network, sample):
    scenario, rule = scenario_of(game), GAMES[game][1]
    lineup = [f"ppo:{network},sample={sample}"] * 2 + [rule] * (GAMES[game][0] - 2)
    results = aucenv.rollout(game, scenario, lineup, 12, seed=5)
    score = find_family(game).game.rules.RESULT[0]
    for number in range(12):
        record = aucenv.play(game, scenario, lineup, [5, number])
        expected = [round(seat[score] * (100 if score == "profit" else 1)) for seat in record.outcome["seats"]]
        assert results[score][number].tolist() == expected
        assert not any(decision["attempts"] for decision in record.decisions)


def test_rivals_in_a_batch_equal_those_in_a_single_game(game, network):
    """With the same actions of the learner, both environments give the same observations and rewards."""
    scenario, seats = scenario_of(game), GAMES[game][0]
    family, rivals = find_family(game), [f"ppo:{network}|{GAMES[game][1]}"] * (seats - 1)
    batch = family.batch_env(6, scenario=scenario, rivals=rivals, seat="random")
    batch.reset(seed=3)
    envs = [family.seat_env(scenario=scenario, rivals=rivals, seat="random") for _ in range(6)]
    single = [env.reset(seed=3 + row)[0] for row, env in enumerate(envs)]
    rng, over = np.random.default_rng(0), np.zeros(6, bool)
    while not over.all():
        for row in np.flatnonzero(~over):
            np.testing.assert_array_equal(batch.observations[row, 0], single[row]["observation"])
        actions = np.array([[rng.choice(np.flatnonzero(mask))] for mask in batch.masks[:, 0]])
        batch.step(actions)
        for row in np.flatnonzero(~over):
            single[row], reward, terminated, truncated, _ = envs[row].step(int(actions[row, 0]))
            assert batch.rewards[row, 0] == pytest.approx(reward, abs=1e-12)
            over[row] = terminated or truncated
            assert over[row] == (batch.terminated[row] or batch.truncated[row])


def test_batches_with_networks_can_be_pickled(tmp_path):
    scenario = scenario_of("sealed_bid")
    path = save_network(tmp_path / "network.safetensors", "sealed_bid", scenario, True)
    batch = aucenv.sealed_bid_v0.batch_env(4, scenario=scenario, rivals=[f"ppo:{path}"])
    batch.reset(seed=0)
    copy = pickle.loads(pickle.dumps(batch))
    for each in (batch, copy):
        each.step(np.full((4, 1), 20))
    np.testing.assert_array_equal(batch.rewards, copy.rewards)


def test_drawn_actions_have_the_probabilities_of_the_network():
    scenario = scenario_of("english")
    network = random_network("english", scenario, False, scale=3.0)
    game = find_family("english").game
    state = scenario.template()
    game.rules.deal(state, 0, scenario.template(), 7)
    observed, legal = np.zeros((3, network.num_features), np.float32), np.zeros((3, 11), np.int8)
    game.features.features(state, 0, observed)
    game.features.mask(state, 0, legal)
    logits = np.where(legal[0], outputs_of(network.encoded(), observed[0].astype(float)), -np.inf)
    expected = np.exp(logits - logits.max())
    expected /= expected.sum()
    counts = np.zeros(11)
    params = network.encoded(samples=True)
    amounts = [game.features.amount(state, 0, 0, action) for action in range(11)]
    for key in range(4000):
        state["seat_key"][0, 0] = key * 7919 + 1
        counts[amounts.index(game.networks.network_amount(params, state, 0, 0))] += 1
    np.testing.assert_allclose(counts / 4000, expected, rtol=0, atol=0.03)
    best = game.networks.network_amount(network.encoded(), state, 0, 0)
    assert amounts.index(best) == logits.argmax()


def test_drawn_shares_have_the_mean_and_deviation_of_the_network():
    scenario = scenario_of("sealed_bid", bid_step=0.01, num_rounds=1)
    game = find_family("sealed_bid").game
    network = random_network("sealed_bid", scenario, True, scale=0.0, log_std=-2.5)
    state = scenario.template()
    state["acting"][0, :2] = 1
    state["value"][0, 0, 0] = 9900
    bids = []
    for key in range(4000):
        state["seat_key"][0, 0] = key * 7919 + 1
        bids.append(game.networks.network_amount(network.encoded(samples=True), state, 0, 0) / 9900)
    mean = float(network.biases[-1][0])
    assert np.mean(bids) == pytest.approx(mean, abs=0.005)
    assert np.std(bids) == pytest.approx(np.exp(-2.5), rel=0.05)


def test_a_recurrent_network_equals_torch_and_is_refused_in_compiled_code(tmp_path):
    scenario = scenario_of("english")
    network = random_network("english", scenario, False, lstm=8)
    path = tmp_path / "network.safetensors"
    write_checkpoint(path, network)
    policy = make_policy("english", f"ppo:{path}")
    assert isinstance(policy, RecurrentBidder)
    cell = nn.LSTMCell(network.num_features, 8)
    cell.weight_ih.data, cell.weight_hh.data = (torch.tensor(part) for part in network.lstm[:2])
    cell.bias_ih.data, cell.bias_hh.data = torch.tensor(network.lstm[2]), torch.zeros(32)
    policy.reset("bidder_0", 0)
    state = None
    for inputs in np.random.default_rng(1).normal(size=(5, network.num_features)).astype(np.float32):
        state = cell(torch.tensor(inputs)[None], state)
        remembered = policy._remember(network, inputs.astype(float))
        np.testing.assert_allclose(remembered, state[0][0].detach().numpy(), rtol=0, atol=1e-5)
    record = aucenv.play("english", scenario, [f"ppo:{path}", "rule", "value"], 0)
    assert record.to_json() == aucenv.play("english", scenario, [f"ppo:{path}", "rule", "value"], 0).to_json()
    with pytest.raises(ValueError, match=r"bidder 'ppo:.*': expected a network without a recurrent layer \(LSTM\)"):
        aucenv.english_v0.batch_env(2, scenario=scenario, rivals=[f"ppo:{path}", "rule"])


def test_networks_play_without_torch(tmp_path):
    scenario = scenario_of("sealed_bid", num_rounds=1)
    path = save_network(tmp_path / "network.safetensors", "sealed_bid", scenario, True)
    code = (
        "import sys, aucenv; sys.modules['torch'] = None\n"
        "scenario = aucenv.SealedBidScenario('one', num_bidders=2, num_rounds=1)\n"
        f"print(aucenv.play('sealed_bid', scenario, ['ppo:{path}', 'truthful'], 0).outcome['status'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "terminated", done.stderr[-1000:]


def test_another_layout_or_game_is_refused_and_both_are_named(tmp_path):
    path = save_network(tmp_path / "n.safetensors", "sealed_bid", scenario_of("sealed_bid"), True)
    with pytest.raises(ValueError, match="trained for sealed_bid_v0, which is not english_v0"):
        make_policy("english", f"ppo:{path}")
    others = (
        ({"pricing": "all_pay"}, "pricing first instead of all_pay"),
        ({"pricing": "second", "values": "cv"}, "pricing first instead of second and values ipv instead of cv"),
        ({"num_bidders": 3}, "num_bidders 2 instead of 3"),
    )
    for changes, different in others:
        scenario = scenario_of("sealed_bid", **{"num_bidders": 2} | changes)
        with pytest.raises(ValueError, match=rf"trained for 'first-ipv' with {different}$"):
            rule_numbers("sealed_bid", f"ppo:{path}", scenario)
    three = scenario_of("sealed_bid", num_bidders=3)
    policy = make_policy("sealed_bid", f"ppo:{path}")
    for measure in (theory.policy_bids, theory.utility_loss):
        with pytest.raises(
            ValueError, match=r"^policy, scenario 'first-ipv': trained for .* num_bidders 2 instead of 3$"
        ):
            measure(three, policy)
    with pytest.raises(ValueError, match="num_bidders 2 instead of 3"):
        policy.act(make_view(three.template(), 0, ScenarioText.of(three), ()), {})
    longer = scenario_of("sealed_bid", num_bidders=2, num_rounds=3)
    assert make_policy("sealed_bid", f"ppo:{path}").why_unplayable(longer) is None


def test_the_difference_between_clocks_is_in_words_of_the_scenario(tmp_path):
    path = save_network(tmp_path / "n.safetensors", "clock", scenario_of("clock"), True)
    scenario = find_family("clock").game.load_scenario("descending-ipv").changed(num_bidders=3)
    reason = make_policy("clock", f"ppo:{path}").why_unplayable(scenario)
    different = "direction ascending instead of descending, feedback open instead of blind or none and values apv instead of ipv"
    assert reason == f"trained for 'ascending-apv' with {different}"


@pytest.mark.parametrize("kept", [0, 7, 8, 50, 300, -4, -1])
def test_a_truncated_file_is_refused(tmp_path, kept):
    path = save_network(tmp_path / "n.safetensors", "sealed_bid", scenario_of("sealed_bid"), True)
    whole = path.read_bytes()
    path.write_bytes(whole[:kept])
    with pytest.raises(ValueError, match=r"bidder 'ppo:.*n.safetensors: expected a checkpoint of `aucenv train ppo`"):
        make_policy("sealed_bid", f"ppo:{path}")


def test_damaged_files_are_refused(tmp_path):
    path = save_network(tmp_path / "n.safetensors", "sealed_bid", scenario_of("sealed_bid"), True)
    whole = path.read_bytes()
    size = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + size])
    rng = np.random.default_rng(0)

    def damaged(change):
        copy = json.loads(json.dumps(header))
        change(copy)
        text = json.dumps(copy).encode()
        return len(text).to_bytes(8, "little") + text + whole[8 + size :]

    variants = [
        damaged(lambda copy: copy.pop("__metadata__")),
        damaged(lambda copy: copy["0.weight"].update(dtype="F64")),
        damaged(lambda copy: copy["0.weight"].update(shape=[1, 1])),
        damaged(lambda copy: copy["0.weight"].update(data_offsets=[-4, 0])),
        damaged(lambda copy: copy["0.weight"].update(data_offsets=[0, 10**12])),
        damaged(lambda copy: copy.pop("1.bias")),
        damaged(lambda copy: copy["0.weight"].update(shape=[])),
        whole[: 8 + size] + b"\xff" * (len(whole) - 8 - size),
        (1 << 62).to_bytes(8, "little") + whole[8:],
        *(rng.bytes(200) for _ in range(20)),
    ]
    for variant in variants:
        path.write_bytes(variant)
        with pytest.raises(ValueError, match="expected a checkpoint of `aucenv train ppo`"):
            read_checkpoint(path)


def test_unknown_parameters_and_missing_files_are_refused(tmp_path):
    with pytest.raises(ValueError, match="parameter: expected one of sample, got 'temperature'"):
        make_policy("english", "ppo:x,temperature=1")
    with pytest.raises(ValueError, match="sample: expected one of"):
        make_policy("english", "ppo:x,sample=maybe")
    with pytest.raises(ValueError, match=r"missing.safetensors"):
        make_policy("english", f"ppo:{tmp_path / 'missing.safetensors'}")


def test_a_checkpoint_is_read_as_it_was_written(tmp_path):
    scenario = scenario_of("english")
    network = random_network("english", scenario, False, lstm=4)
    write_checkpoint(tmp_path / "n", network)
    copy = read_checkpoint(tmp_path / "n")
    for each in dataclasses.fields(network):
        one, other = getattr(network, each.name), getattr(copy, each.name)
        if each.name in ("weights", "biases", "lstm"):
            for a, b in zip(one, other, strict=True):
                np.testing.assert_array_equal(a, b)
        else:
            assert one == other
    assert copy.layout == layout_of(find_family("english").game, scenario.template()[0])


def test_encoded_networks_have_all_their_numbers():
    network = random_network("english", scenario_of("english"), False)
    numbers = sum(part.size for part in (*network.weights, *network.biases))
    assert len(encode(network.weights, network.biases, False, False)) == numbers + 9
