"""Tables on terminals of several widths: no name and no figure is cut."""

from __future__ import annotations

import os
import pty
import struct
import subprocess
import sys
import termios
from fcntl import ioctl
from pathlib import Path

import pytest
from run_command import command

from aucenv.commands.console import tables
from aucenv.commands.console.tables import print_tables
from aucenv.core.records.figures import TextTable
from aucenv.registration import FAMILIES

AUCENV = Path(sys.executable).with_name("aucenv")
STUDIES = ("alympics/curse", "alympics/settings", "harbor/2", "harbor/4", "labs/revenue")
LISTINGS = ("envs", "bidders")
"""The commands whose tables depend on the width."""
COMMANDS = (
    *(f"records table {game}" for game in FAMILIES),
    *(f"records figures {game}" for game in FAMILIES),
    *(f"study {study} --from-records {study.replace('/', '-')}" for study in STUDIES),
    "records compare english english",
    "rlact audit harbor",
    "studies",
    *LISTINGS,
)


def run(command_line: str) -> None:
    assert not command(*command_line.split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for game in FAMILIES:
            items = "" if game in ("english", "sealed_bid", "clock") else " --set num_items=3"
            run(f"leaderboard --game {game} --games 15 --out {game}{items}")
        for study in STUDIES:
            run(f"study {study} --games 1 --out {study.replace('/', '-')}")
    return folder


def cells(text: str) -> set[str]:
    return {cell.strip() for line in text.split("\n") if "│" in line for cell in line.strip("│").split("│")}


@pytest.mark.parametrize("command", COMMANDS)
def test_tables_fit_and_cut_nothing(command, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    printed, print_table = [], tables._print_table
    monkeypatch.setattr(tables, "_print_table", lambda table, *rest: printed.append(table) or print_table(table, *rest))
    run(command)
    full = capsys.readouterr().out
    assert "…" not in full
    assert "--wide" not in full
    again = [*printed]
    for width in (60, 80, 120):
        monkeypatch.setattr("aucenv.commands.console.tables.terminal_width", lambda stream, width=width: width)
        monkeypatch.setattr("aucenv.commands.listings.terminal_width", lambda stream, width=width: width)
        if width == 60 or command in LISTINGS:
            run(command)
        else:
            print_tables(again)
        shown = capsys.readouterr().out
        assert max(map(len, shown.split("\n"))) <= width
        assert "…" not in shown
        if not command.startswith(("studies", "study", "records compare")):  # their sentences wrap
            assert cells(shown) <= cells(full)


@pytest.mark.parametrize("width", [60, 80])
def test_the_default_leaderboard_shows_these_columns(width, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("aucenv.commands.console.tables.terminal_width", lambda stream: width)
    run("records table english")
    first = capsys.readouterr().out.split("└")[0]
    for word in ("rank", "bidder", "rating", "profit", "ratio"):
        assert word in first
    assert ("failed" in first) == (width == 80)


def test_wide_tables_have_all_columns_on_a_narrow_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run("leaderboard --games 3 --set num_items=1 --bidder rule --bidder value --bidder pace --out run")
    everything = capsys.readouterr().out
    monkeypatch.setattr("aucenv.commands.console.tables.terminal_width", lambda stream: 60)
    for line in (
        "records table run",
        "leaderboard --games 3 --set num_items=1 --bidder rule --bidder value --bidder pace",
    ):
        run(line)
        assert "60 columns are too few for: " in " ".join(capsys.readouterr().out.split())
        run(f"{line} --wide")
        shown = capsys.readouterr().out
        assert "columns are too few" not in " ".join(shown.split())
        assert cells(shown) == cells(everything)


def narrow(table: TextTable, width: int, monkeypatch, capsys) -> str:
    monkeypatch.setattr("aucenv.commands.console.tables.terminal_width", lambda stream: width)
    print_tables([table])
    return capsys.readouterr().out


TABLE = TextTable("a title", ("bidder", "games", "mean profit, $", "share"), [["x" * 30, "12", "1,234 ±56", "7%"]])


def test_columns_are_left_out_only_if_headings_cannot_wrap(monkeypatch, capsys):
    assert "┃ mean profit, $ ┃" in narrow(TABLE, 80, monkeypatch, capsys)
    assert "profit, $" in narrow(TABLE, 63, monkeypatch, capsys)
    shown = narrow(TABLE, 55, monkeypatch, capsys)
    assert "games" not in shown.split("└")[0]
    assert "55 columns are too few for: games." in " ".join(shown.split())


def test_names_and_two_columns_stay_on_the_narrowest_terminal(monkeypatch, capsys):
    shown = narrow(TABLE, 20, monkeypatch, capsys)
    assert "x" * 30 in shown
    assert "1,234 ±56" in shown


WORDS = TextTable(
    "a title",
    ("bidder", "profit", "items", "failed bids", "unreadable", "games"),
    [["x" * 20, "1,234", "1.50", "-", "100.0%", "12"]],
    '"-" under "failed bids": this is the footnote of the table.',
)


def test_failed_bids_and_unreadable_replies_are_left_out_last(monkeypatch, capsys):
    for width, left_out in ((63, ["games"]), (55, ["items", "games"]), (46, ["profit", "items", "games"])):
        table = narrow(WORDS, width, monkeypatch, capsys).split("└")[0]
        assert [word for word in ("profit", "items", "failed", "unreadable", "games") if word not in table] == left_out
    without = TextTable("a title", (*WORDS.headings[:4], "games"), [[*WORDS.lines[0][:4], "12"]])
    assert "failed" not in narrow(without, 43, monkeypatch, capsys).split("└")[0]


def test_a_footnote_stands_below_its_table_and_wraps(monkeypatch, capsys):
    print_tables([WORDS, TABLE])
    lines = capsys.readouterr().out.split("\n")
    assert lines.index(WORDS.note) == next(number for number, line in enumerate(lines) if "└" in line) + 1
    shown = narrow(WORDS, 40, monkeypatch, capsys)
    assert WORDS.note not in shown
    assert WORDS.note in " ".join(shown.split())


def test_text_is_left_and_figures_are_right():
    left, right = tables._Column("study", ["a", "bbb"]), tables._Column("share", ["1.5%", "-"])
    assert (left.is_figure, right.is_figure) == (False, True)
    assert not tables._Column("bidder", ["1", "2"]).is_figure
    for cell in ("-1,234 ±56", "0.00% (0 of 268)", "+1.20", "$12.5", "3.20 ±0.10", "unknown", "1e-05"):
        assert tables._Column("x", [cell]).is_figure, cell
    for cell in ("20k-random", "[0, 10) or", "3 of them", "rule", "standard-20k"):
        assert not tables._Column("x", [cell]).is_figure, cell


def test_text_from_outside_cannot_affect_the_terminal(monkeypatch, capsys):
    shown = narrow(TextTable("t\x1b[2J", ("a\x07",), [["b\x1b]0;x\x07\u202e"]]), 80, monkeypatch, capsys)
    assert not any(character in shown for character in "\x1b\x07\u202e")
    assert "\\x1b]0;x\\x07\\u202e" in shown


@pytest.mark.parametrize("columns", [60, 120])
def test_a_real_terminal_gets_its_width(columns, folder):
    master, slave = pty.openpty()
    ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"TERM": "xterm"}
    process = subprocess.Popen(
        [AUCENV, "records", "table", "english"], stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=environment
    )
    os.close(slave)
    shown = b""
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:  # the terminal is closed
            break
        if not data:
            break
        shown += data
    assert process.wait() == 0
    assert ("60 columns are too few for: " in shown.decode()) == (columns == 60)
