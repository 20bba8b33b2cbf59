"""Tables of games with people: how they decided, and that a replaced person is another bidder."""

from __future__ import annotations

import json

import pytest
from aucenv.baselines.human.inbox import Answer, inbox_of
from aucenv.benchmarks.people import Hooks, PeopleGames, run_people
from aucenv.benchmarks.rankings.settings import Settings
from aucenv.benchmarks.report.page_data import game_data
from aucenv.benchmarks.studies.registry import STUDIES
from run_command import command
from table_clients import person

from aucenv.analysis.agents.transcript import call_transcript
from aucenv.commands.hosting.frames import replay_frame
from aucenv.core.words.bidder_name import seat_label, successor_of
from aucenv.runs.model_calls.journal import read_calls
from aucenv.runs.records import read_records
from aucenv.runs.run_options import RunOptions


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Play four games of the study: Ann leaves the second one, and makes no bid in time in the third one."""

    def answer(request):
        game = request.id.split(".")[0]
        if game == "1":
            inbox_of("Ann").replace("rule,k=2")
            return None
        if game == "2" and request.id.endswith(".0.0"):
            return None
        if request.view.refused is None and request.id.endswith(".1.0"):
            return Answer(request.id, words="Let me think.")
        return Answer(request.id, withdraw=True)

    out = tmp_path_factory.mktemp("people") / "run"
    settings = Settings(bidders=(PERSON, "rule", "llm:scripted"), scenario="standard-20k-random", games=4, seed=2)
    with person("Ann", answer):
        run_people(PeopleGames(settings), RunOptions(forfeit=True), Hooks(), out)
    return out


def printed(capsys, *arguments):
    assert not command(*arguments)
    return capsys.readouterr().out


PERSON = "human:Ann,seconds=1,asks=0"
BOTH = f"{PERSON}, then rule,k=2"


def test_a_replaced_person_is_another_bidder_in_all_tables(folder, capsys):
    rows = {row["bidder"]: row for row in json.loads((folder / "table.json").read_text())}
    assert {name: rows[name]["games"] for name in (PERSON, BOTH)} == {PERSON: 3, BOTH: 1}
    assert rows["rule"]["games"] == 4
    replaced = list(read_records(folder))[1]
    assert [seat_label(player) for player in replaced.seats].count(BOTH) == 1
    assert BOTH in [player["label"] for player in game_data(replaced)["seats"]]
    assert "Ann, then rule" in [player["label"] for player in replay_frame(replaced, "Ann")["game"]["seats"]]
    assert BOTH in printed(capsys, "records", "list", folder)


def test_only_people_can_be_replaced():
    notes = {"replaced_by": "rule"}
    assert successor_of({"bidder": "human:Ann", "notes": notes}) == "rule"
    assert seat_label({"bidder": "Ann=human", "notes": notes}) == "Ann (person), then rule"
    for player in ({"bidder": "value", "notes": notes}, {"bidder": "human:Ann", "notes": {"replaced_by": 3}}):
        assert successor_of(player) is None
        assert seat_label(player) == player["bidder"]


def test_people_are_no_models_and_have_no_tokens(folder, capsys):
    text = printed(capsys, "records", "table", folder)
    models, people = text.split("models, in finished games")[1].split("people, in finished games")
    assert "Ann" not in models
    assert "tokens" in models
    assert "tokens" not in people
    assert "timed out" in people
    run = json.loads((folder / "run.json").read_text())
    assert list(run["models"]) == ["llm:scripted (script)"]
    assert run["people"].keys() == {PERSON, BOTH}
    ann = run["people"][PERSON]
    assert ann["timed_out"] == 1
    assert 0 < ann["readable_rate"] < 1
    assert run["people"][BOTH]["decisions"] == 0
    assert "| timed out |" in (folder / "table.md").read_text()


def test_answers_of_people_cost_nothing(folder):
    record = next(read_records(folder))
    lines = list(call_transcript(record, read_calls(folder)))
    answers = [line for line in lines if line.startswith("===") and "(Ann)" in line]
    assert answers
    assert not any("tokens" in line for line in answers)
    assert not any("(Ann)" in line for line in lines[lines.index("Costs of this game:") :])


def test_the_study_of_people_leaves_replaced_people_out_of_the_people(folder):
    rows = {row["bidder"]: row for row in STUDIES["aucarena/people"].rows_of(list(read_records(folder)))}
    assert rows["people"]["games"] == 3
    assert rows[BOTH]["games"] == 1
