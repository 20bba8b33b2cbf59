"""Every change of one field of a file is an error that names file, line and field, or changes nothing that is printed."""

from __future__ import annotations

import contextlib
import io
import json
import re
import resource
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest
from agent_games import SHORT, bidder
from aucenv.baselines.llm.agents.memory import Memory
from competent_agent import Competent
from games import CASES
from mutations import pattern, sample

from aucenv.cli import main
from aucenv.envs.harbor.houses.house import fixed_houses
from aucenv.registration import find_family
from aucenv.runs.model_calls.journal import CallJournal
from aucenv.runs.model_calls.token_prices import TokenPrices
from aucenv.runs.play import Match
from aucenv.runs.records import read_records, replay
from aucenv.runs.results import ResultsFolder

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
ANY_TEXT = {
    "scenario.name",
    "scenario.items[].description",
    "seats[].bidder",
    "seats[].notes.mistakes[].phase",
    "seats[].notes.mistakes[].kind",
    "seats[].notes.mistakes[].what",
    "decisions[].notes.mistakes[].phase",
    "decisions[].notes.mistakes[].kind",
    "decisions[].notes.mistakes[].what",
}
"""Texts of which every one is right: labels, and what models did."""
UNNEEDED = {"scenario.discount"}
"""Rules that make no difference to the recorded games, in which every item is sold; texts and files state them."""
SAID = re.compile(r"(seats\[\]|decisions\[\])\.notes(\..*)?|decisions\[\]\.attempts\[\]\.(action|refused).*")
"""What policies note and say in their words and numbers."""


def run(*arguments):
    """Run a command in this process, and return (exit code, what it prints, its errors)."""
    out, err = io.StringIO(), io.StringIO()
    if "--out" in arguments:
        Path(arguments[-1]).unlink(missing_ok=True)  # commands replace no file
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
    for game, case in CASES.items():
        folder = folders[game] = tmp_path_factory.mktemp(game)
        scenario = SHORT[game]
        with Competent() as server:
            journal = CallJournal(folder / "calls.jsonl")
            rivals = [case.rivals[-1]] * (len(scenario.bidders) - 1)
            record = Match(game, scenario, (bidder(server, case.agent), *rivals), (3, 1), 7).play(journal)
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


def error_of(read, prefix, context):
    """Return the message of the error of a reader, which is one line that begins with a place; None without an error."""
    try:
        read()
    except ValueError as error:
        message = str(error)
    else:
        return None
    assert message.startswith(prefix), (context, message)
    assert "\n" not in message, (context, message)
    return message


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


@pytest.mark.parametrize("game", CASES)
@pytest.mark.parametrize(("number", "each"), [(10, 2), pytest.param(280, 6, marks=pytest.mark.slow)])
def test_a_changed_record_is_an_error_or_prints_the_same(recorded, tmp_path, game, number, each):
    """Run commands with `number` changed records: `each` of the six with one record, in turn."""
    folder = tmp_path / "results"
    shutil.copytree(recorded[game], folder)
    path = folder / "games.jsonl"
    data = json.loads(path.read_text())
    commands = [("records", command, folder) for command in ("list", "figures", "table")]
    export = ("records", "export", folder, "--to", "inspect", "--out", tmp_path / "log.json")
    commands += [("records", "show", folder, 7), export, ("records", "compare", recorded[game], folder)]
    unchanged = {}
    for command in commands:
        code, unchanged[command], errors = run(*command)
        assert code == 0, errors
    counts = Counter()
    for place, (field, kind, line) in enumerate(sample(data, number, 1)):
        name, context = pattern(field), (pattern(field), kind)
        used = [commands[(place * each + next_) % len(commands)] for next_ in range(each)]
        if name == "seats[].bidder":  # runs without a common bidder are not compared
            used = [command for command in used if command[1] != "compare"]
        result = outcome_of(path, line, used, unchanged, r".*games\.jsonl:1", context)
        check_replay(folder, context)
        if result == "other":
            said = name in ANY_TEXT or SAID.fullmatch(name)
            result = "said" if said else "replayed"
            if not said:
                record = next(read_records(folder))
                error = error_of(lambda record=record: replay(record, "games.jsonl:1"), "games.jsonl:1: ", context)
                assert (error is None) == (name in UNNEEDED), context
        counts[result] += 1
    print(game, dict(counts), file=sys.stderr)
    assert counts["error"] > 0.6 * counts.total(), counts


def check_replay(folder, context):
    """Assert that a replay agrees, names a difference, or fails with one line that names the place of a field."""
    code, printed, errors = run("replay", folder)
    assert "Traceback" not in errors, (context, errors)
    if code == 2:
        check_error(code, printed, errors, r".*games\.jsonl:1", context)
    else:
        assert printed == f"{1 - code}/1 games agree\n", (context, printed)
        assert (code == 1) == ("first difference: game " in errors), (context, errors)


CALL_TEXTS = re.compile(
    r"messages\[\]\.(content|role)|reply|model|purpose|request|endpoint|retries.*|tokens_\w+|seconds|waited|"
    r"cost|reported_cost|reasoning"
)
"""Fields of a call in which any text is right, roles of messages, and numbers that only the endpoint knew."""


@pytest.mark.parametrize("number", [40, pytest.param(400, marks=pytest.mark.slow)])
def test_a_changed_call_is_an_error_or_prints_the_same(recorded, tmp_path, number):
    folder = tmp_path / "results"
    shutil.copytree(recorded["english"], folder)
    path = folder / "calls.jsonl"
    first, *rest = path.read_text().splitlines()
    command = ("records", "show", folder, 7)
    code, unchanged, errors = run(*command)
    assert code == 0, errors
    counts = Counter()
    for field, kind, line in sample(json.loads(first), number, 2):
        name = pattern(field)
        path.write_text("\n".join([line, *rest]) + "\n")
        code, printed, errors = run(*command)
        if code:
            check_error(code, printed, errors, r".*calls\.jsonl(:\d+|)", (name, kind))
            counts["error"] += 1
        elif printed == unchanged:
            counts["same"] += 1
        else:
            assert CALL_TEXTS.fullmatch(name), (name, kind)
            counts["said"] += 1
    print("calls", dict(counts), file=sys.stderr)


RUN_NOT_READ = re.compile(r"versions(\.(?!aucenv).*)?|host|started|finished|models.*")
"""Fields of run.json that no command reads: they say where and when a run was."""


@pytest.mark.parametrize("number", [20, pytest.param(300, marks=pytest.mark.slow)])
def test_a_changed_run_file_is_an_error_or_not_read(recorded, tmp_path, number):
    settings = {"game": "english", "bidders": ["rule", "value"], "games": 1, "seed": 0, "budget": None}
    folder = tmp_path / "results"
    ResultsFolder(folder, settings).close()
    shutil.copy(recorded["english"] / "games.jsonl", folder)
    path = folder / "run.json"
    data = json.loads(path.read_text()) | {"models": {"gpt": {"calls": 3}}}
    counts = Counter()
    for field, kind, line in sample(data, number, 3):
        path.write_text(line)
        error = error_of(lambda: ResultsFolder(folder, settings).close(), str(folder), (field, kind))
        assert error is not None or RUN_NOT_READ.fullmatch(pattern(field)), (field, kind)
        counts["same" if error is None else "error"] += 1
        code, printed, errors = run("records", "table", folder)
        if code:
            check_error(code, printed, errors, r".*run\.json", (field, kind))
    print("run.json", dict(counts), file=sys.stderr)


HOUSES = [{**vars(house), "house": vars(house.house)} for house in fixed_houses("train")[:3]]


@pytest.mark.parametrize("game", CASES)
@pytest.mark.parametrize("number", [60, pytest.param(300, marks=pytest.mark.slow)])
def test_a_changed_scenario_file_is_an_error_or_another_scenario(tmp_path, game, number):
    load, path = find_family(game).game.load_scenario, tmp_path / "scenario.json"
    data = json.loads(json.dumps(SHORT[game].to_dict()))
    if game == "harbor":
        data |= {"houses": HOUSES, "num_items": len(HOUSES), "matches": None}
    counts = Counter()
    for field, kind, line in sample(data, number, 4):
        path.write_text(line)
        error = error_of(lambda: load(str(path)), f"{path}:1: ", (field, kind))
        if error is None:  # a field may be omitted, or have this value, too
            assert load(str(path)) == load(json.loads(line)), (field, kind)
        counts["valid" if error is None else "error"] += 1
    print(game, dict(counts), file=sys.stderr)
    assert counts["error"] > 0.6 * counts.total(), counts


FILES = {
    "memory": (
        {"auctions": [{"auction": None, "after": 0, "name": "Alex", "lessons": ["a"], "rivals": {"Blair": "b"}}]},
        lambda path: Memory(path).recall(None),
    ),
    "prices": (
        {"gpt": {"input": 1.5, "output": 2}},
        lambda path: TokenPrices.read(path).of("x", "gpt"),
    ),
}


PREFIXES = {"memory": "memory {}: ", "prices": "{}:"}


@pytest.mark.parametrize("name", FILES)
def test_a_changed_file_of_an_agent_or_of_prices_is_an_error_or_has_other_values(tmp_path, name):
    data, read = FILES[name]
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps(data))
    read(path)
    counts = Counter()
    for field, kind, line in sample(data, 300, 5):
        path.write_text(line)
        error = error_of(lambda: read(path), PREFIXES[name].format(path), (field, kind))
        counts["valid" if error is None else "error"] += 1
    print(name, dict(counts), file=sys.stderr)
    assert counts["error"] > 0.6 * counts.total(), counts


def test_a_line_of_any_length_is_refused_in_constant_memory(tmp_path):
    path = tmp_path / "games.jsonl"
    with path.open("wb") as file:
        file.seek(300 << 20)  # sparse: 300 MiB of zeros without a line break
        file.write(b"x\n{}\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    code, printed, errors = run("records", "list", tmp_path)
    check_error(code, printed, errors, r".*games\.jsonl:1", "a long line")
    assert "64 MiB" in errors
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 200 << 10  # KiB


@pytest.mark.parametrize("name", ["a file", 'it\'s "quoted"', "new\nline"])
def test_errors_name_odd_paths_in_one_line(tmp_path, name):
    file = tmp_path / name
    file.write_text("{}\n")
    folder = tmp_path / f"{name} folder"
    (folder / "games.jsonl").mkdir(parents=True)
    for path in (file, folder, tmp_path / f"{name} missing", file / "below", "/proc/self/mem", "/proc"):
        code, _, errors = run("records", "list", path)
        assert code == 2, path
        assert errors.count("\n") == 1, errors
        assert errors.startswith("aucenv: "), errors
        assert str(path).replace("\n", "\\n").rpartition("/")[2].split("'")[0] in errors, errors
