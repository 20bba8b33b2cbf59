"""What a bidder of an English auction believes of everybody, held against the truth.

Source: AucArena, arXiv 2310.05746: after each item an agent states its remaining budget, all profits and all winning
bids. A status is checked in own budget, own profit and own items, and of every rival that it names in profit and items;
items are compared by name. The failure rate is CFR = F / (C + F).
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from aucenv.core.figures import Rate, labelled_seats
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.money import money, to_cents, to_dollars
from aucenv.core.read_notes import seat_notes
from aucenv.core.record import GameRecord
from aucenv.envs.english.notes import updates_in

Status = JsonMapping
"""{"remaining_budget": dollars, "total_profits": {name: dollars}, "winning_bids": {name: {item: dollars}}}."""
OWN = ("own budget", "own profit", "own items")
OTHERS = ("rivals' profits", "rivals' items")
KINDS = (*OWN, *OTHERS)


@dataclasses.dataclass(frozen=True)
class Sale:
    """An item that is through; dollars. `winner`: a name; None: it was not sold."""

    item: str
    winner: str | None = None
    price: float = 0.0
    true_value: float = 0.0


@dataclasses.dataclass(frozen=True)
class Check:
    """One thing that a status says.

    Attributes:
        kind: of KINDS.
        wrong: what is wrong with it, in words; "" where it is right.
    """

    kind: str
    wrong: str


def item_labels(names: Sequence[str]) -> list[str]:
    """The items' names in the auction's order; those that several bear are told apart by their place."""
    labels = list(names)
    while len(set(map(plain_name, labels))) < len(labels):
        times = Counter(map(plain_name, labels))
        labels = [label if times[plain_name(label)] == 1 else f"{label} ({j + 1})" for j, label in enumerate(labels)]
    return labels


def true_status(own: str, endowment: float, bidders: Sequence[str], sales: Iterable[Sale]) -> JsonObject:
    """The status that bidder `own`, who began with `endowment` dollars, should believe in after these sales."""
    budget = to_cents(endowment)
    profits = dict.fromkeys(bidders, 0)
    won: dict[str, dict[str, float]] = {name: {} for name in bidders}
    for sale in sales:
        if sale.winner is not None:
            price = to_cents(sale.price)
            profits[sale.winner] += to_cents(sale.true_value) - price
            won[sale.winner][sale.item] = to_dollars(price)
            budget -= price if sale.winner == own else 0
    return {
        "remaining_budget": to_dollars(budget),
        "total_profits": {name: to_dollars(cents) for name, cents in profits.items()},
        "winning_bids": won,
    }


def check_status(believed: Status, true: Status, own: str) -> Iterator[Check]:
    """Every check of a status: own budget, then profit and items, the own ones first and then rival by rival."""
    yield Check(OWN[0], _amount("your remaining budget", believed["remaining_budget"], true["remaining_budget"]))
    for name in sorted(true["total_profits"], key=lambda name: name != own):
        profit, items = OWN[1:] if name == own else OTHERS
        whose = "your" if name == own else f"{name}'s"
        if name in believed["total_profits"]:
            amounts = believed["total_profits"][name], true["total_profits"][name]
            yield Check(profit, _amount(f"{whose} total profit", *amounts))
        if name == own or name in believed["winning_bids"]:
            yield Check(items, _items(whose, believed["winning_bids"].get(name, {}), true["winning_bids"][name]))


def _amount(what: str, said: float, true: float) -> str:
    return "" if to_cents(said) == to_cents(true) else f"{what} is {money(true)}, not {money(said)}"


def _items(whose: str, said: Mapping[str, float], true: Mapping[str, float]) -> str:
    if {plain_name(item) for item in said} == {plain_name(item) for item in true}:
        return ""
    items = ", ".join(true) or "none"
    return f"{whose} items are: {items}; not: {', '.join(said) or 'none'}"


def plain_name(name: str) -> str:
    """A name as names are compared: without regard to case and spaces."""
    return " ".join(name.split()).casefold()


def recorded_status(record: GameRecord, seat: str, through: int) -> JsonObject:
    """The status that `seat` should believe in once the first `through` items of a recorded auction are through."""
    names = {who["seat"]: who["name"] for who in record.seats}
    labels = item_labels([item["name"] for item in record.deal["items"]])
    sold = zip(labels, record.deal["items"], record.outcome["items"], strict=True)
    sales = [
        Sale(label, names[made["winner"]], made["price"], item["true_value"])
        for label, item, made in list(sold)[:through]
        if made["winner"] is not None
    ]
    endowment = record.deal["seats"][list(names).index(seat)]["budget"]
    return true_status(names[seat], endowment, list(names.values()), sales)


@dataclasses.dataclass(frozen=True)
class Belief:
    """One statement of a status.

    Attributes:
        item: how many items were through.
        revision: 0, then 1 more for each time it was corrected.
        status: None where the statement could not be read.
    """

    item: int
    revision: int
    status: Status | None
    true: Status
    checks: tuple[Check, ...]


def belief_history(record: GameRecord, seat: str) -> list[Belief]:
    """What a seat has noted that it believes, in order, beside the truth."""
    own = next(who["name"] for who in record.seats if who["seat"] == seat)
    history = []
    for notes in seat_notes(record, seat):
        for update in updates_in(notes, len(record.deal["items"])):
            true = recorded_status(record, seat, update["item"])
            for revision, status in enumerate(update["statuses"]):
                checks = () if status is None else tuple(check_status(status, true, own))
                history.append(Belief(update["item"], revision, status, true, checks))
    return history


def belief_failures(records: Iterable[GameRecord]) -> dict[str, dict[str, Rate]]:
    """Wrong beliefs, of all checked, by bidder and KINDS; only bidders that noted beliefs. Each revision counts."""
    wrong: dict[str, Counter[str]] = {}
    checked: dict[str, Counter[str]] = {}
    for bidder, record, seat in labelled_seats(records):
        for belief in belief_history(record, seat):
            for check in belief.checks:
                wrong.setdefault(bidder, Counter())[check.kind] += bool(check.wrong)
                checked.setdefault(bidder, Counter())[check.kind] += 1
    return {bidder: {kind: (wrong[bidder][kind], checked[bidder][kind]) for kind in KINDS} for bidder in wrong}


def together(rates: dict[str, Rate], kinds: Iterable[str]) -> Rate:
    """Several kinds as one."""
    chosen = [rates[kind] for kind in kinds]
    return sum(failed for failed, _ in chosen), sum(all_ for _, all_ in chosen)
