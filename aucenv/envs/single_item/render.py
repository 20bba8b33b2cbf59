"""Boards of sealed-bid and clock auctions, as far as they are the same: what happened in which round.

The values and actions on a board are headed by their round, since the bids of a round are only known when it is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aucenv.core.money import format_dollars
from aucenv.core.phrases import aligned, best_seats, count, listed
from aucenv.core.state import NOBODY
from aucenv.envs.single_item.values import CV
from aucenv.envs.single_item.view import SingleItemView

Columns = tuple[list[str], Callable[[int], list[str]]]
"""The headings of the columns of a round, and a function from a seat to its cells."""


def amount(view: SingleItemView, cents: int) -> str:
    """Return cents as text in the scenario's currency; `-` for an amount that does not exist."""
    return format_dollars(cents, view.scenario_text.sign) if cents != NOBODY else "-"


def value_word(view: SingleItemView) -> str:
    """Return what a seat knows of a prize: its "value"; with cv, a "signal" of it."""
    return "signal" if view.row["model"][0] == CV else "value"


def value_in(view: SingleItemView, seat: int, j: int) -> str:
    """Return the value (with cv, the signal) of a seat in round `j`, from 0, as text."""
    return format_dollars(int(view.row["value"][0, seat, j]), view.scenario_text.sign)


def worth(view: SingleItemView, j: int) -> str:
    """Return the prize's value in round `j`, from 0, in words; without a common value, nothing."""
    return f", prize worth {amount(view, int(view.row['common'][0, j]))}" if view.row["model"][0] == CV else ""


def round_result(view: SingleItemView, j: int, names: Sequence[str]) -> str:
    """Return the result of closed round `j`, from 0: `Round 8: Betty won at $93`."""
    winner = int(view.row["winner"][0, j])
    sold = f"{names[winner]} won at {amount(view, int(view.row['price'][0, j]))}" if winner != NOBODY else "not sold"
    return f"Round {j + 1}{worth(view, j)}: {sold}"


def highest_profit(view: SingleItemView) -> str:
    """Return the winners of a game that is over and their profit: `Highest profit: Andy, $81`."""
    best = winners(view)
    profit = amount_of_profit(view, best[0] if best else 0)
    if not best:
        return f"All bidders have the same profit, {profit}"
    return f"Highest profit: {listed([view.scenario_text.names[seat] for seat in best])}, {profit}"


def winners(view: SingleItemView) -> list[int]:
    """Return the seats with the highest profit once the game is over; none while it runs."""
    seats = view.scenario_text.seats
    profits = {name: int(view.row["profit"][0, seat]) for seat, name in enumerate(seats)}
    return [seats.index(seat) for seat in best_seats(view.status, profits)]


def amount_of_profit(view: SingleItemView, seat: int) -> str:
    """Return a seat's profit so far as text."""
    return format_dollars(int(view.row["profit"][0, seat]), view.scenario_text.sign)


def board(view: SingleItemView, head: str, closed: Columns, current: Columns) -> str:
    """Return a board as text: the state, the last closed round, then a line for each bidder.

    Args:
        view: a view that reveals everything.
        head: the state of a running game.
        closed: the columns of the last closed round.
        current: the columns of the current round.
    """
    seats, played, running = view.scenario_text.seats, view.item_number, view.status == "running"
    over = f"Game {view.status} after {played} of {count(view.num_rounds, 'round')}."
    lines = [head if running else over]
    shown: list[tuple[str, Columns]] = []
    if played:
        lines.append(f"{round_result(view, played - 1, seats)}.")
        shown.append((f"round {played}", closed))
    if running or not played:
        shown.append((f"round {played + 1}", current))
    if not running:
        lines.append(f"{highest_profit(view)}.")
    best = winners(view)
    rows = [["", ""], ["", ""]]
    for word, (headings, _) in shown:
        rows[0] += [word, *[""] * (len(headings) - 1)]
        rows[1] += headings
    rows[0] += ["", "", ""]
    rows[1] += ["profit", "prizes", ""]
    for seat in range(len(seats)):
        cells = [cell for _, (_, cells_of) in shown for cell in cells_of(seat)]
        won = str(int(view.row["won"][0, seat]))
        ending = [amount_of_profit(view, seat), won, "winner" if seat in best else ""]
        rows.append([seats[seat], view.scenario_text.names[seat], *cells, *ending])
    texts = [k for k, cell in enumerate(rows[1]) if cell in ("", "status")]
    return "\n".join([*lines, *aligned(rows, texts)]) + "\n"
