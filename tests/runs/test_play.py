from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys

import numpy as np
import pytest
from tables import Wild, scenario_of

import aucenv
from aucenv.core.records.record import GameRecord
from aucenv.runs.executors import play_many
from aucenv.runs.play import Match, PolicyError
from aucenv.runs.records import read_records, replay

CASES = [("standard-20k-random", ["rule", "value", "pace"]), ("niche-10k", ["random", "drain", "oracle", "value"])]


@pytest.mark.parametrize(("scenario", "bidders"), CASES)
def test_records_round_trip_through_json_and_replay(scenario, bidders):
    record = aucenv.play("english", scenario, bidders, (3, 4), index=4)
    line = record.to_json()
    assert GameRecord.from_json(line) == record
    assert json.loads(line)["version"] == 1
    assert list(json.loads(line)) == [
        "version", "game", "env_version", "scenario", "seed", "index", "seats", "deal", "decisions", "outcome",
    ]  # fmt: skip
    assert record.seed == [3, 4]
    assert [seat["bidder"] for seat in record.seats] == bidders
    replay(record)


def test_a_truncated_game_is_recorded_and_replays():
    record = aucenv.play("english", "standard-20k-random", ["rule"] * 3, 5, max_rounds=7)
    assert record.outcome["status"] == "truncated"
    assert record.outcome["rounds"] == 7
    replay(record)


def test_a_tampered_record_does_not_replay():
    line = aucenv.play("english", "standard-20k-random", ["rule", "value", "pace"], 5).to_json()
    for change, message in [
        (
            lambda data: data["decisions"][0].update(amount=1),
            r"game 0: decisions\[0\].action: expected one that means the amount 1",
        ),
        (lambda data: data["decisions"].pop(), "outcome.rounds: expected"),
        (lambda data: data["outcome"]["seats"][0].update(profit=1), r"outcome.seats\[0\].profit: expected"),
        (lambda data: data.update(seed=[6]), r"game 0: \S+.*: the rules"),
    ]:
        data = json.loads(line)
        change(data)
        with pytest.raises(ValueError, match=message):
            replay(GameRecord.from_json(json.dumps(data)))


def test_refused_answers_are_recorded():
    record = aucenv.play("english", scenario_of([1000.0] * 5), [Wild(), Wild(), Wild()], 1, max_retries=1)
    attempts = [attempt for decision in record.decisions for attempt in decision["attempts"]]
    assert attempts
    assert all(attempt["refused"] for attempt in attempts)
    failed = [decision for decision in record.decisions if decision["action"] is None]
    assert failed
    assert all(len(decision["attempts"]) == 2 and decision["amount"] is None for decision in failed)
    assert GameRecord.from_json(record.to_json()) == record


def test_a_record_with_a_result_that_only_the_rules_know_does_not_replay():
    record = aucenv.play("sealed_bid", "first-ipv", ["truthful", "shade", "random"], 5)
    record.outcome["prizes"][3]["revenue"] += 1
    with pytest.raises(ValueError, match=r"game 0: outcome\.prizes\[3\]\.revenue: the rules give \d+, the record says"):
        replay(record)


class Noting:
    """A vector policy that keeps notes."""

    interface = "vector"

    def reset(self, seat, seed):
        self.random = np.random.default_rng(seed)
        self.notes = {}
        self.closed = None

    def act(self, view, observation):
        self.notes = {"round": view.round}
        assert set(observation) == {"observation", "action_mask"}
        assert view.must_decide
        return int(self.random.choice(np.flatnonzero(observation["action_mask"])))

    def close_game(self, view):
        self.closed = view.status


def test_a_user_defined_policy_plays_against_rules():
    policy = Noting()
    record = aucenv.play(
        "english", "standard-20k-random", {"bidder_1": policy, "bidder_0": "rule", "bidder_2": "value"}
    )
    assert policy.closed == "terminated"
    assert [seat["bidder"] for seat in record.seats] == ["rule", "Noting", "value"]
    decisions = [decision for decision in record.decisions if decision["seat"] == "bidder_1"]
    assert all(decision["notes"] == {"round": decision["round"]} for decision in decisions)
    assert all(isinstance(decision["action"], int) for decision in decisions)
    replay(record)


class Broken(Noting):
    action = "a lot"

    def act(self, view, observation):
        return 1 / 0 if self.action is None else self.action


@pytest.mark.parametrize(("action", "message"), [(None, "division"), ("a lot", "got 'a lot'"), (99, "got 99")])
def test_an_error_of_a_bidder_names_it_and_its_round(action, message):
    broken = Broken()
    broken.action = action
    with pytest.raises(PolicyError, match=f"Broken failed at bidder_2, game 7, item 0, round 0: .*{message}"):
        aucenv.play("english", "standard-20k-random", ["rule", "rule", broken], index=7)


@pytest.mark.parametrize(
    ("bidders", "message"),
    [
        (["rule"] * 2, "expected one for each of 3 seats, got 2"),
        ({"bidder_0": "rule"}, "expected one for each of bidder_0, bidder_1, bidder_2, got bidder_0"),
        (["rule", "rule", object()], "bidder at bidder_2: expected a Policy; object has no interface"),
        (["rule", "rule", "rool"], "expected one of rule"),
    ],
)
def test_bad_bidders_are_refused(bidders, message):
    with pytest.raises(ValueError, match=message):
        aucenv.play("english", "standard-20k-random", bidders)
    if isinstance(bidders, list) and all(isinstance(bidder, str) for bidder in bidders):
        with pytest.raises(ValueError, match="expected one"):
            aucenv.rollout("english", "standard-20k-random", bidders, 1)


def matches(games: int) -> list[Match]:
    return [
        Match("english", scenario, tuple(bidders), (9, i), i) for i in range(games) for scenario, bidders in CASES[:1]
    ]


def test_one_policy_cannot_sit_in_two_seats():
    policy = Noting()
    with pytest.raises(ValueError, match="a different policy object for each seat"):
        aucenv.play("english", "standard-20k-random", [policy, "rule", policy])


class Diary(Noting):
    def reset(self, seat, seed):
        super().reset(seed, seed)
        self.notes = {"turns": []}

    def act(self, view, observation):
        self.notes["turns"].append(len(self.notes["turns"]))
        return 0


def test_notes_are_copied_when_they_are_recorded():
    record = aucenv.play("english", "standard-20k-random", [Diary(), "rule", "rule"])
    turns = [decision["notes"]["turns"] for decision in record.decisions if decision["seat"] == "bidder_0"]
    assert turns == [list(range(number + 1)) for number in range(len(turns))]


@pytest.mark.parametrize("note", [{1}, float("nan"), np.float32(1)])
def test_notes_that_json_cannot_hold_are_an_error_of_the_bidder(note):
    class Odd(Diary):
        def act(self, view, observation):
            self.notes = {"x": note}
            return 0

    with pytest.raises(PolicyError, match="Odd failed at bidder_0"):
        aucenv.play("english", "standard-20k-random", [Odd(), "rule", "rule"])


@pytest.mark.parametrize("method", ["reset", "close_game"])
def test_errors_before_and_after_the_game_name_the_bidder(method):
    policy = Noting()
    setattr(policy, method, lambda *arguments: 1 / 0)
    place = {"reset": "before the first round", "close_game": "at the end"}[method]
    with pytest.raises(PolicyError, match=f"Noting failed at bidder_1, game 0, {place}: division"):
        aucenv.play("english", "standard-20k-random", ["rule", policy, "rule"])


def test_every_seat_gets_another_seed_which_follows_from_that_of_the_game():
    class Seeded(Noting):
        def reset(self, seat, seed):
            super().reset(seat, seed)
            seeds.append(seed)

    seeds: list[int] = []
    for seed in (1, 2, 1):
        aucenv.play("english", "standard-20k-random", [Seeded(), Seeded(), Seeded()], seed)
    assert len(set(seeds[:6])) == 6
    assert seeds[6:] == seeds[:3]


@pytest.mark.parametrize("seed", [-1, 1.5, None, "x", [1, -1]])
def test_bad_seeds_are_refused(seed):
    with pytest.raises(ValueError, match="seed: expected a whole number of at least 0"):
        aucenv.play("english", "standard-20k-random", ["rule"] * 3, seed)


def test_a_cheat_sees_hidden_values_from_its_seat():
    observed = {}

    class Cheat(Noting):
        interface = "amount"
        cheats = True

        def act(self, view, observation):
            observed[view.seat] = (view.budget, view.estimate, view.must_decide, view.items[0].true_value)
            return -1

    aucenv.play("english", "standard-20k-random", ["value", Cheat(), Cheat()])
    assert {seat: values[0] for seat, values in observed.items()} == {"bidder_1": 20_000, "bidder_2": 20_000}
    assert all(None not in values and values[2] for values in observed.values())


def test_a_number_of_two_games_names_both_lines(tmp_path):
    line = aucenv.play("english", "standard-20k-random", ["rule"] * 3, index=7).to_json()
    (tmp_path / "games.jsonl").write_text(f"{line}\n{line}\n")
    message = r"games.jsonl:2: index: expected a number of its own, got 7, as in .*games.jsonl:1"
    with pytest.raises(ValueError, match=message):
        list(read_records(tmp_path))


def test_the_number_of_workers_does_not_change_the_games():
    played = [sorted(play_many(matches(20), workers), key=lambda r: r.index) for workers in (1, 3)]
    lines = [[record.to_json() for record in records] for records in played]
    assert lines[0] == lines[1]
    assert len(set(lines[0])) == 20


def test_an_error_in_a_worker_reaches_the_caller():
    bad = [*matches(3), Match("english", "standard-20k-random", ("rule", "rule", "rool"), (0,), 3)]
    with pytest.raises(ValueError, match="got 'rool'"):
        list(play_many(bad, 2))


@pytest.mark.parametrize("workers", [0, -1, 1.5, True])
def test_bad_numbers_of_workers_are_refused(workers):
    with pytest.raises(ValueError, match="workers: expected a whole number of at least 1"):
        list(play_many(matches(1), workers))


ENDLESS = """
import itertools, os, sys
from aucenv.play import Match
from aucenv.runs.executors import play_many
if __name__ == "__main__":
    endless = (Match("english", "standard-20k-random", ("rule",) * 3, (0, i), i) for i in itertools.count())
    for record in play_many(endless, 2):
        print(*[child.pid for child in __import__("multiprocessing").active_children()], flush=True)
"""


def test_workers_end_when_their_parent_is_killed(tmp_path):
    script = tmp_path / "endless.py"
    script.write_text(ENDLESS)
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    workers = [os.pidfd_open(int(pid)) for pid in parent.stdout.readline().split()]
    assert len(workers) == 2
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    for worker in workers:
        select.select([worker], [], [])  # until it has ended
        os.close(worker)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{,", "games.jsonl:2: not JSON"),
        ("[]", "games.jsonl:2: expected a JSON object, got list"),
        ("{}", "games.jsonl:2: version: expected one of 1, got None"),
        ('{"version": 9}', "games.jsonl:2: version: expected one of 1, got 9"),
        (
            '{"version": 1, "game": "english", "x": 1}',
            r"games.jsonl:2: x: expected only the fields version, game, .*, got this one",
        ),
    ],
)
def test_errors_in_records_name_the_line(tmp_path, line, message):
    good = aucenv.play("english", "standard-20k-random", ["rule"] * 3).to_json()
    (tmp_path / "games.jsonl").write_text(f"{good}\n{line}\n")
    with pytest.raises(ValueError, match=message):
        list(read_records(tmp_path))
