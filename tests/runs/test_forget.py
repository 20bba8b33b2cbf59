"""Removing what a person has written: the games stay, and no file keeps the words or the name."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil

import pytest
from aucenv.baselines.human.inbox import Answer
from aucenv.benchmarks.people import Hooks, PeopleGames, run_people
from aucenv.benchmarks.rankings.saved_runs import SavedRun
from aucenv.benchmarks.rankings.settings import Settings
from run_command import command
from table_clients import choices_of, person

from aucenv.runs.model_calls.journal import read_calls
from aucenv.runs.recorded.forget import forget
from aucenv.runs.records import read_records, replay
from aucenv.runs.run_options import RunOptions

SETTINGS = Settings(bidders=("human:Rosa Luz", "Ben=human:Benno", "value"), games=2, seed=3, changes=("num_items=2",))
SECRETS = ("my aunt Rosa", "bargain of Rosa")


def chatty(request):
    """Say something unreadable, then bid too much in words, and then the least amount with a reason."""
    if request.view.refused is None:
        return Answer(request.id, words="Let me ask my aunt Rosa.")
    if "unreadable" in request.view.refused or request.id.endswith(".1"):
        return Answer(request.id, words="As a bargain of Rosa, I bid $900,000!")
    least = choices_of(request)["amount"]
    if least is None:
        return Answer(request.id, withdraw=True, words="my aunt Rosa is broke")
    return Answer(request.id, amount=least["least"], words="it is a bargain of Rosa's")


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    out = tmp_path_factory.mktemp("played") / "run"
    with person("Rosa Luz", chatty), person("Benno", chatty):
        run_people(PeopleGames(SETTINGS), RunOptions(forfeit=True), Hooks(), out)
    (out / "links.json").write_text("{}")
    (out / "ratings-Rosa%20Luz.csv").write_text("id\n")
    return out


@pytest.fixture
def folder(played, tmp_path):
    return shutil.copytree(played, tmp_path / "run")


def everything_in(folder):
    return {file.name: file.read_text() for file in folder.iterdir()}


def test_words_and_name_of_a_person_are_removed_and_the_games_stay(folder):
    before = list(read_records(folder))
    assert all(secret in everything_in(folder)["games.jsonl"] for secret in SECRETS)
    forgotten = forget(folder, "Rosa Luz", SavedRun.read(folder).report)
    assert (forgotten.seats, forgotten.is_finished) == (2, True)
    assert forgotten.names == {"human:Rosa Luz": "human:person-1"}
    after = list(read_records(folder))
    for old, new in zip(before, after, strict=True):
        replay(new)
        assert (old.deal, old.outcome) == (new.deal, new.outcome)
        seat = next(player["seat"] for player in new.seats if player["bidder"] == "human:person-1")
        for was, now in zip(old.decisions, new.decisions, strict=True):
            assert was["amount"] == now["amount"]
            assert [one["kind"] for one in was["attempts"]] == [one["kind"] for one in now["attempts"]]
            if was["seat"] == seat:
                assert "reason" not in now["notes"]
            else:
                assert was == now
    text = everything_in(folder)
    assert "links.json" not in text
    assert "ratings-person-1.csv" in text
    for name, content in text.items():
        assert "Rosa Luz" not in content, name
    words = [
        json.dumps([decision for decision in record.decisions if decision["seat"] == player["seat"]])
        for record in after
        for player in record.seats
        if player["bidder"] == "human:person-1"
    ]
    calls = [call for call in read_calls(folder) if call.model == "person-1"]
    said = json.dumps([[call.reply, call.reasoning, call.messages] for call in calls])
    assert calls
    assert not any(secret in part for secret in SECRETS for part in (*words, said))


def test_everybody_can_be_forgotten_by_label_or_seat(folder, capsys):
    for seat in ("Ben (person)", "bidder_0"):
        assert not command("records", "forget", folder, seat)
    assert "words removed from" in capsys.readouterr().out
    command("records", "forget", folder, "Rosa Luz")
    text = "".join(everything_in(folder).values())
    assert "Benno" not in text
    assert "Rosa" not in text
    assert not command("records", "table", folder)


def test_unknown_people_are_named(folder):
    before = everything_in(folder)
    for seat in ("value", "Bena", "bidder_9", ""):
        with pytest.raises(ValueError, match="PERSON: expected a person"):
            forget(folder, seat, SavedRun.read(folder).report)
    assert everything_in(folder) == before


def test_answers_in_games_that_are_not_finished_are_removed(folder):
    lines = (folder / "games.jsonl").read_text().splitlines(keepends=True)
    (folder / "games.jsonl").write_text(lines[0])
    forget(folder, "Rosa Luz", SavedRun.read(folder).report)
    left = {(call.game, call.model) for call in read_calls(folder)}
    assert left == {(0, "person-1"), (0, "Benno"), (1, "Benno")}


def unfinish(folder, games):
    """Let a run end during a game."""
    lines = (folder / "games.jsonl").read_text().splitlines(keepends=True)
    (folder / "games.jsonl").write_text("".join(lines[:games]))
    data = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**data, "finished": None}))


def answers_again(folder, games, people):
    """Resume a run, and return which games each person was asked in."""
    asked = {}

    def note(name):
        def answer(request):
            asked.setdefault(name, set()).add(int(request.id.split(".")[0]))
            return chatty(request)

        return answer

    with contextlib.ExitStack() as stack:
        for name in people:
            stack.enter_context(person(name, note(name)))
        run_people(games, RunOptions(forfeit=True), Hooks(), folder)
    return asked


def test_a_run_that_is_not_finished_is_resumed_with_the_new_name(folder, capsys):
    unfinish(folder, 1)
    command("records", "forget", folder, "Rosa Luz")
    printed = capsys.readouterr().out
    assert "human:Rosa Luz is now human:person-1" in printed
    assert "to resume the run, which is not finished, name human:person-1 in place of human:Rosa Luz" in printed
    expected = "bidder 'human:Rosa Luz': expected 'human:person-1' to resume the run"
    with person("Rosa Luz", chatty), person("Benno", chatty), pytest.raises(ValueError, match=expected):
        run_people(PeopleGames(SETTINGS), RunOptions(forfeit=True), Hooks(), folder)
    renamed = dataclasses.replace(SETTINGS, bidders=("human:person-1", *SETTINGS.bidders[1:]))
    asked = answers_again(folder, PeopleGames(renamed), ("person-1", "Benno"))
    assert asked.pop("person-1") == {1}
    assert not asked  # the same answers of the one lead to the same requests to the other, which are answered
    assert [record.index for record in read_records(folder)] == [0, 1]
    assert "Rosa Luz" not in "".join(everything_in(folder).values())


def test_a_run_with_several_tables_is_resumed_too(tmp_path):
    out, settings = (
        tmp_path / "run",
        dataclasses.replace(SETTINGS, bidders=("human:Rosa Luz,seconds=60", "rule", "value"), games=1),
    )
    with person("Rosa Luz", chatty), person("Rosa Luz at table 2", chatty):
        run_people(PeopleGames(settings, tables=2), RunOptions(forfeit=True), Hooks(), out)
    unfinish(out, 0)
    forgotten = forget(out, "Rosa Luz", SavedRun.read(out).report)
    assert forgotten.names == {"human:Rosa Luz,seconds=60": "human:person-1,seconds=60"}
    assert forgotten.namesakes == ("person-1 at table 2",)
    kept = [call for call in read_calls(out) if call.game == 1]
    assert {call.model for call in read_calls(out)} == {"person-1 at table 2"}
    assert any(call.reasoning for call in kept)
    games = PeopleGames(dataclasses.replace(settings, bidders=("human:person-1,seconds=60", "rule", "value")), 2)
    asked = answers_again(out, games, ("person-1", "person-1 at table 2"))
    assert asked == {"person-1": {0}}
