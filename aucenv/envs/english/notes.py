"""Notes that figures of English auctions read: bidders' priorities of items and their beliefs about all bidders."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any

from aucenv.core.checks import at, one_of
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.formats.schema import ListOf, MapOf, Object, Optional, number, whole
from aucenv.core.records.record import GameRecord, expect
from aucenv.envs.english.view import View

AMOUNT = number(-1e12, 1e12)
STATUS = Object(
    {"remaining_budget": AMOUNT, "total_profits": MapOf(AMOUNT), "winning_bids": MapOf(MapOf(AMOUNT))},
)
BELIEFS = ListOf(Object({"item": whole(), "statuses": ListOf(Optional(STATUS))}))
PRIORITIES = ListOf(Optional(whole(1, 3)))
EARLIER_PLANS = ListOf(Object({"item": whole(), "priorities": PRIORITIES}))

CheckNotes = Callable[..., None]
"""check(notes, names, seat, num_closed, num_items, where, path): raises ValueError unless notes have their format."""


def check_notes(notes: JsonMapping, view: View) -> None:
    """Raise unless the notes that figures read have the expected format.

    Args:
        notes: `priorities`, a list with 1 to 3 for each item, or null for an item that was closed before the first
            plan; `earlier_plans`, a list of {item: number of closed items, priorities: [...]}, the plans that a seat
            made late because it was not asked earlier; `beliefs`, a list of {item: number of closed items, statuses:
            [...]}, where each status is as in `stated_beliefs`, or null if it could not be parsed. Notes under other
            names are not checked.

    Raises:
        ValueError: a note has another format; the message names it and what was expected.
    """
    check_with(notes, view, check_seat_notes)


def check_with(notes: JsonMapping, view: View, check: CheckNotes) -> None:
    """Check the notes of the view's seat at this moment of the game."""
    names = dict(zip(view.scenario_text.seats, view.scenario_text.names, strict=True))
    check(notes, names, view.seat, view.item_number, int(view.row["num_items"][0]), "", "notes")


def check_record_notes(record: GameRecord, where: str, check: CheckNotes | None = None) -> None:
    """Check all notes of a record, by default with `check_seat_notes`.

    Raises:
        ValueError: a note has another format; the message names `where` and the note.
    """
    num_items = len(record.deal["items"])
    names = {player["seat"]: player["name"] for player in record.seats}
    check = partial(check or check_seat_notes, num_items=num_items, where=where)
    noting = [j for j, one in enumerate(record.decisions) if one["notes"]]
    for j, one in ((j, record.decisions[j]) for j in noting):
        check(one["notes"], names, one["seat"], one["item"], path=f"decisions[{j}].notes")
    for j, player in enumerate(record.seats):
        if "notes" in player:
            check(player["notes"], names, player["seat"], num_items, path=f"seats[{j}].notes")


def check_seat_notes(
    notes: JsonMapping, names: dict[str, str], seat: str, num_closed: int, num_items: int, where: str, path: str
) -> None:
    """Check the notes that a seat left when `num_closed` of the items were closed.

    Args:
        names: the names of the bidders, by seat.
        where, path: the place of the notes, for errors.

    Raises:
        ValueError: a note has another format; the message names it and what was expected.
    """
    if "priorities" in notes:
        _check_priorities(notes["priorities"], num_closed, num_items, where, f"{path}.priorities")
    if "earlier_plans" in notes:
        for j, plan in enumerate(EARLIER_PLANS.check(notes["earlier_plans"], where, f"{path}.earlier_plans")):
            place = f"{path}.earlier_plans[{j}]"
            whole(0, num_closed).check(plan["item"], where, f"{place}.item")
            _check_priorities(plan["priorities"], plan["item"], num_items, where, f"{place}.priorities")
    if "beliefs" in notes:
        for j, update in enumerate(BELIEFS.check(notes["beliefs"], where, f"{path}.beliefs")):
            place = f"{path}.beliefs[{j}]"
            whole(0, num_closed).check(update["item"], where, f"{place}.item")
            for k, status in enumerate(update["statuses"]):
                if status is not None:
                    _check_names(status, names[seat], names.values(), where, f"{place}.statuses[{k}]")


def _check_priorities(given: Any, num_closed: int, num_items: int, where: str, place: str) -> None:
    priorities = PRIORITIES.check(given, where, place)
    expect(len(priorities), num_items, where, place, "of them, one for each item")
    for j, priority in enumerate(priorities[num_closed:], start=num_closed):
        whole(1, 3).check(priority, where, f"{place}[{j}]")


def _check_names(status: JsonObject, name: str, names: Collection[str], where: str, path: str) -> None:
    """Raise ValueError unless a status is about these bidders, and states the profit of the bidder itself."""
    for field in ("total_profits", "winning_bids"):
        for other in status[field]:
            one_of(f"{at(where, path)}.{field}, name", other, names)
    if name not in status["total_profits"]:
        raise ValueError(f"{at(where, path)}.total_profits: expected the profit of {name}, got none")


def noted_plans(record: GameRecord, seat: str) -> Iterator[tuple[int, list[int | None]]]:
    """Yield (number of closed items, priorities) for each plan that a seat noted in an English auction, in order."""
    for decision in record.decisions:
        if decision["seat"] == seat:
            yield from _plans_in(decision["notes"], decision["item"])
    for player in record.seats:
        if player["seat"] == seat:
            yield from _plans_in(player.get("notes", {}), len(record.deal["items"]))


def _plans_in(notes: JsonMapping, num_closed: int) -> Iterator[tuple[int, list[int | None]]]:
    for plan in notes.get("earlier_plans", []):
        yield plan["item"], list(plan["priorities"])
    if "priorities" in notes:
        yield num_closed, list(notes["priorities"])


def noted_updates(notes: JsonMapping) -> list[JsonObject]:
    """Return the belief updates noted in an English auction."""
    return list(notes.get("beliefs", []))
