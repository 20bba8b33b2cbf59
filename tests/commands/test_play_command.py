"""`aucenv play`: people at a terminal, whose lines come from a pipe."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from aucenv.benchmarks.people import PeopleGames
from aucenv.benchmarks.rankings.settings import Settings
from games import CASES

from aucenv.commands.console.seat_terminal import answer_of, legal, play_in_terminal
from aucenv.core.boards.choices import amount, choice, choices_of, no_bid
from aucenv.registration import find_family
from aucenv.runs.records import read_records, replay
from aucenv.runs.run_options import RunOptions

COMMAND = "from aucenv.cli import main; main()"
AUCENV = Path(sys.executable).with_name("aucenv")
CHOICES = choices_of([choice("Bid $1,000", 1000.0), no_bid("Withdraw")], amount("Bid", 1000.0, 20_000.0, 0.01))


@pytest.fixture
def typed(forks, tmp_path):
    """Run the command with these lines, and return what it prints."""

    def run(lines, *arguments, status=0):
        words = ["play", "--out", tmp_path / "run", *arguments]
        done = forks.run(COMMAND, *map(str, words), folder=tmp_path, typed="".join(f"{line}\n" for line in lines))
        assert done.returncode == status, done.stderr
        return done.stdout, done.stderr

    return run


def test_the_installed_command_reads_lines_of_a_pipe(tmp_path):
    arguments = ["play", "--out", str(tmp_path / "run"), "--set", "num_items=1"]
    done = subprocess.run([AUCENV, *arguments], input="w\n" * 20, capture_output=True, text=True, check=True)
    assert "game over" in done.stdout
    assert len(list(read_records(tmp_path / "run"))) == 1


def test_a_person_plays_an_auction_and_resumes_it(typed, tmp_path):
    printed, errors = typed(["?", "", "b", "900", "$1,400", "hello", "I'm out!"], "--set", "num_items=2", status=130)
    for text in (
        "Items are sold one after another",
        "w: Withdraw",
        "$900 is below the least legal bid",
        "Your answer was not accepted",
        "? shows the rules",
        "budget left",
    ):
        assert text in printed, text
    assert "to resume, run: aucenv play --out" in errors
    assert re.search(r"all games so far and \d answers are kept in", errors), errors
    assert not list(read_records(tmp_path / "run"))
    printed, _ = typed(["w"] * 20, "--set", "num_items=2")
    assert "game over" in printed
    assert " game 1 of 1 " in printed
    assert f"every bid of a game: aucenv records show {tmp_path / 'run'} 0\n" in printed
    assert "The auction is over. Your profit:" in printed
    (record,) = read_records(tmp_path / "run")
    replay(record)
    first = [decision for decision in record.decisions if decision["seat"] == "bidder_0"]
    assert first[0]["action"].startswith("I bid $")
    assert any(attempt["action"] == "hello" for decision in first for attempt in decision["attempts"])
    assert "human" in printed


@pytest.mark.parametrize("game", [game for game in CASES if game != "english"])
def test_other_games_can_be_typed(game, typed, tmp_path):
    printed, _ = typed(["1", "b", "w", "?"] * 80, "--game", game, "--set", "num_items=2", "--seed", 3)
    (record,) = read_records(tmp_path / "run")
    replay(record)
    assert "your turn" in printed


def test_a_bidder_that_cannot_play_is_refused_before_anybody_sits_down(typed, tmp_path):
    seats = ["--bidder", "human:Ann", "--bidder", "human:Ben", "--bidder", "ppo"]
    _, errors = typed([], "--set", "num_items=3", *seats, status=2)
    assert "bidder 'ppo'" in errors
    assert "trained for" in errors
    assert not (tmp_path / "run").exists()


def test_a_name_that_is_no_bidder_may_be_a_person(typed):
    _, errors = typed([], "--bidder", "ann", "--bidder", "rule", status=2)
    assert "got 'ann'" in errors
    assert "; a person of this name is human:ann\n" in errors


def test_two_people_take_turns_at_one_terminal(typed):
    people = ["--bidder", "human:Ann", "--bidder", "human:Ben", "--bidder", "rule"]
    printed, _ = typed([""] + ["w", ""] * 40, "--set", "num_items=2", *people)
    assert "Ann, it is your turn. Press Enter when nobody else is looking." in printed
    assert "Ben: your turn" in printed


def test_names_with_escapes_reach_no_terminal_raw(typed):
    printed, _ = typed([""] + ["w", ""] * 40, "--set", "num_items=1", "--bidder", "human:\x1b[31mEve", "--bidder", "human:Ben", "--bidder", "rule")  # fmt: skip
    assert "\x1b[31m" not in printed
    assert "\\x1b[31mEve" in printed


class Interrupted(io.StringIO):
    """Lines in which Ctrl-C is pressed at some place."""

    def readline(self, *arguments):
        line = super().readline(*arguments)
        if line == "^C\n":
            raise KeyboardInterrupt
        return line


class Late(io.StringIO):
    """Lines of which some are typed late: `...` before a line stands for half a second for each dot."""

    def readline(self, *arguments):
        line = super().readline(*arguments)
        dots = len(line) - len(line.lstrip("."))
        time.sleep(dots / 2)
        return line[dots:]


def play_here(lines, out, kind=Interrupted, bidders=("human", "rule", "value"), games=1):
    games = PeopleGames(Settings(bidders=bidders, games=games, seed=1, changes=("num_items=1",)))
    return play_in_terminal(games, RunOptions(forfeit=True), out, kind(lines), lambda *progress: None)


def test_time_that_is_left_and_time_that_is_over_are_printed(tmp_path, capsys):
    play_here("900\n.....1500\n" + "w\n" * 20, tmp_path / "run", Late, ("human,seconds=1", "rule", "value"))
    printed = " ".join(capsys.readouterr().out.split())
    parts = [
        "Time left for this decision: 1 second; then you are asked again.",
        "You have 3 answers left; if none of them is accepted, you make no bid.",
        "Your time was over, and you are asked again. Time left for this decision: 1 second; then you make no bid.",
        "Your time is over: you make no bid. Press Enter to play on.",
        "Too late: your time for this decision was over, and you have made no bid.",
    ]
    places = [printed.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)
    assert [printed.count(part) for part in parts[2:]] == [1, 1, 1]
    (record,) = read_records(tmp_path / "run")
    assert any(decision["notes"] == {"timed_out": True} for decision in record.decisions)


@pytest.mark.parametrize("game", ["clock", "english", "sealed_bid", "water_allocation", "ebay"])
def test_amounts_that_are_another_decision_or_too_large_are_named_as_typed(game, tmp_path, capsys):
    huge = "10000000000000000000000000000"
    family = find_family(game)
    people = ("human", *CASES[game].rivals)
    games_ = PeopleGames(Settings(game=game, bidders=people, seed=1, changes=("num_items=1",)))
    lines = f"{huge}\n0\n" + "w\n" * 60
    play_in_terminal(games_, RunOptions(forfeit=True), tmp_path / "run", Interrupted(lines), lambda *progress: None)
    printed = " ".join(capsys.readouterr().out.split())
    assert f", not {huge}; ? shows the rules" in printed
    (record,) = read_records(tmp_path / "run")
    first = next(decision for decision in record.decisions if decision["seat"] == "bidder_0")
    actions = [first["action"], *(attempt["action"] for attempt in first["attempts"])]
    if game == "clock":
        assert "Type b: Stay at $0, w: Leave, an amount to leave at, from $1 to $" in printed
        assert ", or words, not 0; ? shows" in printed
        assert "I stay!" not in actions
    assert not any(huge in str(action) for action in actions)
    assert family.game.name == record.game


def test_the_last_refused_answer_says_that_it_was_the_last(tmp_path, capsys):
    play_here("900\n901\n902\n903\n" + "w\n" * 20, tmp_path / "run")
    printed = " ".join(capsys.readouterr().out.split())
    parts = [
        "$902 is below the least legal bid of $1,000. You have 1 answer left; if it is not accepted, you make no bid.",
        "Your answer was not accepted: $903 is below the least legal bid of $1,000. It was your last one: you make no bid.",
    ]
    assert [printed.count(part) for part in parts] == [1, 1]
    (record,) = read_records(tmp_path / "run")
    assert [len(decision["attempts"]) for decision in record.decisions if decision["attempts"]] == [4]


def test_without_a_limit_no_time_is_printed(tmp_path, capsys):
    play_here("w\n" * 20, tmp_path / "run")
    assert "Time" not in capsys.readouterr().out


def test_each_game_begins_with_the_name_and_the_seat(tmp_path, capsys):
    play_here("w\n" * 40, tmp_path / "run", games=2)
    printed = capsys.readouterr().out
    assert printed.count("Game 1 of 2: you are Alex, in seat 1 of 3.") == 1
    assert printed.count("Game 2 of 2: you are Casey, in seat 3 of 3.") == 1


@pytest.mark.parametrize("word", ["q", "quit", "QUIT"])
def test_help_and_quit_are_accepted_at_every_prompt(word, tmp_path, capsys):
    at_the_hand_over, at_the_bid = ["?", word, "?", ""], ["", word, "?", "nonsense", word]
    people = ("human:Ann", "human:Ben", "rule")
    with pytest.raises(KeyboardInterrupt):
        play_here("\n".join([*at_the_hand_over, *at_the_bid, ""]), tmp_path / "run", bidders=people)
    printed = " ".join(capsys.readouterr().out.split())
    assert printed.count("Press Enter when nobody else is looking. q asks whether to stop the run.") == 2
    assert printed.count("q: stop the run, ?: help, Enter: play on >") == 2 + 3
    assert printed.count("w: Withdraw, q: stop the run") == 3
    assert printed.count("Items are sold one after another.") == 2  # your turn, and the help
    assert not list(read_records(tmp_path / "run"))


def test_a_resumed_decision_is_shown_whole(tmp_path, capsys):
    for last in ("900\nq\nq\n", "q\nq\n"):
        with pytest.raises(KeyboardInterrupt):
            play_here(last, tmp_path / "run")
        printed = capsys.readouterr().out
        assert printed.count("Items are sold one after another.") == 1
        assert printed.count("Your answer was not accepted: $900 is below the least legal bid") == 1


def test_interrupts_ask_before_anything_happens(tmp_path, capsys):
    play_here("^C\n\n^C\nw\n" + "w\n" * 20, tmp_path / "withdrawn")
    assert "w: Withdraw, q: stop the run, ?: help, Enter: play on" in capsys.readouterr().out
    with pytest.raises(KeyboardInterrupt):
        play_here("^C\nq\n", tmp_path / "stopped")
    with pytest.raises(KeyboardInterrupt):
        play_here("^C\n^C\n", tmp_path / "stopped")
    assert not list(read_records(tmp_path / "stopped"))
    play_here("w\n" * 20, tmp_path / "stopped")
    assert len(list(read_records(tmp_path / "stopped"))) == 1


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", None),
        ("w", {"withdraw": True}),
        ("B", {"amount": 1000.0}),
        ("1500", {"amount": 1500.0}),
        ("$1,500.50", {"amount": 1500.5}),
        ("1500 €", {"amount": 1500.0}),
        ("-5", {"words": "-5"}),
        ("1e3", {"words": "1e3"}),
        ("I bid 1500", {"words": "I bid 1500"}),
    ],
)
def test_lines_are_letters_amounts_or_words(line, expected):
    answer = answer_of(line, "r", CHOICES)
    if expected is None:
        assert answer is None
    else:
        fields = {"amount": None, "withdraw": False, "words": ""} | expected
        assert {name: getattr(answer, name) for name in fields} == fields


def test_what_is_legal_is_one_line():
    assert legal(CHOICES) == "b: Bid $1,000, w: Withdraw, an amount to bid, from $1,000 to $20,000, or words"
    assert (
        legal(choices_of([no_bid("Abstain")], amount("Bid", 0, None, 1)))
        == "w: Abstain, an amount to bid, from $0, or words"
    )
