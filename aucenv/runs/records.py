"""Create, read and replay game records."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from aucenv.core.adapters.actions import NOT_FINITE, NoAction, action_cents
from aucenv.core.checks import FieldError, at, excerpt, one_of
from aucenv.core.files import JsonObject, read_lines
from aucenv.core.formats.differences import first_difference
from aucenv.core.formats.schema import Object, whole
from aucenv.core.game import Game, GameError
from aucenv.core.kernel import read_seed
from aucenv.core.play.table import Table
from aucenv.core.records.decisions import Decision
from aucenv.core.records.record import BODY, VERSION, GameRecord, UnreadDecisions, expect
from aucenv.core.state import WITHDRAW
from aucenv.core.words.money import to_cents, to_dollars
from aucenv.core.words.names import names_of_records
from aucenv.core.words.reply import Unreadable
from aucenv.registration import FAMILIES, find_family


def make_record(
    table: Table, seed: list[int], index: int, bidders: list[str], closing: Sequence[JsonObject] = ()
) -> GameRecord:
    """Create the record of the finished game at `table`.

    Args:
        table: the table after the game.
        seed: the seed of the game.
        index: the game's number in its run.
        bidders: the name of the policy in each seat.
        closing: the notes of each seat at the end of the game; an empty dict for none.

    Example:
        >>> import aucenv
        >>> lineup = ["rule", "pace", "drain"]
        >>> record = aucenv.play("english", "standard-10k-random", lineup, seed=0)
        >>> from aucenv.records import make_record, replay
        >>> make_record(replay(record), record.seed, record.index, lineup).outcome == record.outcome
        True
    """
    form = table.game.record_format
    full_view = table.view(0, reveal=True)
    seats = table.scenario_text.seats
    return GameRecord(
        game=table.game.name,
        env_version=table.game.version,
        scenario=table.scenario.to_dict(),
        seed=seed,
        index=index,
        seats=[
            {"seat": seat, "name": name, "bidder": bidder} | ({"notes": notes} if notes else {})
            for seat, name, bidder, notes in zip(
                seats, table.scenario_text.names, bidders, closing or [{}] * len(seats), strict=True
            )
        ],
        deal=form.DEAL.data(full_view),
        decisions=[_decision(decision, seats) for decision in table.decisions],
        outcome=form.OUTCOME.data(full_view),
    )


def _decision(decision: Decision, seats: tuple[str, ...]) -> JsonObject:
    return {
        "item": decision.item,
        "round": decision.round,
        "seat": seats[decision.seat],
        "action": decision.action,
        "amount": to_dollars(decision.amount) if decision.amount >= 0 else None,
        "attempts": [dataclasses.asdict(attempt) for attempt in decision.attempts],
        "notes": decision.notes,
    }


def records_file(path: str | Path) -> Path:
    """Return the `games.jsonl` of a results folder; the path of a file is returned unchanged.

    Raises:
        OSError: the folder has no games; the message names it.
    """
    path = Path(path)
    if path.is_dir():
        file = path / "games.jsonl"
        if not file.exists():
            raise FileNotFoundError(f"{path}: expected a results folder, but there is no games.jsonl")
        return file
    if not path.exists():
        raise FileNotFoundError(f"{path}: expected a results folder or a games.jsonl, but there is none")
    return path


def read_records(path: str | Path, decisions: bool = True) -> Iterator[GameRecord]:
    """Yield the records of a results folder or of a `games.jsonl`.

    Args:
        path: the folder or the file.
        decisions: whether to check the decisions; False is faster, for callers that do not read them.

    Raises:
        OSError: the file cannot be read.
        ValueError: a line is not a record, or has the number of another game; the message names file, line and field.

    Example:
        >>> import aucenv  # after: aucenv leaderboard --bidder llm:scripted --bidder rule --games 3 --out run
        >>> [record.index for record in aucenv.read_records("run")]
        [0, 1, 2]
    """
    reader = RecordReader(decisions)
    lines: dict[int, str] = {}
    for where, line in read_lines(records_file(path), grows=True):
        record = reader.parse(line, where)
        earlier = lines.setdefault(record.index, where)
        if earlier != where:
            raise ValueError(f"{where}: index: expected a number of its own, got {record.index}, as in {earlier}")
        yield record


def record_of(folder: str | Path, index: int) -> GameRecord:
    """Return the game of a results folder, or of a file of games, with this number.

    Raises:
        OSError, ValueError: As in `read_records`; or no finished game has this number.
    """
    known: list[int] = []
    for record in read_records(folder):
        if record.index == index:
            return record
        known.append(record.index)
    if not known:
        raise ValueError(f"{folder}: expected a finished game, but there is none yet")
    numbers = f"{min(known)} to {max(known)}" if len(known) > 1 else known[0]
    raise ValueError(f"{folder}: expected the number of one of its games, got {index}; it has {numbers}")


class RecordReader:
    """A reader of many records.

    The records of a run begin with the same text, up to the end of the scenario: it is parsed and checked once, and
    these records share it.

    Args:
        decisions: as in `read_records`.
    """

    def __init__(self, decisions: bool = True) -> None:
        self._decisions = decisions
        self._loaded: _Loaded | None = None

    def parse(self, line: str, where: str) -> GameRecord:
        """Return the record of a line.

        Raises:
            ValueError: the line is not a record; the message names `where` and the field.
        """
        loaded, data = self._loaded, None
        if loaded is not None and line.startswith(loaded.start):
            data = loaded.parse_rest(line)
        if loaded is None or data is None:
            record = GameRecord.from_json(line, where)
            self._loaded = loaded = _Loaded(record, where, self._decisions)
            loaded.format.DEAL.check(record.deal, where, "deal")
            loaded.format.OUTCOME.check(record.outcome, where, "outcome")
        else:
            record = GameRecord.from_data(data, where, self._decisions)
        loaded.check(record, where)
        return record


class _Loaded:
    """The game and the scenario of a record, and the start of its line with both.

    Raises:
        ValueError: there is no such game or version, or the scenario is not one of the game; the message names `where`.
    """

    def __init__(self, record: GameRecord, where: str, decisions: bool) -> None:
        self.game, self._scenario = _load(record, where)
        self._names = tuple(self.game.view.ScenarioText.of(self._scenario).names)
        self.format = self.game.record_format
        self._head = {"game": record.game, "env_version": record.env_version, "scenario": record.scenario}
        start = json.dumps({"version": VERSION, **self._head}, ensure_ascii=False, separators=(",", ":"))
        self.start = f"{start[:-1]},"
        fields = {**BODY, "deal": self.format.DEAL, "outcome": self.format.OUTCOME}
        self._schema = Object(fields if decisions else {**fields, "decisions": UnreadDecisions()})
        self._decisions = decisions
        self._kinds = (*self.game.rules.REFUSALS[1:], "unreadable")

    def parse_rest(self, line: str) -> JsonObject | None:
        """Return the data of a line with the same start if it fits; None if only a slower check can decide.

        Python's parser does not report fields that an object has twice: the line has more fields than the data then.
        """
        rest = line[len(self.start) :]
        try:
            data = json.loads(f"{{{rest}", parse_constant=_refuse)
        except (ValueError, RecursionError):
            return None
        count = self._schema.count_fields([data])
        sure = count == rest.count('":') and "\\u" not in rest and '" :' not in rest
        return {**self._head, **data} if sure else None

    def check(self, record: GameRecord, where: str) -> None:
        """Raise ValueError, which names the field, unless the record fits its scenario and the game's format."""
        expect(len(record.seats), len(self._names), where, "seats", "of them, as in the scenario")
        for number, (player, name) in enumerate(zip(record.seats, self._names, strict=True)):
            expect(player["name"], name, where, f"seats[{number}].name", "as in the scenario")
        if self._decisions:
            self._check_decisions(record, where)
        for name in ("check_decisions", "check") if self._decisions else ("check",):
            if check := getattr(self.format, name, None):
                check(record, self._scenario, where)

    def _check_decisions(self, record: GameRecord, where: str) -> None:
        last = len(record.decisions) - 1  # they are in order
        if record.decisions and record.decisions[last]["item"] >= self._scenario.num_items:
            most = self._scenario.num_items - 1
            whole(0, most).check(record.decisions[last]["item"], where, f"decisions[{last}].item")
        for number in [j for j, one in enumerate(record.decisions) if one["attempts"]]:
            for k, attempt in enumerate(record.decisions[number]["attempts"]):
                one_of(f"{where}: decisions[{number}].attempts[{k}].kind", attempt["kind"], self._kinds)


def _refuse(constant: str) -> None:
    raise ValueError(f"expected a finite number, got {constant}")


def _load(record: GameRecord, where: str) -> tuple[Game, Any]:
    """Return a record's game and scenario.

    Raises:
        ValueError: there is no such game or version, or the scenario is not one of the game; the message names `where`.
    """
    try:
        game = find_family(record.game).game
        versions = [family.version for family in FAMILIES.values() if family.name == record.game]
        one_of("env_version", record.env_version, versions)
        if record.env_version != game.version:
            game = find_family(f"{record.game}_v{record.env_version}").game
        scenario = _scenario_of(record, game)
    except GameError:
        raise
    except ValueError as error:
        if isinstance(error, FieldError) and error.path:
            raise FieldError(where, error.problem, ("scenario", *error.path)) from None
        raise ValueError(f"{where}: {error}") from None
    difference = first_difference(json.loads(json.dumps(scenario.to_dict())), record.scenario, "scenario")
    if difference is not None:
        path, expected, got = difference
        raise ValueError(f"{at(where, path)}: expected {expected}, as aucenv writes it, got {got}")
    return game, scenario


@names_of_records()
def _scenario_of(record: GameRecord, game: Game) -> Any:
    return game.load_scenario(record.scenario)


def replay(record: GameRecord, where: str | None = None) -> Table:
    """Replay a record's decisions, and check that they lead to its deal and outcome.

    Args:
        record: the record.
        where: the place of the record, for errors; None is its game's number.

    Returns:
        The table after the game.

    Raises:
        ValueError: as in `retrace`; or an action, an attempt, the deal, the outcome or another field differs from what
            the rules give. The message names the field.

    Example:
        >>> import aucenv
        >>> lineup = ["rule", "pace", "drain"]
        >>> record = aucenv.play("english", "standard-10k-random", lineup, seed=0)
        >>> from aucenv.records import replay
        >>> replay(record).over
        True
    """
    where = f"game {record.index}" if where is None else where
    record = RecordReader().parse(record.to_json(), where)
    for step, (table, decision) in enumerate(retrace(record, where)):
        if decision is not None:
            check_actions(table, decision, f"{where}: decisions[{step}]")
    bidders = [player["bidder"] for player in record.seats]
    computed = make_record(table, read_seed(record.seed), record.index, bidders)
    for name in ("deal", "outcome"):
        played = json.loads(json.dumps(getattr(computed, name)))
        difference = first_difference(played, getattr(record, name), name)
        if difference is not None:
            path, rules, said = difference
            raise ValueError(f"{where}: {path}: the rules give {rules}, the record says {said}")
    return table


def retrace(record: GameRecord, where: str | None = None) -> Iterator[tuple[Table, JsonObject | None]]:
    """Replay a record step by step.

    Args:
        record: the record.
        where: the place of the record, for errors; None is its game's number.

    Yields:
        The table before each decision, and this decision; finally the table after the game, and None.

    Raises:
        ValueError: the rules refuse a decision, or continue after the last one; the message names it.

    Example:
        >>> import aucenv
        >>> lineup = ["rule", "pace", "drain"]
        >>> record = aucenv.play("english", "standard-10k-random", lineup, seed=0)
        >>> from aucenv.records import retrace
        >>> [decision["amount"] for table, decision in retrace(record) if decision is not None][:3]
        [4000, 4000, 4000]
    """
    where = f"game {record.index}" if where is None else where
    scenario = _scenario_of(record, game := find_family(record.game).game)
    table = Table(game, scenario, ["amount"] * len(scenario.bidders), illegal="raise")
    truncated_after = record.outcome["rounds"] if record.outcome["status"] == "truncated" else 0
    table.reset(record.seed, truncated_after)
    numbers = {seat: number for number, seat in enumerate(table.scenario_text.seats)}
    for step, decision in enumerate(record.decisions):
        at_step = f"{where}: decisions[{step}]"
        place = tuple(f"item {item}, round {turn}" for item, turn in (_place(table), _place_of(decision)))
        if table.over or place[0] != place[1]:
            rules = "no more decisions" if table.over else place[0]
            raise ValueError(f"{at_step}: the rules give {rules}, the record says {place[1]}")
        if decision["seat"] not in numbers or not table.is_pending(numbers[decision["seat"]]):
            pending = ", ".join(table.scenario_text.seats[seat] for seat in table.pending)
            raise ValueError(f"{at_step}.seat: the rules give one of {pending}, the record says {decision['seat']}")
        yield table, decision
        amount = -1 if decision["amount"] is None else decision["amount"]
        try:
            table.submit(numbers[decision["seat"]], amount)
        except (RuntimeError, ValueError) as error:
            raise ValueError(f"{at_step}.amount, {place[1]}: the rules refuse it: {error}") from None
    if not table.over:
        item, turn = _place(table)
        raise ValueError(f"{where}: decisions: the rules continue at item {item}, round {turn}, the record ends")
    yield table, None


def _place(table: Table) -> tuple[int, int]:
    return table.item, table.round


def _place_of(decision: JsonObject) -> tuple[int, int]:
    return decision["item"], decision["round"]


Meaning = tuple[int | None, str]
"""The cents of an action, and ""; or None, and the reason for which no amount can be read from it."""


def check_actions(table: Table, decision: JsonObject, where: str) -> None:
    """Raise unless a decision's action has its amount, and the rules refuse its attempts for the recorded reasons.

    A record does not name the interface of a seat, so an action may have its meaning in any of them.

    Args:
        table: The table before the decision.
        decision: The recorded decision.
        where: The place of the decision, for errors.

    Raises:
        ValueError: An action or an attempt differs; the message names it.
    """
    seat = table.scenario_text.seats.index(decision["seat"])
    for number, attempt in enumerate(decision["attempts"]):
        recorded = (attempt["kind"], attempt["refused"])
        if recorded[0] == "unreadable" and isinstance(attempt["action"], str):
            continue  # an agent may refuse a reply for reasons that the rules do not know
        possible = [*_refusals(table, seat, attempt["action"])]
        if recorded not in possible:
            place = f"{where}.attempts[{number}]"
            if not possible:
                raise ValueError(
                    f"{place}.action: expected one that the rules refuse, got {excerpt(attempt['action'])}"
                )
            kind, reason = next((one for one in possible if one[0] == attempt["kind"]), possible[0])
            name, rules, said = ("kind", kind, recorded[0]) if kind != recorded[0] else ("refused", reason, recorded[1])
            raise ValueError(f"{place}.{name}: the rules give {excerpt(rules)}, the record says {excerpt(said)}")
    if decision["action"] is None:
        return
    cents = WITHDRAW if decision["amount"] is None else to_cents(decision["amount"])
    possible_cents = [amount for amount, _ in _meanings(table, seat, decision["action"])]
    if cents not in possible_cents:
        raise ValueError(
            f"{where}.action: expected one that means the amount {decision['amount']}, got "
            f"{excerpt(decision['action'])}"
        )


def _refusals(table: Table, seat: int, action: Any) -> Iterator[tuple[str, str]]:
    """Yield (kind, reason) for each meaning of an action that the rules refuse."""
    for cents, unreadable in _meanings(table, seat, action):
        if cents is None:
            yield "unreadable", unreadable
            continue
        code = table.game.rules.check(table.state, 0, seat, cents)
        if code:
            reason = table.game.words.refusal(table.state, seat, cents, code, table.scenario_text)
            yield table.game.rules.REFUSALS[code], reason


def _meanings(table: Table, seat: int, action: Any) -> Iterator[Meaning]:
    """Yield what an action means in each interface in which it is one."""
    if isinstance(action, str):
        yield from _meaning(table, seat, action, "text")
        if action not in NOT_FINITE:
            return
        action = float(action)  # JSON has no such numbers
    if isinstance(action, bool) or not isinstance(action, (int, float)):
        return
    yield from _meaning(table, seat, action, "amount")
    yield from _meaning(table, seat, action, "share")
    if isinstance(action, int) and 0 <= action < table.num_actions:
        yield int(table.game.features.amount(table.state, 0, seat, action)), ""


def _meaning(table: Table, seat: int, action: Any, interface: str) -> Iterator[Meaning]:
    try:
        cents = action_cents(action, interface, seat, table.state, table.game, table.scenario_text)
        yield cents if cents >= 0 else WITHDRAW, ""
    except Unreadable as error:
        yield None, str(error)
    except NoAction:
        return
