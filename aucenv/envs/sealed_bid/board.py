"""The board of a sealed-bid auction: the values of this round, and the values and bids of the last one."""

from __future__ import annotations

from aucenv.core.boards.board import Board, Cell, Column, Mark, Said, Scale, visible
from aucenv.core.boards.choices import amount, choices_of, no_bid
from aucenv.core.files import JsonObject
from aucenv.core.state import RUNNING
from aucenv.envs.sealed_bid.view import ScenarioText, View
from aucenv.envs.single_item import board as single_item

KINDS = {"first": "first price", "second": "second price", "third": "third price", "all_pay": "all-pay"}


def board(view: View) -> Board:
    """Return the board of a View."""
    row, last, seats = view.row[0], view.item_number - 1, range(len(view.scenario_text.seats))
    bids = single_item.dollars(row["bid"][: len(seats), last].tolist()) if last >= 0 else [None] * len(seats)
    winner = int(row["winner"][last]) if last >= 0 else None
    columns = [
        single_item.values(view, view.item_number),
        single_item.values(view, last, bids, "last "),
        (Column("last bid", "money"), single_item.private(view, bids)),
    ]
    states = [visible(view, k, "won", "won") if k == winner else visible(view, k, None) for k in seats]
    now = view.item_number + 1 if view._get("status") == RUNNING else None
    chart, table = single_item.closed(view, "bid", now=now)
    kind = KINDS[view.pricing]
    return single_item.board(view, kind, states, columns, scale=_scale(view), charts=[chart], tables=[table])


def said(scenario_text: ScenarioText) -> Said:
    """Return how decisions are said."""
    return Said("abstains", "bids {}", sign=scenario_text.sign)


def events(before: View, after: View) -> list[str]:
    """Return what the seat knows of the rounds that closed between two Views of a game, as sentences."""
    names, words, sentences = after.scenario_text.names, said(after.scenario_text), []
    for j in range(before.item_number, after.item_number):
        bids = single_item.dollars(after.row["bid"][0, :, j].tolist())
        sentences += [f"{names[seat]} {words.of(bids[seat])}" for seat in single_item.known_seats(after)]
        sentences += single_item.result(after, j)
    return [f"{sentence}." for sentence in sentences]


def choices(view: View) -> JsonObject:
    """Return what a seat that has to decide may do: `core.boards.choices.choices_of`."""
    scenario = view.scenario
    return choices_of([no_bid("Abstain")], amount("Bid", 0.0, scenario.bid_cap, scenario.bid_step))


def _scale(view: View) -> Scale:
    """Return the values of this round with the highest bid that is legal, and the reserve."""
    scenario = view.scenario
    limits = Mark("bid cap", Cell(scenario.bid_cap)), Mark("reserve", Cell(scenario.reserve or None))
    return single_item.scale(view, max(scenario.bid_cap or 0, scenario.reserve), limits)
