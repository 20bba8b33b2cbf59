"""What bidders may note for figures to read: priorities of items, and what they believe of everybody."""

from __future__ import annotations

import contextlib
from typing import Any

from aucenv.core.checks import check_list, field, number, whole_number
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.envs.english.view import View


def check_notes(notes: JsonMapping, view: View) -> None:
    """Nothing, if notes under these names have the form that figures read.

    Args:
        notes: priorities, a list of 1 to 3 for each item, or null for one that was through before there was a plan;
            beliefs, a list of {item: how many were through, statuses: [...]} with a status, as
            `stated_beliefs` has it, or null for one that could not be read. Whatever has another name is the
            bidder's own business.

    Raises:
        ValueError: one has another form; says which, and what was expected.
    """
    num_items = int(view.row["num_items"][0])
    if "priorities" in notes:
        check_priorities(notes["priorities"], view.item_number, num_items)
    if "beliefs" in notes:
        for at, update in enumerate(field(notes, "beliefs", list, "notes")):
            check_update(update, f"notes, beliefs[{at}]", num_items)


def check_priorities(priorities: Any, through: int, num_items: int) -> None:
    """Nothing, if it is a list of 1 to 3 for each item, or None for one of the first `through`; or ValueError."""
    check_list("notes, priorities", priorities, num_items)
    if all(type(priority) is int and 1 <= priority <= 3 for priority in priorities):
        return
    for j, priority in enumerate(priorities):
        if priority is not None or j >= through:
            whole_number(f"notes, priorities[{j}]", priority, 1, 3)


def check_update(update: Any, where: str, num_items: int) -> None:
    """Nothing, if it is an update of beliefs; or ValueError."""
    if not isinstance(update, dict):
        raise ValueError(f"{where}: expected an object, got {update!r:.80}")
    whole_number(f"{where}, item", update.get("item"), 0, num_items)
    for status in field(update, "statuses", list, where):
        if status is not None:
            _check_status(status, where)


def _check_status(status: Any, where: str) -> None:
    if not isinstance(status, dict):
        raise ValueError(f"{where}: expected a status, got {status!r:.80}")
    amounts = [status.get("remaining_budget"), *field(status, "total_profits", dict, where).values()]
    for prices in field(status, "winning_bids", dict, where).values():
        if not isinstance(prices, dict):
            raise ValueError(f"{where}, winning_bids: expected an object for each bidder, got {prices!r:.80}")
        amounts += prices.values()
    for amount in amounts:
        number(where, amount, -1e12, 1e12)


def priorities_in(decision: JsonMapping, num_items: int) -> list[int | None] | None:
    """The priorities noted at a decision of an English auction; None where there are none."""
    priorities = decision["notes"].get("priorities")
    try:
        check_priorities(priorities, decision["item"], num_items)
    except ValueError:
        return None
    return list(priorities)


def updates_in(notes: JsonMapping, num_items: int) -> list[JsonObject]:
    """The updates of beliefs noted in an English auction."""
    noted, found = notes.get("beliefs"), []
    for update in noted if isinstance(noted, list) else []:
        with contextlib.suppress(ValueError):
            check_update(update, "beliefs", num_items)
            found.append(update)
    return found
