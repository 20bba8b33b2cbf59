"""Text of proxy auctions: views and reasons for refusals as text, and replies. No text shows the maxima of others.

The sentences are in `wording` and in `single_item.wording`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence

import numpy as np

from aucenv.core.state import NOBODY
from aucenv.core.words.money import format_dollars, money, to_cents
from aucenv.core.words.phrases import count
from aucenv.core.words.structured_reply import ReplyForm
from aucenv.envs.ebay import rules, wording
from aucenv.envs.ebay.game import EbayScenario
from aucenv.envs.ebay.reply import read_maximum, write_maximum
from aucenv.envs.ebay.view import Move, Round, ScenarioText, View
from aucenv.envs.single_item import words as single_item


def refusal(state: np.ndarray, seat: int, amount: int, code: int, scenario_text: ScenarioText) -> str:
    """Return the reason why the rules refuse a maximum of `amount` cents by `seat`; `code` is that of `rules.check`."""
    row, sign = state[0], scenario_text.sign
    sentences = {
        rules.BELOW_EARLIER: wording.BELOW_EARLIER,
        rules.BELOW_PRICE: wording.BELOW_PRICE,
        rules.ABOVE_RANGE: wording.ABOVE_RANGE,
        rules.OFF_STEP: wording.OFF_STEP,
    }
    fields = {"earlier": row["maximum"][seat], "price": row["price_now"], "cap": row["cap"], "step": row["step"]}
    words = {name: format_dollars(max(0, int(cents)), sign) for name, cents in fields.items()}
    return sentences[code].format(amount=format_dollars(amount, sign), **words)


def read(reply: str, rivals: Collection[str], scenario_text: ScenarioText, state: np.ndarray) -> int:
    """Return the decision in the reply of the seat that moves, cents or WITHDRAW; raise Unreadable if it has none."""
    row = state[0]
    earlier = int(row["maximum"][int(row["acting"].argmax())]) if row["acting"].any() else NOBODY
    return read_maximum(reply, rivals, scenario_text.scenario.currency, earlier, int(row["day"]) + 1)


def reply_writer(scenario: EbayScenario) -> Callable[[int], str]:
    """Return the function that writes the simplest reply for an amount."""
    return functools.partial(write_maximum, currency=scenario.currency)


def reply_form(scenario_text: ScenarioText) -> ReplyForm:
    """Return the form of structured replies."""
    return ReplyForm((("bid", "number"), ("hold", "null")))


def waiting_text(scenario_text: ScenarioText) -> str:
    """Return the text for a seat that has no move now."""
    return wording.WAITING


def describe(view: View, since: tuple[int, int] | None = None) -> str:
    """Return a view as text: what has happened since the last decision, and what the seat has to decide.

    Args:
        since: (length of the history, number of the auction) at the seat's last decision; None describes everything.
    """
    parts = [described_rules(view)] if since is None else []
    parts += [closed_round(view, j) for j in range(0 if since is None else since[1], view.item_number)]
    parts.append(call(view, since is None or since[1] < view.item_number))
    return "\n\n".join(parts)


def described_rules(view: View) -> str:
    """Return the rules, one per line."""
    return wording.proxy_rules(view.scenario, view.scenario_text.has_reserve, view.name)


def closed_round(view: View, j: int) -> str:
    """Return what the seat knows about closed auction `j`."""
    played, sign = view.round_at(j), view.scenario_text.sign
    ended = wording.ENDED.format(days=count(played.days, "day"), leader=_leader(view, played.leader))
    return "\n".join(
        [
            *single_item.heading(view, j),
            single_item.value_line(view, played.value, closed=True),
            ended,
            _result(played, sign),
            *single_item.last_round(view, played, wording.ALL_MAXIMA),
        ]
    )


def _result(played: Round, sign: str) -> str:
    profit = money(played.profit, sign)
    if played.bid is None:
        return wording.NEVER_BID.format(profit=profit)
    maximum = money(played.bid, sign)
    if played.won:
        return wording.WON.format(maximum=maximum, price=money(played.paid, sign), profit=profit)
    return wording.LOST.format(maximum=maximum, profit=profit)


def call(view: View, new_round: bool = True) -> str:
    """Return the text about the current auction: day, moves, price, the seat's maximum, a refusal, and how to reply.

    Args:
        view: the view of a seat.
        new_round: whether this is the first text about the auction, which lists all moves; otherwise those since the
            seat's last one.
    """
    if view.value is None:
        return "\n".join(single_item.call(view))
    sign = view.scenario_text.sign
    lines = single_item.call(view) if new_round else [single_item.value_line(view, view.value)]
    lines += [*_day(view), *_moves(view, new_round)]
    lines.append(wording.PRICE.format(price=money(view.price or 0, sign), leader=_leader(view, view.leader)))
    lines.append(
        wording.NO_MAXIMUM if view.maximum is None else wording.MAXIMUM.format(maximum=money(view.maximum, sign))
    )
    if view.must_decide:
        lines += [*single_item.refused(view), how_to_answer(view)]
    return "\n".join(lines)


def _day(view: View) -> list[str]:
    if view.is_last_day:
        return [wording.DAY_LAST.format(day=view.day + 1)]
    left = count(view.days_left, "day")
    may_grow = view.scenario.closing == "soft" and view.day + 1 + view.days_left < rules.MAX_DAYS
    left = (wording.MAY_BE_ADDED if may_grow else wording.DAYS_LEFT).format(left=left)
    day = wording.DAY.format(day=view.day + 1, days=view.day + 1 + view.days_left, left=left)
    return [day, wording.ORDER.format(names=order_of_day(view))]


def order_of_day(view: View) -> str:
    """Return the names in the order in which they move today; "" on the last day, when no order is announced."""
    return "" if view.is_last_day else ", ".join(_name(view, seat) for seat in view.order or ())


def _moves(view: View, all_moves: bool) -> list[str]:
    moves = view.moves
    last = max((k for k, move in enumerate(moves) if move.seat == view.seat), default=-1)
    shown: Sequence[Move] = moves if all_moves else moves[last + 1 :]
    if not shown:
        return []
    return [wording.MOVES if all_moves else wording.NEW_MOVES, *(_move(view, move) for move in shown)]


def _move(view: View, move: Move) -> str:
    return wording.MOVE.format(
        day=move.day + 1,
        name=_name(view, move.seat),
        did=wording.RAISED if move.raised else wording.HELD,
        price=money(move.price, view.scenario_text.sign),
        leader=_leader(view, move.leader),
    )


def _name(view: View, seat: str) -> str:
    return str(view.scenario_text.names[view.scenario_text.seats.index(seat)])


def _leader(view: View, seat: str | None) -> str:
    return wording.NOBODY_LEADS if seat is None else wording.LEADS.format(name=_name(view, seat))


def how_to_answer(view: View) -> str:
    """Return the line that says how to answer in words, with an example."""
    sign = view.scenario_text.sign
    if view.least_raise is None:
        return wording.ASK_HOLD
    example = single_item.example(view, maxima(view))
    return wording.ASK.format(
        least=money(view.least_raise, sign), cap=money(view.scenario.highest_maximum, sign), example=f"{sign}{example}"
    )


def maxima(view: View) -> range:
    """Return the maxima in cents with which the seat can raise its own; there is at least one."""
    step = to_cents(view.scenario.bid_step)
    return range(to_cents(view.least_raise or 0), to_cents(view.scenario.highest_maximum) + 1, step)
