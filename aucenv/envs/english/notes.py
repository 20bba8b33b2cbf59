"""Notes that figures of English auctions read: bidders' priorities of items and their beliefs about all bidders."""

from __future__ import annotations

import contextlib
from typing import Any

from aucenv.core.checks import check_list, field, number, whole_number
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.envs.english.view import View


def check_notes(notes: JsonMapping, view: View) -> None:
    """Raise unless the notes that figures read have the expected format.

    Args:
        notes: `priorities`, a list with 1 to 3 for each item, or null for an item that was closed before the first
            plan; `beliefs`, a list of {item: number of closed items, statuses: [...]}, where each status is as in
            `stated_beliefs`, or null if it could not be parsed. Notes under other names are not checked.

    Raises:
        ValueError: a note has another format; the message names it and what was expected.
    """
    num_items = int(view.row["num_items"][0])
    if "priorities" in notes:
        check_priorities(notes["priorities"], view.item_number, num_items)
    if "beliefs" in notes:
        for i, update in enumerate(field(notes, "beliefs", list, "notes")):
            check_update(update, f"notes, beliefs[{i}]", num_items)


def check_priorities(priorities: Any, num_closed: int, num_items: int) -> None:
    """Raise ValueError unless it is a list with 1 to 3 for each item; None is allowed for the first `num_closed`."""
    check_list("notes, priorities", priorities, num_items)
    if all(type(priority) is int and 1 <= priority <= 3 for priority in priorities):
        return
    for j, priority in enumerate(priorities):
        if priority is not None or j >= num_closed:
            whole_number(f"notes, priorities[{j}]", priority, 1, 3)


def check_update(update: Any, where: str, num_items: int) -> None:
    """Raise ValueError unless it is an update of beliefs."""
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


def noted_priorities(decision: JsonMapping, num_items: int) -> list[int | None] | None:
    """Return the priorities noted at a decision of an English auction; None if there are none."""
    priorities = decision["notes"].get("priorities")
    try:
        check_priorities(priorities, decision["item"], num_items)
    except ValueError:
        return None
    return list(priorities)


def noted_updates(notes: JsonMapping, num_items: int) -> list[JsonObject]:
    """Return the belief updates noted in an English auction."""
    noted, updates = notes.get("beliefs"), []
    for update in noted if isinstance(noted, list) else []:
        with contextlib.suppress(ValueError):
            check_update(update, "beliefs", num_items)
            updates.append(update)
    return updates
