"""`aucenv benchmark verify` finds every change of a submission, and names its place."""

from __future__ import annotations

import json
import random
import re
import shutil
from functools import partial

import pytest
from agent_games import bidder
from aucenv.benchmarks.benchmark.run import make_plan, run
from aucenv.benchmarks.benchmark.verify import verify
from competent_agent import Competent
from run_command import command

from aucenv.runs.run_options import RunOptions

LOW = '''
class Low:
    """A bidder in words that mostly loses."""

    interface = "text"

    def reset(self, seat, seed):
        self.bids = 0

    def act(self, view, observation):
        self.bids += 1
        return f"I bid ${self.bids % 3}."

    def close_game(self, view):
        return None
'''


@pytest.fixture(scope="module")
def submission(tmp_path_factory):
    """A small submission of a rule bidder and of a bidder in words."""
    folder = tmp_path_factory.mktemp("submission")
    (folder / "low.py").write_text(LOW)
    bidders = ["shade,factor=0.6", f"low=py:{folder / 'low.py'}:Low"]
    run(make_plan(bidders, 1, ["sealed_bid"]), out=folder / "run")
    return folder / "run"


@pytest.fixture
def copied(submission, tmp_path):
    return shutil.copytree(submission, tmp_path / "run")


def problems_of(folder):
    return verify(folder).problems


def edit(folder, change, rng, name="games.jsonl"):
    """Change the records of a submission, or another file as JSON; a change returns what it has changed."""
    path = folder / name
    if name.endswith("jsonl"):
        data = [json.loads(line) for line in path.read_text().splitlines()]
        result = change(data, rng)
        path.write_text("".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n" for one in data))
    else:
        data = json.loads(path.read_text())
        result = change(data, rng)
        path.write_text(json.dumps(data, indent=2))
    return result


def bid(records, rng, seats=lambda record: record["seats"]):
    record = rng.choice(records)
    seat = rng.choice(seats(record))["seat"]
    decision = rng.choice([one for one in record["decisions"] if one["seat"] == seat])
    amount = decision["amount"]
    changed = amount + rng.choice([-1, 1, 7]) if amount else 1 + rng.randrange(9)
    decision["amount"] = changed
    decision["action"] = f"I bid ${changed:g}." if isinstance(decision["action"], str) else changed
    return f"game {record['index']}, table", f"item {decision['item']}, round {decision['round']}, {seat}"


def losing_bid(records, rng):
    """Change a losing bid in words to another one that loses, and nothing else: the rules allow both."""
    losing = [
        (record, decision)
        for record in records
        for decision in record["decisions"]
        if isinstance(decision["action"], str) and decision["amount"] == 2 and "first" in record["scenario"]["name"]
    ]
    record, decision = rng.choice(losing)
    decision["amount"], decision["action"] = 1.0, "I bid $1."
    return f"game {record['index']}, table", f"item {decision['item']}, round {decision['round']}, {decision['seat']}"


def withdrawal(records, rng):
    record = rng.choice(records)
    decision = rng.choice(record["decisions"])
    decision["amount"], decision["action"] = None, -1.0
    return (f"game {record['index']}, table",)


def of_record(change):
    def changed(records, rng):
        record = rng.choice(records)
        change(record, rng)
        return (str(record["index"]),)

    return changed


def swap_bidders(record, rng):
    first, second = rng.sample(record["seats"], 2)
    first["bidder"], second["bidder"] = second["bidder"], first["bidder"]


def remove(records, rng):
    return (f"game {records.pop(rng.randrange(len(records)))['index']}, table",)


def twice(records, rng):
    records.append(records[rng.randrange(len(records))])
    return ("twice",)


def reorder(records, rng):
    records.reverse()
    return ("index: expected a number above",)


RECORDS = (
    bid,
    bid,
    bid,
    losing_bid,
    withdrawal,
    remove,
    twice,
    reorder,
    of_record(lambda record, rng: record.update(seed=[record["seed"][0], record["seed"][1] + 1])),
    of_record(swap_bidders),
    of_record(lambda record, rng: rng.choice(record["seats"]).update(bidder="truthful")),
    of_record(lambda record, rng: rng.choice(record["seats"]).update(notes={"said": "more"})),
    of_record(lambda record, rng: rng.choice(record["outcome"]["seats"]).update(profit=10_000)),
    of_record(lambda record, rng: record["outcome"].update(status="truncated")),
    of_record(lambda record, rng: record["scenario"].update(num_rounds=3)),
    of_record(lambda record, rng: record["decisions"].pop()),
    of_record(lambda record, rng: record.update(index=record["index"] + 100)),
    of_record(lambda record, rng: rng.choice(record["decisions"])["notes"].update(mood="good")),
)


def field(name, value, place=""):
    def changed(data, rng):
        data[name] = value
        return (place or name,)

    return changed


def setting(name, value):
    def changed(data, rng):
        data["settings"][name] = value
        return (name,)

    return changed


def score(rows, rng):
    rng.choice(rows)["games"]["sealed_bid"]["score"] += 0.01
    return ("table.json: rows[",)


def digest(data, rng):
    index = rng.choice([*data["games"]])
    data["games"][index][rng.choice(["record", "decisions", "table"])] = "00" * 32
    return (f"game {index}, table",)


FILES = (
    ("run.json", setting("suite", "aucenv-0")),
    ("run.json", setting("suite_version", 2)),
    ("run.json", setting("suite_hash", "0" * 64)),
    ("run.json", setting("games", 16)),
    ("run.json", setting("left_out", {"low": {"sealed_bid": "no"}})),
    ("run.json", setting("bidder_files", {})),
    ("run.json", field("finished", None)),
    ("submission.json", field("suite_hash", "0" * 64)),
    ("submission.json", field("suite_version", 7)),
    ("submission.json", field("run", "0" * 64)),
    ("submission.json", digest),
    ("table.json", score),
)


def table_text(folder, rng):
    path = folder / "table.md"
    path.write_text(re.sub(r"0\.\d\d", "1.23", path.read_text(), count=1))
    return ("table.md:",)


def test_a_submission_has_no_problem(submission, capsys):
    assert problems_of(submission) == ()
    assert command("benchmark", "verify", submission) == 0
    assert "8 games, no problem" in capsys.readouterr().out


def remove_table(folder, rng):
    (folder / "table.json").unlink()
    return ("table.json",)


CHANGES = (
    *(partial(edit, change=change) for change in RECORDS),
    *(partial(edit, change=change, name=name) for name, change in FILES),
    table_text,
    remove_table,
)


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_every_change_is_an_error_that_names_its_place(copied, number):
    expected = CHANGES[number](copied, rng=random.Random(number))
    problems = problems_of(copied)
    assert problems
    assert any(all(part in problem for part in expected) for problem in problems), (expected, problems)


def test_a_changed_bid_of_a_rule_bidder_is_named_with_the_expected_one(copied, capsys):
    def change(records, rng):
        record = records[3]
        decision = next(one for one in record["decisions"] if one["seat"] == "bidder_1" and one["amount"])
        before = decision["amount"]
        decision["amount"] = decision["action"] = before + 1
        return decision["item"], before

    item, bid = edit(copied, change, random.Random(0))
    assert command("benchmark", "verify", copied) == 1
    errors = capsys.readouterr().err
    pattern = rf"games\.jsonl:4: game 3, table sealed_bid/\S+, item {item}, round 0, bidder_1, bidder \S+: recorded "
    assert re.search(pattern + rf"{bid + 1:g}, expected {bid:g}\n", errors), errors


def test_folders_that_are_no_submissions_are_errors(tmp_path, capsys):
    for name, content, expected in (
        ("", "", "there is no run.json"),
        ("run.json", "{}", "there is no submission.json"),
    ):
        if name:
            (tmp_path / name).write_text(content)
        assert command("benchmark", "verify", tmp_path) == 2
        assert expected in capsys.readouterr().err


def test_a_submission_of_a_model_has_its_tokens_and_verifies_without_the_model(tmp_path):
    with Competent() as server:
        plan = make_plan([bidder(server, "plan-bid-reflect", "script"), "share"], 1, ["sealed_bid", "water_allocation"])
        report = run(plan, RunOptions(concurrency=4), out=tmp_path / "run")
    assert report.models["script"]["tokens_in"] > 0
    assert "| script |" in report.markdown
    assert "share is left out of sealed_bid: these games have no such bidder" in report.markdown
    assert problems_of(tmp_path / "run") == ()

    path = tmp_path / "run" / "calls.jsonl"
    path.write_text(path.read_text().replace('"tokens_out":', '"tokens_out":1', 1))
    assert [problem for problem in problems_of(tmp_path / "run") if "calls.jsonl" in problem]
