"""Replay recorded English auctions under our rules.

A recorded game is an object: id, bidders, budget (of each bidder), discount, min_increment, items [{id, name,
starting_price, true_value}] and rounds [{item, round, bids {bidder: dollars, null = withdraws}}] in order. Optional
are starting_price and closed in a round, outcome {bidder: {profit, budget, won [[item, price]]}}, and ask_broke: true
if every bidder that cannot pay has a decision in the record. If the highest bids of a round tie, the tie is broken in
favor of the bidder that leads in the record. Bids are rounded to whole cents.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from aucenv.core.checks import boolean, build, field, number, one_of
from aucenv.core.decisions import IllegalBid
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.money import MAX_DOLLARS, to_cents, to_dollars
from aucenv.core.names import MAX_ID, checked_bidder_name, checked_name, scenario_name
from aucenv.core.replay_result import BidRounding, ReplayDifference, ReplayResult
from aucenv.core.schema import ListOf, MapOf, fields_only
from aucenv.core.state import NOBODY
from aucenv.core.table import Table
from aucenv.envs.english.game import GAME, Bidder, EnglishScenario, Item
from aucenv.envs.english.prices import halved, least_raise
from aucenv.envs.english.record_format import OUTCOME

RECORDED = fields_only(
    *("id", "bidders", "budget", "discount", "min_increment", "ask_broke"),
    items=ListOf(fields_only("id", "name", "starting_price", "true_value")),
    rounds=ListOf(fields_only("item", "round", "bids", "starting_price", "closed")),
    outcome=MapOf(fields_only("profit", "budget", "won")),
)
"""The fields of a recorded game."""
_Outcome = dict[str, tuple[dict[str, float], list[tuple[Any, int]]]]
"""{bidder: ({profit, budget} in dollars, [(item, price in cents)])}."""


def replay_game(data: JsonMapping, where: str) -> ReplayResult:
    """Replay one recorded game under our rules.

    Raises:
        ValueError: the record is malformed; the message names `where` and the field.
    """
    RECORDED.check(data, where)
    try:
        scenario = _read_scenario(data)
        rounding = BidRounding()
        rounds = [_read_round(played, scenario, rounding) for played in field(data, "rounds", list)]
        recorded = _read_outcome(data, scenario) if "outcome" in data else None
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    table = Table(GAME, scenario, ["amount"] * len(scenario.bidders), illegal="raise")
    table.reset(0)
    compared = recorded is not None
    try:
        for index, played in enumerate(rounds):
            _feed(table, played, rounds[index - 1] if index else None, _recorded_leader(rounds[index:], recorded or {}))
            _check_closing(table, played, rounds[index + 1 : index + 2])
        if not table.over:
            raise ReplayDifference(f"item {_item_id(table)}, round {table.round}: the record ends, our rules continue")
    except ReplayDifference as error:
        return ReplayResult(data["id"], None, str(error), compared, table, tuple(rounding.notes))
    our_outcome = _outcome(table)
    last_rounds = dict.fromkeys(table.scenario_text.item_ids, 0) | {played.item: played.round for played in rounds}
    difference = _difference(our_outcome, recorded, last_rounds, rounding) if compared else None
    return ReplayResult(data["id"], {"outcome": our_outcome}, difference, compared, table, tuple(rounding.notes))


@dataclasses.dataclass(frozen=True)
class _Round:
    item: Any
    round: int
    bids: dict[str, float | None]
    starting_price: float | None
    closed: bool | None

    @property
    def at(self) -> str:
        return f"item {self.item}, round {self.round}"


def _read_scenario(data: JsonMapping) -> EnglishScenario:
    for name in ("id", "budget"):
        if data.get(name) is None:
            raise ValueError(f"expected the field {name!r}")
    title = scenario_name(checked_name("id", str(data["id"]), MAX_ID))
    names = [checked_bidder_name(f"bidders[{j}]", name) for j, name in enumerate(field(data, "bidders", list))]
    bidders = tuple(Bidder(name, data["budget"]) for name in names)
    items = [build(Item, item, "", ("items", j)) for j, item in enumerate(field(data, "items", list))]
    increment = data.get("min_increment", 0.1)
    flags = (data.get("discount", False), data.get("ask_broke", False))
    return EnglishScenario(title, tuple(items), bidders, "given", increment, *flags)


def _read_round(played: Any, scenario: EnglishScenario, rounding: BidRounding) -> _Round:
    if not isinstance(played, dict):
        raise ValueError(f"rounds: expected objects, got {played!r:.80}")
    if isinstance(played.get("item"), bool) or played.get("item") not in [item.id for item in scenario.items]:
        raise ValueError(f"rounds: expected an item of the auction, got {played.get('item')!r}")
    at = f"item {played['item']}, round {field(played, 'round', int)}"
    bids = {}
    for name, bid in field(played, "bids", dict, at).items():
        one_of(f"{at}, bidder", name, [bidder.name for bidder in scenario.bidders])
        place = f"{at}, bid of {name}"
        bids[name] = None if bid is None else rounding.round(place, number(place, bid, 0, MAX_DOLLARS), name)
    price = played.get("starting_price")
    if price is not None:
        number(f"{at}, starting_price", price, 0, MAX_DOLLARS)
    closed = boolean(f"{at}, closed", played["closed"]) if played.get("closed") is not None else None
    return _Round(played["item"], played["round"], bids, price, closed)


def _read_outcome(data: JsonMapping, scenario: EnglishScenario) -> _Outcome:
    recorded = field(data, "outcome", dict)
    names = [bidder.name for bidder in scenario.bidders]
    if set(recorded) != set(names):
        raise ValueError(f"outcome: expected one for each of {', '.join(names)}, got {', '.join(recorded) or 'none'}")
    outcome = {}
    for name in names:
        at = f"outcome of {name}"
        part = field(recorded, name, dict, "outcome")
        won = []
        for sale in field(part, "won", list, at):
            if not isinstance(sale, list) or len(sale) != 2:
                raise ValueError(f"{at}, won: expected [item, price], got {sale!r:.80}")
            if isinstance(sale[0], bool) or sale[0] not in [item.id for item in scenario.items]:
                raise ValueError(f"{at}, won: expected an item of the auction, got {sale[0]!r:.80}")
            won.append((sale[0], to_cents(number(f"{at}, price of {sale[0]}", sale[1], 0, MAX_DOLLARS))))
        figures = {
            name: number(f"{at}, {name}", part.get(name), -10 * MAX_DOLLARS, 10 * MAX_DOLLARS)
            for name in ("profit", "budget")
        }
        outcome[name] = (figures, won)
    return outcome


def _feed(table: Table, played: _Round, previous: _Round | None, leader: str | None) -> None:
    """Submit one recorded round.

    Our rules do not ask bidders who cannot afford the least legal bid, unless the record states that the auction asked
    them; in the record they withdraw.
    """
    our_place, recorded_place = (
        (table.item, table.round),
        (table.scenario_text.item_ids.index(played.item), played.round),
    )
    if our_place > recorded_place and _nobody_could_pay(table, played, previous):
        return  # our rules closed this round without decisions
    if our_place != recorded_place:
        description = "the auction is over" if table.over else f"item {_item_id(table)}, round {table.round}"
        raise ReplayDifference(f"{played.at}: our rules are at another place: {description}")
    price = int(table.state["price"][0])
    if played.starting_price is not None and to_cents(played.starting_price) != price:
        raise ReplayDifference(
            f"{played.at}: starting price {played.starting_price}, our rules give {to_dollars(price)}"
        )
    names = table.scenario_text.names
    asked = table.pending
    missing = [names[seat] for seat in asked if names[seat] not in played.bids]
    unexpected = [name for name, bid in played.bids.items() if bid is not None and names.index(name) not in asked]
    if missing or unexpected:
        raise ReplayDifference(f"{played.at}: our rules also ask {missing} and do not ask {unexpected}")
    if leader is not None:
        table.force_tie(names.index(leader))
    for seat in asked:
        bid = played.bids[names[seat]]
        try:
            table.submit(seat, -1 if bid is None else bid)
        except IllegalBid as error:
            raise ReplayDifference(f"{played.at}: our rules refuse the bid of {names[seat]}: {error}") from None


def _nobody_could_pay(table: Table, played: _Round, previous: _Round | None) -> bool:
    """Return whether every bidder had to withdraw in a recorded round that our rules closed without decisions."""
    row, j = table.state[0], table.scenario_text.item_ids.index(played.item)
    follows = previous is not None and previous.item == played.item
    bids = (
        {name: bid for name, bid in previous.bids.items() if bid is not None}
        if previous is not None and follows
        else {}
    )
    if played.round != (previous.round + 1 if previous is not None and follows else 0) or any(played.bids.values()):
        return False
    if follows and not bids and not row["discount"]:
        return False
    start = int(row["start"][j])
    for _ in range(0 if bids else played.round):
        start = halved(start)
    price = start if played.starting_price is None else to_cents(played.starting_price)
    if price != start and not bids:
        return False
    least = price
    if previous is not None and bids:
        least = to_cents(max(bids.values())) + least_raise(price, int(row["increment"]))
        if any(name in played.bids for name, bid in previous.bids.items() if bid is None):
            return False  # a bidder that has withdrawn is not asked again
    spent = [0] * table.num_seats
    for earlier in range(j):
        if row["winner"][earlier] != NOBODY:
            spent[row["winner"][earlier]] += int(row["hammer"][earlier])
    asked = [table.scenario_text.names.index(name) for name in played.bids]
    return all(row["endowment"][seat] - spent[seat] < least for seat in asked)


def _check_closing(table: Table, played: _Round, following: list[_Round]) -> None:
    """Raise unless our rules close the item in this round exactly if the record does, where the record states it.

    The record continues an item while bidders who cannot pay are asked; our rules may have closed it already.
    """
    still_open = not table.over and _item_id(table) == played.item
    if played.closed and still_open:
        raise ReplayDifference(f"{played.at}: the record closes the item, our rules continue it")
    if played.closed is False and not still_open and not any(later.item == played.item for later in following):
        raise ReplayDifference(f"{played.at}: our rules close the item, the record continues it")


def _recorded_leader(rounds: list[_Round], recorded: _Outcome) -> str | None:
    """Return the bidder that the record shows to win the tie for the highest bid in the first of these rounds.

    A bidder that bids in the item's next round did not win the tie; a tied bidder that is not asked there did. If
    nobody bids for the item again, the bidder that bought it won the tie. Without a tie or evidence, return None.
    """
    played, following = rounds[0], [later for later in rounds[1:] if later.item == rounds[0].item]
    bids = {name: bid for name, bid in played.bids.items() if bid is not None}
    tied = [name for name, bid in bids.items() if bid == max(bids.values())]
    if following:
        tied = [name for name in tied if following[0].bids.get(name) is None]
        unasked = [name for name in tied if name not in following[0].bids]
        if len(unasked) == 1:
            return unasked[0]
    if all(bid is None for later in following for bid in later.bids.values()):
        winners = [name for name in tied if played.item in [item for item, _ in recorded.get(name, ({}, []))[1]]]
        tied = winners or tied
    return tied[0] if len(tied) == 1 and len(bids) > 1 else None


def _item_id(table: Table) -> Any:
    return table.scenario_text.item_ids[table.item]


def _outcome(table: Table) -> dict[str, JsonObject]:
    seats = OUTCOME.data(table.view(0, reveal=True))["seats"]
    return {
        name: {"profit": seat["profit"], "budget": seat["budget_left"], "won": seat["won"]}
        for name, seat in zip(table.scenario_text.names, seats, strict=True)
    }


def _difference(
    our_outcome: Mapping[str, JsonObject],
    recorded: _Outcome | None,
    last_rounds: Mapping[Any, int],
    rounding: BidRounding,
) -> str | None:
    """Describe the first item whose winner or price differs, else the first bidder whose profit or budget does."""
    assert recorded is not None
    at = ""
    for item, last_round in last_rounds.items():
        at = f"item {item}, round {last_round}"
        sales = [
            (name, to_cents(price)) for name, part in our_outcome.items() for sold, price in part["won"] if sold == item
        ]
        recorded_sales = [(name, price) for name, (_, won) in recorded.items() for sold, price in won if sold == item]
        if sales != recorded_sales:
            return f"{at}: recorded {_sales(recorded_sales)}, our rules give {_sales(sales)}"
    for name, part in our_outcome.items():
        for figure, dollars in recorded[name][0].items():
            if not rounding.agrees(dollars, part[figure], name):
                return f"{at}: {figure} of {name} recorded {dollars}, our rules give {part[figure]}"
    return None


def _sales(sales: list[tuple[str, int]]) -> str:
    return " and ".join(f"{name} at {to_dollars(cents)}" for name, cents in sales) or "unsold"
