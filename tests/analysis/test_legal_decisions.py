"""Bidders without a legal decision have no rank; few legal decisions and changed models are in tables and reports."""

from __future__ import annotations

import base64
import gzip
import json
import re

import pytest
import run_command
from aucenv.benchmarks.benchmark.run import make_plan, run
from aucenv.benchmarks.timings.loopback import Loopback

from aucenv import play
from aucenv.analysis.agents.agents import note_on_bidder
from aucenv.analysis.agents.model_figures import answered_by, notes_on_answers
from aucenv.analysis.ranking.by_setting import rows_by_setting, standings_by_setting
from aucenv.analysis.ranking.meta_game import add_meta_game
from aucenv.analysis.ranking.standings import standings
from aucenv.core.policy import Policy
from aucenv.runs.model_calls.journal import read_calls

SCRIPTS = {
    "bad": "over_budget=1",
    "out": "limit=0",
    "mumble": "unreadable=1",
    "half": "over_budget=0.9",
}


def bidders_of(specs):
    return [part for label, options in specs.items() for part in ("--bidder", f"{label}=llm:scripted,{options}")]


def command(*arguments):
    assert not run_command.command(*arguments)


def page_of(folder, *options):
    """Return the summary of the run of a report."""
    file = folder.parent / "page.html"
    command("report", folder, "--out", file, *options)
    block = re.search(r'id="summary">([^<]+)<', file.read_text(encoding="utf-8"))
    return json.loads(gzip.decompress(base64.b64decode(block[1])))["runs"][0]


def test_bidders_without_a_legal_decision_are_below_the_ranked_ones(tmp_path, capsys):
    out = tmp_path / "out"
    command(
        "leaderboard",
        *["--bidder", "rule", "--bidder", "drain", "--games", "18", "--set", "num_items=2", "--out"],
        out,
        *bidders_of(SCRIPTS),
    )
    printed = capsys.readouterr().out
    rows = {row["bidder"].removesuffix(" (script)"): row for row in json.loads((out / "table.json").read_text())}
    assert {*list(rows)[-2:]} == {"bad", "mumble"}
    for name in ("bad", "mumble"):
        row = rows[name]
        assert row["rank"] is row["rating"] is row["rating_low"] is None
        assert (row["legal_decisions"], row["note"]) == (0, f"no legal decision in {row['decisions']}")
    for name in ("rule", "drain", "out"):
        assert rows[name]["rank"] > 0
        assert "note" not in rows[name]
        assert rows[name]["legal_decisions"] == rows[name]["decisions"]
    assert any("bad (script)" in rows[name]["head_to_head"] for name in ("rule", "drain", "out"))
    half = rows["half"]
    assert half["rank"] > 0
    assert half["note"] == f"{half['legal_decisions']} of {half['decisions']} decisions are legal"
    texts = [printed, (out / "table.md").read_text()]
    texts += [" ".join(table["note"] for table in page_of(out)["tables"])]
    for text in texts:
        for name in ("bad", "mumble", "half"):
            assert f"{name} (script): {rows[name]['note']}" in text
    assert [row["rating"] for row in page_of(out)["ranking"]][-2:] == [None, None]


@pytest.mark.parametrize(
    ("legal", "total", "note"),
    [(0, 0, ""), (0, 1, "no legal decision in 1"), (1, 3, "1 of 3 decisions are legal"), (1, 2, ""),
     (1999, 4000, "1,999 of 4,000 decisions are legal")],
)  # fmt: skip
def test_notes_on_decisions(legal, total, note):
    assert note_on_bidder(legal, total, False) == note
    assert note_on_bidder(legal, total, True) == ", ".join(filter(None, ["cheats: it knows what is hidden", note]))


MUMBLER = """
class Mumbler:
    interface = "text"

    def reset(self, seat, seed):
        pass

    def act(self, view, observation):
        return "Well, hm."

    def close_game(self, view):
        pass
"""


class Sends(Policy):
    """A bidder that sends one amount, and withdraws in the other setting."""

    interface = "amount"

    def __init__(self, amount, budget):
        self.amount, self.budget = amount, budget

    def act(self, view, observation):
        return self.amount if view.endowment == self.budget else -1


def test_a_bidder_may_have_a_rank_in_one_setting_alone():
    records = [
        play("english", scenario, ["rule", Sends(10**6, 20_000), "value"], (0, seed), index=seed)
        for seed, scenario in enumerate(["standard-20k-random", "standard-40k-random"] * 2)
    ]
    rows = standings_by_setting(records)
    pooled = next(row for row in rows if row["bidder"] == "Sends")
    assert pooled["rank"] is not None
    settings = dict(rows_by_setting(rows, "english"))
    poor, rich = settings["standard-20k-random"], settings["standard-40k-random"]
    assert (poor[-1]["bidder"], poor[-1]["rank"]) == ("Sends", None)
    assert all(row["rank"] is not None for row in rich)


def test_the_meta_game_is_that_of_ranked_bidders():
    lineups = [("rule",) * 3, ("rule", "rule", "value"), ("rule", "value", "value"), ("value",) * 3]
    records = [
        play("english", "standard-20k-random", lineup, (0, seed), index=seed)
        for seed, lineup in enumerate([*lineups, ("rule", Sends(10**6, 20_000), "value")])
    ]
    rows = standings(records)
    add_meta_game(rows, records)
    assert [row["bidder"] for row in rows if "meta" not in row] == ["Sends"]
    assert sum(row["meta"]["alpha_rank"] for row in rows if "meta" in row) == pytest.approx(1, abs=1e-5)
    alone = standings(records[-1:])
    for row in alone:
        row["rank"] = None
    add_meta_game(alone, records)
    assert not any("meta" in row for row in alone)


class Renamed(Loopback):
    """A server that is another model after some calls."""

    after = 5
    answered = 0

    def completion(self, body, **changed):
        self.answered += 1
        name = body["model"] if self.answered <= self.after else "cheap\x1b[2J|model"
        return {**super().completion(body, **changed), "model": name}


def test_a_model_that_changes_is_named_everywhere(tmp_path, capsys):
    out = tmp_path / "out"
    with Renamed() as server:
        gpt = f"gpt=llm:openai:gpt-x,base_url={server.url}"
        command(
            "leaderboard",
            "--bidder",
            gpt,
            *["--bidder", "rule", "--bidder", "value", "--games", "3", "--set", "num_items=2", "--out"],
            out,
        )
    printed = capsys.readouterr()
    calls = read_calls(out)
    others = len(calls) - Renamed.after
    assert others > Renamed.after
    shown = f"{others} by cheap\\x1b[2J|model and {Renamed.after} by gpt-x."
    note = f"{len(calls)} calls of gpt-x were answered by 2 models: {shown}"
    assert note in printed.err
    assert f"gpt: {note}" in printed.out
    assert f"gpt: {note}" in (out / "table.md").read_text()
    rows = {row["bidder"]: row for row in json.loads((out / "table.json").read_text())}
    answers = {"gpt-x": {r"cheap\x1b[2J|model": others, "gpt-x": Renamed.after}}
    assert rows["gpt"]["answered_by"] == answers
    assert "answered_by" not in rows["rule"]
    summary = page_of(out)
    assert ["changed models", note] in summary["facts"]
    assert any(f"gpt: {note}" in table["note"] for table in summary["tables"])
    capsys.readouterr()
    command("records", "table", out)
    assert note in capsys.readouterr().err
    redacted = json.dumps(page_of(out, "--redact"))
    assert "model 1" in redacted
    assert "gpt-x" not in redacted
    assert "cheap" not in redacted


def test_a_model_that_does_not_change_is_not_named(tmp_path, capsys):
    out = tmp_path / "out"
    with Renamed() as server:
        server.after = 10**6
        bidder = f"gpt=llm:openai:gpt-x,base_url={server.url}"
        command(
            "leaderboard",
            "--bidder",
            bidder,
            *["--bidder", "rule", "--bidder", "value", "--games", "3", "--set", "num_items=1", "--out"],
            out,
        )
    assert "answered by" not in "".join(capsys.readouterr())
    calls = read_calls(out)
    assert answered_by(calls) == {"gpt-x": {"gpt-x": len(calls)}}
    assert not list(notes_on_answers(answered_by(calls)))
    assert "answered_by" not in (out / "table.json").read_text()


def test_the_benchmark_ranks_bidders_of_equal_sets_of_games(tmp_path):
    (tmp_path / "mumbler.py").write_text(MUMBLER)
    names = ["naive", "random", "shade", "thirst", "salary", f"mumble=py:{tmp_path / 'mumbler.py'}:Mumbler"]
    plan = make_plan(names, 3, ("sealed_bid", "clock", "water_allocation"))
    reported = run(plan)
    by_games = {}
    for row in reported.rows:
        by_games.setdefault(tuple(row["games"]), []).append(row)
    assert [*by_games] == [
        ("sealed_bid", "clock", "water_allocation"), ("sealed_bid", "clock"), ("water_allocation",),
    ]  # fmt: skip
    for rows in by_games.values():
        ranked = [row for row in rows if row["rank"] is not None]
        assert ranked[0]["rank"] == 1
        assert [row["overall"] for row in ranked] == sorted((row["overall"] for row in ranked), reverse=True)
    mumble = by_games["sealed_bid", "clock", "water_allocation"][-1]
    assert mumble["bidder"] == "mumble"
    assert mumble["rank"] is None
    assert mumble["note"] == f"no legal decision in {mumble['decisions']:,}"
    assert mumble["replies_in_words"]
    headings = [line for line in reported.markdown.splitlines() if line.startswith("**")][:3]
    assert [heading.split(", ", 3)[-1].split(":")[0] for heading in headings] == [
        "sealed_bid, clock and water_allocation", "sealed_bid and clock", "water_allocation",
    ]  # fmt: skip
    assert f"mumble: {mumble['note']}." in reported.markdown
