"""Snapshots, continuations with common random numbers, and resampled hidden values."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from games import every_case, every_shape, playable_bidders
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import amount_table, play_rounds, scenario_of

import aucenv
from aucenv.core.kernel import game_key, seed_words, sequence_key
from aucenv.core.play.table import Table
from aucenv.envs.english.game import GAME
from aucenv.testing.contract import Case
from aucenv.testing.forms import compare_restored


def vector_table(scenario, seed, game=GAME):
    table = Table(game, scenario, ["vector"] * len(scenario.bidders))
    table.reset(seed)
    return table


@every_shape
@every_case
@given(st.data(), st.integers(0, 10**6), st.integers(0, 30))
@settings(max_examples=20)
def test_a_restored_table_continues_like_the_original(case, shapes, data, seed, num_actions):
    compare_restored(Case(case.family, data.draw(case.scenarios_of(shapes)), None, seed), num_actions)


def test_a_snapshot_keeps_refusals_of_the_open_round():
    table = amount_table(scenario_of([1000]))
    table.submit(0, 1)
    table.submit(1, 1000)
    other = amount_table(scenario_of([1000]), seed=9)
    other.restore(table.snapshot())
    assert other.pending == [0, 2]
    assert other.refusals[0] == table.refusals[0]
    refusals = [other.submit(0, 1200), other.submit(2, -1)]
    assert refusals == [None, None]
    assert [len(decision.attempts) for decision in other.decisions] == [1, 0, 0]
    assert table.pending == [0, 2]  # the snapshot shares no memory with the table


def test_a_snapshot_of_another_game_or_scenario_is_refused():
    snapshot = amount_table(scenario_of([1000])).snapshot()
    with pytest.raises(ValueError, match="snapshot: expected a snapshot of this scenario, got other items"):
        amount_table(scenario_of([1000, 500])).restore(snapshot)
    for field, value in (("name", "harbor"), ("version", 7)):
        changed = dataclasses.replace(snapshot, game=dataclasses.replace(GAME, **{field: value}))
        with pytest.raises(ValueError, match="snapshot: expected a snapshot of english_v0, got one of "):
            amount_table(scenario_of([1000])).restore(changed)
        env = aucenv.english_v0.batch_env(1, scenario=scenario_of([1000]))
        env.reset(0)
        with pytest.raises(ValueError, match="snapshot: expected a snapshot of english_v0, got one of "):
            env.restore(changed, [0], [1])


def test_a_snapshot_is_restored_to_rows_with_separate_seeds():
    scenario = scenario_of([1000, 500])
    table = amount_table(scenario)
    play_rounds(table, [{0: 1200, 1: 1000, 2: -1}])
    env = aucenv.english_v0.batch_env(5, scenario=scenario)
    with pytest.raises(RuntimeError, match="call reset"):
        env.restore(table.snapshot(), [0], [1])
    env.reset(0)
    env.restore(table.snapshot(), [0, 1, 3], [7, 7, 8])
    assert env.acting[[0, 1, 3]].tolist() == [[False, True, False]] * 3
    keys = [int(env.snapshot(row).state["key"][0]) for row in (0, 1, 3)]
    assert keys[0] == keys[1] != keys[2]
    assert np.array_equal(env.observations[0, 1], table.observe(1)["observation"])
    for rows, seeds, message in (
        ([5], [1], "rows: expected a whole number from 0 to 4, got 5"),
        ([0, 1], [1], "seeds:"),
    ):
        with pytest.raises(ValueError, match=message):
            env.restore(table.snapshot(), rows, seeds)


@every_shape
@every_case
@given(st.data(), st.integers(0, 10**6), st.integers(0, 8))
@settings(max_examples=20)
def test_a_continuation_equals_the_game_of_a_table_with_the_same_key(case, shapes, data, seed, rounds):
    scenario, game = data.draw(case.scenarios_of(shapes)), case.family.game
    seats = len(scenario.bidders)
    playable = [name for name, bidder in playable_bidders(case.name, scenario).items() if not bidder.cheats]
    bidders = [playable[(seed + seat) % len(playable)] for seat in range(seats)]
    policies = [aucenv.make_policy(case.name, name) for name in bidders]
    table = Table(game, scenario, ["amount"] * seats)
    table.reset(seed)
    play_policies(table, policies, rounds)
    snapshot = table.snapshot()
    continued = aucenv.continue_from(snapshot, {}, bidders, [seed])
    table.state["key"] = seed
    GAME.rules.rekey(table.state[0], seed)
    play_policies(table, policies)
    results = game.record_format.OUTCOME.data(table.view(0, reveal=True))["seats"]
    unit = 100 if case.score == "profit" else 1
    assert continued[case.score][0].tolist() == [round(unit * seat[case.score]) for seat in results]


def play_policies(table, policies, rounds=10**6):
    for _ in range(rounds):
        if table.over:
            return
        for seat in table.pending:
            if table.submit(seat, policies[seat].act(table.view(seat), {})) is not None:
                while table.is_pending(seat):
                    table.submit(seat, -1)


def play_half_a_game(seed=0):
    """Return a snapshot of a game between rule bidders after its third item."""
    scenario = aucenv.english_v0.game.load_scenario("standard-20k-random")
    table = Table(GAME, scenario, ["amount"] * 3)
    table.reset(seed)
    policies = [aucenv.make_policy("english", name) for name in BIDDERS]
    while table.item < 3:
        play_policies(table, policies, 1)
    return table.snapshot()


BIDDERS = ["value", "pace", "random"]


def test_continuations_do_not_depend_on_threads_or_order():
    snapshot = play_half_a_game()
    one = aucenv.continue_from(snapshot, {"bidder_0": -1}, BIDDERS, range(50))
    two = aucenv.continue_from(snapshot, {"bidder_0": -1}, BIDDERS, range(50), num_threads=2)
    assert all(np.array_equal(one[name], two[name]) for name in one)
    last = aucenv.continue_from(snapshot, {"bidder_0": -1}, BIDDERS, [49])
    assert np.array_equal(last["profit"][0], one["profit"][49])


def test_common_random_numbers_reduce_the_variance_of_differences_between_actions():
    snapshot = play_half_a_game()
    least = snapshot.state["least"][0] / 100
    keys = np.arange(2000)

    def profits(action, keys):
        return aucenv.continue_from(snapshot, {"bidder_0": action}, BIDDERS, keys, hidden_from="bidder_0")["profit"][
            :, 0
        ]

    paired = np.var(profits(least, keys) - profits(-1, keys))
    unpaired = np.var(profits(least, keys) - profits(-1, keys + len(keys)))
    assert paired < 0.8 * unpaired


def test_invalid_arguments_of_continuations_are_refused():
    snapshot = play_half_a_game()
    for first, bidders, keys, hidden, message in (
        ({"bidder_9": 1}, BIDDERS, [1], None, "first_action, seat: expected one of bidder_0, .*'bidder_9'"),
        ({"bidder_0": 0.01}, BIDDERS, [1], None, "first_action: bidder_0: .* is below the least legal bid"),
        ({"bidder_0": 1e8}, BIDDERS, [1], None, "first_action: bidder_0: .* is above the remaining budget"),
        ({}, BIDDERS[:2], [1], None, "bidders: expected one for each of 3 seats, got 2"),
        ({}, BIDDERS, [-1], None, "keys: expected whole numbers from 0"),
        ({}, BIDDERS, [0.5], None, "keys: expected whole numbers from 0"),
        ({}, BIDDERS, [2**63], None, "keys: expected whole numbers from 0"),
        ({"bidder_0": float("nan")}, BIDDERS, [1], None, "first_action: bidder_0: nan is not an amount of money"),
        ({"bidder_0": None}, BIDDERS, [1], None, "first_action: bidder_0: expected one number of dollars"),
        ({"bidder_0": 1e30}, BIDDERS, [1], None, "first_action: bidder_0: .* is above the remaining budget"),
        ({}, BIDDERS, [1], "nobody", "hidden_from: expected one of bidder_0"),
    ):
        with pytest.raises(ValueError, match=message):
            aucenv.continue_from(snapshot, first, bidders, keys, hidden_from=hidden)
    waiting = amount_table(scenario_of([1000]))
    play_rounds(waiting, [{0: 1000, 1: 1100, 2: 1000}])
    with pytest.raises(ValueError, match="first_action: bidder_1 has nothing to decide now"):
        aucenv.continue_from(waiting.snapshot(), {"bidder_1": -1}, BIDDERS, [1])


@every_shape
@every_case
@given(st.data(), st.integers(0, 10**6), st.integers(0, 12))
@settings(max_examples=20)
def test_resampling_keeps_what_the_seat_knows_and_depends_on_nothing_else(case, shapes, data, seed, rounds):
    scenario, game = data.draw(case.scenarios_of(shapes)), case.family.game
    table = vector_table(scenario, seed, game)
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        for seat in table.pending:
            table.submit(seat, int(rng.choice(np.flatnonzero(table.observe(seat)["action_mask"]))))
    for seat in range(table.num_seats):
        snapshot = table.snapshot()
        resampled = aucenv.resample_hidden(snapshot, f"bidder_{seat}", np.random.default_rng(1))
        other = vector_table(scenario, seed, game)
        other.restore(resampled)
        assert other.view(seat).row.tobytes() == table.view(seat).row.tobytes()
        assert other.text(seat) == table.text(seat)
        changed = snapshot.state.copy()
        case.hide(changed[0], seat, np.random.default_rng(2))
        other_resampled = aucenv.resample_hidden(
            dataclasses.replace(snapshot, state=changed), f"bidder_{seat}", np.random.default_rng(1)
        )
        for name in resampled.state.dtype.names:
            assert np.array_equal(resampled.state[name], other_resampled.state[name]), name


def test_a_public_value_and_an_exact_estimate_determine_all_values():
    snapshot = play_half_a_game()
    for seed in range(5):
        resampled = aucenv.resample_hidden(snapshot, "bidder_0", np.random.default_rng(seed))
        assert np.array_equal(resampled.state["value"][0, :10], snapshot.state["value"][0, :10])
        assert not np.array_equal(resampled.state["estimate"][0, 1, :10], snapshot.state["estimate"][0, 1, :10])
    start = vector_table(snapshot.scenario, 1).snapshot()
    values = [
        aucenv.resample_hidden(start, "bidder_0", np.random.default_rng(s)).state["value"][0, 0] for s in range(200)
    ]
    share = start.state["estimate"][0, 0, 0] / np.array(values)
    assert 1.0 <= share.min() < 1.02
    assert 1.18 < share.max() <= 1.2 + 1e-6


@pytest.mark.parametrize("seed", [0, 1, [0, 0], [5, 7], 2**40 + 3, [2**33, 2**70 + 1, 9], [1, 2, 3, 4, 5, 6]])
def test_compiled_game_keys_equal_those_of_numpy(seed):
    words = seed_words(seed)
    for number in (0, 1, 77, 2**32 - 1):
        words[-1] = number
        numbers = [*(seed if isinstance(seed, list) else [seed]), number]
        word = np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0]
        assert sequence_key(words) == game_key(numbers) == int(word) >> 1


def test_rollouts_cycle_through_lineups_with_any_number_of_threads():
    lineups = [["rule", "value", "random"], ["pace", "drain", "value,margin=0.1"]]
    both = aucenv.rollout("english", "standard-20k-random", lineups, 41, 6)
    threaded = aucenv.rollout("english", "standard-20k-random", lineups, 41, 6, num_threads=3)
    for name in both:
        assert np.array_equal(both[name], threaded[name])
    for number in (0, 1, 2, 39, 40):
        record = aucenv.rollout_record("english", "standard-20k-random", lineups, number, 6)
        assert [seat["bidder"] for seat in record.seats] == lineups[number % 2]
        assert (both["profit"][number] / 100).tolist() == [seat["profit"] for seat in record.outcome["seats"]]


def test_snapshots_need_a_dealt_game_with_a_pending_decision():
    env = aucenv.english_v0.raw_env(idle_turns=True)
    with pytest.raises(RuntimeError, match="call reset"):
        env.table.snapshot()
    env.reset(seed=0)
    for action in (1, 0, 0, 2, 1, 0, 0, 1):
        env.step(action)
    with pytest.raises(RuntimeError, match="close the round first"):
        env.table.snapshot()


def test_resampling_refuses_an_unknown_seat():
    with pytest.raises(ValueError, match="seat: expected one of bidder_0, bidder_1, bidder_2, got 3"):
        aucenv.resample_hidden(play_half_a_game(), 3, np.random.default_rng(0))


def test_continuations_ignore_a_forced_tie():
    table = amount_table(scenario_of([1000]))
    table.force_tie(2)
    won = aucenv.continue_from(table.snapshot(), {}, ["rule,k=1"] * 3, range(300))["items"].sum(axis=0)
    assert won.min() > 60


@pytest.mark.parametrize("seed", [-1, True, 1.0, None, "a"])
def test_invalid_seeds_of_rollouts_are_refused(seed):
    with pytest.raises(ValueError, match="seed: expected a whole number of at least 0, got "):
        aucenv.rollout("english", "standard-20k-random", ["rule"] * 3, 1, seed)


def test_seeds_may_be_numpy_integers():
    scenario, bidders = "standard-20k-random", ["rule", "value", "random"]
    for seed in (np.int64(3), [np.int64(3)]):
        assert np.array_equal(
            aucenv.rollout("english", scenario, bidders, 2, seed)["profit"],
            aucenv.rollout("english", scenario, bidders, 2, 3)["profit"],
        )
    assert aucenv.rollout_record("english", scenario, bidders, np.int64(1), 3).to_json()
