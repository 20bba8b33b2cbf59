"""The deal and the outcome of a game's records."""

from __future__ import annotations

from uniform_price.rules import State

from aucenv.core.fields import SEAT
from aucenv.core.formats.schema import ListOf
from aucenv.core.records.record_parts import STATUS, RecordPart, computed, rows, values_of
from aucenv.core.words.money import DOLLARS

DEAL = RecordPart(seats=rows(SEAT, values=State.value))
OUTCOME = RecordPart(
    status=STATUS,
    rounds=State.rounds,
    prices=computed(ListOf(DOLLARS), lambda view: values_of(State.price, view)[: view.item_number]),
    seats=rows(SEAT, profit=State.profit, won=State.won),
)
