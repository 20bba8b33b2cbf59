"""Cheats in the benchmark are impossible, caught by `verify`, or marked."""

from __future__ import annotations

import dataclasses
import json

import pytest
from aucenv.benchmarks.benchmark.private_deals import PrivateDeals, compute_references, deals_by_table, write_references
from aucenv.benchmarks.benchmark.references import References, suite_references
from aucenv.benchmarks.benchmark.run import make_plan, run
from aucenv.benchmarks.benchmark.suite import load_suite
from aucenv.benchmarks.benchmark.verify import verify

from aucenv.cli import main
from aucenv.policy.guests import Guests
from aucenv.runs.play import play
from aucenv.runs.records import read_records

GUESTS = '''
import sys

import numpy as np


class Honest:
    interface = "amount"

    def reset(self, seat, seed):
        self.seed, self.notes = seed, None

    def act(self, view, observation):
        return self.bid(view)

    def bid(self, view):
        return (view.value or 0) // 2

    def close_game(self, view):
        return None


class ReadsFrames(Honest):
    """Looks for the rivals' bids on the stack, and for a table in memory."""

    def bid(self, view):
        import gc

        frame, states = sys._getframe(), []
        while frame is not None:
            states += [value for value in frame.f_locals.values() if hasattr(value, "state")]
            frame = frame.f_back
        states += [each for each in gc.get_objects() if type(each).__name__ in ("Table", "RunningGame")]
        self.notes = {"looted": len(states)}
        return super().bid(view)


class TriesSeeds(Honest):
    """Looks for the seed of the deal among those of the suite, by the key of its own seat."""

    def bid(self, view):
        from aucenv.core.kernel import game_key
        from aucenv.core.state import SEAT_KEY, subkey

        own = int(view.row["seat_key"][0, view.seat_number])
        tried = (int(subkey(game_key((seed, n)), SEAT_KEY, view.seat_number)) for seed in SEEDS for n in range(20))
        self.notes = {"seeds": sum(key in (own, self.seed) for key in tried)}
        return super().bid(view)


class Patches(Honest):
    """Replaces the rivals' policies, the rules and the random numbers of its process."""

    def reset(self, seat, seed):
        super().reset(seat, seed)
        from aucenv.core.play.table import Table
        from aucenv.policy import registry

        registry.make_policy = Table.submit = np.random.SeedSequence = lambda *_, **__: None


class Remembers(Honest):
    """Writes down what it has seen of a deal in one seat, for the next seat."""

    seen = []

    def bid(self, view):
        self.notes = {"known": len(self.seen)}
        self.seen.append(view.value)
        return super().bid(view)


class LooksUp(Honest):
    """Looks its first values up in a table of the suite's public deals."""

    def reset(self, seat, seed):
        super().reset(seat, seed)
        self.values = {}

    def bid(self, view):
        self.values.setdefault(view.item_number, view.value)
        first = [self.values[number] for number in sorted(self.values)[:3]]
        self.notes = {"listed": first in LISTED}
        return super().bid(view)


class Knows(Honest):
    cheats = True
'''
GAMES = ("sealed_bid",)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("cheats") / "cheats.py"
    seeds = [table.seed for table in load_suite().tables["sealed_bid"]]
    path.write_text(GUESTS.replace("SEEDS", repr(seeds)).replace("LISTED", repr(public_values("clock", 2))))
    return path


def public_values(game, rounds):
    """Return the first three values of each seat in the public deals of a game."""
    plan = make_plan(["random"], rounds, (game,))
    deals = [play(e.match.game, e.match.scenario, e.match.bidders, e.match.seed) for e in plan.entries()]
    return [dealt["values"][:3] for record in deals for dealt in record.deal["seats"]]


def played(name, out=None, salt="salt", **options):
    plan = make_plan([name], 2, GAMES, guests=Guests(salt, isolated=True), **options)
    return plan, run(plan, out=out)


def notes_of(folder):
    return [one["notes"] for record in read_records(folder) for one in record.decisions if one["notes"]]


def scores(report):
    return [{**row, "bidder": ""} for row in report.rows]


@pytest.fixture(scope="module")
def honest(file):
    """The scores of a guest that tries nothing."""
    return scores(played(f"py:{file}:Honest")[1])


@pytest.mark.parametrize("kind", ["ReadsFrames", "TriesSeeds", "Patches"])
def test_what_a_guest_tries_in_its_process_is_no_help(kind, file, honest, tmp_path):
    tried = played(f"py:{file}:{kind}", tmp_path / "out")[1]
    assert scores(tried) == honest
    notes = notes_of(tmp_path / "out")
    assert bool(notes) == (kind != "Patches")
    assert all(not any(note.values()) for note in notes)
    assert [row["process"] for row in tried.rows] == ["isolated"]
    assert "| isolated |" in tried.markdown
    assert verify(tmp_path / "out").problems == ()


def test_without_a_salt_a_guest_can_guess_the_seed_of_a_public_deal(file, tmp_path):
    _, report = played(f"py:{file}:TriesSeeds", tmp_path / "out", salt="")
    assert report.rows
    assert all(note["seeds"] for note in notes_of(tmp_path / "out"))


def test_a_guest_knows_nothing_of_a_deal_from_another_seat(file, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(SystemExit) as exit_status:
        main(["leaderboard", "--game", "sealed_bid", "--set", "num_items=3", "--isolate", "--games", "6", "--out", str(out),
              "--bidder", f"r=py:{file}:Remembers", "--bidder", "naive", "--bidder", "shade"])  # fmt: skip
    assert not exit_status.value.code
    known = [note["known"] for note in notes_of(out)]
    assert max(known) < 6  # it played two deals in three seats each, and knows at most the other deal and its own


def test_a_bidder_that_cheats_is_refused_or_marked(file, tmp_path):
    with pytest.raises(ValueError, match="but it cheats; --allow-cheats admits it"):
        played(f"py:{file}:Knows")
    _, report = played(f"py:{file}:Knows", tmp_path / "out", allow_cheats=True)
    [row] = report.rows
    assert row["cheats"]
    assert "cheats: it knows what is hidden." in report.markdown
    saved = json.loads((tmp_path / "out" / "run.json").read_text())
    assert saved["settings"]["allow_cheats"]
    assert saved["cheats"] == [row["bidder"]]
    [first, *_] = read_records(tmp_path / "out")
    assert any(player.get("notes", {}).get("cheats") for player in first.seats)
    with pytest.raises(ValueError, match="bidder 'oracle': expected one that knows only its views"):
        make_plan(["oracle"], 2, ("english",))


def private_deals(edit=lambda references: None, deals=3):
    """Return private deals, whose references may be edited."""
    suite = load_suite()
    tables = suite.tables["clock"]
    data = tuple(
        {"game": "clock", "table": table.name, "scenario": table.deal(0).scenario, "seed": [2**40 + n, 5]}
        for table in tables
        for n in range(deals)
    )
    computed = json.loads(json.dumps(compute_references(data, suite, suite_references()).data))
    edit(computed)
    references = References.of(computed, "references.json")
    return PrivateDeals("deals.jsonl", data, deals_by_table(data, suite), references)


def test_public_deals_can_be_looked_up_and_private_ones_cannot(file, tmp_path):
    for folder, private in (("public", None), ("private", private_deals())):
        guests = Guests("salt", isolated=True)
        plan = make_plan([f"py:{file}:LooksUp"], 2, ("clock",), private, guests=guests)
        run(plan, out=tmp_path / folder)
    assert any(note["listed"] for note in notes_of(tmp_path / "public"))
    assert not any(note["listed"] for note in notes_of(tmp_path / "private"))


def lower_scale(references):
    for table in references["tables"].values():
        table["one"] = [zero + (one - zero) / 2 for zero, one in zip(table["zero"], table["one"], strict=True)]


def another_reference(references):
    next(iter(references["tables"].values()))["reference"] = "random"


@pytest.mark.parametrize(
    ("edit", "message"),
    [(lower_scale, ".one["), (another_reference, ".reference: expected '"), (lambda _: None, None)],
)
def test_edited_references_are_caught(edit, message, tmp_path, capsys):
    private = private_deals(edit)
    write_references(tmp_path / "out", private.references.data)
    run(make_plan(["naive"], 2, ("clock",), private), out=tmp_path / "out")
    for references in ("sample", "all"):
        with pytest.raises(SystemExit) as exit_status:
            main(["benchmark", "verify", str(tmp_path / "out"), "--references", references])
        assert exit_status.value.code == (0 if message is None else 1)
        printed = capsys.readouterr()
        assert message is None or "references.json: tables.clock/" in printed.err
        assert message is None or message in printed.err


def test_resumed_and_parallel_runs_of_a_guest_have_the_same_bytes(file, tmp_path):
    name = f"py:{file}:Honest"
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    played(name, whole, "a")
    lines = (whole / "games.jsonl").read_text().splitlines(keepends=True)
    plan, _ = played(name, parts, "a")
    (parts / "games.jsonl").write_text("".join(lines[:3]))
    run(plan, out=parts, resume=True)
    assert (parts / "games.jsonl").read_bytes() == (whole / "games.jsonl").read_bytes()
    assert (parts / "table.json").read_bytes() == (whole / "table.json").read_bytes()
    other = dataclasses.replace(plan, guests=Guests("b", isolated=True))
    with pytest.raises(ValueError, match="expected a new folder or one of this run"):
        run(other, out=parts)
