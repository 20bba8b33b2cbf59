"""Check the actions and refused attempts of a record against the rules, at the table before each decision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aucenv.core.actions import NOT_FINITE, NoAction, action_cents
from aucenv.core.checks import excerpt
from aucenv.core.files import JsonObject
from aucenv.core.money import to_cents
from aucenv.core.reply import Unreadable
from aucenv.core.state import WITHDRAW
from aucenv.core.table import Table

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
