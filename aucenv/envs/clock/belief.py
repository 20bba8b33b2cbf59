"""Resampling of hidden values, consistent with everything that a seat has observed."""

from __future__ import annotations

from aucenv.core.kernel import draw_below, kernel
from aucenv.core.state import NOBODY, RESAMPLE, RUNNING, WITHDRAW
from aucenv.envs.clock.rules import keep_exits
from aucenv.envs.single_item.belief import resample as resample_prizes
from aucenv.envs.single_item.rules import clear_ranked
from aucenv.envs.single_item.values import REVEAL_ALL


@kernel
def resample(state, b, seat, key):
    """Resample everything that is hidden from `seat`: see `single_item.belief`.

    The rivals that are still in are drawn at random, as many as open feedback reveals; with blind feedback all rivals
    are in. No rival has named a price.
    """
    g = state[b]
    seats = g["num_seats"]
    if g["open"] == 0:
        clear_ranked(g)
    elif g["reveal"] != REVEAL_ALL:
        for j in range(g["item"]):
            keep_exits(g, g, j)  # before the prices are cleared
    resample_prizes(state, b, seat, key)
    if g["status"] != RUNNING:
        g["still_in"] = seats
        for s in range(seats):
            if s != seat:
                g["limit"][s] = NOBODY
                g["active"][s] = 1
        return
    j = g["item"]
    if g["open"] == 0:
        g["still_in"] = seats - 1 + (g["active"][seat] != 0)
        g["ranked"][j][:] = 0
        if g["active"][seat] == 0:
            g["ranked"][j][0] = g["bid"][seat][j]
    left = seats - g["still_in"] - (g["active"][seat] == 0)
    rivals = seats - 1
    rank = 0
    seat_skipped = g["active"][seat] != 0
    for s in range(seats):
        if s == seat:
            continue
        leaves = draw_below(rivals, key, RESAMPLE, j, 2, s) < left
        rivals -= 1
        g["limit"][s] = NOBODY
        g["active"][s] = 0 if leaves else 1
        g["acting"][s] = g["active"][s]
        g["bid"][s][j] = WITHDRAW
        if leaves:
            left -= 1
            if not seat_skipped and g["ranked"][j][rank] == g["bid"][seat][j]:
                seat_skipped = True
                rank += 1
            g["bid"][s][j] = g["ranked"][j][rank]
            rank += 1
