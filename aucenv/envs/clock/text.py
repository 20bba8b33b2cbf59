"""Clock auctions in words: views, reasons of refusals, replies. The sentences are in `single_item.wording`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection

import numpy as np

from aucenv.core.money import format_dollars, money, to_cents
from aucenv.core.state import WITHDRAW
from aucenv.envs.clock.reply import STAY, TAKE, read_ascending, read_descending, write_ascending, write_descending
from aucenv.envs.clock.rules import BEYOND, PASSED
from aucenv.envs.clock.scenario import Scenario
from aucenv.envs.clock.view import Round, ScenarioText, View
from aucenv.envs.single_item import text as single_item
from aucenv.envs.single_item.wording import clock_rules, words


def refusal(state: np.ndarray, seat: int, amount: int, code: int, scenario_text: ScenarioText) -> str:
    """Why the rules refuse an answer of `amount` cents by `seat`: the code that `rules.check` gave, in words."""
    row, sign, said = state[0], scenario_text.sign, words(scenario_text.scenario.language)
    price = format_dollars(amount, sign)
    if code == PASSED:
        return said.passed.format(price=price, clock=format_dollars(int(row["price_now"]), sign))
    if code == BEYOND:
        return said.beyond_end.format(price=price, end=format_dollars(int(row["end"]), sign))
    return said.off_tick.format(price=price, tick=format_dollars(int(row["tick"]), sign))


def read(reply: str, rivals: Collection[str], scenario_text: ScenarioText, state: np.ndarray) -> int:
    """A reply's decision, as `rules` counts it; raises Unreadable."""
    scenario = scenario_text.scenario
    now = int(state["price_now"][0])
    if scenario.direction == "ascending":
        amount = read_ascending(reply, rivals, scenario.currency)
        return WITHDRAW if amount == now != STAY else amount  # to leave at the clock's price is to leave now
    amount = read_descending(reply, rivals, scenario.currency)
    return now if amount == TAKE else amount


def reply_writer(scenario: Scenario) -> Callable[[int], str]:
    """The plainest reply for an amount as `rules` counts it."""
    say = write_ascending if scenario.direction == "ascending" else write_descending
    return functools.partial(say, currency=scenario.currency)


def waiting_text(scenario_text: ScenarioText) -> str:
    """What a seat is told at a tick that waits for others only."""
    return words(scenario_text.scenario.language).answered


def describe(view: View, since: tuple[int, int] | None = None) -> str:
    """A view in words: what has happened since, and what is asked now.

    Args:
        since: (length of the history, number of the round) at the seat's last decision; None = tell everything.
    """
    parts = [clock_rules(view.scenario, view.name)] if since is None else []
    parts += [closed_round(view, j) for j in range(0 if since is None else since[1], view.item_number)]
    new_round = since is None or since[1] < view.item_number
    parts.append(call(view, new_round))
    return "\n\n".join(parts)


def closed_round(view: View, j: int) -> str:
    """What the seat knows of closed round `j`."""
    played, prices = view.round_at(j), words(view.scenario.language).all_left
    falling = view.direction == "descending"
    own, seen = _own(view, played), single_item.seen(view, played.value)
    return "\n".join(
        [*single_item.heading(view, j), seen, *own, *single_item.last_round(view, played, "" if falling else prices)]
    )


def _own(view: View, played: Round) -> list[str]:
    said, sign = words(view.scenario.language), view.scenario_text.sign
    profit = money(played.profit, sign)
    if played.won:
        return [said.clock_won.format(price=money(played.paid, sign), profit=profit)]
    left = []
    if played.bid is not None and view.direction == "ascending":
        left = [said.you_left.format(price=money(played.bid, sign))]
    return [*left, said.clock_lost.format(profit=profit)]


def call(view: View, new_round: bool = True, in_advance: bool = True) -> str:
    """Which round is open, what its prize is worth to the seat, where the clock is, and what is asked.

    Args:
        new_round: the seat has not been told of this round before.
        in_advance: it may name a price in advance.
    """
    said, sign = words(view.scenario.language), view.scenario_text.sign
    lines = single_item.call(view) if new_round or view.value is None else [single_item.seen(view, view.value)]
    if view.value is None:
        return "\n".join(lines)
    lines.append(said.clock_at.format(price=money(view.price or 0, sign)))
    if view.still_in is not None:
        lines.append(said.left.format(number=view.still_in, bidders=view.scenario.num_bidders))
    if view.must_decide:
        rising = view.direction == "ascending"
        ask, more = (
            (said.ask_ascending, said.leave_in_advance) if rising else (said.ask_descending, said.take_in_advance)
        )
        named = more.format(example=_example(view)) if in_advance else ""
        lines += [*single_item.refused(view), ask.format(in_advance=named)]
    return "\n".join(lines)


def _example(view: View) -> str:
    """A price that may be named, to show what an answer looks like: a third of the way from here to the clock's end."""
    end, tick = to_cents(view.scenario.end), to_cents(view.scenario.tick)
    here = int(view.row["price_now"][0])
    if end > here:
        return format_dollars(here + max(1, (end - here) // tick // 3) * tick, "")
    return format_dollars(max(here - (here - end) // tick // 3 * tick, tick), "")
