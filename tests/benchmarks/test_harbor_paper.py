"""HARBOR as one run: who has which persona, who plays against whom, and with which knowledge."""

from __future__ import annotations

import json

import pytest
from aucenv.benchmarks.studies.harbor import strategies
from aucenv.benchmarks.studies.harbor.masters import masters_of, rival_of, strategy_of
from aucenv.benchmarks.studies.registry import PAPERS, STUDIES
from aucenv.benchmarks.studies.study import Study
from aucenv.benchmarks.studies.study_run import run
from run_command import command

from aucenv.core.words.bidder_name import parse_bidder
from aucenv.runs.model_calls.journal import conversations, read_calls
from aucenv.runs.records import read_records

SCRIPT = "new=llm:scripted"
MODEL = "new=llm:openai:m,base_url=http://h,agent=harbor"


def options_of(bidder):
    params = parse_bidder(bidder).params
    return params["tom"], params["strategy"]


def test_the_run_has_the_published_auctions_of_each_condition():
    plan = PAPERS["harbor"].run_of([SCRIPT, "persona"], None, 0, True)
    assert {name: len(matches) for name, matches in plan.parts.items()} == {
        "three matches for each rival": 2 * 15,
        "competition": 2 * 4 * 15,
        "number of matches": 2 * 10 * 15,
        "number of rivals": 2 * 5 * 15,
        "strategies": (5 + 1) * 15,
    }
    with pytest.raises(ValueError, match="expected no --set ask_broke=false, which only aucarena has"):
        PAPERS["harbor"].run_of([SCRIPT], None, 0, False)
    with pytest.raises(ValueError, match="expected a model without tom, which the study sets, got 'm=llm:scripted,tom"):
        PAPERS["harbor"].run_of(["m=llm:scripted,tom=second"], None, 0, True)


def test_in_the_first_condition_of_competition_the_master_alone_has_no_persona():
    matches = STUDIES["harbor/2"].schedule(["persona"], 3, 0)
    dealt = {}
    for match in matches:
        personas = [bidder.personas for bidder in match.scenario.bidders]
        dealt.setdefault(match.scenario.name.removeprefix("harbor/2: "), []).append(personas)
    for alone, own in zip(dealt["Master without persona"], dealt["own persona"], strict=True):
        assert alone[0] == ()
        assert alone[1:] == own[1:]
        assert len(set(own)) == 3


def test_a_model_plays_five_masters_against_itself():
    masters = masters_of(MODEL, "new")
    assert [strategy_of(name) for name in masters] == ["baseline", "true", "true_expact", "inferred_expact", "second"]
    assert [parse_bidder(name).label for name in masters][:2] == ["new_baseline", "new_true"]
    rivals = {strategy_of(name): options_of(rival_of(name)) for name in masters}
    assert rivals.pop("second") == ("inferred", "expact")
    assert set(rivals.values()) == {("none", "none")}
    assert rival_of(masters[0]) == masters[0]
    assert parse_bidder(rival_of(masters[1])).params["base_url"] == "http://h"
    assert strategy_of("m=llm:openai:m,agent=harbor,strategy=adviser:rlact;path=x") == "inferred_rlact"
    assert strategy_of("m=llm:openai:m,agent=harbor,tom=none") is None
    labels = [
        parse_bidder(match.bidders[0]).label for match in PAPERS["harbor"].run_of(["llm:scripted"], 1, 0, True).matches
    ]
    assert labels[-1] == "scripted_second (script)"
    orders = ("d=llm:openai:m,agent=harbor,strategy=expact,tom=true", "e=llm:openai:m,tom=none,agent=harbor")
    assert {strategies._model(name) for name in orders} == {"llm:openai:m,agent=harbor"}
    assert (rival_of("persona"), rival_of("second_order"), rival_of("llm:openai:m")) == ("persona", "expact", "persona")


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Return the folder of a game of each Master of a script."""
    out = tmp_path_factory.mktemp("harbor") / "out"
    run(STUDIES["harbor/5"], masters_of("new=llm:scripted,agent=harbor", "new"), 1, out=out)
    return out


def test_every_seat_is_the_model_and_the_master_alone_has_the_second_order(played):
    records = list(read_records(played))
    assert {parse_bidder(player["bidder"]).arg for record in records for player in record.seats} == {"scripted"}
    [second] = [record.index for record in records if strategy_of(record.seats[0]["bidder"]) == "second"]
    purposes = {}
    for call, _ in conversations(read_calls(played)):
        purposes.setdefault((call.game == second, call.seat == "bidder_0", call.seat), set()).add(
            call.purpose.split()[0]
        )
    for (is_second, is_master, _), of_seat in purposes.items():
        assert ("second_order" in of_seat) is (is_second and is_master)
        if is_second:
            assert {"profile", "rule"} <= of_seat
        elif not is_master:
            assert not of_seat & {"profile", "rule"}


def test_scripts_stand_beside_the_published_figures(played):
    rows = {row["strategy"]: row for row in STUDIES["harbor/5"].rows_of(list(read_records(played)))}
    row = rows["new_inferred_expact (script)"]
    assert row["profit_0_difference"] == pytest.approx(row["profit_0"] - 32.54)
    assert [row["strategy"] for row in rows.values() if row["bidder"] == "published"] == [
        *("baseline", "true", "true_expact", "inferred_expact", "second", "inferred_rlact"),
    ]


def test_one_run_has_all_tables_and_figures(tmp_path, monkeypatch):
    out = tmp_path / "harbor"
    assert command("study", "harbor", "--bidder", "persona", "--games", "1", "--out", out) == 0
    page = (out / "index.html").read_text()
    for name in ("1", "2", "3", "4", "5", "audit"):
        assert json.loads((out / name / "table.json").read_text())
        assert (out / name / "figure.png").stat().st_size > 1000
        assert f'src="{name}/figure.png"' in page
    assert (out / "listing.md").read_text().startswith("# The log of game 0")
    again = tmp_path / "again"
    monkeypatch.setattr(Study, "plot", lambda self, rows, *paths: None)
    assert command("study", "harbor", "--from-records", out, "--out", again) == 0
    assert (again / "5" / "table.md").read_bytes() == (out / "5" / "table.md").read_bytes()


def test_rivals_are_named_by_the_user(tmp_path, capsys):
    assert (
        command("study", "harbor/5", "--bidder", "persona", "--set", "rivals=value", "--games", "1", "--out", tmp_path)
        == 0
    )
    [record] = read_records(tmp_path)
    assert [player["bidder"] for player in record.seats] == ["persona", "value", "value"]
    for arguments, message in (
        (
            ("harbor/5", "--set", "rivals=value", "--set", "rivals=rule"),
            "--set rivals: expected one value, got value and rule",
        ),
        (("harbor/2", "--set", "rivals=value"), "study harbor/2: expected no --set rivals"),
        (("harbor", "--set", "rivals=value"), "expected no options of single studies, got --set rivals"),
        (("harbor/5", "--set", "rivals=nobody"), "nobody"),
        (("harbor/5", "--set", "rivals=value", "--from-records", str(tmp_path)), "expected --from-records alone"),
    ):
        assert command("study", *arguments, "--out", tmp_path / "no") == 2
        assert message in capsys.readouterr().err
        assert not (tmp_path / "no").exists()
