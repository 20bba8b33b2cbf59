"""Notes that figures of English auctions read: bidders' plans, which they may follow or not, and their beliefs.

Source of plans: AucArena, arXiv 2310.05746, section 4.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from aucenv.core.checks import at, one_of
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.formats.schema import ListOf, MapOf, Object, Optional, number, whole
from aucenv.core.records.figures import labeled_seats
from aucenv.core.records.rank_correlation import spearman
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


def normalized_name(name: str) -> str:
    """Return a name in the form in which names are compared: lower case, with single spaces."""
    return " ".join(name.split()).casefold()


def item_labels(names: Sequence[str]) -> list[str]:
    """Return a distinct label for each item, in the auction's order: its name, numbered if several items share it."""
    labels = list(names)
    while len(set(map(normalized_name, labels))) < len(labels):
        counts = Counter(map(normalized_name, labels))
        labels = [x if counts[normalized_name(x)] == 1 else f"{x} ({j + 1})" for j, x in enumerate(labels)]
    return labels


@dataclasses.dataclass(frozen=True)
class PlanChange:
    """A priority that a new plan changed; the plan was made before item `before_item`, counted from 0."""

    before_item: int
    item: str
    old: int
    new: int


@dataclasses.dataclass(frozen=True)
class Plans:
    """The plans of one seat in one game.

    Attributes:
        num_plans: number of plans whose priorities could be read, including the first.
        changes: changed priorities of items that were not closed yet.
        initial, current: each item's priority in the first plan, and in the plan that was current when the item was
            opened; None if there was none.
    """

    num_plans: int
    changes: tuple[PlanChange, ...]
    initial: tuple[int | None, ...]
    current: tuple[int | None, ...]


RatedItem = tuple[int | None, int | None, int, bool]
"""The initial and the current priority of an item, the bids of a seat for it, and whether the seat won it."""


def plans(record: GameRecord, seat: str) -> Plans | None:
    """Return the plans that a seat noted; None if it noted none."""
    labels = item_labels([item["name"] for item in record.deal["items"]])
    noted = list(noted_plans(record, seat))
    if not noted:
        return None
    changes = [
        PlanChange(item, labels[j], before, after)
        for (_, old), (item, new) in pairwise(noted)
        for j in range(item, len(labels))
        if (before := old[j]) is not None and (after := new[j]) is not None and before != after
    ]
    current = [next((p[j] for item, p in reversed(noted) if item <= j), None) for j in range(len(labels))]
    return Plans(len(noted), tuple(changes), tuple(noted[0][1]), tuple(current))


@dataclasses.dataclass(frozen=True)
class Priorities:
    """Spearman's rho of priorities with the bids for an item and with winning it; None where it is not defined."""

    initial_engagement: float | None
    initial_wins: float | None
    current_engagement: float | None
    current_wins: float | None


def priority_correlations(records: Iterable[GameRecord]) -> dict[str, Priorities]:
    """Correlate priorities with bids and wins over all items and games of each bidder that plans.

    Raises:
        ImportError: scipy is not installed.
    """
    rows_by_bidder: dict[str, list[RatedItem]] = {}
    for bidder, record, seat in labeled_seats(records):
        if rows := rated_items(record, seat):
            rows_by_bidder.setdefault(bidder, []).extend(rows)
    return {bidder: _correlate(rows) for bidder, rows in rows_by_bidder.items()}


def rated_items(record: GameRecord, seat: str) -> list[RatedItem]:
    """Return for each item its priorities in a seat's plans, the seat's bids and whether it won; none without plans."""
    planned = plans(record, seat)
    if planned is None:
        return []
    bids = Counter(d["item"] for d in record.decisions if d["seat"] == seat and d["amount"] is not None)
    won = [item["winner"] == seat for item in record.outcome["items"]]
    return list(zip(planned.initial, planned.current, [bids[j] for j in range(len(won))], won, strict=True))


def _correlate(rows: Sequence[RatedItem]) -> Priorities:
    rhos = []
    for which in (0, 1):
        rated = [(priority, bids, won) for *both, bids, won in rows if (priority := both[which]) is not None]
        priorities = [priority for priority, _, _ in rated]
        rhos += [spearman(priorities, [bids for _, bids, _ in rated]), spearman(priorities, [won for *_, won in rated])]
    return Priorities(*rhos)
