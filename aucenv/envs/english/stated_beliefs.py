"""Compare the beliefs that bidders of English auctions state about all bidders with the truth.

Source: AucArena, arXiv 2310.05746: after each item an agent states its remaining budget, all profits and all winning
bids. The checks of a status cover the agent's budget, profit and items, and the profit and items of every rival that it
names. Items are compared by name. The failure rate is CFR = F / (C + F), with F failed and C correct checks.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.records.figures import Rate, labeled_seats
from aucenv.core.records.read_notes import seat_notes
from aucenv.core.records.record import GameRecord
from aucenv.core.words.money import money, to_cents, to_dollars
from aucenv.envs.english.notes import item_labels, normalized_name, noted_updates

Status = JsonMapping
"""{"remaining_budget": dollars, "total_profits": {name: dollars}, "winning_bids": {name: {item: dollars}}}."""
SELF_KINDS = ("own budget", "own profit", "own items")
RIVAL_KINDS = ("rivals' profits", "rivals' items")
KINDS = (*SELF_KINDS, *RIVAL_KINDS)
Formula = Literal["paper", "program"]
"""How correct beliefs are counted; see `belief_failures`."""


@dataclasses.dataclass(frozen=True)
class Sale:
    """A closed item; amounts in dollars. `winner` is a name, or None if the item was not sold."""

    item: str
    winner: str | None = None
    price: float = 0.0
    true_value: float = 0.0


@dataclasses.dataclass(frozen=True)
class Check:
    """The check of one statement in a status.

    Attributes:
        kind: one of KINDS.
        wrong: a description of the error; "" if the statement is correct.
    """

    kind: str
    wrong: str


def true_status(bidder: str, endowment: float, bidders: Sequence[str], sales: Iterable[Sale]) -> JsonObject:
    """Return the true status of `bidder`, who started with `endowment` dollars, after these sales."""
    budget = to_cents(endowment)
    profits = dict.fromkeys(bidders, 0)
    won: dict[str, dict[str, float]] = {name: {} for name in bidders}
    for sale in sales:
        if sale.winner is not None:
            price = to_cents(sale.price)
            profits[sale.winner] += to_cents(sale.true_value) - price
            won[sale.winner][sale.item] = to_dollars(price)
            budget -= price if sale.winner == bidder else 0
    return {
        "remaining_budget": to_dollars(budget),
        "total_profits": {name: to_dollars(cents) for name, cents in profits.items()},
        "winning_bids": won,
    }


def check_status(believed: Status, true: Status, bidder: str) -> Iterator[Check]:
    """Yield the checks of a status: the bidder's budget, its profit and items, and then those of each rival."""
    yield Check(SELF_KINDS[0], _amount("your remaining budget", believed["remaining_budget"], true["remaining_budget"]))
    for name in sorted(true["total_profits"], key=lambda name: name != bidder):
        profit, items = SELF_KINDS[1:] if name == bidder else RIVAL_KINDS
        possessive = "your" if name == bidder else f"{name}'s"
        if name in believed["total_profits"]:
            amounts = believed["total_profits"][name], true["total_profits"][name]
            yield Check(profit, _amount(f"{possessive} total profit", *amounts))
        if name == bidder or name in believed["winning_bids"]:
            yield Check(items, _items(possessive, believed["winning_bids"].get(name, {}), true["winning_bids"][name]))


def _amount(label: str, believed: float, true: float) -> str:
    return "" if to_cents(believed) == to_cents(true) else f"{label} is {money(true)}, not {money(believed)}"


def _items(possessive: str, believed: Mapping[str, float], true: Mapping[str, float]) -> str:
    if {normalized_name(item) for item in believed} == {normalized_name(item) for item in true}:
        return ""
    items = ", ".join(true) or "none"
    return f"{possessive} items are: {items}; not: {', '.join(believed) or 'none'}"


def recorded_status(record: GameRecord, seat: str, num_closed: int) -> JsonObject:
    """Return the true status of `seat` once the first `num_closed` items of a recorded auction are closed."""
    names = {player["seat"]: player["name"] for player in record.seats}
    labels = item_labels([item["name"] for item in record.deal["items"]])
    items = zip(labels, record.deal["items"], record.outcome["items"], strict=True)
    sales = [
        Sale(label, names[sold["winner"]], sold["price"], item["true_value"])
        for label, item, sold in list(items)[:num_closed]
        if sold["winner"] is not None
    ]
    endowment = record.deal["seats"][list(names).index(seat)]["budget"]
    return true_status(names[seat], endowment, list(names.values()), sales)


@dataclasses.dataclass(frozen=True)
class Belief:
    """One stated status.

    Attributes:
        item: number of closed items.
        revision: 0 for the first statement after an item; each correction adds 1.
        status: the stated status; None if it could not be parsed.
        true: the true status.
        checks: the checks of the stated status; none if it could not be parsed.
    """

    item: int
    revision: int
    status: Status | None
    true: Status
    checks: tuple[Check, ...]


def belief_history(record: GameRecord, seat: str) -> list[Belief]:
    """Return the statuses that a seat has noted, in order, with the true statuses and the checks."""
    name = next(player["name"] for player in record.seats if player["seat"] == seat)
    history = []
    for notes in seat_notes(record, seat):
        for update in noted_updates(notes):
            true = recorded_status(record, seat, update["item"])
            for revision, status in enumerate(update["statuses"]):
                checks = () if status is None else tuple(check_status(status, true, name))
                history.append(Belief(update["item"], revision, status, true, checks))
    return history


def beliefs(record: GameRecord) -> JsonObject:
    """Return what each seat states about all bidders, compared with the truth, by seat; seats without statements miss.

    Returns:
        For each seat a list of {item, revision, true, wrong}: `wrong` are descriptions of errors.
    """
    stated = {player["seat"]: belief_history(record, player["seat"]) for player in record.seats}
    return {
        seat: [
            {
                "item": one.item,
                "revision": one.revision,
                "true": one.true,
                "wrong": [check.wrong for check in one.checks if check.wrong],
            }
            for one in history
        ]
        for seat, history in stated.items()
        if history
    }


def belief_failures(records: Iterable[GameRecord], formula: Formula = "paper") -> dict[str, dict[str, Rate]]:
    """Count wrong beliefs F, and the sum of F and correct ones C, by bidder and KINDS, for bidders that note beliefs.

    F counts the wrong statements of all revisions. In the paper, C is the number of statements in a status, once for
    each update, because a wrong statement is corrected in the end. Its program counts the correct statements of all
    revisions, so that those which were right before a correction count again.
    """
    wrong: dict[str, Counter[str]] = {}
    correct: dict[str, Counter[str]] = {}
    for bidder, record, seat in labeled_seats(records):
        stated: dict[int, Counter[str]] = {}  # the most statements of each kind in a status, by update
        for belief in belief_history(record, seat):
            kinds = Counter(check.kind for check in belief.checks)
            errors = Counter(check.kind for check in belief.checks if check.wrong)
            stated[belief.item] = stated.get(belief.item, Counter()) | kinds
            wrong.setdefault(bidder, Counter()).update(errors)
            correct.setdefault(bidder, Counter()).update(kinds - errors if formula == "program" else ())
        if formula == "paper":
            for kinds in stated.values():
                correct[bidder].update(kinds)
    return {
        bidder: {kind: (failed[kind], failed[kind] + correct[bidder][kind]) for kind in KINDS}
        for bidder, failed in wrong.items()
        if failed or correct[bidder]
    }


def combined_rate(rates: dict[str, Rate], kinds: Iterable[str]) -> Rate:
    """Return the rate over several kinds together."""
    chosen = [rates[kind] for kind in kinds]
    return sum(failed for failed, _ in chosen), sum(total for _, total in chosen)
