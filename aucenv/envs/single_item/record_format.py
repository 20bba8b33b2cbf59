"""The format of a record's deal and outcome in sealed-bid and clock auctions, and what they must have in common."""

from __future__ import annotations

from aucenv.core.checks import one_of
from aucenv.core.fields import SEAT
from aucenv.core.files import JsonObject
from aucenv.core.formats.schema import TEXT, ListOf, Object, Optional
from aucenv.core.records.record import GameRecord, expect, expect_fields
from aucenv.core.records.record_parts import STATUS, RecordPart, computed, rows, values_of
from aucenv.core.state import NOBODY, STATUS_NAMES, TERMINATED
from aucenv.core.words.money import ANY_DOLLARS, SIGNED_DOLLARS, to_cents, to_dollars
from aucenv.envs.single_item.rules import PrizeState
from aucenv.envs.single_item.values import CV, SingleItemScenario
from aucenv.envs.single_item.view import SingleItemView

DEAL = RecordPart(
    common=computed(
        Optional(ListOf(ANY_DOLLARS)),
        lambda view: values_of(PrizeState.common, view) if view.values != "ipv" else None,
    ),
    seats=rows(SEAT, values=PrizeState.value),
)
PRIZE = {
    "winner": Optional(TEXT),
    "price": Optional(ANY_DOLLARS),
    "profits": ListOf(SIGNED_DOLLARS),
    "bids": ListOf(Optional(ANY_DOLLARS)),
    "revenue": SIGNED_DOLLARS,
}


def prizes_of(view: SingleItemView) -> list[JsonObject]:
    """Return the closed rounds of a game, from a view that reveals everything."""
    return [_prize(view, j) for j in range(view.item_number)]


def _prize(view: SingleItemView, j: int) -> JsonObject:
    row, seats = view.row[0], view.scenario_text.seats
    winner, price = int(row["winner"][j]), int(row["price"][j])
    sold = winner != NOBODY
    bids = [int(cents) for cents in row["bid"][: len(seats), j]]
    profits = [-max(0, bid) if view.all_pay else 0 for bid in bids]
    if sold:
        profits[winner] = int(row["common"][j] if row["model"] == CV else row["value"][winner, j]) - price
    revenue = sum(max(0, bid) for bid in bids) if view.all_pay else price * sold
    return {
        "winner": seats[winner] if sold else None,
        "price": to_dollars(price) if sold else None,
        "profits": [to_dollars(cents) for cents in profits],
        "bids": [to_dollars(bid) if bid >= 0 else None for bid in bids],
        "revenue": to_dollars(revenue),
    }


SEATS = rows(SEAT, profit=PrizeState.profit, prizes_won=PrizeState.won)
OUTCOME = RecordPart(
    status=STATUS, rounds=PrizeState.rounds, prizes=computed(ListOf(Object(PRIZE)), prizes_of), seats=SEATS
)


def check(record: GameRecord, scenario: SingleItemScenario, where: str) -> None:
    """Raise unless the deal and the outcome are those of an auction of this scenario.

    Raises:
        ValueError: A value has another format, or contradicts others; the message names `where` and the field.
    """
    _check_values(record, scenario, where)
    names = [player["seat"] for player in record.seats]
    prizes = record.outcome["prizes"]
    if record.outcome["status"] == STATUS_NAMES[TERMINATED] or len(prizes) > scenario.num_rounds:
        expect(len(prizes), scenario.num_rounds, where, "outcome.prizes", "of them, one for each round")
    for j, prize in enumerate(prizes):
        _check_prize(record, prize, where, j)
    for number, (name, result) in enumerate(zip(names, record.outcome["seats"], strict=True)):
        profit = to_dollars(sum(round(100 * prize["profits"][number]) for prize in prizes))
        expected = {"profit": profit, "prizes_won": sum(prize["winner"] == name for prize in prizes)}
        expect_fields(result, expected, where, f"outcome.seats[{number}]", "from outcome.prizes")


def _check_values(record: GameRecord, scenario: SingleItemScenario, where: str) -> None:
    """Raise unless the values and signals are possible in this scenario, one for each round."""
    common = record.deal["common"]
    if (common is None) != (scenario.values == "ipv"):
        expected = "null" if scenario.values == "ipv" else "a list"
        raise ValueError(f"{where}: deal.common: expected {expected} with values {scenario.values!r}, got another")
    low, high = map(to_cents, scenario.value_range)
    columns = [("deal.common", common, low, high)] if common is not None else []
    least = {"ipv": low, "apv": 2 * low, "cv": low - to_cents(scenario.signal_error)}[scenario.values]
    for number, dealt in enumerate(record.deal["seats"]):
        columns.append((f"deal.seats[{number}].values", dealt["values"], least, to_cents(scenario.highest_signal)))
    for path, values, least, most in columns:
        expect(len(values), scenario.num_rounds, where, path, "of them, one for each round")
        for j, value in enumerate(values):
            if not least <= to_cents(value) <= most:
                limits = f"{to_dollars(least)} to {to_dollars(most)}"
                raise ValueError(f"{where}: {path}[{j}]: expected dollars from {limits}, got {value}")


def _check_prize(record: GameRecord, prize: JsonObject, where: str, j: int) -> None:
    path, seats = f"outcome.prizes[{j}]", [player["seat"] for player in record.seats]
    for name in ("profits", "bids"):
        expect(len(prize[name]), len(seats), where, f"{path}.{name}", "of them, one for each seat")
    if prize["winner"] is not None:
        one_of(f"{where}: {path}.winner", prize["winner"], seats)
        if prize["price"] is None:
            raise ValueError(f"{where}: {path}.price: expected dollars, as there is a winner, got None")
    else:
        expect(prize["price"], None, where, f"{path}.price", "without a winner")
