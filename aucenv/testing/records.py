"""Checks of words, records and rollouts."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import aucenv
from aucenv.core.boards.drawing import to_image
from aucenv.core.defaults.view import DefaultView
from aucenv.core.files import JsonObject
from aucenv.core.play.table import Table
from aucenv.core.words.money import Dollars, to_cents
from aucenv.core.words.reply import Unreadable
from aucenv.registration import EnvFamily
from aucenv.testing.beliefs import used_values
from aucenv.testing.contract import Case, ContractError, draws_pictures
from aucenv.testing.forms import AMOUNTS, random_action, vector_table

GAMES = 6


def rule_bidders(case: Case) -> Sequence[Any]:
    """Return the rule bidders that the game's package declares."""
    bidders: Sequence[Any] = import_module(case.game.bidders).BIDDERS
    return bidders


def honest_bidders(case: Case) -> list[str]:
    """Return the names of the rule bidders that do not cheat and can play the scenario."""
    return [each.name for each in rule_bidders(case) if not each.cheats and each.why_unplayable(case.scenario) is None]


def lineups(case: Case) -> Iterator[list[str]]:
    """Yield lineups in which every honest rule bidder plays."""
    names = honest_bidders(case)
    if not names:
        raise ContractError(
            case.subject, "no rule bidder can play the scenario", "a game has at least one honest bidder"
        )
    for start in range(0, max(len(names), 1), case.num_seats):
        yield [names[(start + seat) % len(names)] for seat in range(case.num_seats)]


def check_rollouts(case: Case) -> None:
    """Compare rollouts with played games."""
    for lineup in lineups(case):
        compare_rollouts(case.subject, case.family, case.scenario, lineup, case.seed)


def compare_rollouts(subject: str, family: EnvFamily, scenario: Any, lineup: list[str], seed: int) -> None:
    """Compare the scores of rollouts with those of played games.

    Raises:
        ContractError: They differ.
    """
    score = family.game.rules.RESULT[0]
    rolled = aucenv.rollout(family, scenario, lineup, GAMES, seed)[score]
    for number in range(GAMES):
        record = aucenv.play(family, scenario, lineup, [seed, number])
        scores = [to_cents(seat[score]) if score == "profit" else seat[score] for seat in record.outcome["seats"]]
        if rolled[number].tolist() != scores:
            raise ContractError(
                subject,
                f"game {number} of {', '.join(lineup)} ends with {score} {rolled[number].tolist()} in a rollout and "
                f"{scores} in aucenv.play",
                "both play the same game, and rule bidders read only what a view shows",
            )


def check_words(case: Case) -> None:
    """Write and read replies, describe views and refusals in random games."""
    text, rules = case.game.words, case.game.rules
    write = text.reply_writer(case.scenario)
    for seed in range(case.seed, case.seed + GAMES):
        table, rng = vector_table(case, seed), np.random.default_rng(seed)
        while not table.over:
            for seat in table.pending:
                _check_reply(case, table, seat, write, rng)
                for amount in AMOUNTS:
                    code = rules.check(table.state, 0, seat, amount)
                    if code and not text.refusal(table.state, seat, amount, code, table.scenario_text).strip():
                        raise ContractError(
                            case.subject, f"the refusal {rules.REFUSALS[code]} has no text", "a refusal has a reason"
                        )
                table.submit(seat, random_action(table.observe(seat), rng))
        if not text.describe(table.view(0)).strip() or not text.waiting_text(table.scenario_text).strip():
            raise ContractError(case.subject, "a view has no text", "text.describe and text.waiting_text return text")


def _check_reply(case: Case, table: Table, seat: int, write: Any, rng: np.random.Generator) -> None:
    text, names = case.game.words, table.scenario_text.names
    rivals = [name for number, name in enumerate(names) if number != seat]
    amount = int(case.game.features.amount(table.state, 0, seat, random_action(table.observe(seat), rng)))
    reply = write(amount)
    try:
        read = text.read(reply, rivals, table.scenario_text, table.state)
    except Unreadable as error:
        raise ContractError(
            case.subject, f"words.read does not understand {reply!r}: {error}", "it reads what reply_writer writes"
        ) from None
    if read != amount and not (read < 0 and amount < 0):
        raise ContractError(
            case.subject,
            f"{reply!r} stands for {amount} cents, but is read as {read}",
            "it reads what reply_writer writes",
        )


def check_results(case: Case) -> None:
    """Compare the numbers of the same name in `rules.result`, the outcome and the views after random games."""
    check_amounts(case)
    rules, outcome_of = case.game.rules, case.game.record_format.OUTCOME.data
    for seed in range(case.seed, case.seed + GAMES):
        table, rng = vector_table(case, seed), np.random.default_rng(seed)
        while not table.over:
            for seat in table.pending:
                table.submit(seat, random_action(table.observe(seat), rng))
        results = np.empty((case.num_seats, len(rules.RESULT)))
        rules.result(table.state, 0, results)
        for seat, outcome in enumerate(outcome_of(table.view(0, reveal=True))["seats"]):
            result = dict(zip(rules.RESULT, results[seat].tolist(), strict=True))
            for name, value in _numbers(outcome).items():
                if name in result and result[name] not in (value, to_cents(value)):
                    raise ContractError(
                        case.subject,
                        f"{name} of bidder_{seat} is {value} in the outcome, and {result[name]:g} in rules.result "
                        f"(seed {seed})",
                        "both are the same number; amounts are dollars in the outcome, and cents in rules.result",
                    )
                of_view = getattr(table.view(seat), name, value)
                if isinstance(of_view, (int, float)) and of_view != value:
                    raise ContractError(
                        case.subject,
                        f"view.{name} of bidder_{seat} is {of_view} after the game, and {value} in the outcome "
                        f"(seed {seed})",
                        "a number of a view has the value of the number of this name in the outcome of its seat",
                    )


def check_amounts(case: Case) -> None:
    """Refuse negative amounts that are not declared as such, after a game in which no seat bids.

    Only a View by default shows amounts as they are.
    """
    if not isinstance(case.game.view, DefaultView):
        return
    table = vector_table(case, case.seed)
    while not table.over:
        for seat in table.pending:
            table.submit(seat, 0)
    for field in case.game.rules.State.FIELDS.values():
        unit, values = field.unit, used_values(field, table.state)
        if isinstance(unit.schema, Dollars) and unit.schema.least >= 0 and not unit.may_be_none and values.min() < 0:
            raise ContractError(
                case.subject,
                f"State.{field.name} is {values.min()} after a game without bids, and not declared as may_be_none",
                "an amount that is not declared as `may_be_none`, or within negative ones, is never negative",
            )


def _check_board(case: Case) -> None:
    """Check that the boards of seats, at each round of a game, are that of everything without what they may not see."""
    board, table, rng = case.game.board.board, vector_table(case, case.seed), np.random.default_rng(case.seed)
    while True:
        everything = board(table.view(0, reveal=True))
        for seat in range(len(everything.rows)):
            if board(table.view(seat)) != everything.for_seat(seat):
                raise ContractError(
                    case.subject,
                    f"the board of seat {seat} differs from that of everything without what is hidden from the seat",
                    "board(view) hides with `only` what a View hides",
                )
        if table.over:
            return
        for seat in table.pending:
            table.submit(seat, random_action(table.observe(seat), rng))


def _numbers(values: JsonObject) -> dict[str, float]:
    return {name: value for name, value in values.items() if type(value) in (int, float)}


def check_records(case: Case) -> None:
    """Write, read, replay and show the records of games."""
    game = case.game
    lineup = next(iter(lineups(case)))
    records = [aucenv.play(case.family, case.scenario, lineup, [case.seed, n], index=n) for n in range(GAMES)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "games.jsonl"
        file.write_text("".join(record.to_json() + "\n" for record in records), encoding="utf-8")
        again = list(aucenv.read_records(file))
    for record, read in zip(records, again, strict=True):
        if record.to_json() != read.to_json():
            raise ContractError(case.subject, f"record {record.index} differs after reading", "it is the same record")
        import_module("aucenv.runs.records").replay(read)
        if not list(game.transcript.transcript(read)):
            raise ContractError(case.subject, "a transcript is empty", "transcript yields the lines of a game")
        for seat in game.figures.seat_figures(read):
            for figure in game.figures.FIGURES.values():
                figure(seat)
    env = case.family.raw_env(scenario=case.scenario, render_mode="ansi")
    env.reset(seed=case.seed)
    if not str(env.render()).strip():
        raise ContractError(case.subject, "the table is rendered as nothing", "board returns the table")
    _check_board(case)
    if not draws_pictures():
        return
    picture = to_image(game.board.board(env.table.view(0, reveal=True)))
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
        raise ContractError(case.subject, f"a picture has the shape {picture.shape}", "(height, width, 3) uint8")
