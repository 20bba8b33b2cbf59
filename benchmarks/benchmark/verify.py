"""Verify a submission: replay its games by the rules, the suite and the rivals, and compute its tables again."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from aucenv.benchmarks.benchmark.plan import Entry, Plan
from aucenv.benchmarks.benchmark.private_deals import REFERENCES_FILE
from aucenv.benchmarks.benchmark.references import best_bidder, compute, suite_references
from aucenv.benchmarks.benchmark.run import make_report
from aucenv.benchmarks.benchmark.saved_plan import read_plan
from aucenv.benchmarks.benchmark.submissions import (
    DIGITS,
    FORMAT,
    SUBMISSION_FILE,
    check_version,
    decision_digest,
    digest_of_text,
    file_digest,
    run_of,
    tested_decisions,
)
from aucenv.benchmarks.benchmark.user_suites import BEST_BIDDER
from aucenv.benchmarks.benchmark.verify_models import PlayedAgain

from aucenv.core.checks import excerpt
from aucenv.core.files import JsonObject, parse_object, read_all_lines, read_object, read_text
from aucenv.core.formats.differences import first_difference
from aucenv.core.progress import track
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import parse_bidder, public_name
from aucenv.policy.registry import make_policy, rule_bidders
from aucenv.runs.model_calls.journal import read_calls
from aucenv.runs.records import RecordReader, replay, retrace
from aucenv.runs.results import cheats_of, read_run


@dataclasses.dataclass(frozen=True)
class Verification:
    """The result of a verification.

    Attributes:
        plan: The plan of the run; None if it cannot be read.
        games: The number of games that were replayed.
        problems: A sentence for each problem, with its place.
        unproved: A sentence for each bidder whose decisions are not proved, or not completely.
    """

    plan: Plan | None
    games: int
    problems: tuple[str, ...]
    unproved: tuple[str, ...] = ()


def verify(folder: Path, all_references: bool = False) -> Verification:
    """Verify a submission.

    Args:
        folder: The folder of a finished run.
        all_references: Whether the references of all deals are computed again, and not those of a sample of each
            table. Those of the suite that aucenv includes come with it.

    Raises:
        OSError: The folder has no run.json, submission.json or games.jsonl.
    """
    for name in ("run.json", SUBMISSION_FILE, "games.jsonl"):
        if not (folder / name).is_file():
            raise FileNotFoundError(
                f"{folder}: expected the folder of a finished `aucenv benchmark --out`, but there is no {name}"
            )
    try:
        run = read_run(folder)
        check_version(run, folder)
        plan, problems = read_plan(run, folder)
        submission = FORMAT.check(read_object(folder / SUBMISSION_FILE), str(folder / SUBMISSION_FILE))
    except ValueError as error:
        return Verification(None, 0, (str(error),))
    problems += _head_problems(plan, run, submission, folder)
    try:
        calls = read_calls(folder)
    except ValueError as error:
        return Verification(plan, 0, (*problems, str(error)))
    again = PlayedAgain(plan, calls, run["settings"]["bidder_files"], folder)
    games = _Games(plan, submission, folder, again)
    problems += games.problems()
    if len(games.records) == len(games.entries):
        problems += _table_problems(plan, run, list(games.records.values()), folder)
    problems += reference_problems(plan, all_references, folder)
    for name, digest in submission["files"].items():
        if file_digest(folder / name) != digest:
            problems.append(f"{folder / name}: expected the file with the digest {digest:.12} of {SUBMISSION_FILE}")
    return Verification(plan, len(games.records), tuple(problems), tuple(again.unproved()))


def _head_problems(plan: Plan, run: JsonObject, submission: JsonObject, folder: Path) -> list[str]:
    """Return the problems of the fields of `submission.json` about the suite and the run."""
    settings = run["settings"]
    expected = {
        "suite": plan.suite.name,
        "suite_version": plan.suite.version,
        "suite_hash": plan.hash,
        "run": run_of(run),
    }
    differences = [first_difference(value, submission[name], name) for name, value in expected.items()]
    problems = [
        f"{folder / SUBMISSION_FILE}: {path}: expected {value}, as in run.json and the suite, got {got}"
        for path, value, got in filter(None, differences)
    ]
    if run["finished"] is None:
        problems.append(f"{folder / 'run.json'}: finished: expected a time, got null; finish the run with --resume")
    if settings["suite_hash"] != plan.hash:
        place = f"{folder / 'run.json'}: settings.suite_hash"
        problems.append(f"{place}: expected {plan.hash}, got {excerpt(settings['suite_hash'])}")
    return problems


class _Games:
    """The games of a submission.

    Attributes:
        entries: The games of the plan, by number.
        records: The records that could be read and belong to the plan, by number.
    """

    def __init__(self, plan: Plan, submission: JsonObject, folder: Path, again: PlayedAgain) -> None:
        self.entries = {entry.index: entry for entry in plan.entries()}
        self.records: dict[int, GameRecord] = {}
        self._submission = submission
        self._folder, self._file = folder, folder / "games.jsonl"
        self._again = again

    def problems(self) -> list[str]:
        """Return the problems of all games, in the order of the file, then of missing ones."""
        problems: list[str] = []
        reader, last = RecordReader(), -1
        for where, line in track(read_all_lines(self._file), "games verified", len(self.entries)):
            try:
                if isinstance(line, ValueError):
                    raise line
                record = reader.parse(line, where)
            except ValueError as error:
                problems.append(f"{error}{self._name_of(line)}")
                continue
            problems += self._problems_of(record, line.rstrip("\n"), where)
            if record.index < last:
                problems.append(f"{where}: index: expected a number above {last}, got {record.index}")
            last = max(last, record.index)
        for index in sorted(set(self._again.calls) - set(self.entries)):
            problems.append(f"{self._folder / 'calls.jsonl'}: expected calls of games of the plan, got game {index}")
        for index in sorted(set(self.entries) - set(self.records)):
            problems.append(f"{self._file}: {_place(self.entries[index])}: expected this game, but it is missing")
        known = {str(index) for index in self.entries}
        for name in self._submission["games"]:
            if name not in known:
                problems.append(f"{SUBMISSION_FILE}: games.{excerpt(name)}: expected no game with this number")
        return problems

    def _name_of(self, line: str | ValueError) -> str:
        """Return the game and the table of a line that is no record, if it has the number of a game."""
        try:
            index = parse_object(str(line), "").get("index")
        except ValueError:
            return ""
        entry = self.entries.get(index) if isinstance(index, int) else None
        return "" if entry is None else f" ({_place(entry)})"

    def _problems_of(self, record: GameRecord, line: str, where: str) -> Iterator[str]:
        """Yield the problems of one game."""
        entry = self.entries.get(record.index)
        if entry is None:
            yield f"{where}: index: expected the number of a game of the plan, got {record.index}"
            return
        place = f"{where}: {_place(entry)}"
        if record.index in self.records:
            yield f"{place}: expected this game once, got it twice"
            return
        different = _difference_from_plan(record, entry)
        if different is not None:
            yield f"{place}: {different}"
        self.records[record.index] = record
        digests = self._submission["games"].get(str(record.index))
        yield from _digest_problems(record, entry, line, digests, place)
        if different is None:
            yield from _replay_problems(record, entry, place)
            yield from self._again.problems(record, entry, place)


def _place(entry: Entry) -> str:
    return f"game {entry.index}, table {entry.deal.table.key}"


def _difference_from_plan(record: GameRecord, entry: Entry) -> str | None:
    """Return how a game differs from what the plan deals; None if it is that game."""
    match = entry.match
    bidders = [public_name(bidder) for bidder in match.bidders if isinstance(bidder, str)]
    expected = {
        "game": match.game,
        "scenario": json.loads(json.dumps(match.scenario.to_dict())),
        "seed": list(match.seed),
        "bidders": bidders,
        "status": "terminated",
    }
    recorded = {
        "game": record.game,
        "scenario": record.scenario,
        "seed": record.seed,
        "bidders": [player["bidder"] for player in record.seats],
        "status": record.outcome["status"],
    }
    for name, value in expected.items():
        difference = first_difference(value, recorded[name], name)
        if difference is not None:
            path, planned, got = difference
            return f"{path}: expected {planned}, as the suite deals it, got {got}"
    return None


def _digest_problems(
    record: GameRecord, entry: Entry, line: str, digests: JsonObject | None, place: str
) -> Iterator[str]:
    """Yield how a game differs from its digests in `submission.json`."""
    if digests is None:
        yield f"{place}: expected a digest of the game in {SUBMISSION_FILE}, got none"
        return
    if digests["table"] != entry.deal.table.key:
        said = excerpt(digests["table"])
        yield f"{place}: expected the table {entry.deal.table.key} in {SUBMISSION_FILE}, got {said}"
    decisions = tested_decisions(record, entry)
    computed = [decision_digest(decision) for decision in decisions]
    recorded = [digests["decisions"][k : k + DIGITS] for k in range(0, len(digests["decisions"]), DIGITS)]
    for decision, digest, expected in zip(decisions, computed, recorded, strict=False):
        if digest != expected:
            yield (
                f"{place}, {_turn(decision)}: recorded {_shown(decision['amount'])}, expected a decision with the "
                f"digest {expected} of {SUBMISSION_FILE}"
            )
            return
    if len(computed) != len(recorded):
        yield (
            f"{place}: expected {len(recorded)} decisions of the tested bidder, as in {SUBMISSION_FILE}, got "
            f"{len(computed)}"
        )
    if digests["record"] != digest_of_text(line):
        yield f"{place}: expected the game with the digest {digests['record']:.12} of {SUBMISSION_FILE}, got another"


def _replay_problems(record: GameRecord, entry: Entry, place: str) -> Iterator[str]:
    """Yield how a game differs from the rules, and its decisions from those of the rule bidders."""
    game = record.game
    known = rule_bidders(game)
    names = {
        seat: name for seat, name in enumerate(entry.deal.lineup(entry.bidder)) if parse_bidder(name).kind in known
    }
    policies = {seat: make_policy(game, name) for seat, name in names.items()}
    started = set()
    try:
        for table, decision in retrace(record, place):
            if decision is None:
                break
            seat = table.scenario_text.seats.index(decision["seat"])
            policy = policies.get(seat)
            if policy is None:
                continue
            if seat not in started:
                policy.reset(decision["seat"], int(table.state["seat_key"][0, seat]))
                started.add(seat)
            action = float(policy.act(table.view(seat, reveal=getattr(policy, "cheats", False)), {}))
            amount = None if action < 0 else action
            if (decision["amount"], decision["action"]) != (amount, action):
                recorded = decision["amount"] if decision["amount"] != amount else decision["action"]
                yield (
                    f"{place}, {_turn(decision)}, bidder {names[seat]}: recorded {_shown(recorded)}, expected "
                    f"{_shown(amount)}"
                )
                return
        replay(record, place)
    except ValueError as error:
        yield str(error)


def _turn(decision: JsonObject) -> str:
    return f"item {decision['item']}, round {decision['round']}, {decision['seat']}"


def _shown(amount: float | None) -> str:
    return "a withdrawal" if amount is None else f"{amount:g}"


def _table_problems(plan: Plan, run: JsonObject, records: Sequence[GameRecord], folder: Path) -> Iterator[str]:
    """Yield how the tables differ from those of the records."""
    try:
        report = make_report(plan, sorted(records, key=lambda record: record.index), read_calls(folder))
        rows = json.loads(read_text(folder / "table.json", str(folder / "table.json")))
        text = read_text(folder / "table.md", str(folder / "table.md"))
    except (OSError, ValueError) as error:
        yield str(error)
        return
    figures = {"models": dict(report.models), "cheats": cheats_of(report.rows)}
    compared: Mapping[str, tuple[object, object]] = {
        "table.json": (json.loads(json.dumps(report.rows)), rows),
        "run.json": (
            {name: value for name, value in figures.items() if value},
            {name: run[name] for name in figures if name in run},
        ),
    }
    for name, (computed, got) in compared.items():
        difference = first_difference(computed, got, "" if name == "run.json" else "rows")
        if difference is not None:
            path, expected, recorded = difference
            yield f"{folder / name}: {path}: expected {expected}, as the games give it, got {recorded}"
    lines = [text.splitlines(), report.markdown.splitlines()]
    for number in range(max(map(len, lines))):
        got, expected = (part[number] if number < len(part) else "no line" for part in lines)
        if got != expected:
            where = f"{folder / 'table.md'}:{number + 1}"
            yield f"{where}: expected {excerpt(expected)}, as the games give it, got {excerpt(got)}"
            return


SAMPLED_DEALS = 2
"""The number of deals of each table, drawn at random, whose references are computed again."""


def reference_problems(plan: Plan, all_deals: bool, folder: Path) -> Iterator[str]:
    """Yield how the references of a submission differ from what they are when they are computed again."""
    if plan.private is None and plan.suite.is_included:
        return
    place = f"{folder / REFERENCES_FILE}: tables"
    deals = [
        deal
        for dealt in plan.deals.values()
        for deal in (dealt if all_deals else random.sample(dealt, min(len(dealt), SAMPLED_DEALS)))
    ]
    bidders = {key: table.bidder for key, table in plan.references.tables.items()}
    expected: Mapping[str, str]
    if plan.suite.is_included:
        expected = {key: table.bidder for key, table in suite_references().tables.items()}
    else:
        tables = [plan.suite.table(key) for key in plan.deals] if all_deals else []
        expected = {table.key: best_bidder(table) for table in tables if plan.suite.kinds[table.game] == BEST_BIDDER}
    for key in plan.deals:
        if bidders[key] != expected.get(key, bidders[key]):
            yield f"{place}.{key}.reference: expected {expected[key]!r}, got {excerpt(bidders[key])}"
            return
    for key, computed in compute(deals, plan.suite, 1, bidders).items():
        numbers = [deal.number for deal in deals if deal.table.key == key]
        for field in ("zero", "one"):
            saved = getattr(plan.references.tables[key], field)
            for number, score in zip(numbers, getattr(computed, field), strict=True):
                if saved[number] != score:
                    yield f"{place}.{key}.{field}[{number}]: expected {score:g}, computed again, got {saved[number]:g}"
