"""Text of clock auctions: views and reasons for refusals as text, and replies.

The sentences are in `single_item.wording`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence

import numpy as np

from aucenv.core.reader.wording import acts_in_words
from aucenv.core.state import WITHDRAW
from aucenv.core.words.money import format_dollars, money, to_cents
from aucenv.core.words.structured_reply import AmountUse, ReplyForm
from aucenv.envs.clock.game import ClockScenario
from aucenv.envs.clock.reply import STAY, TAKE, WAIT, read_ascending, read_descending, write_ascending, write_descending
from aucenv.envs.clock.rules import BEYOND, PASSED
from aucenv.envs.clock.view import Round, ScenarioText, View
from aucenv.envs.single_item import words as single_item
from aucenv.envs.single_item.wording import clock_rules, words


def refusal(state: np.ndarray, seat: int, amount: int, code: int, scenario_text: ScenarioText) -> str:
    """Return the reason why the rules refuse an amount of `amount` cents by `seat`; `code` is that of `rules.check`."""
    row, sign, phrases = state[0], scenario_text.sign, words(scenario_text.scenario.language)
    price = format_dollars(amount, sign)
    if code == PASSED:
        return phrases.passed.format(price=price, clock=format_dollars(int(row["price_now"]), sign))
    if code == BEYOND:
        return phrases.beyond_end.format(price=price, end=format_dollars(int(row["end"]), sign))
    return phrases.off_tick.format(price=price, tick=format_dollars(int(row["tick"]), sign))


def read(reply: str, rivals: Collection[str], scenario_text: ScenarioText, state: np.ndarray) -> int:
    """Return a reply's decision as an amount for `rules`; raise Unreadable if it has none."""
    scenario = scenario_text.scenario
    now = int(state["price_now"][0])
    if scenario.direction == "ascending":
        amount = read_ascending(reply, rivals, scenario.currency, scenario.language)
        return WITHDRAW if amount == now != STAY else amount  # leaving at the clock's price is leaving now
    amount = read_descending(reply, rivals, scenario.currency, scenario.language)
    return now if amount == TAKE else amount


def reply_writer(scenario: ClockScenario) -> Callable[[int], str]:
    """Return the function that writes the simplest reply for an amount."""
    write = write_ascending if scenario.direction == "ascending" else write_descending
    return functools.partial(write, currency=scenario.currency)


def at_this_tick(amount: int, view: View) -> int:
    """Return what a seat does at the current price: STAY or WITHDRAW, on a falling clock WAIT or TAKE.

    Args:
        amount: one of these, or the price in cents at which the seat leaves or takes the prize.
    """
    price = int(view.row["price_now"][0])
    if view.direction == "ascending":
        return amount if amount in (STAY, WITHDRAW) else WITHDRAW if price >= amount else STAY
    return amount if amount in (WAIT, TAKE) else TAKE if price <= amount else WAIT


def reply_form(scenario_text: ScenarioText, in_advance: bool = True) -> ReplyForm:
    """Return the form of structured replies, with the English actions that the text names in every language.

    Args:
        scenario_text: The texts of the scenario, whose direction determines the actions.
        in_advance: Whether the seat may name a price in advance.
    """
    named: AmountUse = "either" if in_advance else "null"
    if scenario_text.scenario.direction == "ascending":
        return ReplyForm((("stay", "null"), ("leave", named)))
    return ReplyForm((("wait", "null"), ("take", named)))


def waiting_text(scenario_text: ScenarioText) -> str:
    """Return the text for a seat that has replied while others have not."""
    return words(scenario_text.scenario.language).answered


def describe(view: View, since: tuple[int, int] | None = None) -> str:
    """Return a view as text: what has happened since the last decision, and what the seat has to decide.

    Args:
        since: (length of the history, number of the round) at the seat's last decision; None describes everything.
    """
    parts = [clock_rules(view.scenario, view.name)] if since is None else []
    parts += [closed_round(view, j) for j in range(0 if since is None else since[1], view.item_number)]
    new_round = since is None or since[1] < view.item_number
    parts.append(call(view, new_round))
    return "\n\n".join(parts)


def closed_round(view: View, j: int) -> str:
    """Return what the seat knows about closed round `j`."""
    played, prices = view.round_at(j), words(view.scenario.language).all_left
    falling = view.direction == "descending"
    result, value = _result(view, played), single_item.value_line(view, played.value, closed=True)
    return "\n".join(
        [
            *single_item.heading(view, j),
            value,
            *result,
            *([] if played.bids is not None else _exits(view, words(view.scenario.language).left_before, played.exits)),
            *single_item.last_round(view, played, "" if falling else prices),
        ]
    )


def _exits(view: View, sentence: str, exits: Sequence[float] | None) -> list[str]:
    """Return the sentence about the prices, the highest first, at which seats left; nothing if there are none."""
    prices = [money(price, view.scenario_text.sign) for price in reversed(exits or ())]
    return [sentence.format(prices=words(view.scenario.language).comma.join(prices))] if prices else []


def _result(view: View, played: Round) -> list[str]:
    phrases, sign = words(view.scenario.language), view.scenario_text.sign
    profit = money(played.profit, sign)
    if played.won:
        return [phrases.clock_won.format(price=money(played.paid, sign), profit=profit)]
    left = []
    if played.bid is not None and view.direction == "ascending":
        left = [phrases.you_left.format(price=money(played.bid, sign))]
    return [*left, phrases.clock_lost.format(profit=profit)]


def call(view: View, new_round: bool = True, in_advance: bool = True) -> str:
    """Return the text about the current round: the prize's value, the clock, the reason for a refusal, how to reply.

    Args:
        new_round: whether this is the first text about the round.
        in_advance: whether the seat may name a price in advance.
    """
    phrases, sign = words(view.scenario.language), view.scenario_text.sign
    lines = single_item.call(view) if new_round or view.value is None else [single_item.value_line(view, view.value)]
    if view.value is None:
        return "\n".join(lines)
    lines.append(phrases.clock_at.format(price=money(view.price or 0, sign)))
    if view.still_in is not None:
        lines.append(phrases.left.format(number=view.still_in, bidders=view.scenario.num_bidders))
        lines += _exits(view, phrases.left_so_far, view.left_at)
    if view.must_decide:
        lines += [*single_item.refused(view), how_to_answer(view, in_advance)]
    return "\n".join(lines)


def how_to_answer(view: View, in_advance: bool = True) -> str:
    """Return the line that says how to answer in words, with an example; `in_advance` as in `call`."""
    phrases = words(view.scenario.language)
    ask, advance = (
        (phrases.ask_ascending, phrases.leave_in_advance)
        if view.direction == "ascending"
        else (phrases.ask_descending, phrases.take_in_advance)
    )
    replies = acts_in_words(view.scenario.language, single_item.example(view, _prices_ahead(view)))
    return ask.format(in_advance=advance.format(**replies) if in_advance else "", **replies)


def _prices_ahead(view: View) -> range:
    """Return the prices in cents that the seat can name in advance, but $0; if there are none, the current price."""
    end, tick = to_cents(view.scenario.end), to_cents(view.scenario.tick)
    price = int(view.row["price_now"][0])
    ahead = range(price + tick, end + 1, tick) if end > price else range(price - tick, max(end, tick) - 1, -tick)
    return ahead or range(max(price, tick), max(price, tick) + 1)
