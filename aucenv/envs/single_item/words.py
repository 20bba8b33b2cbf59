"""Text of sealed-bid and clock auctions: the parts that both games share. The sentences are in `wording`."""

from __future__ import annotations

import numpy as np

from aucenv.core.words.money import format_dollars, money
from aucenv.envs.single_item.view import Round, SingleItemView
from aucenv.envs.single_item.wording import words


def heading(view: SingleItemView, j: int) -> list[str]:
    """Return the line that names the round; `value_line` gives the value of its prize."""
    return [words(view.scenario.language).round_heading.format(number=j + 1, rounds=view.num_rounds)]


def value_line(view: SingleItemView, value: float, closed: bool = False) -> str:
    """Return the line about a prize's value to the seat; with common values, about its signal.

    Args:
        closed: whether the round is closed, so that the line is in the past tense.
    """
    phrases = words(view.scenario.language)
    if view.values == "cv":
        sentence = phrases.past_signal if closed else phrases.signal
    else:
        sentence = phrases.past_value if closed else phrases.value
    return sentence.format(value=money(value, view.scenario_text.sign))


def last_round(view: SingleItemView, played: Round, bids: str, preferred: float | None = None) -> list[str]:
    """Return the lines about the revealed results of a closed round.

    Args:
        bids: the sentence about all bids, with a field `bids` (the highest first) or `prices` (the lowest first); ""
            omits them.
        preferred: the least bid with which the winner would have won, in dollars; None omits it.
    """
    phrases, sign = words(view.scenario.language), view.scenario_text.sign
    lines = []
    if played.bids is not None and bids:
        ranked = [money(bid, sign) for bid in played.bids] or ["-"]
        lines.append(bids.format(bids=phrases.comma.join(ranked), prices=phrases.comma.join(reversed(ranked))))
    if played.price is not None:
        lines.append(phrases.price.format(price=money(played.price, sign)))
    elif view.reveal != "none":
        lines.append(phrases.not_sold)
    if preferred is not None:
        lines.append(phrases.preferred.format(bid=money(preferred, sign)))
    if played.winner_profit is not None and not played.won:
        lines.append(phrases.winner_profit.format(profit=money(played.winner_profit, sign)))
    if played.prize_value is not None:
        lines.append(phrases.prize_value.format(value=money(played.prize_value, sign)))
    return lines


def example(view: SingleItemView, amounts: range) -> str:
    """Return an amount that shows the format of a reply.

    It is drawn in each round from the seat's random numbers, and not the seat's value, so that it suggests no bid.

    Args:
        amounts: the legal amounts to draw from, in cents.
    """
    row, seat, j = view.row[0], view.seat_number, view.item_number
    value = int(row["value"][seat, j])
    others = len(amounts) - (value in amounts)
    if not others:
        return format_dollars(amounts[0], "")
    drawn = int(np.random.SeedSequence((int(row["seat_key"][seat]), j)).generate_state(1)[0])
    place = drawn * others >> 32
    place += value in amounts and place >= amounts.index(value)
    return format_dollars(amounts[place], "")


def call(view: SingleItemView) -> list[str]:
    """Return the lines about the current round, the seat's profit and the prize's value, or about the game's end."""
    phrases, sign = words(view.scenario.language), view.scenario_text.sign
    if view.value is None:
        return [phrases.over.format(profit=money(view.profit, sign))]
    return [*heading(view, view.item_number), total(view), value_line(view, view.value)]


def total(view: SingleItemView) -> str:
    """Return the line about the seat's profit so far."""
    return words(view.scenario.language).total.format(profit=money(view.profit, view.scenario_text.sign))


def refused(view: SingleItemView) -> list[str]:
    """Return a line with the reason why the last reply was refused; an empty list if it was not refused."""
    return [] if view.refused is None else [words(view.scenario.language).refused.format(reason=view.refused)]
