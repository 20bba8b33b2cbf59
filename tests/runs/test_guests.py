"""Guests: bidders of users in processes of their own, which know their views and nothing else of a run."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from games import CASES

from aucenv.core.words.bidder_name import parse_bidder
from aucenv.policy import guests
from aucenv.policy.guests import IN_PROCESS, Guest, Guests
from aucenv.registration import FAMILIES
from aucenv.runs.play import Match, play
from aucenv.runs.run_options import RunOptions

ISOLATED = Guests(isolated=True)
SALTED = Guests("a secret", isolated=True)
GUESTS = '''
import os, sys, time

CALLS = 0
TEXT = ""


class Wrapped:
    """A built-in bidder."""

    def __init__(self, game, kind):
        import aucenv

        self.inner = aucenv.make_policy(game, kind)
        self.interface = self.inner.interface
        self.reset, self.act, self.close_game = self.inner.reset, self.inner.act, self.inner.close_game


class Base:
    interface = "amount"

    def reset(self, seat, seed):
        self.seat, self.seed = seat, seed
        self.notes = None

    def act(self, view, observation):
        return -1

    def close_game(self, view):
        return None


class Prints(Base):
    def act(self, view, observation):
        print("x" * 100_000, flush=True)
        os.write(1, b"y" * 100_000)
        os.write(2, b"z" * 100_000)
        return -1


class Forks(Base):
    def act(self, view, observation):
        if os.fork() == 0:
            time.sleep(600)
        return -1


class Exits(Base):
    def act(self, view, observation):
        os._exit(3)


class Leaves(Base):
    def act(self, view, observation):
        sys.exit(3)


class Hangs(Base):
    def act(self, view, observation):
        while True:
            pass


class Floods(Base):
    def act(self, view, observation):
        self.notes = {"long": "x" * 10_000_000}
        return -1


class Hoards(Base):
    def act(self, view, observation):
        return len(b"x" * (20 << 30))


class Writes(Base):
    def act(self, view, observation):
        with open("large", "wb") as file:
            for _ in range(100):
                file.write(b"x" * (1 << 20))
        return -1


class RaisesInReset(Base):
    def reset(self, seat, seed):
        raise RuntimeError("no \\x1b[2Jreset")


class Raises(Base):
    def act(self, view, observation):
        raise RuntimeError("x" * 5000)


class Odd(Base):
    def act(self, view, observation):
        return object()


class BadNotes(Base):
    def act(self, view, observation):
        self.notes = ["no", "dict"]
        return -1


class NoNumber(Base):
    def act(self, view, observation):
        return None


class BadEnd(Base):
    def close_game(self, view):
        return {"x": float("nan")}


class Changes(Base):
    def act(self, view, observation):
        view.row["budget"] = 10**9
        view.row["seat_key"] = 0
        return -1


class Vast(Base):
    def act(self, view, observation):
        return 10**5000


class Looks(Base):
    """Notes what it finds in its process."""

    def act(self, view, observation):
        global CALLS
        CALLS += 1
        frame, names = sys._getframe(), []
        while frame is not None:
            names += [type(value).__name__ for value in frame.f_locals.values()]
            frame = frame.f_back
        import gc

        kinds = {type(each).__name__ for each in gc.get_objects()}
        self.notes = {
            "frames": names,
            "kinds": sorted(kinds & {"Table", "RunningGame", "GameRecord", "Match", "CallJournal"}),
            "environ": sorted(os.environ),
            "argv": sys.argv,
            "folder": os.listdir("."),
            "calls": CALLS,
            "seed": self.seed,
            "row_key": int(view.row["seat_key"][0, view.seat_number]),
            "other_keys": int(view.row["seat_key"][0].sum()) - int(view.row["seat_key"][0, view.seat_number]),
            "key": int(view.row["key"][0]),
        }
        open("left", "w").close()
        return -1

    def close_game(self, view):
        return {"closed": view.status}
'''


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # bidders that play in this process write into the current folder


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("guests") / "my guests.py"
    path.write_text(GUESTS)
    return path


def one_game(bidder, options=ISOLATED, seed=0, rounds=3):
    return play(
        "english", "standard-20k-random", [bidder, "rule", "pace"], (0, seed), max_rounds=rounds, guests=options
    )


@pytest.mark.parametrize("game", FAMILIES)
def test_built_in_bidders_play_the_same_games_as_guests(game, file):
    family, rivals = FAMILIES[game], CASES[game].rivals
    scenario = family.game.load_scenario(family.game.default_scenario)
    seats = len(scenario.bidders)
    name = f"py:{file}:Wrapped,game={game},kind={parse_bidder(rivals[0]).kind}"
    lineup = [name, *(rivals[number % len(rivals)] for number in range(1, seats))]
    for salt in ("", "a secret"):
        apart, here = (
            [
                play(
                    game, scenario, lineup, (3, seed), max_rounds=CASES[game].max_rounds, guests=Guests(salt, isolated)
                )
                for seed in range(3)
            ]
            for isolated in (True, False)
        )
        assert [record.to_json() for record in apart] == [record.to_json() for record in here]
        assert apart[0].decisions


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("Exits", "item 0, round 0: its process has ended"),
        ("Leaves", "item 0, round 0: SystemExit: 3"),
        ("Hangs", "item 0, round 0: no answer within 1 seconds"),
        ("Floods", "item 0, round 0: expected an answer of at most 1,048,576 bytes, got 10,000,"),
        ("Hoards", "item 0, round 0: MemoryError"),
        ("Writes", "item 0, round 0: OSError: [Errno 27] File too large"),
        ("RaisesInReset", r"before the first round: RuntimeError: no \x1b[2Jreset"),
        ("Raises", "item 0, round 0: RuntimeError: xxx"),
        ("BadNotes", "item 0, round 0: notes: expected a dict, got ['no', 'dict']"),
        ("NoNumber", "item 0, round 0: "),
        ("Odd", "item 0, round 0: TypeError: expected a number or a text, got object"),
    ],
)
def test_a_guest_that_fails_withdraws_with_the_reason_and_the_game_continues(kind, reason, file, monkeypatch):
    monkeypatch.setattr(guests, "ANSWER_SECONDS", 1 if kind == "Hangs" else 60)
    record = one_game(f"py:{file}:{kind}")
    forfeited = record.seats[0]["notes"]["forfeited"]
    assert forfeited.startswith(reason)
    assert len(forfeited) < 400
    mine = [one["action"] for one in record.decisions if one["seat"] == "bidder_0"]
    assert mine
    assert set(mine) == {None}
    assert any(one["action"] is not None for one in record.decisions)
    again = one_game(f"py:{file}:Changes")  # the next guest is not affected
    assert "notes" not in again.seats[0]


def test_bad_notes_at_the_end_are_left_out_with_the_reason(file):
    record = one_game(f"py:{file}:BadEnd")
    assert record.seats[0]["notes"]["forfeited"].startswith("at the end: ")
    assert all(one["action"] is not None for one in record.decisions)


def test_failed_guests_leave_no_processes(file):
    name = f"py:{file}:NoNumber"
    for seed in range(4):
        one_game(name, seed=seed)
    assert guests.POOL._queue("english", name).qsize() == 1


@pytest.mark.parametrize("kind", ["Prints", "Changes", "Forks"])
def test_what_a_guest_prints_changes_and_starts_does_not_matter(kind, file, capfd):
    record = one_game(f"py:{file}:{kind}")
    assert record.to_json().replace(f":{kind}", "") == one_game(f"py:{file}:Base").to_json().replace(":Base", "")
    assert "".join(capfd.readouterr()) == ""


def test_a_number_of_thousands_of_digits_is_recorded_as_in_this_process(file):
    name = f"py:{file}:Vast"
    assert one_game(name).to_json() == one_game(name, IN_PROCESS).to_json()


def test_a_guest_finds_nothing_of_the_table_and_keeps_nothing(file, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-user-1234")
    records = [one_game(f"py:{file}:Looks", SALTED, seed) for seed in (0, 0, 1)]
    notes = [[one["notes"] for one in record.decisions if one["seat"] == "bidder_0"] for record in records]
    assert notes[0] == notes[1]  # a deal is played by a copy of the process that does not know it
    first = notes[0][0]
    assert first["calls"] == 1
    assert first["folder"] == []
    assert not {"Table", "RunningGame", "GameRecord", "Match"} & {*first["frames"], *first["kinds"]}
    set_by_packages = {"LC_CTYPE", "PYGAME_HIDE_SUPPORT_PROMPT", "SDL_AUDIODRIVER"}
    assert set(first["environ"]) <= {*guests.KEPT_VARIABLES, *set_by_packages}
    assert first["argv"] == [""]
    assert first["key"] == first["other_keys"] == 0
    assert records[0].seats[0]["notes"]["closed"] == "truncated"


def test_seeds_of_guests_follow_from_the_salt_alone(file):
    name = f"py:{file}:Looks"

    def seed(options, game):
        [first, *_] = [one["notes"] for one in one_game(name, options, game).decisions if one["seat"] == "bidder_0"]
        assert first["seed"] == first["row_key"]
        return first["seed"]

    unsalted = [seed(ISOLATED, game) for game in (0, 1)]
    salted = [seed(options, game) for options in (SALTED, Guests("another")) for game in (0, 1)]
    assert len({*unsalted, *salted}) == 6
    assert seed(Guests("a secret"), 0) == salted[0]
    assert one_game("rule", SALTED).to_json() == one_game("rule").to_json()


def test_guests_play_in_several_processes(file):
    matches = [
        Match("english", FAMILIES["english"].game.load_scenario("standard-20k-random"),
              (f"py:{file}:Wrapped,game=english,kind=rule", "rule", "pace"), (0, seed), seed, SALTED)
        for seed in range(12)
    ]  # fmt: skip
    records = {}
    for workers in (1, 2):
        executor = RunOptions(workers=workers).executor(matches)
        records[workers] = {record.index: record.to_json() for record in executor.play(matches, RunOptions().journal())}
    assert records[1] == records[2]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("class A: pass", "a Policy; A has no interface, reset, act, close_game"),
        ("import os; os._exit(0)", "its process has ended"),
        ("raise SystemExit(4)", "SystemExit: 4"),
        ("class A:\n    interface = 'amount'\n    reset = act = close_game = use_calls = print", "without use_calls"),
        ("import os\nos.write(3, b'\\x02\\0\\0\\0{}')\nclass A: pass", ""),
        ("class B: pass", "no such class; it defines B"),
    ],
)
def test_a_guest_that_cannot_be_loaded_is_an_error(code, message, tmp_path):
    path = tmp_path / "guest.py"
    path.write_text(code)
    with pytest.raises(ValueError, match=r"bidder .*guest\.py:A") as caught:
        Guest("english", f"py:{path}:A")
    assert message in str(caught.value)


def test_processes_of_guests_end_with_the_pool(file):
    process = guests.GuestProcess("english", f"py:{file}:Base")
    folder = Path(process._folder)
    assert folder.is_dir()
    process.end()
    assert not folder.exists()
    with pytest.raises(ProcessLookupError):
        os.killpg(process._process.pid, 0)


def test_the_salt_is_no_secret_of_a_record(file):
    record = one_game(f"py:{file}:Base", SALTED)
    assert "a secret" not in record.to_json()
    assert json.loads(record.to_json())["seed"] == [0, 0]
