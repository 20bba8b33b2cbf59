"""Files of JSON lines with a torn end are read and resumed without it; other damage names the command that repairs."""

from __future__ import annotations

import json
import shlex
import shutil
import warnings
from itertools import pairwise
from pathlib import Path

import pytest
from first_hour.lines import GOOD, exit_status

from aucenv.core.formats.raw_lines import is_beginning
from aucenv.core.notices import Notice

RUNS = ("run", "more", "part1", "part2", "harbor", "study")


def folders_of(line: str) -> list[str]:
    """Return the folders of runs that a line names."""
    words = shlex.split(line)
    named = [word.partition("/")[0] for before, word in pairwise(words) if before != "--game"]
    return [word for word in dict.fromkeys(named) if word in RUNS]


def run(line: str) -> tuple[int, list[str]]:
    """Run a command line, and return its exit status and its notices."""
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always", Notice)
        status = exit_status(line)
    return status, [str(each.message) for each in shown if isinstance(each.message, Notice)]


LINES = [line for line, _ in GOOD if folders_of(line) and not line.startswith(("records show", "records picture"))]
"""The lines that read a run to its end; `records show` and `records picture` end with the game that they show."""
TAILS = {
    "torn": b"",
    "a line break": b"\n",
    "empty lines": b"\n\r\n \n\n",
    "zeros": b"\0" * 700,
    "a line of zeros": b"\n" + b"\0" * 700,
    "zeros and a line break": b"\0" * 700 + b"\n",
}
"""What follows a torn line."""


def tear(path: Path, tail: bytes, share: float = 0.5) -> int:
    """Cut off the last line of a file, and return its number."""
    *lines, last = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines) + last[: round(len(last) * share)] + tail)
    return len(lines) + 1


@pytest.mark.parametrize("line", LINES)
def test_every_command_reads_a_run_whose_last_line_is_torn(line, folder, capsys):
    consequence = ", and its game is played again" if line.startswith("leaderboard") else ""
    named = []
    for name in folders_of(line):
        number = tear(folder / name / "games.jsonl", TAILS["zeros and a line break"])
        named.append(f"{name}/games.jsonl:{number}: cut off; dropped{consequence}")
    status, notices = run(line)
    assert (status, sorted({*notices} & {*named})) == (0, sorted(named))
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(("tail", "share"), [("torn", 0.01), ("torn", 0.999), *((tail, 0.5) for tail in TAILS)])
def test_a_torn_game_is_played_again(tail, share, folder):
    games = folder / "run" / "games.jsonl"
    whole = games.read_bytes()
    number = tear(games, TAILS[tail], share)
    named = f"run/games.jsonl:{number}: cut off; dropped, and its game is played again"
    assert run("leaderboard --games 15 --out run") == (0, [named])
    assert games.read_bytes() == whole


FILES = {
    "states/train.jsonl": "rlact judge states/train.jsonl --judge simulator,samples=2 --out judged.jsonl",
    "states/train-judged.jsonl": "rlact judge states/train-judged.jsonl --judge simulator,samples=2",
    "replies.jsonl": "rlact judge states/train.jsonl --replies replies.jsonl --judge simulator,samples=2",
    "called/calls.jsonl": "records show called",
    "deals.jsonl": "benchmark --bidder naive --game clock --deals deals.jsonl --dry-run",
}
"""Another file of JSON lines -> a command that reads it."""


@pytest.fixture(scope="module")
def others(tmp_path_factory):
    """A folder with the files of FILES."""
    folder = tmp_path_factory.mktemp("others")
    script = "--bidder s=llm:scripted --bidder rule --bidder value --set num_items=1 --games 3 --out called"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for line in (
            "rlact states --states 40 --out states",
            "rlact judge states/train.jsonl states/validation.jsonl --judge simulator,samples=8",
            f"leaderboard {script}",
            "benchmark draw-deals --game clock --games 3 --out deals.jsonl",
        ):
            assert exit_status(line) == 0, line
    states = [json.loads(line) for line in (folder / "states" / "train.jsonl").read_text().splitlines()]
    replies = [{"id": state["id"], "reply": "I bid."} for state in states[:4]]
    (folder / "replies.jsonl").write_text("".join(f"{json.dumps(reply)}\n" for reply in replies))
    return folder


@pytest.mark.parametrize("tail", ["torn", "a line of zeros"])
@pytest.mark.parametrize("file", FILES)
def test_any_file_of_lines_is_read_without_its_torn_line(file, tail, others, tmp_path, monkeypatch):
    shutil.copytree(others, tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    number = tear(Path(file), TAILS[tail])
    is_written = tail == "torn" and file.endswith("calls.jsonl")  # another process may be about to end the line
    assert run(FILES[file]) == (0, [] if is_written else [f"{file}:{number}: cut off; dropped"])


DAMAGES = {
    "a torn line before others": lambda line: line[:200],
    "zeros in a line": lambda line: line[:100] + b"\0" * 50 + line[150:],
    "zeros for a line": lambda line: b"\0" * len(line),
    "other bytes": lambda line: line[:100] + b"\xff\xfe" + line[102:],
    "a value of another type": lambda line: line.replace(b'"index":', b'"index":"x",'),
    "no line break": lambda line: line[:500] + b"\0" * 512,
}


READ = ("replay run", "leaderboard --games 15 --out run", "report run")


@pytest.mark.parametrize(
    ("line", "damage"),
    [*(("records table run", damage) for damage in DAMAGES), *((line, "zeros in a line") for line in READ)],
)
def test_damage_elsewhere_names_the_command_that_keeps_all_other_games(line, damage, folder, capsys):
    games = folder / "run" / "games.jsonl"
    whole = games.read_bytes()
    lines = whole.splitlines(keepends=True)
    ending = b"" if damage == "no line break" else b"\n"
    games.write_bytes(b"".join([*lines[:6], DAMAGES[damage](lines[6].rstrip(b"\n")) + ending, *lines[7:]]))
    before = {path.name: path.read_bytes() for path in (folder / "run").iterdir()}
    assert exit_status(line) in (1, 2)
    err = capsys.readouterr().err
    assert "run/games.jsonl:7: " in err
    [command] = [part.strip() for part in err.split("run: ")[1:] if part.startswith("aucenv records repair")]
    repair = command.removeprefix("aucenv ").replace("NEW", "new")
    assert exit_status(repair) == 0
    assert "14 games and 0 model calls in new\n" in capsys.readouterr().out
    assert (folder / "new" / "games.jsonl").read_bytes() == b"".join([*lines[:6], *lines[7:]])
    assert {path.name: path.read_bytes() for path in (folder / "run").iterdir()} == before
    assert exit_status(repair) == 2
    assert "new: expected a new folder, but it exists" in capsys.readouterr().err
    assert exit_status("leaderboard --games 15 --out new") == 0
    assert (folder / "new" / "games.jsonl").read_bytes() == whole


@pytest.mark.parametrize("line", [line for line in LINES if "15/15" not in dict(GOOD)[line]])
def test_every_command_accepts_a_repaired_run(line, folder, capsys):
    for name in folders_of(line):
        games = folder / name / "games.jsonl"
        first, *rest = games.read_bytes().splitlines(keepends=True)
        games.write_bytes(b"".join([*rest[:1], first[:50] + b"\n", *rest[1:]]))
        assert exit_status(f"records repair {name} --out repaired") == 0
        shutil.rmtree(folder / name)
        (folder / "repaired").rename(folder / name)
    assert exit_status(line) == 0
    assert "Traceback" not in capsys.readouterr().err


def test_a_run_without_damage_is_copied(folder, capsys):
    assert exit_status("records repair run --out new") == 0
    assert "15 games and 0 model calls in new\n" in capsys.readouterr().out
    assert {path.name: path.read_bytes() for path in (folder / "run").iterdir()} == {
        path.name: path.read_bytes() for path in (folder / "new").iterdir()
    }


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("records repair nope --out new", "nope/run.json"),
        ("records repair run/games.jsonl --out new", "run/games.jsonl"),
        ("records repair run --out run/new", "run/new: expected a folder outside of run"),
        ("records repair run --out run", "run: expected a new folder, but it exists"),
        ("records repair run", "--out"),
    ],
)
def test_what_is_no_run_is_not_repaired(line, problem, folder, capsys):
    before = sorted(folder.rglob("*"))
    assert exit_status(line) == 2
    assert problem in capsys.readouterr().err
    assert sorted(folder.rglob("*")) == before


def test_the_calls_of_other_seats_are_kept(others, tmp_path, monkeypatch, capsys):
    shutil.copytree(others, tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    calls = Path("called/calls.jsonl")
    lines = calls.read_bytes().splitlines(keepends=True)
    game = json.loads(lines[2])["game"]
    calls.write_bytes(b"".join([*lines[:2], lines[2][:120] + b"\n", *lines[3:]]))
    kept = lines[:2]
    kept += [line for line in lines[3:] if json.loads(line)["game"] != game or not json.loads(line)["same"]]
    assert exit_status("records show called") == 2
    assert "aucenv records repair called --out NEW" in capsys.readouterr().err
    assert exit_status("records repair called --out new") == 0
    assert f"3 games and {len(kept)} model calls in new\n" in capsys.readouterr().out
    assert Path("new/calls.jsonl").read_bytes() == b"".join(kept)
    assert Path("new/run.json").read_bytes() == Path("called/run.json").read_bytes()
    for line in ("records show new", "records table new", "report new"):
        assert exit_status(line) == 0


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize(
    "value", [{"a": 'é😀"\\q\n\x01', "b": [1, -2.5e-7, True, False, None, {"c": {}}], "d": -3}, [1.5, "x"]]
)
def test_every_beginning_of_a_line_is_torn(value, ascii_only):
    raw = json.dumps(value, ensure_ascii=ascii_only).encode()
    assert all(is_beginning(raw[:length] + tail) for length in range(1, len(raw)) for tail in TAILS.values())
    for other in (
        raw,
        b"\xff\xfe",
        b"xyz",
        raw + b"}",
        b'{"a": }',
        b'{"a" 1}',
        b"{'a': 1}",
        b'{"a": tru}',
        b'{"a":01}',
    ):
        assert not is_beginning(other)
