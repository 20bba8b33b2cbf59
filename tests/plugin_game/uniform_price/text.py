"""Views in words, reasons for refusals, and replies."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from aucenv.core.money import format_dollars, money
from aucenv.core.phrases import count
from aucenv.core.reply import read as read_bid
from aucenv.core.reply import write_reply
from aucenv.core.structured_reply import BID_OR_WITHDRAW, ReplyForm
from uniform_price.rules import OVER_CAP
from uniform_price.view import View


def describe(view: View, since: tuple[int, int] | None = None) -> str:
    """Return a view in words: the rules, the closed rounds that are new, and the decision."""
    parts = [_rules(view)] if since is None else []
    parts += [_closed(view, j) for j in range(0 if since is None else since[1], view.item_number)]
    if view.must_decide:
        parts.append(f"Round {view.item_number + 1}: a unit is worth {money(view.value)} to you. What do you bid?")
    elif view.status != "running":
        parts.append(f"The game is over. Your profit is {money(view.profit)}.")
    if view.refused:
        parts.append(f"Your last reply was refused: {view.refused}.")
    return "\n\n".join(parts)


def _rules(view: View) -> str:
    scenario = view.scenario_text.scenario
    return (
        f"You are {view.name}, one of {len(view.scenario_text.names)} bidders in an auction of "
        f"{count(scenario.num_units, 'equal unit')} in each of {count(scenario.num_rounds, 'round')}. Each bidder wants "
        f"one unit, and all bid once, unseen by each other. The {count(scenario.num_units, 'highest bid')} win, a draw "
        "decides between equal bids, and every winner pays the highest bid that does not win. After a round, its price "
        f"is announced. Your value of a unit is drawn from $0 to {money(scenario.highest_value)}, each multiple of "
        f"{money(scenario.step)} as likely; a bid is such an amount, too, and $0 counts. Your profit in a round is your "
        f"value minus the price if you win, and $0 if you do not.\n{how_to_answer(view)}"
    )


def how_to_answer(view: View) -> str:
    return 'Reply with a bid such as "I bid $40!", or "I\'m out!" to make none.'


def _closed(view: View, j: int) -> str:
    closed = view.history[j]
    bid = "made no bid" if closed.bid is None else f"bid {money(closed.bid)}"
    got = f"won a unit for {money(closed.price)}" if closed.won else f"won nothing; the price was {money(closed.price)}"
    return f"Round {j + 1}: your value was {money(closed.value)}. You {bid} and {got}."


def refusal(state: np.ndarray, seat: int, amount: int, code: int, scenario_text: Any) -> str:
    """Return the reason why the rules refuse an amount."""
    if code == OVER_CAP:
        return f"{format_dollars(amount)} is above the highest bid, {format_dollars(int(state['high'][0]))}"
    return f"{format_dollars(amount)} is not a multiple of {format_dollars(int(state['step'][0]))}"


def read(reply: str, rivals: Collection[str], scenario_text: Any, state: np.ndarray) -> int:
    """Return the cents of a reply, or WITHDRAW."""
    return read_bid(reply, rivals)


def reply_writer(scenario: Any) -> Callable[[int], str]:
    return write_reply


def reply_form(scenario_text: Any) -> ReplyForm:
    return BID_OR_WITHDRAW


def waiting_text(scenario_text: Any) -> str:
    return "You have bid; others are still deciding."
