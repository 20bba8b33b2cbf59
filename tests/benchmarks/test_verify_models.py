"""`aucenv benchmark verify` lets the agents of models play again with the recorded calls in place of the endpoint."""

from __future__ import annotations

import contextlib
import json
import shutil

import pytest
from agent_games import bidder
from aucenv.benchmarks.benchmark.run import make_plan, run
from aucenv.benchmarks.benchmark.saved_plan import read_plan
from aucenv.benchmarks.benchmark.submissions import write_submission
from aucenv.benchmarks.benchmark.verify import verify
from aucenv.training.rlact.policy import BUNDLED_MODEL
from competent_agent import Competent
from run_command import command

from aucenv.runs.model_calls.journal import RunStopped
from aucenv.runs.results import read_run
from aucenv.runs.run_options import RunOptions


class StopsRun(Exception):
    """Raised in the middle of a run."""


@pytest.fixture(scope="module")
def submission(tmp_path_factory):
    """The submission of two agents of a model, in a run that was stopped and resumed."""
    folder = tmp_path_factory.mktemp("models") / "run"
    with Competent({"bid": [None, "I would rather not say."]}) as server:
        names = [bidder(server, "bdi", "b"), bidder(server, "plain", "p", temperature="0.7", seed="drawn")]
        plan = make_plan(names, 1, ["english"])

        def stop(done, total, calls):
            if done == 3:
                raise StopsRun

        with pytest.raises((StopsRun, RunStopped)):
            run(plan, RunOptions(concurrency=1), out=folder, on_game=stop)
        run(plan, RunOptions(concurrency=2), out=folder)
    return folder


def test_an_honest_submission_verifies_without_the_model_and_states_what_is_not_proved(submission, capsys):
    assert not command("benchmark", "verify", submission)
    printed = capsys.readouterr()
    assert "12 games, no problem" in printed.out
    for label in "bp":
        assert f"{label}: its decisions follow from its calls; it is not proved that 'openai:m' at http" in printed.err


def edit(**fields):
    def change(calls):
        name, value = next(iter(fields.items()))
        chosen = next(n for n, call in enumerate(calls) if call["purpose"] == "bid" and call["decision"] == 1)
        calls[chosen][name] = value(calls[chosen][name]) if callable(value) else value

    return change


def leave_out(calls):
    del calls[next(n for n, call in enumerate(calls) if call["purpose"] == "bid" and call["decision"] == 2)]


def double(calls):
    calls.append({**calls[-1], "same": 0})


def swap(calls):
    """Swap the replies of two bids of one seat."""
    of_seat = [
        call for call in calls if call["purpose"] == "bid" and (call["game"], call["seat"]) == (1, calls[-1]["seat"])
    ]
    of_game = (
        [call for call in calls if call["purpose"] == "bid" and call["game"] == 1] if len(of_seat) < 2 else of_seat
    )
    first = of_game[0]
    other = next(call for call in of_game if call["reply"] != first["reply"])
    first["reply"], other["reply"] = other["reply"], first["reply"]


def of_another_game(calls):
    calls.append({**calls[-1], "game": 999, "same": 0})


def of_another_seat(calls):
    calls[-1]["seat"] = "bidder_2" if calls[-1]["seat"] != "bidder_2" else "bidder_0"


def later_decision(calls):
    calls.append({**calls[-1], "decision": 999, "same": 0})


def reorder(calls):
    """Exchange two lines of one conversation."""
    first = next(n for n, call in enumerate(calls) if call["same"])
    other = next(n for n, call in enumerate(calls[first + 1 :], first + 1) if call["seat"] == calls[first]["seat"])
    calls[first], calls[other] = calls[other], calls[first]


CHANGES = {
    "reply": (edit(reply="I'm out!"), "as its agent sends it"),
    "message": (
        edit(messages=lambda sent: [*sent[:-1], {**sent[-1], "content": f"{sent[-1]['content']}!"}]),
        "as its agent sends it",
    ),
    "model": (edit(model="gpt-4.1"), "as its agent sends it"),
    "digest": (edit(request="0" * 64), "as its agent sends it"),
    "settings": (edit(settings=lambda value: {**value, "max_tokens": 7}), "as its agent sends it"),
    "cut off": (edit(finish="length"), ""),
    "negative tokens": (edit(tokens_in=-5), "calls.jsonl:"),
    "purpose": (edit(purpose="plan"), "expected this call in calls.jsonl, got none"),
    "attempt": (edit(attempt=9), "expected this call in calls.jsonl, got none"),
    "left out": (leave_out, "expected this call in calls.jsonl, got none"),
    "doubled": (double, "expected each call once"),
    "swapped": (swap, ""),
    "of another game": (of_another_game, "expected calls of games of the plan, got game 999"),
    "of another seat": (of_another_seat, ""),
    "a later decision": (later_decision, "decision 999"),
    "reordered": (reorder, ""),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_call_is_named_even_if_all_digests_are_computed_again(name, submission, tmp_path):
    change, message = CHANGES[name]
    folder = tmp_path / "run"
    shutil.copytree(submission, folder)
    file = folder / "calls.jsonl"
    calls = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    change(calls)
    file.write_text("".join(f"{json.dumps(call)}\n" for call in calls), encoding="utf-8")
    plan, _ = read_plan(read_run(folder), folder)
    write_submission(folder, plan)
    problems = verify(folder).problems
    assert problems
    assert message in "\n".join(problems)


def a_bid(record, **fields):
    seat = next(player["seat"] for player in record["seats"] if player["bidder"].partition("=")[0] in "bp")
    next(one for one in record["decisions"] if one["seat"] == seat and one["amount"] is not None).update(fields)


def a_note(record):
    noted = next(one for one in record["decisions"] if one["notes"])
    noted["notes"] = {**noted["notes"], "plan": "Bid nothing."}


def of_seat(**fields):
    def change(record):
        record["seats"][0].update(fields)

    return change


RECORD_CHANGES = {
    "amount": (lambda record: a_bid(record, amount=123400), "expected"),
    "reply": (lambda record: a_bid(record, action="I bid $1!"), "expected"),
    "note": (a_note, "as it follows from the calls"),
    "bidder of a seat": (of_seat(bidder="value"), "bidders[0]: expected"),
    "forfeit": (of_seat(notes={"forfeited": "item 0, round 0: no answer"}), ""),
    "seed": (lambda record: record.update(seed=[1]), "seed"),
    "winner": (lambda record: record["outcome"]["items"][0].update(winner="bidder_2"), "outcome"),
}


@pytest.mark.parametrize("name", RECORD_CHANGES)
def test_a_changed_game_is_named_even_if_all_digests_are_computed_again(name, submission, tmp_path):
    change, message = RECORD_CHANGES[name]
    folder = tmp_path / "run"
    shutil.copytree(submission, folder)
    file = folder / "games.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    number = next(n for n, line in enumerate(lines) if '"b=' in line)
    record = json.loads(lines[number])
    change(record)
    lines[number] = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    plan, _ = read_plan(read_run(folder), folder)
    with contextlib.suppress(ValueError):  # the reader of records refuses some of the changes
        write_submission(folder, plan)
    problems = verify(folder).problems
    assert any(message in problem and f"games.jsonl:{number + 1}" in problem for problem in problems)


def test_networks_play_again(tmp_path):
    run(make_plan(["rlact", "judge-greedy"], 1, ["harbor"]), out=tmp_path)
    verification = verify(tmp_path)
    assert verification.problems == verification.unproved == ()
    file = tmp_path / "games.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    for line in (0, 1):
        record = json.loads(lines[line])
        for player in record["seats"]:
            if player["bidder"] in ("rlact", "judge-greedy"):
                player["bidder"] = "judge-greedy" if player["bidder"] == "rlact" else "rlact"
        lines[line] = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    settings = json.loads((tmp_path / "run.json").read_text())
    settings["settings"]["bidders"] = ["judge-greedy", "rlact"]
    (tmp_path / "run.json").write_text(json.dumps(settings))
    problems = "\n".join(verify(tmp_path).problems)
    assert "as its name gives it" in problems


def test_a_network_whose_file_is_absent_is_not_proved(tmp_path, monkeypatch):
    shutil.copytree(BUNDLED_MODEL, tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    run(make_plan(["rlact:mine"], 1, ["harbor"]), out=tmp_path / "run")
    assert verify(tmp_path / "run").unproved == ()
    shutil.move(tmp_path / "mine", tmp_path / "other")
    [sentence] = verify(tmp_path / "run").unproved
    assert sentence.startswith(
        "rlact:mine: its decisions are not made again, because its files are not here, or have changed since the run"
    )


def test_a_submission_of_another_version_names_the_version_that_can_verify_it(submission, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(submission, folder)
    saved = json.loads((folder / "run.json").read_text())
    saved["versions"]["aucenv"] = "0.7.1"
    (folder / "run.json").write_text(json.dumps(saved))
    [problem] = verify(folder).problems
    assert problem.endswith("got 0.7.1; verify it with aucenv 0.7.1")


def relabel(text):
    return text.replace("llm:openai:m,", "llm:openai:gpt-4.1-mini,")


def other_agent(text):
    return text.replace("agent=bdi", "agent=plain")


@pytest.mark.parametrize("change", [relabel, other_agent])
def test_a_relabelled_submission_is_caught(change, submission, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(submission, folder)
    for name in ("games.jsonl", "run.json"):
        file = folder / name
        file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")
    plan, _ = read_plan(read_run(folder), folder)
    write_submission(folder, plan)
    assert any("game " in problem for problem in verify(folder).problems)


def test_a_rule_bidders_record_that_is_relabelled_as_a_model_is_caught(tmp_path):
    folder = tmp_path / "run"
    run(make_plan(["m=rule"], 1, ["english"]), out=folder)
    for name in ("games.jsonl", "run.json"):
        file = folder / name
        file.write_text(
            file.read_text(encoding="utf-8").replace('"m=rule"', '"m=llm:openai:gpt-4.1-mini"'), encoding="utf-8"
        )
    plan, _ = read_plan(read_run(folder), folder)
    write_submission(folder, plan)
    problems = verify(folder).problems
    assert sum("expected this call in calls.jsonl, got none" in problem for problem in problems) == 6


def test_added_profit_is_caught(submission, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(submission, folder)
    file = folder / "games.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    record = json.loads(lines[0])
    record["outcome"]["seats"][0]["profit"] += 5000
    file.write_text("\n".join([json.dumps(record), *lines[1:]]) + "\n", encoding="utf-8")
    assert "profit: expected" in "\n".join(verify(folder).problems)


def test_templates_of_prompts_are_part_of_the_submission(tmp_path):
    from importlib.resources import files

    source = tmp_path / "mine"
    shutil.copytree(str(files("aucenv.baselines.llm") / "prompts" / "plain"), source)
    with Competent() as server:
        plan = make_plan([bidder(server, "plain", "p", prompts=source)], 1, ["english"])
        run(plan, out=tmp_path / "run")
    shutil.rmtree(source)
    copies = [file for file in (tmp_path / "run" / "prompts" / "p").rglob("*") if file.is_file()]
    assert copies
    assert verify(tmp_path / "run").problems == ()
    for file in copies:
        file.write_text(file.read_text() + "\nBe brief.")
    problems = "\n".join(verify(tmp_path / "run").problems)
    assert "prompts/p/" in problems
    assert "as its agent sends it" in problems
