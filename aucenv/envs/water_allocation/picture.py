"""Render the town as an image: the day's water and the total need, and each resident's health, money and last bid."""

from __future__ import annotations

import numpy as np

from aucenv.core.drawing import FAINT, IN, LEADS, LEFT, OUT, RIGHT, ROW, TOP, VALUE, Sheet
from aucenv.core.money import money
from aucenv.envs.water_allocation.view import Day, ResidentView, View

BAR, BAR_END = LEFT + 250, LEFT + 430


def rgb(view: View) -> np.ndarray:
    """Return an image of the town, (height, width, 3) uint8.

    Args:
        view: a view that reveals everything.

    Raises:
        ImportError: Pillow is not installed.
    """
    residents, closed = view.residents, view.item_number
    sheet = Sheet(len(residents))
    title = f"Game {view.status} after {closed} days" if view.supply is None else f"Day {view.day} of {view.days}"
    sheet.write(LEFT, 24, title, 26)
    total_need = sum(resident.need for resident in residents if resident.alive)
    if view.supply is not None:
        sheet.write(RIGHT, 32, f"{view.supply} units of water, {total_need} needed", 16, FAINT, anchor="ra")
        sheet.bar(LEFT, RIGHT, 84, 18, view.supply / max(1, total_need), IN)
    sheet.write(BAR, TOP - 42, "health", 14, IN)
    last = view.day_at(closed - 1) if closed else None
    for number, resident in enumerate(residents):
        _draw_resident(sheet, resident, view.health_cap, last, TOP + ROW * number)
    return sheet.pixels()


def _draw_resident(sheet: Sheet, resident: ResidentView, cap: int, last: Day | None, y: int) -> None:
    won = last is not None and resident.seat in last.winners
    status, color = ("dead", OUT) if not resident.alive else ("water", LEADS) if won else ("", IN)
    sheet.begin_row(y, resident.name, status, color)
    sheet.bar(BAR, BAR_END, y + 17, 12, max(0, resident.health) / cap, IN if resident.health > cap // 3 else VALUE)
    sheet.write(BAR_END + 12, y + 15, str(resident.health), 14)
    bid = last.bids.get(resident.seat) if last is not None else None
    if bid is not None:
        sheet.write(BAR_END + 60, y + 15, f"bid {money(bid)}", 14, LEADS if won else FAINT)
    sheet.write(RIGHT, y + 15, money(resident.balance), 14, anchor="ra")
