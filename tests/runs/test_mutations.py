"""Every change of one field of a file is an error that names file, line and field, or changes nothing that is printed."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import sys
from collections import Counter

import pytest
from agent_games import SHORT, bidder
from competent_agent import Competent
from mutations import pattern, sample

from aucenv.baselines.llm.memory import Memory
from aucenv.cli import main
from aucenv.core.record import GameRecord
from aucenv.registration import find_family
from aucenv.runs.journal import CallJournal
from aucenv.runs.play import Match
from aucenv.runs.records import read_records, replay
from aucenv.runs.results import ResultsFolder
from aucenv.runs.token_prices import TokenPrices

AGENTS = {
    "english": "bdi",
    "harbor": "harbor",
    "sealed_bid": "plan-bid-reflect",
    "clock": "plan-bid-reflect",
    "water_allocation": "resident",
}
RIVALS = {"english": "rule", "harbor": "expact", "sealed_bid": "random", "clock": "random", "water_allocation": "random"}

ANY_TEXT = {
    "seats[].bidder",
    "seats[].notes.mistakes[].phase",
    "seats[].notes.mistakes[].kind",
    "seats[].notes.mistakes[].what",
    "decisions[].notes.mistakes[].phase",
    "decisions[].notes.mistakes[].kind",
    "decisions[].notes.mistakes[].what",
}
"""Texts of which every one is right: the names of policies, and what models did and said."""
SAID = re.compile(r"(seats\[\]|decisions\[\])\.notes(\..*)?|decisions\[\]\.attempts\[\]\.(action|refused).*")
"""What policies note and say in their words and numbers."""
CALLS_ANY = {"messages[].content", "model", "reply", "retries", "retries[]", "purpose", "messages", "messages[].role"}


def run(*arguments):
    """Run a command in this process, and return (exit code, what it prints, its errors)."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([str(argument) for argument in arguments])
            code = 0
        except SystemExit as exit_:
            code = exit_.code or 0
    return code, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Results folders by game, each with one game of an agent and two rule bidders, and with its model calls."""
    folders = {}
    for game, agent in AGENTS.items():
        folder = folders[game] = tmp_path_factory.mktemp(game)
        scenario = SHORT[game]
        with Competent() as server:
            journal = CallJournal(folder / "calls.jsonl")
            rivals = [RIVALS[game]] * (len(scenario.bidders) - 1)
            record = Match(game, scenario, (bidder(server, agent), *rivals), (3, 1), 7).play(journal)
            journal.close()
        (folder / "games.jsonl").write_text(record.to_json() + "\n")
    return folders


def check_error(code, printed, errors, place, context):
    """Assert that a command has failed with one line that names the place of a field."""
    assert code == 2, (context, code, errors)
    assert errors.count("\n") == 1, (context, errors)
    assert not printed, (context, printed)
    assert re.match(rf"aucenv: {place}: \S.*", errors), (context, errors)
    assert "Traceback" not in errors, (context, errors)


def outcome_of(path, line, commands, unchanged, place, context):
    """Write a line to a file and run commands; return "error", "same" or "other"."""
    path.write_text(line + "\n")
    results = set()
    for command in commands:
        code, printed, errors = run(*command)
        if code:
            check_error(code, printed, errors, place, (*context, command[1]))
            results.add("error")
        else:
            results.add("same" if printed == unchanged[command] else "other")
    return "other" if "other" in results else "same" if "same" in results else "error"


@pytest.mark.parametrize("game", AGENTS)
@pytest.mark.parametrize("number", [25, pytest.param(280, marks=pytest.mark.slow)])
def test_a_changed_record_is_an_error_or_prints_the_same(recorded, tmp_path, game, number):
    folder = tmp_path / "results"
    shutil.copytree(recorded[game], folder)
    path = folder / "games.jsonl"
    data = json.loads(path.read_text())
    commands = [("records", command, folder) for command in ("list", "figures")] + [("records", "show", folder, 7)]
    unchanged = {}
    for command in commands:
        code, unchanged[command], errors = run(*command)
        assert code == 0, errors
    counts = Counter()
    for field, kind, line in sample(data, number, 1):
        name, context = pattern(field), (pattern(field), kind)
        result = outcome_of(path, line, commands, unchanged, r".*games\.jsonl:1", context)
        if result == "other":
            said = name in ANY_TEXT or SAID.fullmatch(name)
            result = "said" if said else "replayed"
            if not said:
                with pytest.raises(ValueError, match=r"games.jsonl:1: \S+: ") as error:
                    replay(next(read_records(folder)), "games.jsonl:1")
                assert "\n" not in str(error.value), context
        counts[result] += 1
    print(game, dict(counts), file=sys.stderr)
    assert counts["error"] > 0.6 * counts.total(), counts
