"""Render the town as an image: the day's water and the total need, and each resident's health, money and last bid."""

from __future__ import annotations

import numpy as np

from aucenv.core.drawing import FAINT, IN, INK, LEADS, LEFT, OUT, RIGHT, ROW, TOP, VALUE, Sheet
from aucenv.core.money import money
from aucenv.core.phrases import count
from aucenv.envs.water_allocation.render import day_result, survivors
from aucenv.envs.water_allocation.view import Day, ResidentView, View

BAR, BAR_END, HEALTH, NEED, BID = LEFT + 258, LEFT + 388, LEFT + 424, LEFT + 482, LEFT + 584


def rgb(view: View) -> np.ndarray:
    """Return an image of the town, (height, width, 3) uint8.

    Args:
        view: a view that reveals everything.

    Raises:
        ImportError: Pillow is not installed.
    """
    residents, closed, text = view.residents, view.item_number, view.scenario_text
    sheet = Sheet.for_names(text.names)
    last = view.day_at(closed - 1) if closed else None
    if last is not None:
        sheet.subtitle(day_result(view, last, text.names))
    if view.supply is None:
        sheet.title(f"Game {view.status} after {closed} of {count(view.days, 'day')}", "")
        sheet.write(LEFT, 100, survivors(view), 18, LEADS, room=sheet.right - LEFT)
    else:
        sheet.title(f"Day {view.day} of {view.days}", f"{count(view.supply, 'unit')} of {view.wording.resource}")
        _draw_supply(sheet, view.supply, sum(resident.need for resident in residents if resident.alive))
    sheet.heading(BAR, "health", IN)
    sheet.scale_ends(BAR, BAR_END, "0", str(view.health_cap))
    sheet.heading(NEED, "need", anchor="ra")
    if closed:
        sheet.heading(BID, f"bid, day {closed}", anchor="ra")
    sheet.heading(RIGHT, "balance", anchor="ra")
    for number, resident in enumerate(residents):
        _draw_resident(sheet, view, resident, last, TOP + ROW * number)
    return sheet.pixels()


def _draw_supply(sheet: Sheet, supply: int, need: int) -> None:
    """Draw the day's supply as a bar on a scale of units, with a mark at the total need of the living."""
    end = max(supply, need)
    sheet.bar(LEFT, sheet.right, 100, 18, supply / end, IN)
    x, needed = (LEFT + (sheet.right - LEFT) * units / end for units in (supply, need))
    sheet.mark(needed, 92, 34, VALUE)
    sheet.labels(128, [(LEFT, "0", FAINT), (x, f"supply {supply}", IN), (needed, f"total need {need}", VALUE)])


def _draw_resident(sheet: Sheet, view: View, resident: ResidentView, last: Day | None, y: int) -> None:
    """Draw a resident's row at `y`: health and balance now, and the bid and the water of the last day."""
    over, cap = view.supply is None, view.health_cap
    won = last is not None and resident.seat in last.winners
    status, color = ("dead", OUT) if not resident.alive else ("", IN)
    if resident.alive and over:
        status, color = "survived", LEADS
    elif won:
        status, color = view.wording.resource, LEADS
    sheet.begin_row(y, resident.name, status, color)
    sheet.row_bar(BAR, BAR_END, y, max(0, resident.health) / cap, IN if resident.health > cap // 3 else VALUE)
    sheet.cell(HEALTH, y, str(resident.health))
    sheet.cell(NEED, y, str(resident.need), FAINT)
    bid = last.bids.get(resident.seat) if last is not None else None
    if last is not None and bid is not None:
        void = " (void)" if resident.seat in last.void else ""
        sheet.cell(BID, y, f"{money(bid)}{void}", LEADS if won else INK, room=96)
    sheet.cell(RIGHT, y, money(resident.balance), room=104)
