"""A game as plain data: what infos carry in every round, what records keep of the deal and of the outcome."""

from __future__ import annotations

from typing import Any

from aucenv.core.kernel import kernel
from aucenv.core.money import to_dollars
from aucenv.core.state import NOBODY, RUNNING
from aucenv.envs.sealed_bid.rules import NONE
from aucenv.envs.sealed_bid.view import Catalogue, View
from aucenv.envs.values import CV

_PER_GAME, _PER_SEAT = 4, 6


@kernel
def quote(state, b, out):
    """Write the numbers of a round's facts.

    Args:
        out: (num_quoted,) int64, written: round, whether one is open, whether one has closed, its price as far as it is
            told, or NOBODY; then each seat's value, last gain, whether it won it, what it paid, profit and prizes.
    """
    g = state[b]
    j = g["item"]
    last = g["last"]
    running = g["status"] == RUNNING
    told = last >= 0 and g["reveal"] != NONE
    out[0] = j
    out[1] = running
    out[2] = last >= 0
    out[3] = g["price"][last] if told else NOBODY
    for seat in range(g["num_seats"]):
        at = 4 + 6 * seat
        won = last >= 0 and g["winner"][max(last, 0)] == seat
        out[at] = g["value"][seat][j] if running else 0
        out[at + 1] = g["gain"][seat]
        out[at + 2] = won
        out[at + 3] = g["price"][last] if won else -g["gain"][seat]
        out[at + 4] = g["profit"][seat]
        out[at + 5] = g["won"][seat]


def num_quoted(num_seats: int) -> int:
    return _PER_GAME + _PER_SEAT * num_seats


def facts(quoted: list[int], seat: int, catalogue: Catalogue) -> dict[str, Any]:
    """A seat's info, in dollars: its value, what came of the last round, and what it has; None where there is none."""
    at = _PER_GAME + _PER_SEAT * seat
    number, running, played, price = quoted[:_PER_GAME]
    value, gain, won, paid, profit, prizes = quoted[at : at + _PER_SEAT]
    return {
        "round": number,
        "value": value / 100 if running else None,
        "last_won": bool(won) if played else None,
        "last_paid": paid / 100 if played else None,
        "last_price": price / 100 if price != NOBODY else None,
        "last_profit": gain / 100 if played else None,
        "profit": profit / 100,
        "prizes_won": prizes,
        "refused": None,
    }


def dealt(view: View) -> dict[str, Any]:
    """A record's `deal`: what chance gave; from a view that reveals all. Each seat's `values` by round: cv, signals."""
    row, rounds = view.row[0], view.num_rounds
    common = [to_dollars(cents) for cents in row["common"][:rounds].tolist()]
    return {
        "common": common if view.values != "ipv" else None,
        "seats": [
            {"values": [to_dollars(cents) for cents in row["value"][seat, :rounds].tolist()]}
            for seat in range(len(view.catalogue.seats))
        ],
    }


def outcome(view: View) -> dict[str, Any]:
    """A record's `outcome`; from a view that reveals all."""
    row, seats = view.row[0], view.catalogue.seats
    rounds = []
    for j in range(view.item_number):
        winner = int(row["winner"][j])
        bids = [int(cents) for cents in row["bid"][: len(seats), j]]
        sold = winner != NOBODY
        gains = _gains(row, view.pricing == "all_pay", j, winner, bids)
        rounds.append(
            {
                "winner": seats[winner] if sold else None,
                "price": to_dollars(int(row["price"][j])) if sold else None,
                "profits": [to_dollars(cents) for cents in gains],
            }
        )
    return {
        "status": view.status,
        "rounds": view._get("rounds"),
        "prizes": rounds,
        "seats": [
            {"profit": to_dollars(int(row["profit"][s])), "prizes_won": int(row["won"][s])} for s in range(len(seats))
        ],
    }


def _gains(row: Any, all_pay: bool, j: int, winner: int, bids: list[int]) -> list[int]:
    gains = [-max(0, bid) if all_pay else 0 for bid in bids]
    if winner != NOBODY:
        worth = row["common"][j] if row["model"] == CV else row["value"][winner, j]
        gains[winner] = int(worth - row["price"][j])
    return gains
